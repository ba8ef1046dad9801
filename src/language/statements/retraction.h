// Whether a sentence takes back what was said before it: "That is a lie.", "Just kidding.", "No, it
// isn't.", in any language that has such phrases (packs/language/statements, `retraction`).
//
// It does for certain where a clause has such a phrase and beside it nothing but stop words, and
// nothing in the sentence is a condition, a wish or hearsay. "It was wrong of Ben to leave.", "I
// think that is a lie." have a phrase and more: perhaps. A negation beside the phrase denies it:
// "That is not a lie." takes nothing back; nor does a question. A phrase that the language has as a
// negation, too ("no"), counts only as a whole clause. So "No sugar for me." takes nothing back.
// Where a phrase of one word is a whole clause, the other clauses must be of stop words alone for
// it to be certain: "No, really!" is not. Thread-safety: from any thread. Complexity: O(sentence x
// languages).
#pragma once

#include <cstdint>
#include <string_view>

namespace anima::language {

enum class Retraction : std::uint8_t { kNone, kPerhaps, kCertain };
Retraction retraction_in(std::string_view sentence);

}  // namespace anima::language
