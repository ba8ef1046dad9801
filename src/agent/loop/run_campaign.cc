#include "agent/loop/run_campaign.h"

#include "agent/loop/detail/run_record.h"
#include "base/text/text.h"
#include "tools/external.h"

namespace anima::agent {
namespace {

constexpr int kLeastSteps = 2;  // of a plan that is worth remembering

// "kg_query → reason" of "Attempt 1: kg_query → reason".
std::string tools_of(std::string_view strategy) {
  const std::size_t colon = strategy.find(": ");
  return std::string(colon == std::string_view::npos ? strategy : strategy.substr(colon + 2));
}

// What a step will be called with, as far as the goal names it: a plan says no more than the tool.
tools::ToolInput expected_input(const PlanStep& step, const ExternalArguments& given) {
  tools::ToolInput input = step.input;
  if (!input.empty()) return input;
  if (step.tool == "file_io" && given.path) input["path"] = *given.path;
  if (step.tool == "http_fetch" && given.url) input["url"] = *given.url;
  if (step.tool == "shell_exec" && given.command) input["command"] = *given.command;
  return input;
}

}  // namespace

Result<learn::CampaignLearner*> RunCampaign::campaign() {
  if (campaign_ == nullptr) {
    ANIMA_ASSIGN(learn::Learner* const learner, own_->learner());
    ANIMA_TRY(learner->rehydrate(learn::kCampaignShard).map([](const auto&) {}));
    // What tools say of their failures is nobody's word.
    campaign_ = std::make_unique<learn::CampaignLearner>(*learner, run_, store::Trust::kUntrusted);
  }
  return campaign_.get();
}

Result<learn::PlanAdvice> RunCampaign::advise(const Goal& goal, const Plan& plan) {
  if (own_ == nullptr) return learn::PlanAdvice();
  ANIMA_ASSIGN(const learn::LoadedLearnings known, own_->store().load(learn::kCampaignShard));
  if (known.learnings.empty()) return learn::PlanAdvice();
  ANIMA_ASSIGN(learn::CampaignLearner* const campaign, this->campaign());
  const ExternalArguments given = external_arguments(goal.description);
  std::vector<learn::PlannedStep> steps = {{"plan", tools_of(plan.strategy)}};
  for (const PlanStep& each : plan.steps) {
    std::string kind = kind_of_action(each.tool, detail::input_json(expected_input(each, given)));
    steps.push_back({std::to_string(steps.size()), std::move(kind)});
  }
  return campaign->advise(steps);
}

Status RunCampaign::cycle(const CycleReport& report) {
  if (own_ == nullptr) return {};
  Phase& phase = phases_[report.goal];
  phase.type = tools_of(report.strategy);
  phase.steps += report.success ? 1 : 0;
  const bool failed = !report.success && report.vetoed_by.empty() && !report.unserved &&
                      !report.result.starts_with(tools::kWaitsForApproval);
  if (!failed) return {};
  ANIMA_ASSIGN(learn::CampaignLearner* const campaign, this->campaign());
  if (!phase.begun) {
    ANIMA_TRY(campaign->phase({report.goal, phase.type, learn::PhaseState::kRunning, false})
                  .map([](const auto&) {}));
    phase.begun = true;
  }
  const Candidate& chosen = report.chosen();
  return campaign
      ->task({std::to_string(report.cycle), report.goal,
              kind_of_action(chosen.tool, detail::input_json(chosen.input)), true, report.result})
      .map([](const auto&) {});
}

Status RunCampaign::ended(const Goal& goal) {
  const auto phase = phases_.find(goal.label);
  const bool done = goal.status == GoalStatus::kCompleted;
  if (own_ == nullptr || phase == phases_.end() || !done || phase->second.steps < kLeastSteps)
    return {};
  ANIMA_ASSIGN(learn::CampaignLearner* const campaign, this->campaign());
  return campaign->phase({goal.label, phase->second.type, learn::PhaseState::kCompleted, true})
      .map([](const auto&) {});
}

std::string describe(const learn::PlanAdvice::Line& warning) {
  return visible_text(warning.type) + " failed before: " + visible_text(warning.text);
}

}  // namespace anima::agent
