// The words that deep analysis looks for when they are misspelt, and where a text misspells or
// spreads them. Thread-safety: immutable once built; pure functions. Complexity: linear in the
// text. Source: governance specification 1.2 (near miss of a strong pattern).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace anima::govern::detail {

class NearMissWords {
 public:
  static constexpr std::size_t kLongest = 24;  // bytes

  // Before any question; a word has 1 to kLongest bytes.
  void add(std::string word);
  bool is_known(std::string_view word) const;
  // A known word one insertion, deletion, substitution or swap of neighbours away: of the same
  // size first, then one shorter, then one longer, each by alphabet. Words below five bytes are
  // not corrected, nor to.
  std::optional<std::string_view> correction(std::string_view word) const;

 private:
  // Bit n: there is such a word of n bytes.
  using Sizes = std::uint32_t;
  static constexpr std::size_t kPairs = 1024;

  std::array<std::vector<std::string>, kLongest + 2> by_size_;  // sorted
  std::array<Sizes, 256> by_first_byte_ = {};
  // One typo leaves the first two bytes or the last two of a word of five as they are.
  std::array<Sizes, kPairs> by_first_pair_ = {};
  std::array<Sizes, kPairs> by_last_pair_ = {};
};

struct SpellingSigns {
  std::string corrected;  // misspelt words that stand near a well-spelt one, put right; empty:
                          // there are none
  bool spread_letters = false;  // five letters or more, one separator between each
};
SpellingSigns spelling_signs(std::string_view normal, const NearMissWords& words);

// Letters pulled apart by blanks or punctuation are pushed together; empty when there are none.
std::string gathered(std::string_view normal, const NearMissWords& words);

}  // namespace anima::govern::detail
