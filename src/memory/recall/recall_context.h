// Recall: what memory and graph hold on a question, best first, filled into a budget of tokens, as
// text for a language model's prompt, with the labels that it must not lose on the way.
//
// One list: what is remembered, learning cards, events such as the turns of conversations, episodes
// of agents, and facts of the graph compete by one score (recall/window_index.h, recall/facts.h).
// The budget is filled by single items in the order of the score, skipping what does not fit; of a
// fact nothing is said whose words stand in a text that is in already. No model is asked.
//
// What is in stands by source and trust, each such group between two fence lines that say how far
// it is trusted, its source and its author; in it by time, the date once a day:
//
//   [[4be1c0d2a7f3 trust=untrusted source="chat.json" author="import"]]
//   On 2023-05-08
//   | Ada: The tide is high at nine.
//   [[4be1c0d2a7f3 end]]
//
// Behind all of these stand, the newest first, texts of which something holds no longer: the date
// says so, and of a text that told more than that, what it is.
//
// A content cannot imitate that: every line of it begins with "| ", characters that hide or break
// lines are shown as escapes, and the word of the fence is made of a hash of all that is recalled,
// so that none of the contents holds it. The same memory, question and options give the same bytes.
// A token is four bytes; what was left out is said in the text. Quarantined items are left out and
// counted, and so is what the reader may not see: who asks for a prompt and names nobody reads as
// the planner, who makes tasks of requests and sees PUBLIC and INTERNAL.
// `label` is the least trust of all that went in: whoever acts on the text passes it on with the
// call (CallRequest::argument_labels), and RecalledTexts finds which arguments took something from
// it. Thread-safety: as the manager's. Complexity: of a search, and the size of what is found.
// Source: recall study, sections 3 and 4; docs/governance_memory.md, "What goes into a prompt";
// governance specification 1.8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "memory/memory_manager.h"
#include "memory/told_texts.h"

namespace anima::memory {

inline constexpr const char* kPromptReader = "planner";

struct ContextOptions {
  std::size_t budget_tokens = 1500;
  std::string reader = kPromptReader;  // whose partitions; the operator sees all
  bool facts = true;                   // statements of the graph too
  bool sessions = false;  // exchanges too: they hold what was recalled before, so are no source
  // Of what is remembered only what this person said, and what nobody in particular did; of the
  // facts those that nobody else told alone. Empty: of everybody.
  std::string speaker = {};
  std::string asker = {};  // who "I" is; empty: the speaker, and without one "user", "me", "human"
  std::optional<Timestamp> now = {};  // what "last week" is counted from; default: the clock's
  // Of the asker's clock from UTC, for what day it is and was; default: the machine's.
  std::optional<std::int64_t> offset_seconds = {};
  RecallSteps steps = {};
};
inline constexpr std::size_t kSmallestContext = 150;  // tokens

// Why an item is where it is: its score is their sum.
struct RecallReason {
  double words = 0;        // BM25 of the item with its neighbours
  double session = 0;      // of its session
  double participant = 0;  // the question names who said it
  double date = 0;         // its day is the one that the question names
  double meaning = 0;      // its vector is near the question's (text_vectors.h)
  double traits = 0;  // a name or time where one is asked for, first of its session, a question
};

struct ContextItem {
  std::string id;    // of the memory, the event's or episode's name, or "C:12" of a fact's subject
  std::string kind;  // "memory", "card", "event", "episode", "fact"
  govern::Trust trust = govern::Trust::kUntrusted;
  std::string source, author;
  std::vector<store::Sequence> entries;  // rising
  std::string speaker;                   // empty: nobody in particular
  std::string day;                       // "2023-05-08", of who said it or asks, or empty
  // What of it holds no longer, and whether that is all that it told (told_texts.h). Of who told
  // what is so instead, only what the reader may see.
  ToldState told;
  std::string content;          // whole, as it is shown
  std::size_t shown_bytes = 0;  // of the content
  double score = 0;
  std::size_t rank = 0;  // in the list, from 0
  RecallReason reason;
};

struct RecalledContext {
  std::string text;
  std::string fence;
  govern::Trust label = govern::Trust::kSystem;  // system when nothing went in
  std::vector<ContextItem> items;                // that went in, in the order of the text
  std::size_t left_out = 0;                      // with words of the question, but not in
  std::size_t quarantined = 0;                   // the same, but never shown
  std::size_t withheld = 0;                      // the same, but not for this reader
  std::string note;  // why it goes by words alone, where vectors were wanted; for the caller
  std::size_t tokens() const { return (text.size() + 3) / 4; }
  Json to_json(bool reasons = false) const;
};

// Errors: kInvalidArgument (a budget below kSmallestContext, an empty question), those of the
// space. Counts as an access of each memory that is in.
Result<RecalledContext> recall_context(MemoryManager& memory, const store::Snapshot& snapshot,
                                       std::string_view question,
                                       const ContextOptions& options = {});

// The ids of the best texts, best first, without facts; nothing is handed out, so no access is
// counted. Errors: as above.
Result<std::vector<std::string>> best_texts(MemoryManager& memory, const store::Snapshot& snapshot,
                                            std::string_view question, std::size_t limit,
                                            const ContextOptions& options = {});

}  // namespace anima::memory
