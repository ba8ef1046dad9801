#include "base/log.h"
#include "llm/budget.h"
#include "llm/model.h"

namespace anima::llm {
namespace {

class BudgetedModel final : public Model {
 public:
  BudgetedModel(Model& model, Budget& budget) : model_(model), budget_(budget) {}

  const ModelConfig& config() const override { return model_.config(); }

  Result<Reply> complete(const Request& request, const CallOptions& options) override {
    const ModelConfig& model = config();
    Usage most;
    most.input_tokens = estimate_tokens(request);
    most.output_tokens = request.max_tokens.value_or(model.max_tokens);
    ANIMA_ASSIGN(const std::uint64_t hold, budget_.admit(cost_of(model, most)));
    auto reply = model_.complete(request, options);
    const Status settled = budget_.settle(hold, reply ? cost_of(model, reply->usage) : Spending{});
    // The answer is there and paid for: it is not thrown away for the sake of the account.
    if (!settled) {
      log_warning("llm",
                  "the budget of the models cannot be written: " + settled.error().describe());
    }
    return reply;
  }

 private:
  Model& model_;
  Budget& budget_;
};

}  // namespace

std::unique_ptr<Model> make_budgeted_model(Model& model, Budget& budget) {
  return std::make_unique<BudgetedModel>(model, budget);
}

}  // namespace anima::llm
