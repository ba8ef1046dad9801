// How an agent is asked what to do, and how the answer is read.
//
// Any mind answers with one JSON object {"action", "params", "reasoning", "memory_update"?}, a
// language model as well as the symbolic one (symbolic_mind.h): there is one way from an answer to
// an act. The prompt has six sections, each within its number of tokens; a token is four bytes.
// Source: source 002 10.5 to 10.7; governance_and_runtime 2.6. Thread-safety: functions without
// state; a Mind belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "world/citizen.h"

namespace anima::world {

class Outside;

struct ThinkContext {
  bool involves_new_design = false;
  float code_complexity = 0;
  bool is_routine = false;
  bool is_simple_decision = false;
};
enum class ThinkTier : std::uint8_t { kTier1 = 1, kTier2 = 2, kTier3 = 3 };
ThinkTier classify_think(const ThinkContext& context);

// Tokens of the sections, and of all that a model takes.
struct PromptBudget {
  std::size_t rules = 2000, identity = 500, memory = 2000, state = 1500, history = 1000;
  std::size_t context = 16'000;
};
std::size_t token_count(std::string_view text);

struct PromptSection {
  std::string_view header;
  std::string text;
  std::size_t budget = 0;  // 0: what is left
};
// In order: WORLD RULES, YOUR IDENTITY, YOUR MEMORY, CURRENT STATE, RECENT ACTIONS, AVAILABLE
// ACTIONS, RESPONSE FORMAT. A context below 8,000 tokens scales the first five down.
std::vector<PromptSection> prompt_sections(const Citizen& citizen, const Goal* goal,
                                           std::uint64_t now, const PromptBudget& budget = {});

// Errors: kSyntax, with what is wrong; it counts as a failure to parse.
Result<AgentAction> parse_action(std::string_view text);

struct ThinkRequest {
  const Citizen& citizen;
  const Goal* goal = nullptr;  // the one pursued
  bool plan_wanted = false;    // the goal needs a plan and has none
  ThinkTier tier = ThinkTier::kTier2;
  std::uint64_t now = 0;
  std::function<std::vector<PromptSection>()> prompt;
};

// Behind the nexus: an agent never sees a key, nor what serves it.
class Mind {
 public:
  virtual ~Mind() = default;
  // Errors: of what serves it; they count as a failure to parse.
  virtual Result<std::string> think(const ThinkRequest& request) = 0;
  // Before a world's first tick: what keeps answers from outside the world; outlives the thinking.
  virtual void attach(Outside& /*outside*/) {}
  // The active agents, those of most reputation first.
  virtual void begin_cycle(const std::vector<AgentId>& /*ranks*/) {}
  // An error after which the world must not go on: a recording that does not fit, Ctrl-C.
  virtual Status failed() const { return {}; }
  // Whether it answers the same in every process of a world, and needs nothing of the kingdom's.
  virtual bool anywhere() const { return false; }
};

}  // namespace anima::world
