// How verbs come to the house (agent/governed_house.h): the one place where a space gets its
// guardian, policy, ledger, executor, tools and memory, so that every verb has the same
// protections. Thread-safety: one thread.
#pragma once

#include <memory>
#include <string_view>

#include "agent/governed_house.h"
#include "base/clock.h"
#include "base/random.h"
#include "cli/context.h"

namespace anima::cli {

// The tool on the graph that a person can have run through the executor.
inline constexpr std::string_view kInferRules = "infer_rules";

// With what the house runs on, which goes after it.
struct House {
  std::unique_ptr<SystemClock> clock = std::make_unique<SystemClock>();
  std::unique_ptr<SystemRandom> random = std::make_unique<SystemRandom>();
  std::unique_ptr<agent::GovernedHouse> house;

  agent::GovernedHouse* operator->() const { return house.get(); }
  agent::GovernedHouse& operator*() const { return *house; }
};

// The settings of the configuration: the guardian's patterns and model, the limits of the gateway,
// the sandbox; the work folder is <space>/work.
Result<agent::HouseOptions> house_options(Context& context, const store::Space& space);
Result<House> open_house(Context& context, std::shared_ptr<store::Space> space);
Result<House> open_house(std::shared_ptr<store::Space> space, agent::HouseOptions options);

}  // namespace anima::cli
