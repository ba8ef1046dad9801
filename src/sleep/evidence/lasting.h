// What a text says that lasts, as language/frames/telling.h reads it, by its rule of when a text
// teaches nothing: preferences ("Ada prefers tea") and facts about two named things ("Ada works at
// Initech"). Values, what has ended or is corrected, and sides that are no names are left to who
// hears people speak (agent/house). English and German.
//
// What a model proposes (sleep/detail/proposals.h) is judged sentence by sentence: whether one
// states something, and whether the text takes it back ("That is a lie.", "Just kidding.").
// Thread-safety: pure. Complexity: O(text x patterns).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace anima::sleep::detail {

struct LastingStatement {
  bool preference = false;
  std::string subject;    // as written; "I" and "ich" are the speaker
  std::string predicate;  // snake_case
  std::string object;
  std::string sentence;
  std::string evidence = {};  // beside the sentence: who proposed it, and why
  // Of the fact that it becomes, as its metadata says.
  std::string_view source = "SleepConsolidation";
  double confidence = 0.8;
  bool doubtful = false;  // its object is a name only where something is known by it: "likes Rome"
};

std::vector<LastingStatement> lasting_statements(std::string_view text);

// Whether a sentence states something: no question, negation, condition, wish or hearsay.
bool is_stated(std::string_view sentence);
// The part of a text that nothing in it takes back: what stands behind the last sentence that takes
// something back.
std::string_view not_taken_back(std::string_view text);

// Of a relation of frames (language/frames/frame_words.h): whether the last one counts, and what it
// means, for its definition. False and empty for others.
bool is_one_valued(std::string_view predicate);
std::string lasting_description(std::string_view predicate);

}  // namespace anima::sleep::detail
