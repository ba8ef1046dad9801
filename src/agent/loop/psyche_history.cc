#include "agent/loop/psyche_history.h"

#include <optional>
#include <string_view>

#include "agent/loop/session.h"
#include "agent/mind/psyche_change.h"
#include "memory/names.h"
#include "store/own_graphs.h"

namespace anima::agent {
namespace {

// The psyche that an entry of this agent holds, if it does.
Result<std::optional<Psyche>> psyche_in(store::Space& space, const store::LogEntry& entry,
                                        const std::string& agent) {
  constexpr std::string_view kPart = "agent:psyche\n";
  std::optional<Psyche> found;
  bool of_agent = false;
  ANIMA_TRY(store::visit_all_records(
      space.log(), entry, [&](store::RecordKind kind, std::string_view payload) -> Status {
        if (kind != store::RecordKind::kSession) return {};
        if (const auto name = session_agent(payload)) of_agent = *name == agent;
        if (!payload.starts_with(kPart)) return {};
        ANIMA_ASSIGN(const Json json, parse_json(payload.substr(kPart.size())));
        ANIMA_ASSIGN(found, psyche_from_json(json));
        return {};
      }));
  if (!of_agent) found.reset();
  return found;
}

}  // namespace

Result<std::vector<PsycheChange>> psyche_history(store::Space& space, const std::string& agent) {
  ANIMA_ASSIGN(const store::Snapshot now, space.snapshot());
  const store::Snapshot own = store::in_graph(now, memory::kAgentGraph);
  std::vector<PsycheChange> history;
  const auto type = own.find_type("Agent");
  const auto symbol = type ? own.find_concept(*type, agent) : std::nullopt;
  if (!symbol) return history;
  Psyche before;
  for (const store::Sequence sequence : own.history(*symbol)) {
    ANIMA_ASSIGN(const store::LogEntry entry, space.log().entry(sequence));
    if (!entry.seal.empty() && entry.payload.empty()) continue;  // erased
    ANIMA_ASSIGN(const std::optional<Psyche> psyche, psyche_in(space, entry, agent));
    if (!psyche) continue;
    std::vector<std::string> changes = differences(before, *psyche);
    before = *psyche;
    if (changes.empty()) continue;
    history.push_back(
        {sequence, entry.time, entry.origin.author, entry.origin.source, std::move(changes)});
  }
  return history;
}

}  // namespace anima::agent
