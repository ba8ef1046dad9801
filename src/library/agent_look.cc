// What an Agent shows: its tools, what waits, what was decided.
#include <algorithm>

#include "anima/agent.h"
#include "base/json/json_member.h"
#include "govern/ledger/sealed_members.h"
#include "library/detail/open_agent.h"

namespace anima {
namespace {

ToolDescription described(const tools::ToolInfo& info, govern::Tier tier) {
  ToolDescription tool{info.name, info.description, tier_of(tier), {}};
  for (const tools::ToolParameter& each : info.parameters)
    tool.parameters.push_back({each.name, each.required, each.description});
  return tool;
}

ApprovalRequest request_from(const govern::Approval& approval,
                             const std::vector<agent::KeptPlan>& plans) {
  ApprovalRequest request = {.id = approval.id,
                             .tool = approval.request.tool,
                             .agent = approval.request.agent,
                             .arguments = approval.request.arguments,
                             .trust = level_of(approval.effective_trust),
                             .reason = approval.reason,
                             .evidence = approval.evidence,
                             .status = std::string(govern::to_string(approval.status)),
                             .decided_by = approval.decided_by,
                             .asked = format_timestamp(approval.asked),
                             .expires = format_timestamp(approval.expires)};
  for (const agent::KeptPlan& plan : plans) {
    const bool waits = std::ranges::any_of(
        plan.waits, [&](const auto& wait) { return wait.second == approval.id; });
    if (waits) request.plan_ids.push_back(plan.id);
  }
  return request;
}

}  // namespace

std::string_view to_string(ToolTier tier) { return govern::to_string(tier_of(tier)); }

std::vector<ToolDescription> Agent::tools() const {
  std::vector<ToolDescription> tools;
  for (const tools::ExternalTool& tool : tools::external_tools())
    tools.push_back(described(tool.info, tool.tier));
  for (const tools::ExternalTool& tool : agent::MemoryTools::tools())
    tools.push_back(described(tool.info, tool.tier));
  // The row decides: what the source's table names has its tier from there.
  for (const agent::OwnTool& tool : state_->house->own_tools().all()) {
    const govern::ToolPolicy* row = state_->house->executor().permissions().find(tool.info.name);
    tools.push_back(described(tool.info, row == nullptr ? tool.policy.tier : row->tier));
  }
  for (const govern::ToolDeclaration& tool : state_->house->tools_of_others().declarations())
    tools.push_back(described(tools::info_of(tool), tool.tier_of()));
  std::ranges::sort(tools, {}, &ToolDescription::name);
  return tools;
}

Result<std::vector<ApprovalRequest>> Agent::waiting() const {
  ANIMA_ASSIGN(std::vector<ApprovalRequest> requests, approvals());
  std::erase_if(requests, [](const auto& request) { return request.status != "pending"; });
  return requests;
}

Result<std::vector<ApprovalRequest>> Agent::approvals() const {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  ANIMA_ASSIGN(const std::vector<govern::Approval> list, state_->house->approvals().list());
  ANIMA_ASSIGN(const std::vector<agent::KeptPlan> plans, state_->house->plans().list());
  std::vector<ApprovalRequest> requests;
  for (const govern::Approval& approval : list) requests.push_back(request_from(approval, plans));
  return requests;
}

Result<ApprovalRequest> Agent::approval(std::string_view approval_id) const {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  ANIMA_ASSIGN(const govern::Approval found, state_->house->approvals().find(approval_id));
  ANIMA_ASSIGN(const std::vector<agent::KeptPlan> plans, state_->house->plans().list());
  return request_from(found, plans);
}

Result<std::vector<AuditRecord>> Agent::audit_behind(std::uint64_t entry, std::size_t limit,
                                                     std::string_view action) const {
  std::vector<AuditRecord> records;
  bool enough = false;
  const auto read = state_->house->ledger().read(
      store::RecordKind::kAudit, store::Sequence{entry},
      [&](const govern::LedgerEntry& kept) -> Status {
        const auto place = static_cast<std::uint64_t>(kept.sequence);
        enough = records.size() >= limit && (records.empty() || records.back().entry != place);
        if (enough) return fail(ErrorCode::kCancelled, "enough");
        const std::string done = text_member(kept.content, "action");
        // Without one it is the store's own.
        if (done.empty() || (!action.empty() && done != action)) return {};
        Json details = Json::object();
        if (const Json* found = kept.content.find("details")) details = *found;
        ANIMA_TRY(govern::unseal_members(*state_->space, details));
        records.push_back(
            {.entry = place,
             .id = text_member(kept.content, "id"),
             .time = text_member(kept.content, "timestamp"),
             .action = done,
             .actor = text_member(kept.content, "actor"),
             .trust = level_of(govern::parse_trust(text_member(kept.content, "trustLevel"))
                                   .value_or(govern::Trust::kUntrusted)),
             .details = std::move(details)});
        return {};
      });
  if (!read && !enough) return fail(read.error());
  return records;
}

Subscription Agent::subscribe(std::string_view type, std::function<void(const Event&)> handler) {
  return state_->listeners.add(type, std::move(handler));
}

Status Agent::emergency_stop(std::string_view agent, std::string_view reason) {
  Status stopped = state_->brake->line().emergency(agent, reason);
  if (!stopped) stopped = state_->house->line().emergency(agent, reason);
  state_->tell_of_brake();
  state_->listeners.tell();
  return stopped;
}

Result<LineStatus> Agent::line() const {
  ANIMA_ASSIGN(const govern::LineState line, state_->house->line().state());
  LineStatus status;
  status.halted = line.halted;
  status.emergency = line.emergency;
  if (!line.halted) return status;
  status.by = line.by;
  status.reason = line.reason;
  status.since = format_timestamp(line.since);
  return status;
}

}  // namespace anima
