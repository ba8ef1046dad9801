// Phase 9: $system tells the waking mind what it did.
#include <fmt/format.h>

#include <algorithm>

#include "sleep/detail/phases.h"
#include "sleep/detail/proposals.h"

namespace anima::sleep::detail {
namespace {

constexpr std::size_t kMostLogged = 50;  // cycles in the maintenance log; the books hold all
constexpr std::size_t kMostIssues = 20;  // of a cycle in it
constexpr std::string_view kFinish =
    "UPSERT { CONCEPT ?system { {type: \"Person\", name: \"$system\"} SET ATTRIBUTES "
    "{last_sleep_cycle: :now, maintenance_log: :log} } } WITH METADATA {source: \"SleepCycle\", "
    "author: \"$system\"}";
constexpr std::string_view kLog =
    "FIND(?system.attributes.maintenance_log) WHERE { ?system {type: \"Person\", name: "
    "\"$system\"} }";

// Whether the reason is in the words of a model or its server.
bool is_outsiders(const Item& item) {
  return item.what == kNotTaken || item.what == kSaidSame || item.what == kWithoutModel;
}

std::string summary(std::span<const PhaseRecord> phases) {
  std::string text;
  for (const PhaseRecord& phase : phases) {
    if (phase.changes == 0) continue;
    text +=
        fmt::format("{}{}: {}", text.empty() ? "" : ", ", phase_name(phase.phase), phase.changes);
  }
  return text;
}

}  // namespace

Status finish_cycle(Cycle& cycle, std::span<const PhaseRecord> phases) {
  ANIMA_ASSIGN(const Json answer, cycle.ask(kLog, Json::object()));
  JsonArray log;
  if (answer.is_array() && answer.as_array().size() == 1) log = answer.as_array()[0].as_array();
  Json issues = Json::array();
  std::size_t changes = 0;
  for (const PhaseRecord& phase : phases) {
    changes += phase.changes;
    for (const Item& item : phase.items) {
      if (!item.changed && issues.as_array().size() < kMostIssues)
        issues.push_back(item.what + ": " + item.about +
                         (is_outsiders(item) ? std::string() : " - " + item.reason));
    }
  }
  log.push_back(Json::object({{"timestamp", cycle.time_text()},
                              {"cycle", cycle.number()},
                              {"actions_taken", summary(phases)},
                              {"items_processed", changes},
                              {"issues_found", std::move(issues)}}));
  if (log.size() > kMostLogged)
    log.erase(log.begin(), log.end() - static_cast<std::ptrdiff_t>(kMostLogged));
  Action action{"logged", "Person \"$system\"", "what this cycle did", {}, Trust::kSystem};
  action.statements.push_back(
      {kFinish, Json::object({{"now", cycle.time_text()}, {"log", Json(std::move(log))}})});
  return cycle.finish(std::move(action));
}

}  // namespace anima::sleep::detail
