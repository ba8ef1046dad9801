// The words that names are made of, with how often each is used: to find the word that was meant by
// a misspelt one, and the rarest of several.
//
// Words of one length lie side by side, so that looking for near ones passes over memory once and
// skips most by a comparison of letters; a hash table of 4 byte slots finds one by its text. Words
// over 64 bytes are not kept: they count as used once, and are near nothing. Thread-safety: const
// functions from any thread. Complexity: add, remove and count O(1), near O(words of about its
// length). Memory: the letters and about 12 bytes a word.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace anima::ask {

class WordTable {
 public:
  void add(std::string_view word);
  void remove(std::string_view word);  // requires that it was added
  std::uint32_t count(std::string_view word) const;
  // Words in use that at most `edits` edits turn into this one, sorted.
  std::vector<std::string> near(std::string_view word, std::size_t edits) const;
  std::size_t bytes() const;

 private:
  static constexpr std::size_t kMaxLength = 64;
  struct Row {  // the words of one length
    std::string letters;
    std::vector<std::uint32_t> counts;
    std::string_view word(std::size_t at, std::size_t length) const {
      return std::string_view(letters).substr(at * length, length);
    }
  };
  static std::uint32_t slot_of(std::size_t length, std::size_t at);
  std::string_view word_in(std::uint32_t slot) const;
  std::uint32_t& count_in(std::uint32_t slot);
  std::size_t place(std::string_view word) const;  // where it is in `slots_`, or would be
  void grow();

  std::array<Row, kMaxLength + 1> rows_;
  std::vector<std::uint32_t> slots_;  // open addressing; 0 is free
  std::size_t used_ = 0;
};

}  // namespace anima::ask
