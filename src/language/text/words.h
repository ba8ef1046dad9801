// The words of a text: the one tokenizer.
//
// A word is a run of letters, digits and marks; a run of a script that puts no blanks between words
// (LetterKind::kUnbroken) is one token by itself, for its reader to cut: into words by
// `unbroken_words`, into pairs of neighbours by `index_terms`. Everything else separates. Which one
// character separates two words is kept (`joint`), so that "v1.11", "Veli-Matti", "Aino's" and
// "src/main.cc" can be read as wholes. Offsets are bytes of the text given. No function fails;
// bytes that are no UTF-8 separate words. Thread-safety: a WordReader belongs to one thread.
// Complexity: O(text).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "language/text/fold.h"

namespace anima::language {

struct Token {
  std::string_view folded;  // valid until the next read() of its reader
  std::size_t begin = 0, end = 0;
  // The one character between it and the next token, if there is one character, no blank, and a
  // typographic apostrophe as '\''; 0 otherwise. '\x01' where nothing stands between: a word beside
  // a run that is unbroken ("C盘").
  char joint = 0;
  bool unbroken = false;
  bool capital = false;          // it begins with a capital letter
  bool capital_inside = false;   // one stands behind its first letter
  bool starts_sentence = false;  // the first of the text, or behind a mark that ends a sentence
  bool digits = false;           // nothing but digits
};
inline constexpr char kTouches = '\x01';

class WordReader {
 public:
  explicit WordReader(FoldStrength strength = FoldStrength::kMarks) : strength_(strength) {}

  // Valid until the next call.
  const std::vector<Token>& read(std::string_view text);
  // Where the letters of an unbroken token begin in its folded form, and its end.
  std::vector<std::size_t> letters_of(const Token& token) const;

 private:
  FoldStrength strength_;
  std::string folded_;
  std::vector<Token> tokens_;
};

// Where capitals inside a word begin another one: "memoryMb" is memory, Mb. Offsets in the word as
// written, without 0 and without its size; none for a word of one part. A row of capitals is one
// part with its last letter to the next: "HTTPServer" is HTTP, Server.
std::vector<std::size_t> capital_cuts(std::string_view word);

struct TextSpan {
  std::size_t begin = 0, end = 0;  // bytes
};
// The words of a run of a script without blanks, by ICU's dictionaries. Han without a dictionary
// word falls into single letters.
std::vector<TextSpan> unbroken_words(std::string_view run);

// What the index of words holds of a text, and what a query asks it for: folded for finding, cut at
// kLongestTerm bytes.
inline constexpr std::size_t kLongestTerm = 64;
enum class TermUse : std::uint8_t { kDocument, kQuery };
enum class TermKind : std::uint8_t {
  kWord,
  kWhole,  // several words as they stand together: "v1.11", "c++", "c盘"
  kPart,   // of a word: what a capital cuts, and of a document those of a compound
  kPair,   // two neighbours of an unbroken script
  kLone,  // one letter of such a script: in a document the last of its run, in a query a run of one
};
struct IndexTerm {
  std::string_view text;  // valid during the call that hands it out
  TermKind kind = TermKind::kWord;
};

class TermSplitter {
 public:
  explicit TermSplitter(TermUse use) : use_(use) {}

  // Calls found(const IndexTerm&) for each term, in the order of the text.
  template <typename Found>
  void split(std::string_view text, Found&& found) {
    cut(text);
    for (const Cut& each : cuts_)
      found(IndexTerm{std::string_view(terms_).substr(each.begin, each.size), each.kind});
  }

 private:
  struct Cut {
    std::size_t begin, size;
    TermKind kind;
  };
  void cut(std::string_view text);
  void add(std::string_view term, TermKind kind);
  void add_run(const Token& token);
  void add_word(std::string_view text, const Token& token, bool bare);
  std::size_t add_whole(std::string_view text, const std::vector<Token>& tokens, std::size_t at);

  TermUse use_;
  WordReader reader_;
  std::string terms_;
  std::vector<Cut> cuts_;
};

}  // namespace anima::language
