// How alike two names are, as far as two concepts of one type may be the same thing.
// Thread-safety: pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace anima::sleep::detail {

struct NameForm {
  std::vector<std::string> words;    // folded: no case, accents, punctuation
  std::string compact;               // the words in order, joined: "postgresql"
  std::string sorted;                // the words sorted, joined by blanks: "ada lovelace"
  std::vector<std::string> numbers;  // words with a digit in them
};
NameForm name_form(std::string_view name);

enum class NameMatch {
  kNone,
  kNear,  // a slip of the pen, or a first name cut to its initial
  kSame,  // but for case, accents, punctuation, spaces or the order of words
};
// Words with digits must be the same: "Room 101" is not "Room 102". O(length).
NameMatch match_names(const NameForm& a, const NameForm& b);

}  // namespace anima::sleep::detail
