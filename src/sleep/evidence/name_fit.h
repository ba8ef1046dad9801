// Whether two who share an address can be one by their names. Thread-safety: pure.
#pragma once

#include <cstdint>

#include "sleep/evidence/similarity.h"

namespace anima::sleep::detail {

enum class NameFit : std::uint8_t {
  kNone,
  kShortened,  // a word is written out in one and an initial in the other
  kPlain,      // but for accents, what stands for them, a degree, or what a comma puts first
  kSpelled,    // but for case, white space and hyphens, or in two scripts
};
// Both have the same words in the same order, word by word (name_words.h); none may lack: "Tom
// Junior Fox" is not "Tom Fox". One at least is written out in both. A name of a script without
// blanks between words is compared as a whole; in Han, kana and Hangul it may have the family name
// last in Latin. "Mario" and "Maria", "Team A" and "Team B" do not fit. O(length^2).
NameFit names_fit(const NameForm& a, const NameForm& b);

}  // namespace anima::sleep::detail
