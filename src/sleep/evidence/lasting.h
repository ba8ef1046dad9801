// What a text says that lasts, found by a short table of forms: preferences ("Ada prefers tea") and
// facts about two named things ("Ada works at Initech", "Ben now owns the harbour").
//
// A sentence counts only when it states: no question, no negation, no condition, no hearsay. What
// the forms do not fit is no loss: the event keeps its text. English and German.
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
};

std::vector<LastingStatement> lasting_statements(std::string_view text);

// Whether a sentence states something: no question, negation, condition or hearsay.
bool is_stated(std::string_view sentence);

// What the predicates of the forms mean, for their definitions; empty for others.
std::string_view lasting_description(std::string_view predicate);

}  // namespace anima::sleep::detail
