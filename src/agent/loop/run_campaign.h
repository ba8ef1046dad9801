// RunCampaign: what a run of the loop teaches the next one. A run is a campaign, the plan of a goal
// its phase, a cycle its task.
//
//   RunCampaign campaign(own, run);
//   ANIMA_ASSIGN(auto advice, campaign.advise(goal, plan));  // of what earlier runs failed at
//   ANIMA_TRY(campaign.cycle(report));  ..  ANIMA_TRY(campaign.ended(goal));
//
// Where `own` is null, as in memory, nothing is kept.
// A step that fails is an avoid_error of its kind of action, and a plan of two steps or more that
// reached its goal a phase_success, in the shard "campaign". What waits for a person or was vetoed
// is no failure. None of this chooses anything: it is said, and people decide. Thread-safety: one
// thread. Ownership: `own` outlives it. Errors: those of the learner.
// Source: learning_and_psyche 1.16, rows G1 to G7; source document 003, part 7.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/learnings/own_learnings.h"
#include "agent/loop/cycle.h"
#include "agent/mind/plan.h"
#include "learn/campaign.h"

namespace anima::agent {

class RunCampaign {
 public:
  RunCampaign(OwnLearnings* own, std::string run) : own_(own), run_(std::move(run)) {}

  // Makes nothing: where nothing was learnt, nothing is opened.
  Result<learn::PlanAdvice> advise(const Goal& goal, const Plan& plan);
  Status cycle(const CycleReport& report);
  Status ended(const Goal& goal);

 private:
  struct Phase {
    std::string type;  // the tools of its plan
    int steps = 0;     // that went well
    bool begun = false;
  };
  // For what must be saved.
  Result<learn::CampaignLearner*> campaign();

  OwnLearnings* own_;
  std::string run_;
  std::map<std::string, Phase> phases_;  // by goal
  std::unique_ptr<learn::CampaignLearner> campaign_;
};

// "file:read *.csv failed before: open <path>: no such file"
std::string describe(const learn::PlanAdvice::Line& warning);

}  // namespace anima::agent
