// A text as numbers, times and the marks of a statement are read in it: words, runs of digits,
// ideographs one by one, and signs one by one, each with its place. What is written without a blank
// is told from what is written with one ("3.4", "3. 4").
//
// Words are folded (NFKC, full case folding), both apostrophes are one. Thread-safety: pure.
// Complexity: O(text).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace anima::language {

struct Lexeme {
  enum class Kind : std::uint8_t { kWord, kDigits, kIdeograph, kSign };
  Kind kind = Kind::kWord;
  std::string text;                // folded; digits as ASCII
  std::int64_t number = -1;        // of at most 15 digits; -1 for what is none
  std::size_t begin = 0, end = 0;  // bytes of the text
  bool spaced = false;             // white space is before it, or nothing
  bool capital = false;            // a word that begins with a capital letter
};
using Lexemes = std::vector<Lexeme>;

Lexemes cut_lexemes(std::string_view text);

// Their texts alone, of a phrase of a file of words.
std::vector<std::string> words_in(std::string_view phrase);

// Whether the lexemes from `at` on are these words.
bool stands_at(const Lexemes& lexemes, std::size_t at, const std::vector<std::string>& words);

}  // namespace anima::language
