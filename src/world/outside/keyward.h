// The keyward: the only way from a world to language models. It holds their keys, an agent never
// sees one, nor which model answers.
//
// Thinks of the tiers 1 (a new design: the plan of an aspiration) and 2 (any other plan) go to a
// model, tier 3 (routine) too when the options say so; the rest, and what no model may or can
// answer, goes to the policy, a mind that needs none. So a world lives on without its models. What
// an agent is told are the sections of thinking.h, within the context of the model; the answer is
// text for the runtime, which parses it, asks twice more, and lets a NOP come of a third failure.
//
// What is left of the budget of the models (llm/budget.h) sets a level, which bounds the tier, how
// often an agent may think in a cycle, and how many agents may:
//   normal 10 of all; conservation 8 of all; degradation 5 of the better half, tier 3; end times 5
//   of the first four, tier 3, for survival and knowledge; halt none.
// A model that refuses the key is asked again after ten cycles; one that stays silent, or fails for
// another reason, in the next cycle. Each answer, and why there was none, is kept (outside.h), so
// that a world that goes on is the same. Source: governance_and_runtime 2.7, rows 140, 155, 156.
// Thread-safety: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "llm/budget.h"
#include "llm/model.h"
#include "llm/router.h"
#include "world/outside/outside.h"
#include "world/thinking.h"

namespace anima::world {

inline constexpr std::uint64_t kThinksPerCycle = 10;  // of an agent
inline constexpr std::uint64_t kHealthCheckCycles = 10;

struct KeywardOptions {
  // The model that serves a think, as llm::Models gives it. Errors: those of Models.
  std::function<Result<llm::Model*>(const llm::ThinkContext&)> model;
  std::function<Result<llm::BudgetState>()> budget = {};  // empty: without a limit
  ThinkTier last = ThinkTier::kTier2;                     // thinks up to this tier go to it
  std::stop_token stop = {};
  std::function<void(const std::string&)> warn = {};
};

struct KeywardCounts {
  std::uint64_t asked = 0;     // thinks that a model was wanted for
  std::uint64_t answered = 0;  // by a model
  std::uint64_t input_tokens = 0, output_tokens = 0;
};

class Keyward final : public Mind {
 public:
  // `policy` answers where no model does; it outlives the keyward.
  Keyward(Mind& policy, KeywardOptions options) : policy_(policy), options_(std::move(options)) {}

  Result<std::string> think(const ThinkRequest& request) override;
  // A recording without thinks is of a world without models: the policy decides alone.
  void attach(Outside& outside) override {
    outside_ = outside.plays_without("think") ? nullptr : &outside;
  }
  void begin_cycle(const std::vector<AgentId>& ranks) override;
  Status failed() const override { return failed_; }
  const KeywardCounts& counts() const { return counts_; }

 private:
  Result<Json> ask(const ThinkRequest& request, const llm::Request& prompt);
  // Empty, or why the level keeps this think from the models.
  std::string withheld(const ThinkRequest& request, llm::BudgetLevel level) const;
  void note_failure(const std::string& model, const Error& error);
  void say_once(const std::string& text);

  Mind& policy_;
  KeywardOptions options_;
  Outside* outside_ = nullptr;
  std::uint64_t cycles_ = 0;  // that have begun
  std::vector<AgentId> ranks_;
  std::map<AgentId, std::uint64_t> thinks_;       // in this cycle
  std::map<std::string, std::uint64_t> resting_;  // models, and the cycle that asks them again
  std::set<std::string> said_;                    // in this cycle
  Status failed_;
  KeywardCounts counts_;
};

// What a model is told: first parts as the system's message, state and actions as the user's.
// `context` in tokens.
llm::Request think_prompt(const ThinkRequest& request, std::size_t context);

}  // namespace anima::world
