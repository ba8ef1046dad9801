#include "agent/house/gate.h"

#include <utility>

#include "agent/house/detail/gated_space.h"
#include "base/files/file.h"
#include "govern/approve/approver_book.h"
#include "govern/approve/approver_pins.h"
#include "tools/external.h"

namespace anima::agent {
namespace {

govern::Tier tier_of(Act act) {
  return act == Act::kReads ? govern::Tier::kReadOnly : govern::Tier::kWriteSafe;
}

// What the permission table has of a tool, for a call that is none.
std::shared_ptr<const govern::ToolPolicy> row_of(const DoorCall& call, Act act) {
  auto row = std::make_shared<govern::ToolPolicy>();
  row->tool = name_of(call);
  row->tier = tier_of(act);
  row->agents = {"*"};
  row->door = call.place;
  row->governs = act == Act::kGoverns;
  for (const JsonMember& argument : call.arguments.as_object())
    row->carried.push_back(argument.first);
  row->carried.emplace_back("act");
  return row;
}

govern::CallRequest request_of(const DoorCall& call, Act act) {
  govern::CallRequest request;
  request.tool = name_of(call);
  request.agent = call.subject;
  request.trust = call.trust;
  request.arguments = call.arguments;
  request.arguments.set("act", std::string(to_string(act)));
  request.door = row_of(call, act);
  return request;
}

std::string hint_of(const govern::Outcome& outcome) {
  if (!outcome.approval_id.empty()) return "anima approve show " + outcome.approval_id;
  if (!outcome.decision.missing.empty()) return outcome.decision.missing.front();
  return outcome.audit_id.empty() ? std::string() : "anima why-denied " + outcome.audit_id;
}

}  // namespace

std::string_view to_string(Act act) {
  constexpr std::string_view kNames[] = {"reads", "writes", "governs"};
  return kNames[static_cast<std::size_t>(act)];
}

std::string name_of(const DoorCall& call) { return call.place + ":" + call.name; }

// A gate in front of a space alone: doors run nothing.
class Gate::NoTools final : public govern::ToolRunner {
 public:
  bool has(std::string_view) const override { return false; }
  Result<Json> run(std::string_view tool, const Json&, std::int64_t) override {
    return fail(ErrorCode::kNotFound, "there is no such tool here", std::string(tool));
  }
};

Result<std::shared_ptr<Gate>> Gate::open(std::shared_ptr<store::Space> space, Clock& clock,
                                         Random& random, GateOptions options) {
  ANIMA_ASSIGN(auto undeniable, govern::Policy::undeniable_rules());
  return std::shared_ptr<Gate>(
      new Gate(std::move(space), clock, random, std::move(options), std::move(undeniable)));
}

Gate::Gate(std::shared_ptr<store::Space> space, Clock& clock, Random& random, GateOptions options,
           std::unique_ptr<govern::Policy> undeniable)
    : space_(std::move(space)),
      clock_(clock),
      random_(random),
      options_(std::move(options)),
      journal_(*space_, clock),
      events_([this](const bus::Event& event) { journal_.add(event); }),
      ledger_(*space_, clock, random, &events_),
      approvals_(clock, random, ledger_, &ledger_, options_.approvals, &events_),
      plans_(ledger_, approvals_, clock),
      council_(ledger_, clock, random, &events_),
      line_(ledger_, &events_),
      undeniable_(std::move(undeniable)) {}

Gate::~Gate() = default;

std::vector<std::string> Gate::rule_folders() const {
  std::vector<std::string> folders = options_.rule_folders;
  if (!space_->folder().empty())
    folders.insert(folders.begin(), join_path(space_->folder(), "policy"));
  return folders;
}

Status Gate::check_approvers() {
  if (options_.approver_pins.empty()) return {};
  govern::ApproverBook book(ledger_);
  ANIMA_ASSIGN(const govern::Approvers* approvers, book.now());
  return govern::ApproverPins(system_files(), options_.approver_pins)
      .check(space_->folder(), *approvers);
}

Status Gate::add_tools(govern::PermissionTable permissions, govern::ToolRunner& tools,
                       govern::AuditLog& audit) {
  const std::lock_guard lock(opening_);
  ANIMA_TRY(check_approvers());
  if (policy_ == nullptr) {
    ANIMA_ASSIGN(policy_, govern::Policy::following(rule_folders(), options_.rules,
                                                    {.work_folder = options_.work_folder}));
  }
  govern::ExecutorOptions settings;
  settings.approvals = &approvals_;
  settings.policy = policy_.get();
  settings.ledger = &ledger_;
  executor_ = std::make_unique<govern::Executor>(std::move(permissions), tools, audit, line_,
                                                 events_, clock_, random_, settings);
  return {};
}

Result<govern::Executor*> Gate::executor() {
  {
    const std::lock_guard lock(opening_);
    if (executor_ != nullptr) return executor_.get();
    if (no_tools_ == nullptr) no_tools_ = std::make_unique<NoTools>();
  }
  ANIMA_TRY(add_tools(govern::PermissionTable::of_the_source(), *no_tools_, ledger_));
  return executor_.get();
}

bool Gate::undeniable(const DoorCall& call, Act act) {
  const govern::CallRequest request = request_of(call, act);
  return undeniable_->undeniable(request, *request.door).has_value();
}

// The rules cannot be read, or the approvers are not those that are known.
govern::Outcome Gate::without_rules(const govern::CallRequest& request, const Error& why) {
  govern::Outcome outcome;
  outcome.reason = why.describe();
  if (!why.hint.empty()) outcome.decision.missing = {why.hint};
  outcome.decision.layer =
      why.code == ErrorCode::kDenied ? govern::Layer::kApproval : govern::Layer::kPolicy;
  outcome.audit_id =
      ledger_
          .write("permission_denied", request.agent, request.trust,
                 Json::object({{"tool", request.tool},
                               {"argumentsHash", govern::arguments_hash(request.arguments)},
                               {"layer", std::string(to_string(outcome.decision.layer))},
                               {"reason", outcome.reason}}))
          .value_or(std::string());
  return outcome;
}

std::optional<govern::Outcome> Gate::refused(const DoorCall& call, Act act,
                                             std::atomic<bool>* approved) {
  const govern::CallRequest request = request_of(call, act);
  if (undeniable_->undeniable(request, *request.door)) return std::nullopt;
  const auto judge = executor();
  if (!judge) return without_rules(request, judge.error());
  const govern::Permission permission = (*judge)->decide(request).permission;
  if (permission == govern::Permission::kAllowed) return std::nullopt;
  if (permission == govern::Permission::kNeedsApproval && approved != nullptr && *approved)
    return std::nullopt;
  govern::Outcome outcome = (*judge)->execute(request);
  if (outcome.kind != govern::Outcome::Kind::kDone) return outcome;
  if (approved != nullptr) *approved = permission == govern::Permission::kNeedsApproval;
  return std::nullopt;
}

Status Gate::pass(const DoorCall& call, Act act, std::atomic<bool>* approved) {
  auto refused = refusal(call, act, approved);
  return refused ? Status(fail(std::move(refused->error))) : Status();
}

std::optional<Refusal> Gate::refusal(const DoorCall& call, Act act, std::atomic<bool>* approved) {
  const auto outcome = refused(call, act, approved);
  if (!outcome) return std::nullopt;
  const bool later = outcome->kind == govern::Outcome::Kind::kBusy;
  const bool waits = outcome->kind == govern::Outcome::Kind::kWaiting;
  // Where the ledger cannot be read, no entry of it says why.
  if (!later && !waits) {
    const auto line = line_.state();
    if (!line && line.error().code == ErrorCode::kCorrupt) return Refusal{line.error(), {}, {}};
  }
  const std::string waiting =
      waits ? std::string(tools::kWaitsForApproval) + outcome->approval_id + ": " : std::string();
  return Refusal{{later ? ErrorCode::kBusy : ErrorCode::kDenied, waiting + outcome->reason,
                  name_of(call), hint_of(*outcome)},
                 outcome->approval_id,
                 outcome->audit_id};
}

Result<std::shared_ptr<store::Space>> Gate::enter(DoorCall call, Act writes) {
  auto space =
      std::make_shared<detail::GatedSpace>(shared_from_this(), call, call, Judged::kAtOnce, writes);
  ANIMA_TRY(space->may_write());
  return space;
}

std::shared_ptr<store::Space> Gate::space_for(DoorCall call, Judged how, Act writes) {
  return std::make_shared<detail::GatedSpace>(shared_from_this(), call, call, how, writes);
}

}  // namespace anima::agent
