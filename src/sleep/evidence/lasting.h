// What a text says that lasts, found by a short table of forms: preferences ("Ada prefers tea") and
// facts about two named things ("Ada works at Initech", "Ben now owns the harbour").
//
// A sentence counts only when it states: no question, no negation, no condition, no wish, no
// hearsay (language/statements), and names its subject with nothing beside the name ("Untrue: Ada",
// "Ada presumably"). A sentence that takes back what was said ("That is a lie.", "Just
// kidding.", "No, it isn't."), in any language that has such phrases, takes back all that the text
// said before it: which of it is meant cannot be told. One that perhaps does takes nothing back;
// what stands before it is doubted. What the forms do not fit is no loss: the event keeps its text.
// English and German.
// Thread-safety: pure. Complexity: O(text x forms).
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
  std::string doubt = {};  // a sentence behind it that perhaps takes it back
};

std::vector<LastingStatement> lasting_statements(std::string_view text);

// Whether a sentence states something: no question, negation, condition, wish or hearsay.
bool is_stated(std::string_view sentence);
// The part of a text that nothing in it takes back: what stands behind the last sentence that takes
// something back.
std::string_view not_taken_back(std::string_view text);

// What the predicates of the forms mean, for their definitions; empty for others.
std::string_view lasting_description(std::string_view predicate);

}  // namespace anima::sleep::detail
