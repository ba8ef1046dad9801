// Our own conversations: how much recall finds by kind of question, and that each of its steps is
// worth having. Acceptance of the recall study, section 6.
#include <gtest/gtest.h>

#include <cstdio>

#include "made_conversations.h"
#include "memory/recall/recall_evaluation.h"

namespace anima::memory::recall_acceptance_test {
namespace {

using namespace made_conversations;

constexpr std::array kCompanies = {Company::kTwo, Company::kFive, Company::kAssistant};

RecallEvaluation evaluate(const std::vector<RecallScenario>& scenarios, const RecallSteps& steps,
                          std::vector<std::size_t> k, std::vector<std::size_t> budgets) {
  const govern::Guardian guardian(govern::PatternSet::shipped().value());
  ManualClock clock(Timestamp{1'798'761'600'000'000});
  SeededRandom random(9);
  RecallOptions options;
  options.k = std::move(k);
  options.budget_tokens = std::move(budgets);
  options.steps = steps;
  auto result = evaluate_recall(scenarios, guardian, clock, random, options);
  EXPECT_TRUE(result) << result.error().describe();
  return result ? *result : RecallEvaluation();
}

void print(const char* what, const RecallEvaluation& result) {
  std::printf("%-12s %zu scenarios, %zu turns (%zu not admitted, %zu quarantined), %zu questions\n",
              what, result.scenarios, result.memories, result.not_admitted, result.quarantined,
              result.questions);
  for (const auto& [type, number] : result.questions_by_type) {
    std::printf("  %-12s %5zu", type.c_str(), number);
    for (const RecallMeasure& measure : result.measures)
      std::printf("  %s %.3f", measure.name().c_str(), measure.by_type.at(type).mean());
    std::printf("\n");
  }
  std::printf("  %-12s %5zu", "all", result.questions);
  for (const RecallMeasure& measure : result.measures)
    std::printf("  %s %.3f", measure.name().c_str(), measure.all.mean());
  std::printf("\n");
}

// 216 scenarios: three kinds of company, two languages.
TEST(RecallAcceptance, WhatWasSaidIsFound) {
  for (std::size_t c = 0; c < kCompanies.size(); ++c) {
    for (const Tongue* tongue : {&english(), &german()}) {
      const auto scenarios = make(kCompanies[c], *tongue, 36, 6, c + 1);
      const RecallEvaluation result = evaluate(scenarios, {}, {10}, {1000, 2000, 8000});
      const char* names[] = {"two", "five", "assistant"};
      print(names[c], result);
      EXPECT_EQ(result.unanswerable, 36u);
      EXPECT_EQ(result.nothing_found, 36u);
      EXPECT_GE(result.measures[0].all.mean(), 0.85);
      EXPECT_GE(result.measures[1].all.mean(), 0.9);
      EXPECT_GE(result.measures[2].all.mean(), 0.94);
      EXPECT_GE(result.measures[3].all.mean(), 0.98);
    }
  }
}

// The mean over what is found first and what is in a small prompt.
double quality(const std::vector<RecallScenario>& scenarios, const RecallSteps& steps) {
  const RecallEvaluation result = evaluate(scenarios, steps, {1, 2, 3, 5}, {300});
  double sum = 0;
  for (const RecallMeasure& measure : result.measures) sum += measure.all.mean();
  return sum / static_cast<double>(result.measures.size());
}

TEST(RecallAcceptance, EachStepGainsInMostCompanies) {
  std::array<std::size_t, kRecallSteps.size()> gains{};
  for (std::size_t c = 0; c < kCompanies.size(); ++c) {
    auto scenarios = make(kCompanies[c], english(), 3, 20, c + 11);
    for (RecallScenario& more : make(kCompanies[c], german(), 3, 20, c + 21))
      scenarios.push_back(std::move(more));
    RecallSteps steps;
    for (const RecallStep& step : kRecallSteps) steps.*step.on = false;
    double before = quality(scenarios, steps);
    std::printf("company %zu: raw %.4f", c, before);
    for (std::size_t i = 0; i < kRecallSteps.size(); ++i) {
      steps.*kRecallSteps[i].on = true;
      const double after = quality(scenarios, steps);
      std::printf("  %s %.4f", std::string(kRecallSteps[i].name).c_str(), after);
      gains[i] += after > before ? 1 : 0;
      before = after;
    }
    std::printf("\n");
  }
  for (std::size_t i = 0; i < kRecallSteps.size(); ++i)
    EXPECT_GE(gains[i], 2u) << kRecallSteps[i].name;
}

}  // namespace
}  // namespace anima::memory::recall_acceptance_test
