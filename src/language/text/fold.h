// Text as a searcher means it: forms of one letter made equal, in two strengths.
//
// kCase makes equal what is one letter for a reader: case, width (ｱ, Ａ), compatibility forms (ﬁ),
// Arabic and Hebrew vowel signs and the stretching of Arabic, digits of other scripts, and what is
// invisible. kMarks drops the accents too ("é", "ł", "ø"; the dotless i, the Arabic alef, yeh and
// heh in their variants), but no sign that makes another letter: й and ї, the voiced kana, and the
// vowels of Thai and the Indic scripts stay. Hangul is composed. Bytes that are no UTF-8 read as
// U+FFFD, which is no part of a word. Keep texts in NFC (`to_nfc`), never folded. Thread-safety:
// every function from any thread. Complexity: O(text), one look-up a letter beyond ASCII. Sources:
// UAX #15, Unicode 15 CaseFolding.txt.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace anima::language {

enum class FoldStrength : std::uint8_t { kCase, kMarks };

std::string fold(std::string_view text, FoldStrength strength);
// With kMarks: what is compared when something is looked for.
std::string fold_for_finding(std::string_view text);
// "mueller" of "Müller", as who has no such letters writes them; folded for finding otherwise.
std::string transcribed(std::string_view word);
void append_folded(std::string& out, std::string_view text, FoldStrength strength);

// What kind of letter a code point is, once folded.
enum class LetterKind : std::uint8_t {
  kNone,    // blank, punctuation, symbol, control
  kLetter,  // of a script that puts blanks between words
  kDigit,
  kMark,      // belongs to the letter before
  kUnbroken,  // Han, kana, Hangul, Thai, Lao, Khmer, Myanmar: words are not separated by blanks
};
LetterKind letter_kind(char32_t code_point);
bool is_upper(char32_t code_point);

std::string to_nfc(std::string_view text);

}  // namespace anima::language
