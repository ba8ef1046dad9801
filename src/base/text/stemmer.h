// The stem that the forms of a word share, by the Snowball algorithms: "houses" and "housing" are
// "hous". Ours is the door to libstemmer. Words are UTF-8 in lower case; the stem is UTF-8 and no
// word for people. Thread-safety: a Stemmer belongs to one thread. Complexity: O(letters).
// Source: Porter, "Snowball: A language for stemming algorithms" (2001), snowballstem.org.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace anima {

enum class Language : std::uint8_t { kEnglish, kGerman, kFrench, kSpanish };
inline constexpr std::size_t kLanguages = 4;

class Stemmer {
 public:
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

}  // namespace anima
