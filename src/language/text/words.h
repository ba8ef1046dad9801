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
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "language/text/fold.h"

namespace anima::language {

struct Token {
  std::string_view folded;  // valid until the next read() of its reader
  std::size_t begin = 0, end = 0;
  // The one character between it and the next token, if there is one character, no blank, and a
  // typographic apostrophe as '\'', a hyphen or dash of any kind as '-', what is full-width as its
  // sign of ASCII; 0 otherwise. '\x01' where nothing stands between: a word beside a run that is
  // unbroken ("C盘").
  char joint = 0;
  bool unbroken = false;
  bool capital = false;          // it begins with a capital letter
  bool capital_inside = false;   // one stands behind its first letter
  bool starts_sentence = false;  // the first of the text, or behind a mark that ends a sentence
  bool digits = false;           // nothing but digits
  bool ascii = true;             // as it is written
  std::uint8_t groups = 1;       // runs of digits of a number that is written in groups
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
  std::vector<std::size_t> ends_;  // of the tokens in `folded_`
};

// Where capitals inside a word begin another one: "memoryMb" is memory, Mb. Offsets in the word as
// written, without 0 and without its size; none for a word of one part. A row of capitals is one
// part with its last letter to the next: "HTTPServer" is HTTP, Server.
std::vector<std::size_t> capital_cuts(std::string_view word);

// "++" or "#" at a place behind a word, where it ends there: of C++, C#, F#, also in full width.
// Else empty.
std::string_view tail_of_word(std::string_view text, std::size_t at);

// Such a tail as ASCII writes it.
std::string ascii_tail(std::string_view tail);

struct TextSpan {
  std::size_t begin = 0, end = 0;  // bytes
};
// The words of a run of a script without blanks, by ICU's dictionaries. Han without a dictionary
// word falls into single letters.
std::vector<TextSpan> unbroken_words(std::string_view run);

// The words of a text as people count them: with an apostrophe inside it is one ("don't",
// "Aino's"), and so is a run of a script without blanks. For comparing texts that no index holds.
struct PlainWord {
  std::string_view written;
  std::size_t begin = 0;  // bytes of the text
  std::string folded;
  bool unbroken = false;
};
std::vector<PlainWord> plain_words(std::string_view text,
                                   FoldStrength strength = FoldStrength::kMarks);
// Their folded forms.
std::vector<std::string> folded_words(std::string_view text,
                                      FoldStrength strength = FoldStrength::kMarks);

// What an index holds of a text, and what a query asks it for, folded and cut at kLongestTerm
// bytes.
//
// Numbers and identifiers are wholes: "v1.11", "INV-2024-0042", "128-130", and "128 000", which is
// 128000 however its groups are parted. What has a digit and is but a part of a longer one is
// another term ("~11", "~128", of neighbours "~v1-11"), so that who asks for 11 finds what is 11
// before what contains it, and 10.0.1 is not found in 1.0.10. So is a part of a compound in the
// index of words ("~haus" of "Haustür"). A version is there without its "v", too, and there the
// host of an address without its path.
//
// A query asks for what it names: "C++" is not asked for by "c", nor "v1.11" by its numbers alone.
// What has a digit is asked for by itself and in a longer whole (`inside`), a whole where a text
// writes it otherwise also by all its words together (`parts`), and so is a compound ("Haustür" of
// "Haus" and "Tür"); of a script without blanks a whole run is asked for, too (kRun); a single
// letter of a whole, or beside a run ("C盘"), is no word of the query. A document has all words,
// but a short one with a sign behind it ("C#") only with the sign.
inline constexpr std::size_t kLongestTerm = 64;
inline constexpr char kInside = '~';  // before a part of a whole; no word has it
// The word of either kind of term.
inline std::string_view word_of_term(std::string_view term) {
  return term.starts_with(kInside) ? term.substr(1) : term;
}
inline bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
bool has_digit(std::string_view word);
enum class TermUse : std::uint8_t {
  kDocument,
  kLetters,  // a document of an index that finds no beginnings: each letter of Han is a term
  kQuery,
  kWords,  // no more than words, pairs and lone letters
};
enum class TermKind : std::uint8_t {
  kWord,
  kWhole,  // several words as they stand together: "v1.11", "c++", "c盘"
  kPart,   // what a capital cuts of a word, and of a document the parts of a compound, what is but
           // a part of an identifier, and "mueller" of "Müller"; what a hyphen joins, as one word
  kPair,   // two neighbours of an unbroken script
  kLone,  // one letter of such a script: in a document the last of its run, in a query a run of one
  kRun,   // of a query: what no index has as one term, a run of three letters or more of such a
          // script, or a word of it by a dictionary. A text that has it has all of its `parts`,
          // side by side
};
// Its views are valid during the call that hands it out.
struct IndexTerm {
  std::string_view text;
  TermKind kind = TermKind::kWord;
  // Bytes of the text: where the word is that it is of; of a query where the whole is, too.
  std::size_t begin = 0, end = 0;
  bool capital = false, starts_sentence = false;  // of a word or whole, as its token has it
  // In a query: of a whole with a digit or a compound, and the terms that a longer whole has.
  std::span<const std::string_view> parts = {}, inside = {};
  std::string_view spelled = {};  // in a query: how else it is written, "mueller" of "Müller"
};

class TermSplitter {
 public:
  explicit TermSplitter(TermUse use, FoldStrength strength = FoldStrength::kMarks)
      : use_(use), strength_(strength), reader_(strength) {}

  // Calls found(const IndexTerm&) for each term, in the order of the text.
  template <typename Found>
  void split(std::string_view text, Found&& found) {
    cut(text);
    const std::span<const std::string_view> parts = parts_, inside = inside_;
    for (const Cut& each : cuts_) {
      found(IndexTerm{std::string_view(terms_).substr(each.begin, each.size), each.kind,
                      each.span.begin + skipped_, each.span.end + skipped_,
                      each.kind <= TermKind::kWhole && each.token->capital,
                      each.kind <= TermKind::kWhole && each.token->starts_sentence,
                      parts.subspan(each.first_part, each.parts),
                      inside.subspan(each.first_inside, each.inside), each.spelled});
    }
  }

 private:
  struct Cut {
    std::size_t begin, size;
    TermKind kind;
    const Token* token;
    TextSpan span;
    std::size_t first_part = 0, parts = 0, first_inside = 0, inside = 0;
    std::string_view spelled = {};
  };
  void cut(std::string_view text);
  void add(std::string_view term, TermKind kind, const Token& token);
  void add_run(const Token& token);
  void add_asked_run(const Token& token);
  void add_word(std::string_view text, const Token& token, bool bare, bool inside = false);
  void add_touching(std::span<const Token> tokens);
  void add_joined(std::span<const Token> tokens);
  void add_host(std::span<const Token> tokens);
  void add_groups(const Token& number);
  void add_inside(std::string_view before, const Token& token);
  void add_spelled(std::string_view text, const Token& token);
  std::size_t add_query(std::string_view text, std::span<const Token> tokens);
  void add_document(std::string_view text, std::span<const Token> tokens);

  TermUse use_;
  FoldStrength strength_;
  WordReader reader_;
  std::size_t skipped_ = 0;  // bytes before what is cut
  std::string terms_;
  std::vector<Cut> cuts_;
  std::vector<std::string_view> parts_, inside_;
  std::deque<std::string> marked_;  // words that were made, which views of parts look into
  std::vector<Token> grouped_;
};

// A number or identifier of a text as a whole: "web01", "INV-2024-0042", "128 000" as 128000.
struct WholeTerm {
  TextSpan written;
  std::string text;  // folded for finding
};
// Those of a text that have a digit, in its order. O(text).
std::vector<WholeTerm> whole_terms(std::string_view text);

}  // namespace anima::language
