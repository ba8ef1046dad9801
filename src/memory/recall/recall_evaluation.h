// How much of what answers a question memory finds.
//
// Each scenario is told to a memory of its own, which is gone afterwards; then each question is put
// to the recall that prompts are made with. The recall of a question is the share of its evidence
// among the best k texts, for each k, and among those that stand whole in a prompt, for each budget
// of tokens; a budget is never cut by k. Texts that the memory quarantines or does not admit are
// found by nobody and count as missed. What must be absent is measured apart, and so are questions
// that nothing answers. No model is asked: this is how good the finding is, whatever is made of it.
// Thread-safety: one thread. Ownership: the guardian outlives the call. Errors: those of the space
// and of recall_context(), kCancelled. Complexity: O(questions x budgets x recall).
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/random.h"
#include "base/result.h"
#include "govern/detect/guardian.h"
#include "memory/recall/recall_scenarios.h"
#include "memory/recall/recall_steps.h"

namespace anima::memory {

struct RecallOptions {
  std::vector<std::size_t> k = {10};            // texts found
  std::vector<std::size_t> budget_tokens = {};  // of four bytes; at least kSmallestContext
  RecallSteps steps = {};
  // After each scenario told and each question; false ends it.
  std::function<bool(std::size_t done, std::size_t all)> progress = nullptr;
};

struct RecallShare {
  std::size_t questions = 0;
  double sum = 0;  // of their recalls
  double mean() const { return questions == 0 ? 0 : sum / static_cast<double>(questions); }
};

// One k, or one budget.
struct RecallMeasure {
  std::size_t k = 0, budget_tokens = 0;  // one of them
  RecallShare all = {};
  std::map<std::string, RecallShare> by_type = {};
  RecallShare kept_out = {};  // of what must be absent
  double tokens = 0;          // sum over the prompts
  std::size_t prompts = 0;
  std::string name() const;  // "first 10", "2000 tokens"
};

struct RecallEvaluation {
  std::vector<RecallMeasure> measures;  // as in the options, k first
  std::size_t questions = 0;            // with evidence
  std::map<std::string, std::size_t> questions_by_type;
  std::size_t scenarios = 0, memories = 0, quarantined = 0, not_admitted = 0;
  std::size_t unanswerable = 0;      // questions without evidence and without what must be absent
  std::size_t nothing_found = 0;     // of these, for which there was nothing to show
  std::size_t unknown_evidence = 0;  // that named no text, left out
  Json to_json() const;
};

Result<RecallEvaluation> evaluate_recall(const std::vector<RecallScenario>& scenarios,
                                         const govern::Guardian& guardian, Clock& clock,
                                         Random& random, const RecallOptions& options = {});

}  // namespace anima::memory
