// How alike two names are, as far as two concepts of one type may be the same thing. What names
// say under an identity that two share is in name_fit.h.
// Thread-safety: pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace anima::sleep::detail {

struct NameForm {
  std::string cased;                 // each white space one blank; all else stays
  std::string exact;                 // the same in lower case
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
  kCased,  // but for case and white space, where case may tell two things apart: mW and MW
  kSame,   // but for case and white space
};
// Only kSame says that two names are one. Words with digits must be the same for the rest: "Room
// 101" is not "Room 102". Case tells nothing apart where the name has two words of three letters or
// more, and nothing but letters, hyphens, apostrophes and full stops; where each word that differs
// has three letters or more and is, in both, in small letters or begins with a capital; or where
// all words of one of the two are in capitals. So "Ada Lovelace" is "ada lovelace" and "CITY HALL"
// is "City Hall"; "Polish" and "polish", "AIDS relief" and "aids relief", "5 MW" and "5 mW" are
// not. O(length).
NameMatch match_names(const NameForm& a, const NameForm& b);

}  // namespace anima::sleep::detail
