// CampaignLearner: what a plan of several phases teaches, for the next one.
//
//   CampaignLearner campaign(learner, "migrate");
//   ANIMA_TRY(campaign.phase({"p1", "schema", PhaseState::kCompleted, true}));
//   ANIMA_TRY(campaign.task({"t1", "p1", "shell:execute", true, "cannot open /tmp/a"}));
//   ANIMA_ASSIGN(const PlanAdvice advice, campaign.advise({{"1", "shell:execute"}}));
//
// One failure or success is enough here: a completed phase with a passed checkpoint is
// phase_success(Type), a failed task avoid_error(Type, Error), in the shard "campaign", by the
// rules of packs/learn/campaign.mg. The same again reinforces, once a campaign. The error's text is
// normalised; `Now` is no part of what is learnt. Thread-safety: one thread at a time. Ownership:
// the learner outlives it. Errors: those of the learner. Source: learning_and_psyche 1.16; source
// document 003, part 7.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "learn/learner.h"

namespace anima::learn {

enum class PhaseState : std::uint8_t { kRunning, kCompleted, kFailed };

struct CampaignPhase {
  std::string id;
  std::string type;
  PhaseState state = PhaseState::kRunning;
  bool checked = false;  // its checkpoint was passed
};

struct CampaignTask {
  std::string id;
  std::string phase;
  std::string type;
  bool failed = false;
  std::string error = {};
};

struct PlannedStep {
  std::string step;
  std::string type;  // of the task or of the phase
};

struct PlanAdvice {
  struct Line {
    std::string step;
    std::string type;
    std::string text;  // the error of a warning; empty of a hint
  };
  std::vector<Line> warnings;  // this type of step failed of that before
  std::vector<Line> hints;     // this type of phase worked out before
};

inline constexpr std::size_t kMaxCampaignError = 200;  // bytes

class CampaignLearner {
 public:
  // `trust`: of what the tasks do and say; what is learnt carries it.
  CampaignLearner(Learner& learner, std::string campaign,
                  store::Trust trust = store::Trust::kStandard)
      : learner_(learner), campaign_(std::move(campaign)), trust_(trust) {}

  // A phase or task as it is by now. Answers what was saved of it.
  Result<std::vector<SaveReport>> phase(const CampaignPhase& phase);
  Result<std::vector<SaveReport>> task(const CampaignTask& task);
  // What earlier campaigns say of a plan; needs rehydrate("campaign") first.
  Result<PlanAdvice> advise(const std::vector<PlannedStep>& plan);

 private:
  Result<std::vector<SaveReport>> save_news();

  Learner& learner_;
  std::string campaign_;
  store::Trust trust_;
  std::set<std::string> types_;  // of its phases
  std::set<std::string> saved_;  // facts of this campaign
};

}  // namespace anima::learn
