// Phase 2: what the waking mind left to be done.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "sleep/detail/consolidation.h"
#include "sleep/detail/duplicates.h"
#include "sleep/detail/phases.h"
#include "sleep/evidence/classifier.h"

namespace anima::sleep::detail {
namespace {

constexpr std::string_view kBegin =
    "UPDATE ?task SET ATTRIBUTES {status: \"in_progress\", started_at: :now} WHERE { ?task {id: "
    ":task} }";
constexpr std::string_view kEnd =
    "UPDATE ?task SET ATTRIBUTES {status: :status, completed_at: :now, result: :result} WHERE { "
    "?task {id: :task} }";
constexpr std::size_t kMostTasks = 200;  // of a cycle

struct Task {
  EntityId id = EntityId::kNone;
  std::string target_type, target_name, wanted, reason;
};

// What came of a task.
struct Outcome {
  std::string status = "failed";
  std::string result;
  std::vector<Statement> statements;
  Trust trust = Trust::kSystem;
};

Outcome failed(std::string why) { return {"failed", std::move(why), {}, Trust::kSystem}; }

Task task_of(const Reading& reading, EntityId task) {
  return {task, reading.text(task, "target_type"), reading.text(task, "target_name"),
          reading.text(task, "requested_action"), reading.text(task, "reason")};
}

double priority_of(const Snapshot& snapshot, EntityId task) {
  double priority = 0;
  const auto term = snapshot.attribute(task, "priority");
  return term && snapshot.number(*term, &priority) ? priority : 1;  // the schema's default
}

// The least trusted of those who made the task and said what is to be done.
Trust task_trust(const Reading& reading, EntityId task) {
  Trust trust = reading.trust(task);
  for (const std::string_view key : {"target_type", "target_name", "requested_action", "status"}) {
    const auto name = reading.snapshot().find_string(key);
    const auto value = reading.snapshot().attribute(task, key);
    if (!name || !value) continue;
    const auto said = reading.snapshot().assertions({task, Predicate::attribute(*name), *value});
    for (const store::Assertion& assertion : said)
      trust = std::min(trust, reading.snapshot().entry(assertion.born).trust);
  }
  return trust;
}

class TaskRunner {
 public:
  TaskRunner(Cycle& cycle, const Reading& reading)
      : cycle_(cycle), reading_(reading), consolidation_(cycle, reading) {}

  Result<Outcome> run(const Task& task) {
    const EntityId type = reading_.type(task.target_type);
    const auto target = type == EntityId::kNone
                            ? std::nullopt
                            : reading_.snapshot().find_concept(type, task.target_name);
    if (!target && !task.target_name.empty()) return failed("there is no such target");
    if (task.wanted == "review") {
      cycle_.leave("to review", task.target_type + " " + quote_json(task.target_name), task.reason);
      return Outcome{
          "completed", "listed for review in the report of the cycle", {}, Trust::kSystem};
    }
    if (!target) return failed("there is no such target");
    if (reading_.is_protected(*target)) return failed("the target is protected");
    const Trust trust = task_trust(reading_, task.id);
    if (trust < Trust::kStandard && trust < reading_.trust(*target))
      return failed("the task is trusted less than its target");
    if (reading_.is_brought(*target)) return failed("a compartment states the target, too");
    if (task.wanted == "archive") {
      return Outcome{"completed", "archived", archive(cycle_, reading_, *target),
                     reading_.trust(*target)};
    }
    if (task.wanted == "reclassify") return reclassify(*target);
    if (task.wanted == "merge_duplicates") return merge(*target);
    if (task.wanted == "consolidate_to_semantic") return consolidate(*target);
    return failed("the action " + quote_json(task.wanted) + " is not known");
  }

 private:
  Outcome reclassify(EntityId target) {
    const Classification found = Classifier(reading_).classify(target);
    if (found.domain == EntityId::kNone) return failed("no domain wins: " + found.reason);
    Outcome outcome{"completed", found.reason, {}, reading_.trust(target)};
    outcome.statements.push_back(
        put_into(reading_, target, found.domain, "SleepReclassification", 0.85));
    for (const EntityId domain : reading_.domains_of(target)) {
      if (domain != found.domain)
        outcome.statements.push_back(take_out_of(reading_, target, domain));
    }
    return outcome;
  }

  Result<Outcome> merge(EntityId target) {
    DuplicateFinder finder(reading_);
    std::vector<EntityId> members{target};
    std::string perhaps;
    const std::vector<Pair> pairs = finder.find({target});
    std::vector<const Pair*> same;
    for (const Pair& pair : pairs) {
      const EntityId other = pair.a == target ? pair.b : pair.a;
      if (pair.judgement.verdict == Verdict::kSame && !reading_.is_protected(other) &&
          !reading_.is_brought(other)) {
        members.push_back(other);
        same.push_back(&pair);
      } else {
        perhaps += " " + reading_.title(other) + " (" + pair.judgement.reason + ")";
      }
    }
    if (members.size() == 1)
      return failed(perhaps.empty() ? "nothing is like it" : "not sure enough:" + perhaps);
    ANIMA_ASSIGN(const bool parted, cycle_.was_parted(members));
    if (parted) return failed(std::string(kParted));
    const std::string reason = reason_of_merge(reading_, same);
    ANIMA_ASSIGN(Action action, merge_action(cycle_, reading_, members, reason));
    return Outcome{"completed", action.about + ": " + reason, std::move(action.statements),
                   action.trust};
  }

  Result<Outcome> consolidate(EntityId target) {
    if (reading_.snapshot().type_of(target) != reading_.event_type())
      return failed("only events are consolidated");
    if (!reading_.is_waiting_event(target)) return failed("it is consolidated already");
    Outcome outcome{"completed", {}, {}, reading_.trust(target)};
    if (auto definitions = consolidation_.definitions({target})) {
      cycle_.act(std::move(*definitions));
      ANIMA_TRY(cycle_.flush());
    }
    auto action = consolidation_.facts_of(target);
    if (!action) action = std::move(consolidation_.digests_of({target}).front());
    outcome.result = action->reason;
    outcome.statements = std::move(action->statements);
    return outcome;
  }

  Cycle& cycle_;
  const Reading& reading_;
  Consolidation consolidation_;
};

}  // namespace

std::vector<EntityId> waiting_tasks(const Reading& reading) {
  const Snapshot& snapshot = reading.snapshot();
  const EntityId type = reading.type("SleepTask"), person = reading.type("Person");
  const auto assigned = reading.link("assigned_to");
  const auto system =
      person == EntityId::kNone ? std::nullopt : snapshot.find_concept(person, "$system");
  std::vector<EntityId> waiting;
  if (type == EntityId::kNone || !assigned || !system) return waiting;
  store::Scratch scratch;
  for (const std::uint32_t id : snapshot.subjects(*assigned, Term::entity(*system), scratch)) {
    const EntityId task{id};
    if (!reading.is_concept(task) || snapshot.type_of(task) != type) continue;
    const bool has_status = snapshot.attribute(task, "status").has_value();
    const std::string status = reading.text(task, "status");
    if (!has_status || status == "pending" || status == "in_progress") waiting.push_back(task);
  }
  std::ranges::sort(waiting);
  std::ranges::stable_sort(waiting, std::ranges::greater(),
                           [&](EntityId task) { return priority_of(snapshot, task); });
  return waiting;
}

// A task at a time: what one does, the next one sees.
Status process_tasks(Cycle& cycle) {
  ANIMA_ASSIGN(const Reading first, cycle.read());
  if (first.type("SleepTask") == EntityId::kNone || !first.link("assigned_to")) return {};
  std::vector<EntityId> tasks = waiting_tasks(first);
  if (tasks.size() > kMostTasks) tasks.resize(kMostTasks);
  for (const EntityId id : tasks) {
    ANIMA_ASSIGN(const Reading reading, cycle.read());
    if (!reading.is_concept(id)) continue;
    const Task task = task_of(reading, id);
    ANIMA_ASSIGN(Outcome outcome, TaskRunner(cycle, reading).run(task));
    const Json parameters = Json::object({{"task", reading.id(task.id)},
                                          {"now", cycle.time_text()},
                                          {"status", outcome.status},
                                          {"result", outcome.result}});
    Action action{"task " + outcome.status,
                  reading.title(task.id),
                  task.wanted + " " + task.target_type + " " + quote_json(task.target_name) + ": " +
                      outcome.result,
                  {},
                  std::min(outcome.trust, reading.trust(task.id))};
    action.statements.push_back({kBegin, parameters});
    for (Statement& statement : outcome.statements)
      action.statements.push_back(std::move(statement));
    action.statements.push_back({kEnd, parameters});
    action.statements.push_back(
        put_into(reading, task.id, reading.archived(), "SleepArchive", 1.0));
    for (const EntityId domain : reading.domains_of(task.id)) {
      if (domain != reading.archived())
        action.statements.push_back(take_out_of(reading, task.id, domain));
    }
    if (!cycle.act(std::move(action))) return {};
    ANIMA_TRY(cycle.flush());
  }
  return {};
}

}  // namespace anima::sleep::detail
