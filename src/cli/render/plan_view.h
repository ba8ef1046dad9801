// Plans that are kept, as verbs show them. Thread-safety: functions without state.
#pragma once

#include <string>
#include <vector>

#include "agent/plans/plan_book.h"

namespace anima::cli {

// The whole plan for people: its message, each step and how it stands.
std::string plan_text(const agent::KeptPlan& plan);
// "1 of 3".
std::string steps_done(const agent::KeptPlan& plan);

// A step of a plan beside an approval or a refusal: {"id","step","state","done","steps"}.
Json step_json(const agent::KeptPlan& plan, const std::string& step);
std::string step_text(const agent::KeptPlan& plan, const std::string& step);

// The steps that wait, or waited last, for that approval.
struct WaitingStep {
  const agent::KeptPlan* plan = nullptr;
  std::string step;
};
std::vector<WaitingStep> waiting_for(const std::vector<agent::KeptPlan>& plans,
                                     const std::string& approval);

}  // namespace anima::cli
