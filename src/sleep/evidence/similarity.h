// How alike two names are, as far as two concepts of one type may be the same thing.
// Thread-safety: pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace anima::sleep::detail {

struct NameForm {
  std::string exact;                 // in lower case, each white space one blank; all else stays
  std::vector<std::string> words;    // folded: no case, accents, punctuation
  std::string compact;               // the words in order, joined: "postgresql"
  std::string sorted;                // the words sorted, joined by blanks: "ada lovelace"
  std::vector<std::string> numbers;  // words with a digit in them
};
NameForm name_form(std::string_view name);

enum class NameMatch {
  kNone,
  kNear,   // a slip of the pen, or a first name cut to its initial
  kAlike,  // but for accents, punctuation or the order of words: C and C++, 3:4 and 4:3
  kSame,   // but for case and white space
};
// Only kSame says that two names are one. Words with digits must be the same for the rest: "Room
// 101" is not "Room 102". O(length).
NameMatch match_names(const NameForm& a, const NameForm& b);

// Whether two who share an address can be one by their names. Word by word, in order: equal but for
// case, accents and hyphens, or one is the initial of the other ("M." and "Mario"). A name of
// letters alone may lack one word in the middle. At least one word is written out in both. "Mario"
// and "Maria", "Team A" and "Team B", names in two scripts do not fit. O(length^2).
bool names_fit(const NameForm& a, const NameForm& b);

}  // namespace anima::sleep::detail
