// What a conversation keeps of its last questions.
//
// Thread-safety: that of the Conversation. Lifetime: readings hold numbers of a lexicon's build,
// which is named beside them.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "ask/ask.h"
#include "ask/parse/reading.h"

namespace anima::ask {

// One question and its answer.
struct Turn {
  std::string question;
  Reading reading;
  std::string lexicon;  // whose numbers the reading has
  std::vector<store::EntityId> rows;
  std::vector<store::EntityId> names;
};

struct Conversation::State {
  std::deque<Turn> turns;        // the newest first
  std::vector<Reading> choices;  // of an ambiguous answer
  std::string choices_lexicon;   // whose numbers those have
  std::string meant;             // the question that was asked back whether it was meant
};

}  // namespace anima::ask
