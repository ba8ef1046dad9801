// Questions about what was told that nobody has answered yet, kept in the space.
//
// What is asked back before it is noted (told_question.h) lies in the graph of memory, as the word
// of who told it, with his trust: it can be listed and answered later and by another process, is
// undone with its act, and is forgotten with the names in it. The same question about the same
// text, asked again, stays one. A question says nothing of the knowledge. One whose words cannot be
// read any more is listed without them, and can only be dropped. Thread-safety: functions over a
// space. Errors: those of the space; kNotFound; kInvalidArgument (several begin so). Complexity:
// O(open questions).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/telling/last_facts.h"
#include "agent/telling/told_question.h"
#include "base/clock.h"
#include "memory/memory_manager.h"
#include "store/space.h"

namespace anima::agent {

struct OpenQuestion {
  std::string id;       // "ask_0123456789ab"
  std::string text;     // what was said
  std::string memory;   // the id of the text, where it is kept
  std::string speaker;  // who is "I"
  std::string author, source;
  store::Trust trust = store::Trust::kUntrusted;
  double confidence = 1.0;
  Timestamp said_at;
  std::optional<Timestamp> since = {};  // when the text was said that it takes the place of
  bool before = false;                  // it was said in a conversation that was read later
  Decisions decided = {};               // what was answered so far
  ToldQuestion question = {};
  store::Sequence first = store::Sequence::kNone;  // the entry in which it was asked
  store::Sequence entry = store::Sequence::kNone;  // in which it was asked last

  Json to_json() const;  // id, words, question, proposes, choices, ..
};

// Whose line it was.
SaidBy said_by(const OpenQuestion& asked);

OpenQuestion question_about(const memory::NewMemory& item, std::string memory, std::string speaker,
                            Timestamp said_at);

// Gives its id.
Result<std::string> keep_question(store::Space& space, OpenQuestion question);
// The newest first.
Result<std::vector<OpenQuestion>> open_questions(store::Space& space);
// By its id, or a beginning of four letters that only one has.
Result<OpenQuestion> find_question(store::Space& space, std::string_view id);
// It is asked once more, in a later line.
Status renew_question(store::Space& space, std::string_view id, const store::Origin& by,
                      Timestamp now);
Status close_question(store::Space& space, std::string_view id, const store::Origin& by);
// Those about a memory that goes.
Status close_questions_about(store::Space& space, std::string_view memory, const store::Origin& by);

}  // namespace anima::agent
