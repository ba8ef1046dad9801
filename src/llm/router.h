// Which model thinks: tiers of thinking (1 strategic, 2 standard, 3 reflex), and what a shrinking
// budget makes of them. Thread-safety: pure functions; a Router is constant once made. Sources:
// source 002, 3.12 and 10.5 (tiers); the specification of governance and runtime, 2.6 and 2.7
// (levels of the budget).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "llm/model_config.h"

namespace anima::llm {

enum class ThinkTier : std::uint8_t { kStrategic = 1, kStandard = 2, kReflex = 3 };
std::string_view to_string(ThinkTier tier);

struct ThinkContext {
  bool involves_new_design = false;
  double code_complexity = 0;  // 0 to 1
  bool is_routine = false;
  bool is_simple_decision = false;
  // What the end of a budget asks of a call.
  bool critical = false;
  bool preserves_knowledge = false;
};
// New design, or complexity above 0.7: strategic; else routine or simple: reflex; else standard.
ThinkTier classify(const ThinkContext& context);

// By the fraction p of the budget that is left: above 0.60, 0.30, 0.10, 0. A boundary belongs to
// the lower level.
enum class BudgetLevel : std::uint8_t {
  kNormal,
  kConservation,  // strategic only when critical
  kDegradation,   // everything reflex
  kEndTimes,      // reflex, and only what is critical or preserves knowledge
  kHalt,          // nothing
};
std::string_view to_string(BudgetLevel level);
BudgetLevel level_of(double fraction_left);

// The tier that serves the call. Errors: kLimitExceeded when the level leaves it no model.
Result<ThinkTier> tier_under(BudgetLevel level, const ThinkContext& context);

class Router {
 public:
  // Models without a tier get one by price: sorted from dear to cheap, the first third is
  // strategic, the last reflex; a lone one is standard.
  explicit Router(std::vector<ModelConfig> models);

  // The first model of that tier, else of the nearest cheaper one, else of the nearest dearer one;
  // within a tier in the order of names. Errors: kNotFound when there is no model.
  Result<ModelConfig> pick(ThinkTier tier) const;
  // In the order of names, each with its tier set.
  const std::vector<ModelConfig>& models() const { return models_; }

 private:
  const ModelConfig* of_tier(int tier) const;

  std::vector<ModelConfig> models_;
};

}  // namespace anima::llm
