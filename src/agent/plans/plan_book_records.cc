// The writing of a plan book: what becomes of a plan and its steps, as records of entries.
#include <algorithm>
#include <utility>

#include "agent/plans/detail/plan_fold.h"
#include "agent/plans/detail/plan_record.h"
#include "agent/plans/plan_book.h"
#include "agent/plans/planner.h"
#include "base/crypto.h"
#include "base/json/json_member.h"
#include "store/act.h"

namespace anima::agent {
namespace {

constexpr const char* kPlansKey = "plans";
// No approval waits that long, so that what has been still since is over, or soon will be.
constexpr std::int64_t kStillMicroseconds = std::int64_t{3600} * 1'000'000;
constexpr std::size_t kMostOpen = 1024;

Json step_event(const std::string& plan, std::string_view event, const std::string& step) {
  return Json::object({{"plan", plan}, {"event", std::string(event)}, {"step", step}});
}

Json over_event(const std::string& plan, std::string_view outcome) {
  return Json::object({{"plan", plan}, {"event", "over"}, {"outcome", std::string(outcome)}});
}

bool is_left(const Task& task) {
  return task.status == TaskStatus::kPending || task.status == TaskStatus::kInProgress;
}

// Whoever says it again begins anew: its only step, or steps that an act which is cut off takes
// along, for all that they write is in the space. It is kept when a step of it waits.
bool begins_anew(const KeptPlan& plan) {
  return plan.graph.tasks().size() == 1 ||
         std::ranges::all_of(plan.graph.tasks(),
                             [](const Task& task) { return task.tool == kRememberTool; });
}

bool is_active(const detail::FoldedPlan& plan, Timestamp now) {
  return !plan.over && now.microseconds - plan.last.microseconds < kStillMicroseconds;
}

}  // namespace

Status PlanBook::seal_into(Json& event, const Json& secret, std::size_t most_bytes) {
  ANIMA_ASSIGN(const std::string text, govern::record_payload(secret));
  if (text.size() > most_bytes) {
    return fail(ErrorCode::kLimitExceeded,
                "the plan and what its steps gave take " + std::to_string(text.size()) +
                    " bytes, and at most " + std::to_string(most_bytes) + " can be kept");
  }
  ANIMA_ASSIGN(const store::SealedText sealed, ledger_.space().seal(kPlansKey, text));
  event.set("seal", sealed.seal);
  event.set("sealed", to_base64url(sealed.bytes));
  return {};
}

// Nothing when the plan is kept already, and the step is still to be done.
PlanBook::Records PlanBook::record_begun(const KeptPlan& plan, const std::string& step) {
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  std::vector<govern::LedgerRecord> records;
  if (const Folded* kept = known(plan.id)) {
    const Json* event = detail::last_event(*kept, step);
    const std::string last = event == nullptr ? std::string() : text_member(*event, "event");
    const bool is_to_be_done = last.empty() || last == "waiting" || last == "again";
    if (!kept->over && is_to_be_done) return records;
    return fail(ErrorCode::kConflict,
                "the plan " + plan.id.substr(0, 8) +
                    (kept->over ? " is over" : " was gone on with elsewhere"));
  }
  const Timestamp time = now();
  const auto open =
      std::ranges::count_if(plans_, [&](const Folded& each) { return is_active(each, time); });
  if (static_cast<std::size_t>(open) >= kMostOpen) {
    return fail(ErrorCode::kLimitExceeded, std::to_string(open) + " plans are open already", {},
                "answer their approvals, or `anima plan abandon` some");
  }
  Json begun = Json::object(
      {{"plan", plan.id}, {"event", "begun"}, {"mark", detail::plan_mark(plan.id, plan.message)}});
  ANIMA_TRY(seal_into(begun, detail::plan_secret(plan), detail::kMostKeptBytes));
  records.push_back({govern::kPlanRecord, std::move(begun)});
  ANIMA_TRY(store::WholeAct::goes_on());  // who comes next takes the plan up where it stands
  return records;
}

// That a step ended is written whatever else is the matter: without it the step would be in doubt.
PlanBook::Records PlanBook::record_ended(const KeptPlan& plan, const std::string& step,
                                         const govern::Outcome& outcome) {
  std::vector<govern::LedgerRecord> records;
  {
    const std::lock_guard lock(mutex_);
    (void)catch_up();
    const Folded* kept = known(plan.id);
    if (kept == nullptr || kept->over) return records;
  }
  TaskGraph graph = plan.graph;
  const bool done = outcome.kind == govern::Outcome::Kind::kDone;
  (void)(done ? graph.complete(step) : graph.mark_failed(step));
  Json event = step_event(plan.id, to_string(outcome.kind), step);
  if (done) {
    event.set("trust", std::string(govern::trust_name(outcome.output_trust)));
    // What cannot be kept is missed by the step that needs it.
    const std::size_t most = detail::most_of_output(graph, step);
    if (most > 0) (void)seal_into(event, outcome.result, most);
  }
  records.push_back({govern::kPlanRecord, std::move(event)});
  return records;
}

govern::CallParts PlanBook::parts(const KeptPlan& plan, const std::string& step, bool changes) {
  govern::CallParts parts;
  if (changes) {
    parts.starting = [this, &plan, step](govern::WriterTurn&) -> Records {
      if (begins_anew(plan)) {
        const std::lock_guard lock(mutex_);
        ANIMA_TRY(catch_up());
        if (known(plan.id) == nullptr) return std::vector<govern::LedgerRecord>();
      }
      ANIMA_ASSIGN(std::vector<govern::LedgerRecord> records, record_begun(plan, step));
      records.push_back({govern::kPlanRecord, step_event(plan.id, "started", step)});
      return records;
    };
  }
  parts.asking = [this, &plan, step](govern::WriterTurn& turn) -> Records {
    ANIMA_ASSIGN(std::vector<govern::LedgerRecord> records, record_begun(plan, step));
    Json event = step_event(plan.id, "waiting", step);
    event.set("approval", turn.approval_id);
    records.push_back({govern::kPlanRecord, std::move(event)});
    return records;
  };
  parts.ended = [this, &plan, step](const govern::Outcome& outcome) -> govern::EntryPart {
    const bool stays = outcome.kind == govern::Outcome::Kind::kHalted ||
                       outcome.kind == govern::Outcome::Kind::kBusy;
    if (stays) return nullptr;
    return [this, &plan, step, &outcome](govern::WriterTurn&) {
      return record_ended(plan, step, outcome);
    };
  };
  return parts;
}

Status PlanBook::waits(const KeptPlan& plan, const std::string& step, const std::string& approval) {
  {
    const std::lock_guard lock(mutex_);
    ANIMA_TRY(catch_up());
    if (const Folded* kept = known(plan.id)) {
      const Json* event = detail::last_event(*kept, step);
      if (event != nullptr && text_member(*event, "approval") == approval) return {};
    }
  }
  return ledger_.write_part("planner", plan.trust, [&](govern::WriterTurn& turn) -> Records {
    turn.approval_id = approval;
    return parts(plan, step, false).asking(turn);
  });
}

Status PlanBook::ended(const KeptPlan& plan, const std::string& step,
                       const govern::Outcome& outcome) {
  return ledger_.write_part("planner", plan.trust,
                            [&](govern::WriterTurn&) { return record_ended(plan, step, outcome); });
}

Status PlanBook::close(const std::string& id) {
  Folded kept;
  {
    const std::lock_guard lock(mutex_);
    ANIMA_TRY(catch_up());
    const Folded* found = known(id);
    if (found == nullptr || found->over) return {};
    kept = *found;
  }
  ANIMA_ASSIGN(const KeptPlan plan, opened(kept));
  if (plan.state == PlanState::kRefused || plan.state == PlanState::kExpired)
    return end(plan, to_string(plan.state), plan.reason, "planner");
  if (plan.state != PlanState::kReady || std::ranges::any_of(plan.graph.tasks(), is_left))
    return {};
  const bool well = plan.graph.status() == GraphStatus::kCompleted;
  return ledger_.write_part("planner", plan.trust, [&](govern::WriterTurn&) -> Records {
    return std::vector<govern::LedgerRecord>{
        {govern::kPlanRecord, over_event(id, well ? "answered" : "failed")}};
  });
}

Status PlanBook::settle(const KeptPlan& plan, StepAnswer answer, std::string_view by) {
  const auto& tasks = plan.graph.tasks();
  const auto doubtful = std::ranges::find(tasks, TaskStatus::kInProgress, &Task::status);
  if (doubtful == tasks.end()) return fail(ErrorCode::kConflict, "no step of it is in doubt");
  const bool done = answer == StepAnswer::kDone;
  std::vector<govern::LedgerRecord> records;
  Json event = step_event(plan.id, done ? "done" : "again", doubtful->id);
  if (done) {
    for (const Task& task : tasks) {
      if (std::ranges::count(inputs_of(task), doubtful->id) == 0) continue;
      return fail(
          ErrorCode::kInvalidArgument,
          "step " + task.id + " needs what step " + doubtful->id + " gave, and nobody knows that",
          {}, "do the step again, or abandon the plan");
    }
    event.set("trust", std::string(govern::trust_name(govern::Trust::kUntrusted)));
  }
  records.push_back({govern::kPlanRecord, std::move(event)});
  return ledger_
      .write_with(records, "plan_step_settled", by, govern::Trust::kOperator,
                  Json::object({{"planId", plan.id},
                                {"step", doubtful->id},
                                {"as", done ? "done" : "to be done again"}}))
      .map([](const std::string&) {});
}

Status PlanBook::abandon(std::string_view id, std::string_view by) {
  ANIMA_ASSIGN(const KeptPlan named, find(id));
  ANIMA_ASSIGN(const auto held, hold(named.id));
  ANIMA_ASSIGN(const KeptPlan plan, find(named.id));
  if (plan.state == PlanState::kOver)
    return fail(ErrorCode::kConflict, "the plan is over: " + plan.reason);
  return end(plan, "abandoned", {}, by);
}

Status PlanBook::end(const KeptPlan& plan, std::string_view outcome, std::string_view reason,
                     std::string_view by) {
  return ledger_
      .write_with({{govern::kPlanRecord, over_event(plan.id, outcome)}}, "plan_ended", by,
                  govern::Trust::kOperator,
                  Json::object({{"planId", plan.id},
                                {"outcome", std::string(outcome)},
                                {"reason", std::string(reason)}}))
      .map([](const std::string&) {});
}

}  // namespace anima::agent
