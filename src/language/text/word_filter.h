// WordFilter: which words cannot be of a set, by their ends, middle and length, without a hash.
//
// Most words of a text are none of a list. Thread-safety: none while it is filled. Complexity:
// O(1).
#pragma once

#include <bitset>
#include <cstddef>
#include <string_view>

namespace anima::language {

class WordFilter {
 public:
  void add(std::string_view word) {
    if (!word.empty()) listed_[place_of(word)] = true;
  }
  bool may_hold(std::string_view word) const { return !word.empty() && listed_[place_of(word)]; }
  // Of a word of letters of ASCII, as it is in small ones.
  bool may_hold_small(std::string_view word) const {
    return !word.empty() && listed_[place_of(word, 0x20)];
  }

 private:
  static std::size_t place_of(std::string_view word, unsigned char more = 0) {
    const auto byte = [&](char c) {
      return static_cast<std::size_t>(static_cast<unsigned char>(c) | more);
    };
    return (byte(word.front()) * 31 + byte(word[word.size() / 2]) * 1021 + byte(word.back()) * 257 +
            word.size()) %
           kPlaces;
  }
  static constexpr std::size_t kPlaces = 65'536;
  std::bitset<kPlaces> listed_;
};

}  // namespace anima::language
