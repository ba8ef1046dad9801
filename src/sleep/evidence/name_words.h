// The words of a name, as they are compared under an identity that two share. Thread-safety: pure.
// Complexity: O(name).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sleep/evidence/similarity.h"

namespace anima::sleep::detail {

struct NameWord {
  std::string written;   // in lower case
  bool initial = false;  // one letter and a full stop
  bool letters = true;   // nothing but letters
};

struct NameWords {
  std::vector<NameWord> words;       // in the order in which they are read
  std::vector<std::string> degrees;  // that are left out of them, sorted: "dr"
  bool turned = false;               // "Hopper, Grace"
};

// What stands behind a single comma is read first. Degrees are left out where two words or more
// remain. Signs that separate nothing stay: "A+" is not "A".
NameWords name_words(const NameForm& name);

enum class WordFit : std::uint8_t {
  kNone,
  kShort,  // one is the initial of the other: "M." and Mario
  kPlain,  // one is the other without accents, or with what stands for them: Jose, Mueller
  kSame,   // up to case, or in two scripts
};
WordFit fit_words(const NameWord& a, const NameWord& b);

}  // namespace anima::sleep::detail
