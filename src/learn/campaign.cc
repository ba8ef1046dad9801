#include "learn/campaign.h"

#include <utility>

#include "base/text/text.h"
#include "learn/detail/kernel.h"

namespace anima::learn {
namespace {

using detail::Row;

constexpr std::string_view kNobody = "anima";

std::string_view to_string(PhaseState state) {
  switch (state) {
    case PhaseState::kRunning:
      return "running";
    case PhaseState::kCompleted:
      return "completed";
    case PhaseState::kFailed:
      return "failed";
  }
  return "running";
}

}  // namespace

Result<std::vector<SaveReport>> CampaignLearner::phase(const CampaignPhase& phase) {
  {
    const MutexLock lock(learner_.mutex_);
    detail::Kernel& kernel = *learner_.kernel_;
    types_.insert(phase.type);
    const auto id = kernel.string(campaign_ + "/" + phase.id);
    const auto type = kernel.string(phase.type);
    ANIMA_TRY(kernel.put("campaign_phase",
                         {id, kernel.string(campaign_), type, kernel.integer(0),
                          kernel.name(to_string(phase.state)), kernel.string("")},
                         1));
    ANIMA_TRY(kernel.put("phase_objective", {id, type, kernel.string(""), kernel.integer(0)}, 1));
    ANIMA_TRY(kernel.put("phase_checkpoint",
                         {id, kernel.string("end"), kernel.name(phase.checked ? "true" : "false"),
                          kernel.integer(0), kernel.string(kNobody)},
                         2));
  }
  return save_news();
}

Result<std::vector<SaveReport>> CampaignLearner::task(const CampaignTask& task) {
  {
    const MutexLock lock(learner_.mutex_);
    detail::Kernel& kernel = *learner_.kernel_;
    const auto id = kernel.string(campaign_ + "/" + task.id);
    ANIMA_TRY(
        kernel.put("campaign_task",
                   {id, kernel.string(campaign_ + "/" + task.phase), kernel.string(""),
                    kernel.name(task.failed ? "failed" : "completed"), kernel.string(task.type)},
                   1));
    if (task.failed) {
      ANIMA_TRY(kernel.put("task_error",
                           {id, kernel.name("failure"),
                            kernel.string(normalise_reason(task.error, kMaxCampaignError))},
                           2));
    }
  }
  return save_news();
}

// What the rules say by now of this campaign and was not saved for it.
Result<std::vector<SaveReport>> CampaignLearner::save_news() {
  const MutexLock lock(learner_.mutex_);
  detail::Kernel& kernel = *learner_.kernel_;
  const auto campaign = kernel.string(campaign_);
  ANIMA_TRY(kernel.put("current_campaign", {campaign}, 0));
  ANIMA_TRY(kernel.put("current_time", {kernel.integer(0)}, 0));
  std::vector<NewLearning> news;
  ANIMA_ASSIGN(const std::vector<Row> failures, kernel.rows("campaign_learning", {campaign}));
  for (const Row& row : failures) {
    news.push_back({"avoid_error",
                    Json::array({Json(kernel.text(row[2])), Json(kernel.text(row[3]))}), campaign_,
                    trust_});
  }
  ANIMA_ASSIGN(const std::vector<Row> phases,
               kernel.rows("promote_to_long_term", {kernel.name("phase_success")}));
  for (const Row& row : phases) {
    // The rule asks for no campaign; what others did is theirs.
    if (!types_.contains(std::string(kernel.text(row[1])))) continue;
    news.push_back({"phase_success", Json::array({Json(kernel.text(row[1]))}), campaign_, trust_});
  }
  std::vector<SaveReport> saves;
  for (const NewLearning& each : news) {
    const std::string fact = each.predicate + " " + each.arguments.dump();
    if (saved_.contains(fact)) continue;
    ANIMA_ASSIGN(SaveReport report, learner_.save_locked(kCampaignShard, each));
    if (report.end != SaveEnd::kRateLimited) saved_.insert(fact);
    saves.push_back(std::move(report));
  }
  return saves;
}

Result<PlanAdvice> CampaignLearner::advise(const std::vector<PlannedStep>& plan) {
  const MutexLock lock(learner_.mutex_);
  detail::Kernel& kernel = *learner_.kernel_;
  PlanAdvice advice;
  for (const PlannedStep& each : plan) {
    const Row planned{kernel.string(each.step), kernel.string(each.type)};
    ANIMA_TRY(kernel.put("planned", planned, 2));
    ANIMA_ASSIGN(const std::vector<Row> warnings, kernel.rows("plan_warning", planned));
    for (const Row& row : warnings)
      advice.warnings.push_back({each.step, each.type, std::string(kernel.text(row[2]))});
    ANIMA_ASSIGN(const std::vector<Row> hints, kernel.rows("plan_hint", planned));
    if (!hints.empty()) advice.hints.push_back({each.step, each.type, {}});
    ANIMA_TRY(kernel.drop("planned", planned));
  }
  return advice;
}

}  // namespace anima::learn
