// The stem that the forms of a word share, by the Snowball algorithms: "houses" and "housing" are
// "hous". Ours is the door to libstemmer, with all languages that it has. Words are UTF-8, folded
// by FoldStrength::kCase; the stem is UTF-8 and no word for people. Thread-safety: a Stemmer
// belongs to one thread. Complexity: O(letters); of words seen shortly before a look-up. Source:
// Porter, "Snowball: A language for stemming algorithms" (2001), snowballstem.org.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "language/language.h"

namespace anima::language {

// The languages that have an algorithm, in the order of the enumeration.
std::span<const Language> stemmed_languages();

class Stemmer {
 public:
  // For a language without an algorithm each word is its own stem.
  explicit Stemmer(Language language);
  ~Stemmer();
  Stemmer(Stemmer&&) noexcept;
  Stemmer& operator=(Stemmer&&) noexcept;

  // Valid until the next call. A word of more than 64 bytes is its own stem.
  std::string_view stem(std::string_view word);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace anima::language
