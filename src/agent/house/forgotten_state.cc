#include "agent/house/forgotten_state.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "agent/loop/session.h"
#include "base/json/text_array.h"
#include "memory/names.h"
#include "store/holds.h"
#include "store/own_graphs.h"
#include "store/prune.h"
#include "store/restate.h"

namespace anima::agent {
namespace {

using memory::ForgetPlan;
using store::EntityId;

constexpr std::string_view kTypeOfAgents = "Agent";
constexpr std::size_t kCapacityOfAny = std::size_t{1} << 20;

// What a newest state consists of: whether an entry of it loses what is attached to it, and whether
// it goes as a whole.
struct Fate {
  bool loses = false, whole = false;
};
Result<Fate> fate_of(store::Space& space, const ForgetPlan& plan, const SessionState& state,
                     store::Sequence newest) {
  std::set<store::Sequence> places{newest};
  for (const auto& [id, place] : state.entry_places)
    if (place != 0) places.insert(store::Sequence{place});
  Fate fate;
  for (const store::Sequence place : places) {
    ANIMA_ASSIGN(const store::LogEntry entry, space.log().entry(place));
    const bool whole = plan.what.entries && plan.what.entries(entry);
    fate.whole = fate.whole || whole;
    fate.loses = fate.loses || whole;
    if (fate.loses) continue;
    ANIMA_TRY(store::visit_all_records(
        space.log(), entry, [&](store::RecordKind, std::string_view payload) -> Status {
          fate.loses = fate.loses || (plan.named && plan.named(payload));
          return {};
        }));
  }
  return fate;
}

std::string text_without(const ForgetPlan& plan, const std::string& text) {
  return plan.without(Json(text)).as_string();
}

template <typename Values>
std::map<std::string, Values> keys_without(const ForgetPlan& plan,
                                           const std::map<std::string, Values>& lists) {
  std::map<std::string, Values> rest;
  for (const auto& [key, values] : lists) {
    Values& into = rest[text_without(plan, key)];
    for (const std::string& value : values) into.insert(into.end(), text_without(plan, value));
  }
  return rest;
}

// Whether an entry of working memory is about a thing that goes: its id means nothing after that.
bool is_about(const Json& entry, const std::set<EntityId>& gone, const std::set<std::string>& ids) {
  const Json* symbols = entry.find("symbols");
  for (const Json& symbol : symbols->as_array())
    if (gone.contains(EntityId{static_cast<std::uint32_t>(symbol.as_integer())})) return true;
  const Json* findings = entry.find("findings");
  return std::ranges::any_of(findings->as_array(), [&](const Json& finding) {
    return std::ranges::any_of(std::array{"subject", "predicate", "object"}, [&](const char* part) {
      return ids.contains(std::string(finding.find(part)->as_string()));
    });
  });
}

Result<WorkingMemory> memory_without(const ForgetPlan& plan, const WorkingMemory& memory) {
  const std::set<EntityId> gone(plan.what.entities.begin(), plan.what.entities.end());
  std::set<std::string> ids;
  for (const EntityId each : gone)
    for (const char* kind : {"C:", "P:"})
      ids.insert(kind + std::to_string(static_cast<std::uint32_t>(each)));
  Json json = plan.without(memory.to_json());
  Json entries = Json::array();
  for (const Json& entry : json.find("entries")->as_array())
    if (!is_about(entry, gone, ids)) entries.push_back(entry);
  json.set("entries", std::move(entries));
  return WorkingMemory::from_json(json, kCapacityOfAny);
}

// A goal that names what goes cannot be reached any more, and goes.
Result<GoalList> goals_without(const ForgetPlan& plan, const GoalList& goals) {
  Json json = goals.to_json();
  Json rest = Json::array();
  for (const Json& goal : json.find("goals")->as_array())
    if (plan.without(goal).dump() == goal.dump()) rest.push_back(goal);
  json.set("goals", std::move(rest));
  return GoalList::from_json(json);
}

Result<SessionState> state_without(const ForgetPlan& plan, const SessionState& state, bool whole) {
  SessionState rest = state;
  rest.entry_places.clear();
  ANIMA_ASSIGN(rest.psyche, psyche_from_json(plan.without(to_json(state.psyche))));
  if (whole) {
    rest.goals = GoalList();
    rest.memory = WorkingMemory(kCapacityOfAny);
    rest.plans.clear();
    rest.history.clear();
    rest.vetoed.clear();
    return rest;
  }
  ANIMA_ASSIGN(rest.goals, goals_without(plan, state.goals));
  ANIMA_ASSIGN(rest.memory, memory_without(plan, state.memory));
  rest.plans.clear();
  for (const auto& [goal, each] : state.plans) {
    const Json plan_of_it = to_json(each);
    if (plan.without(plan_of_it).dump() == plan_of_it.dump()) rest.plans[goal] = each;
  }
  rest.history = keys_without(plan, state.history);
  rest.vetoed = keys_without(plan, state.vetoed);
  return rest;
}

std::vector<std::string> vetoes_naming(const ForgetPlan& plan, const Psyche& psyche) {
  std::vector<std::string> names;
  for (const ShadowPattern& pattern : psyche.shadow.veto_patterns) {
    const bool named =
        plan.named(pattern.name) || std::ranges::any_of(pattern.triggers, plan.named);
    if (named) names.push_back(pattern.name);
  }
  return names;
}

}  // namespace

Result<std::vector<NamedState>> states_naming(store::Space& space, const ForgetPlan& plan) {
  std::vector<NamedState> found;
  ANIMA_ASSIGN(const store::Snapshot snapshot, space.snapshot());
  for (const std::string& agent : agents_of(snapshot)) {
    ANIMA_ASSIGN(const SessionState state, read_session(space, agent, kCapacityOfAny));
    if (state.written_at == store::Sequence::kNone) continue;
    ANIMA_ASSIGN(const Fate fate, fate_of(space, plan, state, state.written_at));
    if (fate.loses) found.push_back({agent, vetoes_naming(plan, state.psyche)});
  }
  return found;
}

Status write_states_without(store::Space& space, const ForgetPlan& plan,
                            const std::vector<NamedState>& states) {
  for (const NamedState& one : states) {
    ANIMA_ASSIGN(const SessionState state, read_session(space, one.agent, kCapacityOfAny));
    ANIMA_ASSIGN(const Fate fate, fate_of(space, plan, state, state.written_at));
    ANIMA_ASSIGN(const SessionState rest, state_without(plan, state, fate.whole));
    ANIMA_TRY(keep_session(space, one.agent, rest, [&](store::Transaction& transaction) -> Status {
      if (!fate.whole) return {};
      return store::state_existence_anew(transaction, transaction.graph(memory::kAgentGraph),
                                         kTypeOfAgents, one.agent);
    }));
  }
  return {};
}

}  // namespace anima::agent
