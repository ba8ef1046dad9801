// The earlier turns of a session with a language model, and how they are made shorter.
//
// The turns may have half of the budget. When they need more, the oldest go until a quarter is
// left, and a summary of at most an eighth stands for them: a model's, from their words alone, or
// without one the first sentence of each line, each answer and the tools that were called. An
// earlier summary goes into the new one. The summary has the lowest trust of the turns it stands
// for. What it stands for is listed by number and size. Rules that must not be lost belong into
// core memory (core_memory.h), which no summary touches.
//
// Thread-safety: a plain value; one thread. Errors: none of its own: where a model fails, the
// sentences are taken. Complexity: O(turns). Source: issue "any model", 2; CONVENTIONS.md, "What
// users of such systems complain of most".
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/conversation/model_context.h"
#include "base/json/json.h"
#include "llm/model.h"

namespace anima::agent {

struct ConversationSummary {
  std::string text;
  govern::Trust trust = govern::Trust::kSystem;
  std::size_t turns = 0;    // that it stands for, from the first
  std::int64_t tokens = 0;  // that these were
  bool by_model = false;
  Json to_json() const;
};
Result<ConversationSummary> summary_from_json(const Json& json);

class ConversationHistory {
 public:
  void add(std::vector<llm::Message> messages, govern::Trust trust, std::string_view session);
  // Makes it shorter when the turns need more than half of the budget. True when it did. `model`
  // null: without one. The usage of its call is added to `usage`.
  bool shorten(std::int64_t budget_tokens, llm::Model* model, llm::Usage& usage,
               const std::stop_token& stop = {});
  // The same summary as somebody made it: what a log restores. Requires that there are the turns.
  void take(ConversationSummary summary);
  void tell(ContextSources& sources) const;
  void clear() { *this = ConversationHistory(); }

  const std::vector<PromptPart>& turns() const { return turns_; }  // word for word, oldest first
  const std::optional<ConversationSummary>& summary() const { return summary_; }
  // Of all turns, those of the summary too.
  std::size_t count() const { return turns_.size() + (summary_ ? summary_->turns : 0); }

 private:
  std::vector<PromptPart> turns_;
  std::optional<ConversationSummary> summary_;
};

// The first sentence of a text on one line, cut to that many bytes.
std::string first_sentence(std::string_view text, std::size_t most_bytes);

}  // namespace anima::agent
