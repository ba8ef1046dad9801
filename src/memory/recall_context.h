// What memory and graph hold on a question, as text for a language model's prompt, with the labels
// that it must not lose on the way.
//
// Each item stands in a block of its own between two fence lines that say how far it is trusted,
// its source, its author and the log entries that hold it:
//
//   [[4be1c0d2a7f3 1 trust=untrusted source="web: tides" author="import" entry=17 id=doc_9f..]]
//   | The tide is high at nine.
//   [[4be1c0d2a7f3 1 end]]
//
// A content cannot imitate that: every line of it begins with "| ", characters that hide or break
// lines are shown as escapes, and the word of the fence is made of a hash of all that is recalled,
// so that none of the contents holds it. The same memory, question and options give the same bytes.
// The budget is in tokens of four bytes; what was cut or left out is said in the text. Quarantined
// items are left out and counted, and so is what the reader may not see: who asks for a prompt and
// names nobody reads as the planner, who makes tasks of requests and sees PUBLIC and INTERNAL.
// `label` is the least trust of all that went in: whoever acts on the text passes it on with the
// call (CallRequest::argument_labels), and RecalledTexts finds which arguments took something from
// it. Thread-safety: as the manager's. Complexity: of a search, and the size of what is found.
// Source: docs/governance_memory.md, "What goes into a prompt"; governance specification 1.8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "memory/memory_manager.h"

namespace anima::memory {

inline constexpr const char* kPromptReader = "planner";

struct ContextOptions {
  std::size_t budget_tokens = 1500;
  std::string reader = kPromptReader;  // whose partitions; the operator sees all
  std::size_t limit = 20;              // memory items, and as many concepts of the graph
  bool facts = true;                   // concepts of the graph too
  bool sessions = false;  // exchanges too: they hold what was recalled before, so are no source
};
inline constexpr std::size_t kSmallestContext = 150;  // tokens

struct ContextItem {
  std::string id;    // of the memory, or "C:12"
  std::string kind;  // "memory" or "fact"
  govern::Trust trust = govern::Trust::kUntrusted;
  std::string source, author;            // of its least trusted part
  std::vector<store::Sequence> entries;  // rising
  std::string content;                   // whole
  std::size_t shown_bytes = 0;           // of the content
  double score = 0;                      // of its own search
};

struct RecalledContext {
  std::string text;
  std::string fence;
  govern::Trust label = govern::Trust::kSystem;  // system when nothing went in
  std::vector<ContextItem> items;                // that went in, in order
  std::size_t left_out = 0;                      // found, but beyond the budget
  std::size_t quarantined = 0;                   // found, but never shown
  std::size_t withheld = 0;                      // found, but not for this reader
  std::size_t tokens() const { return (text.size() + 3) / 4; }
  Json to_json() const;
};

// Errors: kInvalidArgument (a budget below kSmallestContext, an empty question), those of the
// space. Counts as an access of each memory that was found.
Result<RecalledContext> recall_context(MemoryManager& memory, const store::Snapshot& snapshot,
                                       std::string_view question,
                                       const ContextOptions& options = {});

}  // namespace anima::memory
