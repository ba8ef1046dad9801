#include "agent/loop/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "agent/detail/attributes.h"
#include "agent/json_fields.h"
#include "base/json/text_array.h"
#include "memory/names.h"
#include "store/act.h"
#include "store/holds.h"
#include "store/own_graphs.h"
#include "store/prune.h"
#include "store/read_around.h"
#include "store/undone_acts.h"

namespace anima::agent {
namespace {

using store::EntityId;

constexpr std::string_view kAgentType = "Agent";
constexpr std::string_view kCycleKey = "cycle";
constexpr std::size_t kMaxLookBack = 64;
constexpr std::size_t kAnyCapacity = std::size_t{1} << 20;

constexpr std::string_view kName = "agent:name";
constexpr std::string_view kCount = "agent:cycle_count";
constexpr std::string_view kPsyche = "agent:psyche";
constexpr std::string_view kGoals = "agent:goals";
constexpr std::string_view kPlans = "agent:plans";
constexpr std::string_view kHistory = "agent:tool_history";
constexpr std::string_view kVetoed = "agent:vetoed";
constexpr std::string_view kUses = "agent:tool_uses";
constexpr std::string_view kEntries = "agent:wm_entries";
constexpr std::string_view kEntry = "agent:wm_entry";

std::optional<EntityId> agent_concept(const store::Snapshot& own, const std::string& agent) {
  const auto type = own.find_type(kAgentType);
  return type ? own.find_concept(*type, agent) : std::nullopt;
}

Json plans_to_json(const std::map<std::string, Plan>& plans) {
  Json list = Json::array();
  for (const auto& [goal, plan] : plans) list.push_back(to_json(plan));
  return list;
}

Json entries_to_json(const SessionState& state) {
  Json list = Json::array();
  for (const MemoryEntry& entry : state.memory.entries()) {
    Json accesses = Json::array();
    for (const std::uint64_t access : entry.access_cycles) accesses.push_back(access);
    const auto place = state.entry_places.find(entry.id);
    list.push_back(
        Json::object({{"id", entry.id},
                      {"at", place == state.entry_places.end() ? std::uint64_t{0} : place->second},
                      {"references", entry.reference_count},
                      {"accesses", std::move(accesses)}}));
  }
  return Json::object({{"next_id", state.memory.next_id()}, {"entries", std::move(list)}});
}

// The parts of one log entry, by name; memory entries apart.
struct Parts {
  std::map<std::string, std::string> named;
  std::vector<std::string> entries;
  bool were_there = false;  // in an attachment, which may be gone
};

Result<Parts> read_parts(store::Space& space, store::Sequence sequence) {
  Parts parts;
  const auto visit = [&](store::RecordKind kind, std::string_view payload) -> Status {
    if (kind != store::RecordKind::kSession) return {};
    const std::size_t line = payload.find('\n');
    if (line == std::string_view::npos) return {};
    const std::string name(payload.substr(0, line));
    std::string json(payload.substr(line + 1));
    if (name == kEntry) {
      parts.entries.push_back(std::move(json));
    } else {
      parts.named[name] = std::move(json);
    }
    return {};
  };
  ANIMA_ASSIGN(const store::LogEntry entry, space.log().entry(sequence));
  ANIMA_TRY(store::visit_all_records(space.log(), entry, visit));
  parts.were_there = store::tells_of_attachment(entry);
  return parts;
}

class Restorer {
 public:
  Restorer(store::Space& space, const Parts& parts, store::Sequence at, SessionState& state)
      : space_(space), parts_(parts), at_(at), state_(state) {}

  void restore(std::size_t capacity) {
    part(kCount, [&](const Json& json) -> Status {
      state_.cycle = count_of(json, "cycle");
      state_.session = count_of(json, "session", 1);
      return {};
    });
    part(kPsyche, [&](const Json& json) -> Status {
      ANIMA_ASSIGN(state_.psyche, psyche_from_json(json));
      state_.psyche_stored = true;
      return {};
    });
    part(kGoals, [&](const Json& json) -> Status {
      ANIMA_ASSIGN(state_.goals, GoalList::from_json(json));
      return {};
    });
    part(kPlans, [&](const Json& json) { return plans(json); });
    part(kHistory, [&](const Json& json) { return lists(json, state_.history); });
    part(kVetoed, [&](const Json& json) -> Status {
      std::map<std::string, std::vector<std::string>> read;
      ANIMA_TRY(lists(json, read));
      for (auto& [goal, keys] : read) state_.vetoed[goal].insert(keys.begin(), keys.end());
      return {};
    });
    part(kUses, [&](const Json& json) -> Status {
      if (!json.is_array()) return fail(ErrorCode::kCorrupt, "no list");
      for (const Json& item : json.as_array()) {
        const std::string tool = text_of(item, "tool");
        state_.uses[tool] = {tool, static_cast<std::uint32_t>(count_of(item, "invocations")),
                             static_cast<std::uint32_t>(count_of(item, "successes"))};
      }
      return {};
    });
    part(kEntries, [&](const Json& json) { return entries(json, capacity); });
  }

 private:
  template <typename Read>
  void part(std::string_view name, const Read& read) {
    const auto found = parts_.named.find(std::string(name));
    if (found == parts_.named.end()) return;
    const Result<Json> json = parse_json(found->second);
    const Status done = json ? read(*json) : Status(fail(json.error()));
    if (done) return;
    if (name == kPsyche) state_.unread = done.error();
    state_.warnings.push_back(
        fmt::format("{} cannot be read and starts fresh: {}", name, done.error().describe()));
  }

  Status plans(const Json& json) {
    if (!json.is_array()) return fail(ErrorCode::kCorrupt, "no list");
    for (const Json& item : json.as_array()) {
      ANIMA_ASSIGN(Plan plan, plan_from_json(item));
      std::string goal = plan.goal;
      state_.plans[std::move(goal)] = std::move(plan);
    }
    return {};
  }

  static Status lists(const Json& json, std::map<std::string, std::vector<std::string>>& out) {
    if (!json.is_object()) return fail(ErrorCode::kCorrupt, "no object");
    for (const auto& [key, list] : json.as_object()) {
      if (!list.is_array()) return fail(ErrorCode::kCorrupt, "no list");
      for (const Json& item : list.as_array()) {
        if (item.is_string()) out[key].push_back(item.as_string());
      }
    }
    return {};
  }

  // Entries are read from the log entries that hold them; their counters are newer here.
  Status entries(const Json& json, std::size_t capacity) {
    std::map<std::uint64_t, std::map<std::uint64_t, Json>> by_place;
    Json whole = Json::array();
    for (const Json& item : items_of(json, "entries")) {
      const std::uint64_t id = count_of(item, "id");
      std::uint64_t place = count_of(item, "at");
      if (place == 0) place = static_cast<std::uint64_t>(at_);
      if (by_place.count(place) == 0) ANIMA_TRY(read_place(place, by_place[place]));
      const auto found = by_place[place].find(id);
      if (found == by_place[place].end()) {
        ANIMA_ASSIGN(const bool gone, is_pruned(store::Sequence{place}));
        if (gone) continue;
        return fail(ErrorCode::kCorrupt, fmt::format("entry {} is not where it should be", id));
      }
      Json entry = found->second;
      entry.set("references", count_of(item, "references"));
      const Json* accesses = item.find("accesses");
      entry.set("accesses", accesses == nullptr ? Json::array() : *accesses);
      whole.push_back(std::move(entry));
      state_.entry_places[id] = place;
    }
    const Json stored = Json::object(
        {{"version", 1}, {"next_id", count_of(json, "next_id", 1)}, {"entries", std::move(whole)}});
    ANIMA_ASSIGN(state_.memory, WorkingMemory::from_json(stored, capacity));
    return {};
  }

  Result<bool> is_pruned(store::Sequence place) {
    ANIMA_ASSIGN(const store::LogEntry entry, space_.log().entry(place));
    if (!store::has_attachment(entry)) return false;
    ANIMA_ASSIGN(const std::string attachment, space_.log().attachment(place));
    return attachment.empty();
  }

  Status read_place(std::uint64_t place, std::map<std::uint64_t, Json>& out) {
    ANIMA_ASSIGN(const Parts parts, read_parts(space_, store::Sequence{place}));
    for (const std::string& text : parts.entries) {
      ANIMA_ASSIGN(Json json, parse_json(text));
      const std::uint64_t id = count_of(json, "id");
      out[id] = std::move(json);
    }
    return {};
  }

  store::Space& space_;
  const Parts& parts_;
  store::Sequence at_;
  SessionState& state_;
};

}  // namespace

Status write_session(store::Transaction& transaction, const std::string& agent,
                     const SessionState& state) {
  const auto part = [&](std::string_view name, const Json& json) {
    return transaction.attach(store::RecordKind::kSession,
                              fmt::format("{}\n{}", name, json.dump()));
  };
  ANIMA_TRY(part(kName, Json(agent)));
  ANIMA_TRY(part(kCount, Json::object({{"cycle", state.cycle}, {"session", state.session}})));
  ANIMA_TRY(part(kPsyche, to_json(state.psyche)));
  ANIMA_TRY(part(kGoals, state.goals.to_json()));
  ANIMA_TRY(part(kPlans, plans_to_json(state.plans)));
  Json history = Json::object(), vetoed = Json::object(), uses = Json::array();
  for (const auto& [goal, tools] : state.history) history.set(goal, text_array(tools));
  for (const auto& [goal, keys] : state.vetoed) {
    vetoed.set(goal, text_array(std::vector<std::string>(keys.begin(), keys.end())));
  }
  for (const auto& [tool, use] : state.uses) {
    uses.push_back(Json::object(
        {{"tool", tool}, {"invocations", use.invocations}, {"successes", use.successes}}));
  }
  ANIMA_TRY(part(kHistory, history));
  ANIMA_TRY(part(kVetoed, vetoed));
  ANIMA_TRY(part(kUses, uses));
  ANIMA_TRY(part(kEntries, entries_to_json(state)));
  for (const MemoryEntry& entry : state.memory.entries()) {
    const auto place = state.entry_places.find(entry.id);
    if (place != state.entry_places.end() && place->second != 0) continue;
    ANIMA_TRY(part(kEntry, to_json(entry)));
  }
  store::AssertOptions options;
  options.graph = transaction.graph(memory::kAgentGraph);
  ANIMA_ASSIGN(const EntityId type, transaction.upsert_type(kAgentType, options));
  ANIMA_ASSIGN(const EntityId entity, transaction.upsert_concept(type, agent, options));
  // The number must differ from the last one, or nothing would be written about the concept.
  const auto turn = static_cast<std::int64_t>(state.session * 1'000'000 + state.cycle);
  std::int64_t mark = turn;
  {
    const store::Snapshot view = transaction.view();
    const auto last = view.attribute(entity, kCycleKey);
    if (last && view.value(*last).integer >= mark) mark = view.value(*last).integer + 1;
  }
  return detail::set_value(transaction, entity, kCycleKey, store::Value::of(mark), options);
}

void settle(SessionState& state, store::Sequence sequence) {
  std::map<std::uint64_t, std::uint64_t> places;
  for (const MemoryEntry& entry : state.memory.entries()) {
    const auto known = state.entry_places.find(entry.id);
    places[entry.id] = known != state.entry_places.end() && known->second != 0
                           ? known->second
                           : static_cast<std::uint64_t>(sequence);
  }
  state.entry_places = std::move(places);
}

Result<std::vector<store::Sequence>> session_entries(store::Space& space, store::Sequence at) {
  std::vector<store::Sequence> entries{at};
  ANIMA_ASSIGN(const Parts parts, read_parts(space, at));
  const auto found = parts.named.find(std::string(kEntries));
  if (found == parts.named.end()) return entries;
  ANIMA_ASSIGN(const Json json, parse_json(found->second));
  for (const Json& item : items_of(json, "entries")) {
    const std::uint64_t place = count_of(item, "at");
    if (place != 0) entries.push_back(store::Sequence{place});
  }
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  return entries;
}

std::optional<std::string> session_agent(std::string_view payload) {
  if (!payload.starts_with(kName) || payload.substr(kName.size(), 1) != "\n") return std::nullopt;
  const auto name = parse_json(payload.substr(kName.size() + 1));
  return name && name->is_string() ? std::optional(name->as_string()) : std::nullopt;
}

Status keep_session(store::Space& space, const std::string& agent, const SessionState& state,
                    const store::Change& before) {
  // Of the system, so that no forgetting of a time or a source takes it, and of no act.
  const store::Origin origin{std::string(store::kSystemAuthor), std::string(store::kStateSource),
                             store::Trust::kSystem, store::Sequence::kNone};
  const store::ActScope of_no_act("", store::ActKind::kOwn);
  return space
      .write(origin,
             [&](store::Transaction& transaction) -> Status {
               if (before) ANIMA_TRY(before(transaction));
               return write_session(transaction, agent, state);
             })
      .map([](const store::Receipt&) {});
}

Status gather_session(store::Space& space, const std::string& agent) {
  ANIMA_ASSIGN(SessionState state, read_session(space, agent, kAnyCapacity));
  state.entry_places.clear();
  return keep_session(space, agent, state);
}

store::Sequence session_entry(const store::Snapshot& now, const std::string& agent) {
  const store::Snapshot own = store::in_graph(now, memory::kAgentGraph);
  const auto entity = agent_concept(own, agent);
  const auto key = own.find_string(kCycleKey);
  const auto turn = entity ? own.attribute(*entity, kCycleKey) : std::nullopt;
  if (!turn || !key) return store::Sequence::kNone;
  const auto said = own.assertions({*entity, store::Predicate::attribute(*key), *turn});
  return said.empty() ? store::Sequence::kNone : said.front().born;
}

Result<bool> holds_session(store::Space& space, store::Sequence entry) {
  ANIMA_ASSIGN(const Parts parts, read_parts(space, entry));
  return !parts.named.empty();
}

Result<std::optional<Psyche>> psyche_of_session(store::Space& space, store::Sequence entry) {
  ANIMA_ASSIGN(const Parts parts, read_parts(space, entry));
  const auto found = parts.named.find(std::string(kPsyche));
  if (found == parts.named.end()) return std::optional<Psyche>();
  ANIMA_ASSIGN(const Json json, parse_json(found->second));
  return psyche_from_json(json).map([](Psyche psyche) { return std::optional(std::move(psyche)); });
}

std::vector<std::string> agents_of(const store::Snapshot& now) {
  const store::Snapshot own = store::in_graph(now, memory::kAgentGraph);
  std::vector<std::string> names;
  const auto type = own.find_type(kAgentType);
  if (!type) return names;
  store::Scratch scratch;
  for (const std::uint32_t code :
       own.subjects(store::kTypePredicate, store::Term::entity(*type), scratch))
    names.emplace_back(own.name(EntityId{code}));
  return names;
}

Result<SessionState> read_session(store::Space& space, const std::string& agent,
                                  std::size_t memory_capacity) {
  SessionState state;
  state.memory = WorkingMemory(memory_capacity);
  ANIMA_ASSIGN(const store::Snapshot snapshot, space.snapshot());
  const store::Snapshot own = store::in_graph(snapshot, memory::kAgentGraph);
  const auto entity = agent_concept(own, agent);
  if (!entity) return state;
  // Where the state in force cannot be read, the newest one that can.
  std::vector<store::Sequence> places = snapshot.history(*entity);
  if (places.size() > kMaxLookBack) places.erase(places.begin(), places.end() - kMaxLookBack);
  const store::Sequence in_force = session_entry(snapshot, agent);
  if (in_force != store::Sequence::kNone) places.push_back(in_force);
  for (auto at = places.rbegin(); at != places.rend(); ++at) {
    const Result<Parts> parts = read_parts(space, *at);
    if (!parts) {
      state.warnings.push_back(fmt::format("log entry {} cannot be read: {}",
                                           static_cast<std::uint64_t>(*at),
                                           parts.error().describe()));
      if (*at == in_force) state.unread = parts.error();
      continue;
    }
    // That of the state in force is never pruned.
    if (*at == in_force && parts->named.empty() && parts->were_there)
      state.unread = Error{ErrorCode::kCorrupt,
                           "its records are gone",
                           fmt::format("log entry {}", static_cast<std::uint64_t>(*at)),
                           {}};
    if (parts->named.empty()) continue;
    Restorer(space, *parts, *at, state).restore(memory_capacity);
    state.written_at = *at;
    return state;
  }
  return state;
}

}  // namespace anima::agent
