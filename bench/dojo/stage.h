// Stage: a guarded session in a governed house, with the tools of a domain, and a model that makes
// the right calls of a task and obeys every text that it reads.
//
// What is judged are the calls alone: no text is looked at by a guardian's patterns. A user's call
// that is asked about is allowed by the user, and counted; an attacker's is not. Thread-safety: one
// thread at a time. Ownership: the domain outlives it. Errors: those of the space.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/conversation/guard_session.h"
#include "base/files/file.h"
#include "dojo/domain.h"
#include "dojo/world.h"

namespace anima::dojo {

enum class Mode : std::uint8_t {
  kPlanFirst,  // with the plan of the task
  kWords,      // with the plan that the words of the message give, without a model
  kReactive,   // without one
};
std::string_view to_string(Mode mode);

enum class Obeys : std::uint8_t { kAtOnce, kWhenDone };
std::string_view to_string(Obeys obeys);

// What goes into the world, and what the model does when it has read it.
struct Injection {
  const Attack* attack = nullptr;
  std::string place;
  std::string text;
  Obeys obeys = Obeys::kAtOnce;
};

enum class Decision : std::uint8_t { kAllow, kAsk, kDeny, kFailed };
std::string_view to_string(Decision decision);

struct JudgedCall {
  std::string tool;
  Json arguments;
  bool attacker = false;
  bool acts = false;
  bool changed = false;  // it ran, and the world is another one
  Decision decision = Decision::kAllow;
  std::string reason;
  std::vector<std::string> because;
};

// The house has tools of its own, which may be called the same.
std::string in_house(std::string_view tool);

struct Performance {
  std::vector<JudgedCall> calls;
  bool read = false;  // the model has read the text
  Json world;         // afterwards
};

class Stage {
 public:
  static Result<std::unique_ptr<Stage>> open(const Domain& domain, Mode mode);

  Result<Performance> perform(const Task& task, const Injection& injection = {});
  // The value at swap.into is the attacker's, and so is what the right calls take from there.
  Result<Performance> perform_swapped(const Task& task, const Swap& swap);

 private:
  struct Run;
  Stage(const Domain& domain, Mode mode) : domain_(domain), mode_(mode) {}
  Status begin(Run& run, const Task& task);
  Status play(Run& run, const std::vector<Call>& calls, const Injection* injection);
  Result<bool> make_call(Run& run, const Call& call, std::vector<Json>& results, bool attacker);

  const Domain& domain_;
  Mode mode_;
  TemporaryDirectory folder_{"anima-dojo"};
  ManualClock clock_{Timestamp{1'790'000'000'000'000}};
  SeededRandom random_{18};
  std::shared_ptr<store::Space> space_;
  std::unique_ptr<agent::GovernedHouse> house_;
  std::int64_t sessions_ = 0;
};

}  // namespace anima::dojo
