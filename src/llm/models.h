// The models of a configuration, opened together: by name, or by what is to be thought about.
// Thread-safety: from any thread once made.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "base/files/file.h"
#include "base/result.h"
#include "llm/budget.h"
#include "llm/cassette.h"
#include "llm/model.h"
#include "llm/model_config.h"
#include "llm/router.h"

namespace anima::llm {

struct ModelsOptions {
  ModelConfigs configs;
  BudgetConfig budget;
  std::string account;      // the file of the budget (budget.h)
  Environment environment;  // for keys
  FileSystem& files;
  Clock& clock;
  Random& random;
  // Every exchange is kept here when given; outlives the models.
  ExchangeKeeper* keeper = nullptr;
  // Given: nothing is sent; these are played, no key is read and no time is waited.
  std::optional<std::vector<Exchange>> played = {};
};

class Models {
 public:
  explicit Models(ModelsOptions options);

  // Errors: those of find_model().
  Result<Model*> find(std::string_view name);
  // The model for the thought, by its tier and by what the budget leaves. Errors: kLimitExceeded,
  // kNotFound.
  Result<Model*> route(const ThinkContext& context);

  const ModelConfigs& configs() const { return options_.configs; }
  const Router& router() const { return router_; }
  Budget& budget() { return budget_; }
  // How many recorded exchanges were not played yet.
  std::size_t left_to_play() const { return playing_ == nullptr ? 0 : playing_->left(); }

 private:
  struct Opened {
    std::unique_ptr<Model> model;
    std::unique_ptr<Model> budgeted;
  };

  ModelsOptions options_;
  Router router_;
  Budget budget_;
  std::unique_ptr<Waiter> waiter_;
  std::unique_ptr<PlayingTransport> playing_;
  std::unique_ptr<HttpTransport> sending_;
  std::unique_ptr<HttpTransport> recording_;
  std::mutex mutex_;
  std::map<std::string, Opened, std::less<>> opened_;
};

}  // namespace anima::llm
