// The stem that the forms of a word share: "houses" and "housing" are "hous". By the Snowball
// algorithms of libstemmer, in all languages that it has; in others by the endings that their
// vocabulary lists (vocabulary.h), which know no exceptions. Words are UTF-8, folded by
// FoldStrength::kCase; the stem is UTF-8 and no word for people. Thread-safety: a Stemmer belongs
// to one thread. Complexity: O(letters); of words seen shortly before a look-up. Source: Porter,
// "Snowball: A language for stemming algorithms" (2001), snowballstem.org.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "language/language.h"

namespace anima::language {

// The languages that have an algorithm or endings, in the order of the enumeration.
std::span<const Language> stemmed_languages();

class Stemmer {
 public:
  // For a language without either each word is its own stem. `remembers`: so many words of those
  // seen shortly before; a power of two.
  explicit Stemmer(Language language, std::size_t remembers = 2048);
  ~Stemmer();
  Stemmer(Stemmer&&) noexcept;
  Stemmer& operator=(Stemmer&&) noexcept;

  // Valid until the next call. A word of more than 64 bytes is its own stem.
  std::string_view stem(std::string_view word);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// One that lives as long as the thread, for who needs many languages for one word: to make one
// takes longer than to stem with it.
Stemmer& stemmer_of_thread(Language language);

}  // namespace anima::language
