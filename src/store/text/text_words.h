// Words of a text, for the text index and its queries.
//
// A word is a run of letters, digits and marks of text folded by base's fold_for_search
// (compatibility forms, case and accents removed). In scripts written without blanks (Han, kana,
// Hangul, Thai, Lao, Khmer, Myanmar) every two neighbours are a word, and in a document the last
// character of a run is one too, so that each character starts some word. Words are cut at
// kMaxWordBytes. The scheme of a web address is no word. Pure ASCII text takes a path without
// Unicode tables. Thread-safety: a WordSplitter belongs to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "store/value.h"

namespace anima::store::detail {

inline constexpr std::size_t kMaxWordBytes = 64;

struct IndexWord {
  std::string_view text;    // valid during the call that hands it out
  bool neighbours = false;  // of a script without blanks
  bool lone = false;        // one such character alone
};

// 0 for what separates words, else the lower-case letter or digit.
inline constexpr std::array<char, 256> kAsciiWordByte = [] {
  std::array<char, 256> table{};
  for (char c = '0'; c <= '9'; ++c) table[static_cast<unsigned char>(c)] = c;
  for (char c = 'a'; c <= 'z'; ++c) table[static_cast<unsigned char>(c)] = c;
  for (char c = 'A'; c <= 'Z'; ++c) {
    table[static_cast<unsigned char>(c)] = static_cast<char>(c - 'A' + 'a');
  }
  return table;
}();

// The text without a leading "http://" or "https://".
std::string_view without_web_scheme(std::string_view text);

class WordSplitter {
 public:
  enum class Purpose : std::uint8_t { kDocument, kQuery };
  explicit WordSplitter(Purpose purpose) : purpose_(purpose) {}

  // Calls found(const IndexWord&) for each word, in order.
  template <typename Found>
  void split(std::string_view text, Found&& found) {
    text = without_web_scheme(text);
    if (is_ascii(text)) {
      split_ascii(text, found);
    } else {
      split_unicode(text);
      for (const Span& span : spans_) {
        found(IndexWord{std::string_view(folded_).substr(span.begin, span.size), span.neighbours,
                        span.lone});
      }
    }
  }

 private:
  struct Span {
    std::size_t begin;
    std::size_t size;
    bool neighbours;
    bool lone;
  };

  template <typename Found>
  void split_ascii(std::string_view text, Found& found) {
    std::array<char, kMaxWordBytes> word;
    std::size_t at = 0;
    while (at < text.size()) {
      char byte = kAsciiWordByte[static_cast<unsigned char>(text[at++])];
      if (byte == 0) continue;
      std::size_t size = 0;
      do {
        if (size < kMaxWordBytes) word[size++] = byte;
        byte = at < text.size() ? kAsciiWordByte[static_cast<unsigned char>(text[at])] : '\0';
        ++at;
      } while (byte != 0);
      found(IndexWord{std::string_view(word.data(), size)});
    }
  }
  void split_unicode(std::string_view text);
  void end_word(std::size_t begin, std::size_t end);
  void end_run(std::size_t end);

  Purpose purpose_;
  std::string folded_;
  std::vector<Span> spans_;
  std::vector<std::size_t> run_;  // where the characters of a run without blanks begin
};

// Calls piece(std::string_view) for each text that a literal holds: a string whole, the strings and
// numbers inside a JSON value (not its keys), the written form of numbers, dates and typed
// literals.
template <typename Piece>
void for_each_text(const ValueView& literal, std::string& scratch, Piece&& piece);

// The parts of for_each_text that need no template.
std::string_view integer_text(std::int64_t value, std::string& scratch);
// Finds the next string value or number at or after `at`; false at the end. `out` may point into
// `scratch`.
bool next_json_text(std::string_view json, std::size_t& at, std::string& scratch,
                    std::string_view& out);

template <typename Piece>
void for_each_text(const ValueView& literal, std::string& scratch, Piece&& piece) {
  switch (literal.kind) {
    case ValueKind::kString:
    case ValueKind::kLanguageString:
    case ValueKind::kDateTime:
    case ValueKind::kDecimal:
    case ValueKind::kTyped:
    case ValueKind::kIri:
      piece(literal.text);
      return;
    case ValueKind::kInteger:
      piece(integer_text(literal.integer, scratch));
      return;
    case ValueKind::kJson: {
      std::size_t at = 0;
      std::string_view text;
      while (next_json_text(literal.text, at, scratch, text)) piece(text);
      return;
    }
    case ValueKind::kNull:
    case ValueKind::kBoolean:
    case ValueKind::kDouble:
    case ValueKind::kBlank:
    case ValueKind::kEntity:
      return;
  }
}

}  // namespace anima::store::detail
