#include "llm/models.h"

namespace anima::llm {

Models::Models(ModelsOptions options)
    : options_(std::move(options)),
      router_(options_.configs.models),
      budget_(options_.budget, options_.files, options_.account, options_.clock) {
  if (options_.played) {
    waiter_ = std::make_unique<NoWaiter>();
    playing_ = std::make_unique<PlayingTransport>(std::move(*options_.played));
    return;
  }
  waiter_ = std::make_unique<SystemWaiter>();
  sending_ = make_http_transport(options_.clock);
  if (options_.keeper != nullptr)
    recording_ = make_recording_transport(*sending_, *options_.keeper, options_.clock);
}

Result<Model*> Models::find(std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (const auto found = opened_.find(name); found != opened_.end()) {
    const Opened& opened = found->second;
    return opened.budgeted != nullptr ? opened.budgeted.get() : opened.model.get();
  }
  ANIMA_ASSIGN(ModelConfig config, find_model(options_.configs, name));
  HttpTransport& transport = playing_ != nullptr     ? *playing_
                             : recording_ != nullptr ? *recording_
                                                     : *sending_;
  ModelParts parts{transport, options_.clock, options_.random, *waiter_, {}, {}};
  Opened opened;
  if (playing_ == nullptr) {
    parts.key = [this](const KeySource& source) {
      return read_key(source, options_.environment, options_.files);
    };
  }
  opened.model = make_model(std::move(config), std::move(parts));
  // A played call costs nothing.
  if (playing_ == nullptr) opened.budgeted = make_budgeted_model(*opened.model, budget_);
  Model* const model = opened.budgeted != nullptr ? opened.budgeted.get() : opened.model.get();
  opened_.emplace(std::string(name), std::move(opened));
  return model;
}

Result<Model*> Models::route(const ThinkContext& context) {
  ANIMA_ASSIGN(const BudgetState state, budget_.state());
  ANIMA_ASSIGN(const ThinkTier tier, tier_under(state.level, context));
  ANIMA_ASSIGN(const ModelConfig config, router_.pick(tier));
  return find(config.name);
}

}  // namespace anima::llm
