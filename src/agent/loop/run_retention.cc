#include "agent/loop/run_retention.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "agent/detail/attributes.h"
#include "agent/json_fields.h"
#include "agent/loop/detail/run_record.h"
#include "agent/loop/session.h"
#include "memory/names.h"
#include "store/own_graphs.h"
#include "store/statements.h"

namespace anima::agent {
namespace {

using store::EntityId;
using store::LogEntry;
using store::Sequence;

constexpr std::string_view kRunType = "Run";
constexpr std::string_view kRunKey = "agent:kept_run";
constexpr std::string_view kBooksType = "AgentBooks";
constexpr std::string_view kBooksName = "runs";
constexpr std::string_view kPrunedKey = "agent:pruned_at";

std::uint64_t sequence_number(Sequence sequence) { return static_cast<std::uint64_t>(sequence); }

// What is attached in the log, by runs. A state that was gathered is one without steps.
struct RecordedRun {
  std::string agent;
  Timestamp ended;
  std::uint64_t steps = 0;
  bool whole = true;         // each of its steps is there
  std::uint64_t opened = 0;  // the entry behind which it read its state
  std::vector<Sequence> entries;
};

class Inventory {
 public:
  explicit Inventory(store::Space& space) : space_(space) {}

  Status read() {
    return space_.log().read(Sequence{1}, [&](const LogEntry& entry) { return see(entry); });
  }

  const std::map<std::uint64_t, RecordedRun>& runs() const { return runs_; }
  const std::map<std::string, std::vector<Sequence>>& states() const { return states_; }
  std::uint64_t inline_cycles() const { return inline_cycles_; }
  bool has_run(Sequence run) const {
    const auto found = runs_.find(sequence_number(run));
    return found != runs_.end() && found->second.steps != 0 && found->second.whole;
  }

  // The entry that holds the agent's state in force up to `last`; kNone: there is none.
  Sequence newest_state(const std::string& agent, Sequence last) const {
    const auto found = states_.find(agent);
    if (found == states_.end()) return Sequence::kNone;
    if (const auto now = space_.snapshot()) {
      const auto then = now->as_of(last);
      const Sequence in_force = then ? session_entry(*then, agent) : Sequence::kNone;
      if (std::binary_search(found->second.begin(), found->second.end(), in_force)) return in_force;
    }
    const auto after = std::upper_bound(found->second.begin(), found->second.end(), last);
    return after == found->second.begin() ? Sequence::kNone : *std::prev(after);
  }

 private:
  Status see(const LogEntry& entry) {
    if (!entry.seal.empty()) return {};
    if (!store::has_attachment(entry)) return look_inside(entry);
    std::optional<detail::RunRecord> record;
    std::optional<std::string> agent;
    ANIMA_TRY(store::visit_all_records(
        space_.log(), entry, [&](store::RecordKind kind, std::string_view payload) -> Status {
          if (kind == store::RecordKind::kSession && !agent) agent = session_agent(payload);
          if (kind != store::RecordKind::kRun) return {};
          ANIMA_ASSIGN(const Json json, parse_json(payload));
          ANIMA_ASSIGN(record, detail::run_record_from_json(json));
          return {};
        }));
    if (!agent) return {};  // pruned, or attached by somebody else
    states_[*agent].push_back(entry.sequence);
    RecordedRun& run =
        runs_[record && record->run != 0 ? record->run : sequence_number(entry.sequence)];
    run.agent = *agent;
    run.ended = entry.time;
    run.entries.push_back(entry.sequence);
    if (!record) return {};
    ++run.steps;
    run.whole = run.whole && record->step == run.steps;
    if (record->run == 0) run.opened = count_of(record->setup, "opened");
    return {};
  }

  Status look_inside(const LogEntry& entry) {
    bool of_a_run = false;
    ANIMA_TRY(store::visit_records(entry, [&](store::RecordKind kind, std::string_view) -> Status {
      of_a_run = of_a_run || kind == store::RecordKind::kRun;
      return {};
    }));
    if (of_a_run) ++inline_cycles_;
    return {};
  }

  store::Space& space_;
  std::map<std::uint64_t, RecordedRun> runs_;
  std::map<std::string, std::vector<Sequence>> states_;  // by agent, in order
  std::uint64_t inline_cycles_ = 0;
};

Status add_state(store::Space& space, Sequence at, std::set<Sequence>& needed) {
  if (at == Sequence::kNone) return {};
  ANIMA_ASSIGN(const std::vector<Sequence> entries, session_entries(space, at));
  needed.insert(entries.begin(), entries.end());
  return {};
}

// An agent's newest state stays where it stands alone; else it is written again.
Status plan_states(store::Space& space, const Inventory& inventory, PrunePlan& plan,
                   std::set<Sequence>& needed) {
  ANIMA_ASSIGN(const store::Snapshot now, space.snapshot());
  for (const auto& [agent, states] : inventory.states()) {
    Sequence newest = session_entry(now, agent);
    const bool listed = std::binary_search(states.begin(), states.end(), newest);
    if (!listed) newest = states.back();
    ANIMA_ASSIGN(const std::vector<Sequence> entries, session_entries(space, newest));
    const bool alone = entries == std::vector<Sequence>{newest};
    const bool stays = std::all_of(entries.begin(), entries.end(),
                                   [&](Sequence entry) { return needed.count(entry) != 0; });
    if (alone) needed.insert(newest);
    if (!alone && !stays) plan.gathered.push_back(agent);
  }
  return {};
}

Status plan_run(store::Space& space, const RecordedRun& run, const std::set<Sequence>& needed,
                PrunePlan& plan) {
  bool touched = false;
  for (const Sequence entry : run.entries) {
    if (needed.count(entry) != 0) {
      ++plan.needed;
      continue;
    }
    ANIMA_ASSIGN(const std::string attachment, space.log().attachment(entry));
    plan.bytes += attachment.size();
    plan.entries.push_back(entry);
    touched = true;
  }
  if (touched && run.steps != 0) ++plan.runs;
  return {};
}

bool is_number(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

Result<std::vector<KeptRun>> kept_runs(store::Space& space) {
  std::vector<KeptRun> kept;
  ANIMA_ASSIGN(const store::Snapshot snapshot, space.snapshot());
  const store::Snapshot own = store::in_graph(snapshot, memory::kAgentGraph);
  const auto key = own.find_string(kRunKey);
  if (!key) return kept;
  store::Pattern pattern;
  pattern.predicate = store::Predicate::attribute(*key);
  store::each_statement(own, pattern, [&](const store::Triple& row) {
    const auto run = static_cast<std::uint64_t>(own.value(row.object).integer);
    kept.push_back({std::string(own.name(row.subject)), Sequence{run}});
  });
  std::sort(kept.begin(), kept.end(),
            [](const KeptRun& a, const KeptRun& b) { return a.name < b.name; });
  return kept;
}

Status keep_run(store::Space& space, const store::Origin& origin, Sequence run,
                const std::string& name) {
  if (name.empty() || is_number(name)) {
    return fail(ErrorCode::kInvalidArgument, "the name of a run is a word, not a number", name);
  }
  ANIMA_ASSIGN(const std::vector<KeptRun> kept, kept_runs(space));
  for (const KeptRun& each : kept) {
    if (each.name != name) continue;
    if (each.run == run) return {};
    return fail(ErrorCode::kAlreadyExists,
                fmt::format("run {} has this name", sequence_number(each.run)), name,
                fmt::format("`anima replay --release {}` takes it back", name));
  }
  Inventory inventory(space);
  ANIMA_TRY(inventory.read());
  if (!inventory.has_run(run)) {
    return fail(ErrorCode::kNotFound,
                fmt::format("there is no record of a run {}", sequence_number(run)), {},
                "`anima replay` without a number lists them");
  }
  return space
      .write(origin,
             [&](store::Transaction& transaction) -> Status {
               store::AssertOptions options;
               options.graph = transaction.graph(memory::kAgentGraph);
               ANIMA_ASSIGN(const EntityId type, transaction.upsert_type(kRunType, options));
               ANIMA_ASSIGN(const EntityId entity, transaction.upsert_concept(type, name, options));
               return detail::set_value(transaction, entity, kRunKey,
                                        store::Value::of(static_cast<std::int64_t>(run)), options);
             })
      .map([](const store::Receipt&) {});
}

Status release_run(store::Space& space, const store::Origin& origin, const std::string& name) {
  return space
      .write(origin,
             [&](store::Transaction& transaction) -> Status {
               const store::GraphId graph = transaction.graph(memory::kAgentGraph);
               const store::Snapshot own = store::in_graph(transaction.view(), memory::kAgentGraph);
               const auto type = own.find_type(kRunType);
               const auto entity = type ? own.find_concept(*type, name) : std::nullopt;
               if (!entity) return fail(ErrorCode::kNotFound, "no run has this name", name);
               return transaction.retract_concept(*entity, graph, true);
             })
      .map([](const store::Receipt&) {});
}

Result<PrunePlan> plan_pruning(store::Space& space, Timestamp before) {
  Inventory inventory(space);
  ANIMA_TRY(inventory.read());
  ANIMA_ASSIGN(const std::vector<KeptRun> names, kept_runs(space));
  std::map<std::uint64_t, std::string> named;
  for (const KeptRun& each : names) named[sequence_number(each.run)] = each.name;
  PrunePlan plan;
  plan.before = before;
  plan.inline_cycles = inventory.inline_cycles();
  std::set<Sequence> needed;
  std::vector<const RecordedRun*> old;
  for (const auto& [first, run] : inventory.runs()) {
    const auto name = named.find(first);
    if (run.ended < before && name == named.end()) {
      old.push_back(&run);
      continue;
    }
    if (run.ended < before) plan.kept.push_back({name->second, Sequence{first}});
    ANIMA_TRY(add_state(space, inventory.newest_state(run.agent, Sequence{run.opened}), needed));
  }
  ANIMA_TRY(plan_states(space, inventory, plan, needed));
  for (const RecordedRun* run : old) ANIMA_TRY(plan_run(space, *run, needed, plan));
  std::sort(plan.entries.begin(), plan.entries.end());
  return plan;
}

Result<store::PruneReport> prune_runs(store::Space& space, const store::Origin& origin,
                                      const PrunePlan& plan, Timestamp now, bool shrink) {
  for (const std::string& agent : plan.gathered) ANIMA_TRY(gather_session(space, agent));
  ANIMA_ASSIGN(const store::PruneReport report,
               store::prune_attachments(space, origin, plan.entries, shrink));
  ANIMA_TRY(space.write(origin, [&](store::Transaction& transaction) -> Status {
    store::AssertOptions options;
    options.graph = transaction.graph(memory::kAgentGraph);
    ANIMA_ASSIGN(const EntityId type, transaction.upsert_type(kBooksType, options));
    ANIMA_ASSIGN(const EntityId books, transaction.upsert_concept(type, kBooksName, options));
    return detail::set_value(transaction, books, kPrunedKey, store::Value::of(now.microseconds),
                             options);
  }));
  return report;
}

Result<Timestamp> last_pruning(store::Space& space) {
  ANIMA_ASSIGN(const store::Snapshot snapshot, space.snapshot());
  const store::Snapshot own = store::in_graph(snapshot, memory::kAgentGraph);
  const auto type = own.find_type(kBooksType);
  const auto books = type ? own.find_concept(*type, kBooksName) : std::nullopt;
  const auto time = books ? own.attribute(*books, kPrunedKey) : std::nullopt;
  return time ? Timestamp{own.value(*time).integer} : Timestamp{};
}

}  // namespace anima::agent
