#include "llm/router.h"

#include <algorithm>

namespace anima::llm {
namespace {

constexpr double kComplex = 0.7;
// What one thought uses, as the specification estimates it.
constexpr double kThoughtIn = 2000;
constexpr double kThoughtOut = 500;

double price_of_thought(const ModelConfig& model) {
  return kThoughtIn * model.price_in + kThoughtOut * model.price_out;
}

}  // namespace

std::string_view to_string(ThinkTier tier) {
  switch (tier) {
    case ThinkTier::kStrategic:
      return "strategic";
    case ThinkTier::kStandard:
      return "standard";
    case ThinkTier::kReflex:
      return "reflex";
  }
  return "standard";
}

ThinkTier classify(const ThinkContext& context) {
  if (context.involves_new_design || context.code_complexity > kComplex)
    return ThinkTier::kStrategic;
  if (context.is_routine || context.is_simple_decision) return ThinkTier::kReflex;
  return ThinkTier::kStandard;
}

std::string_view to_string(BudgetLevel level) {
  switch (level) {
    case BudgetLevel::kNormal:
      return "normal";
    case BudgetLevel::kConservation:
      return "conservation";
    case BudgetLevel::kDegradation:
      return "degradation";
    case BudgetLevel::kEndTimes:
      return "end_times";
    case BudgetLevel::kHalt:
      return "halt";
  }
  return "halt";
}

BudgetLevel level_of(double fraction_left) {
  if (fraction_left > 0.60) return BudgetLevel::kNormal;
  if (fraction_left > 0.30) return BudgetLevel::kConservation;
  if (fraction_left > 0.10) return BudgetLevel::kDegradation;
  return fraction_left > 0 ? BudgetLevel::kEndTimes : BudgetLevel::kHalt;
}

Result<ThinkTier> tier_under(BudgetLevel level, const ThinkContext& context) {
  const ThinkTier wanted = classify(context);
  switch (level) {
    case BudgetLevel::kNormal:
      return wanted;
    case BudgetLevel::kConservation:
      if (wanted == ThinkTier::kStrategic && !context.critical) return ThinkTier::kStandard;
      return wanted;
    case BudgetLevel::kDegradation:
      return ThinkTier::kReflex;
    case BudgetLevel::kEndTimes:
      if (context.critical || context.preserves_knowledge) return ThinkTier::kReflex;
      return fail(ErrorCode::kLimitExceeded,
                  "what is left of the budget of the models is kept for critical calls", {},
                  "raise models.budget_tokens or models.budget_money");
    case BudgetLevel::kHalt:
      break;
  }
  return fail(ErrorCode::kLimitExceeded, "the budget of the models is used up", {},
              "raise models.budget_tokens or models.budget_money");
}

Router::Router(std::vector<ModelConfig> models) : models_(std::move(models)) {
  std::ranges::sort(models_, {}, &ModelConfig::name);
  std::vector<ModelConfig*> by_price;
  for (ModelConfig& model : models_) by_price.push_back(&model);
  std::ranges::stable_sort(by_price, [](const ModelConfig* a, const ModelConfig* b) {
    return price_of_thought(*a) > price_of_thought(*b);
  });
  for (std::size_t i = 0; i < by_price.size(); ++i) {
    if (by_price[i]->tier) continue;
    by_price[i]->tier = by_price.size() == 1 ? 2 : 1 + static_cast<int>(3 * i / by_price.size());
  }
}

const ModelConfig* Router::of_tier(int tier) const {
  const auto found =
      std::ranges::find_if(models_, [&](const ModelConfig& model) { return model.tier == tier; });
  return found == models_.end() ? nullptr : &*found;
}

Result<ModelConfig> Router::pick(ThinkTier tier) const {
  const int wanted = static_cast<int>(tier);
  for (int cheaper = wanted; cheaper <= 3; ++cheaper) {
    if (const ModelConfig* model = of_tier(cheaper)) return *model;
  }
  for (int dearer = wanted - 1; dearer >= 1; --dearer) {
    if (const ModelConfig* model = of_tier(dearer)) return *model;
  }
  return fail(ErrorCode::kNotFound, "no model is configured", {},
              "add [llm.NAME] with provider and model to the configuration");
}

}  // namespace anima::llm
