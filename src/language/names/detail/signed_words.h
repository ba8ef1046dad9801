// A name or a text cut into words with their signs: the one cutting of both.
//
// A sign tells two things apart where it stands at a word as a part of it: "++", "#" and "*" right
// behind it (C++, C#, A*), and one full stop before it that stands behind no word (.NET). All other
// signs quote, join, enclose, tag or punctuate, and count only where the name itself has them at
// its edge ("Yahoo!", "@ada"); where a text lacks these, has a lone "+" or "*" behind a word, or
// ties a name of one letter to another word or a tag ("C+", "#C", "C&A"), the place is in doubt.
//
// Numbers with full stops between them are one word: "v1.11" is not "v11.1". Two names are compared
// with all their telling signs, wherever these stand. Thread-safety: a reader belongs to one
// thread. Complexity: O(text).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "language/text/words.h"

namespace anima::language::detail {

struct SignedWord {
  std::string_view folded;  // valid until the next read() of its reader
  std::size_t begin = 0, end = 0;
  // Views of the text: up to the next word; the signs that touch the word, up to a blank.
  std::string_view gap, before, behind;
  bool joined_before = false, joined_behind = false;  // no blank parts it from that word
  bool unbroken = false, digits = false, capital = false, starts_sentence = false;
  bool emphasised = false;  // a "*" behind it closes one that stands before it in its line
};

class SignedWordReader {
 public:
  const std::vector<SignedWord>& read(std::string_view text);

 private:
  void join_numbers(std::string_view text, const std::vector<Token>& tokens);
  void add_signs(std::string_view text);

  WordReader reader_;
  std::vector<SignedWord> words_;
  std::deque<std::string> numbers_;  // "v1.11", what `folded` of such a word looks into
};

// Of the signs between two words of a name, those that do not only join or enclose.
std::string telling_signs(std::string_view gap);

// Whether the signs of a text can be those of a name, from the surest to none.
enum class SignFit : std::uint8_t { kFits, kInDoubt, kAnother };
// At a word of the name that has the word of the text for it.
SignFit signs_before(const SignedWord& name, const SignedWord& text);
SignFit signs_behind(const SignedWord& name, const SignedWord& text);
// Of a name that is one letter: whether a sign goes on with it, or ties it to a word or a tag.
bool is_tied(const SignedWord& text);
// Whether signs make it a part of an address, a path, a handle or a name of the machine's.
bool is_of_token(const SignedWord& text);
// Signs of the name at its edges that the text has, too: bytes of them.
std::size_t own_signs_before(const SignedWord& name, const SignedWord& text);
std::size_t own_signs_behind(const SignedWord& name, const SignedWord& text);

}  // namespace anima::language::detail
