// What a language model is told: parts in a fixed order, filled under a budget of tokens, each with
// the reason why it is there, its source and how far it is trusted.
//
// Instructions, a person's rules (core_memory.h) and the message always go in, word for word. Then
// the rest of core memory, what the space's own question answering said, what is remembered (at
// most a quarter of the budget), the summary of turns that were made shorter
// (conversation_history.h), and earlier turns, the newest first, whole turns only. What finds no
// room is listed with that reason. System messages that follow each other are told as one, for some
// servers take no more. Thread-safety:
// plain values, pure functions. Complexity: O(parts). Source: issue "any model", 2;
// docs/governance_memory.md, "What goes into a prompt".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"
#include "govern/trust.h"
#include "llm/message.h"

namespace anima::agent {

struct PromptPart {
  std::string section;  // "instructions", "rules", "core", "asked", "memory", "summary", "turn" ..
  std::string reason;   // why it is in, or why it is not
  std::string source;
  govern::Trust trust = govern::Trust::kUntrusted;
  std::vector<llm::Message> messages;
  bool included = false;
  std::int64_t tokens() const;
  std::string text() const;  // of its messages, calls and results in words
};

struct ModelContext {
  std::vector<PromptPart> parts;  // in the order in which they are told
  std::int64_t budget = 0;
  std::int64_t used = 0;
  // The lowest trust of what is included.
  govern::Trust label() const;
  std::vector<llm::Message> messages() const;
  Json to_json() const;
};

struct ContextSources {
  PromptPart instructions;
  std::optional<PromptPart> rules;
  std::vector<PromptPart> core;
  std::vector<PromptPart> findings;  // what was asked and remembered, the most needed first
  std::optional<PromptPart> summary;
  std::vector<PromptPart> shortened;  // what the summary stands for; never told
  std::vector<PromptPart> turns;      // oldest first
  PromptPart message;
};
// Errors: kLimitExceeded when instructions, rules and message alone are beyond the budget.
Result<ModelContext> assemble_context(ContextSources sources, std::int64_t budget_tokens);

}  // namespace anima::agent
