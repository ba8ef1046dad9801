// ServedStage: the loop of `anima chat --llm` in a governed house, with the tools of a domain, and
// a model behind a real OpenAI-compatible server on this machine (persona.h). The tools change the
// world themselves. Questions of the house are answered as in stage.h: the user's calls are
// allowed, the attacker's are not. Thread-safety: one thread at a time. Ownership: the domain
// outlives it.
#pragma once

#include <memory>
#include <string>

#include "agent/conversation/model_conversation.h"
#include "agent/house/governed_house.h"
#include "dojo/stage.h"
#include "support/called_model.h"

namespace anima::dojo {

class ServedStage {
 public:
  static Result<std::unique_ptr<ServedStage>> open(const Domain& domain, Mode mode);

  Result<Performance> perform(const Task& task, const Injection& injection = {});

 private:
  ServedStage(const Domain& domain, Mode mode) : domain_(domain), mode_(mode) {}

  const Domain& domain_;
  Mode mode_;
  TemporaryDirectory folder_{"anima-dojo"};
  ManualClock clock_{Timestamp{1'790'000'000'000'000}};
  SeededRandom random_{18};
  test::CalledModel called_;
  World world_{Json()};
  std::shared_ptr<store::Space> space_;
  std::unique_ptr<agent::GovernedHouse> house_;
  std::int64_t sessions_ = 0;
};

}  // namespace anima::dojo
