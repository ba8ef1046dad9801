// A text as a person reads it, whatever it is written in, with the way back to what is written.
//
// Escapes are the signs that they stand for: the percent escapes of a URL, character references of
// HTML, \u, \x, letters and signs of JSON, of programs and of Markdown, also one inside another,
// four deep. Bytes that are no UTF-8 together are no escape ("LIKE '%Ada%'"). Tags of HTML are
// nothing or a blank, a link of Markdown is its label. White space that is no ASCII is a blank,
// what is invisible is nothing, full-width signs are those of ASCII, and a raised digit behind a
// word is no part of it ("Berg²" reads "Berg^2"). What nobody sees (the attributes of a tag, a
// comment, the target of a link) stands behind the text, and each piece behind kAside. Where a
// backslash before a letter may begin an escape or part a path ("C:\nina"), the text is read both
// ways, one behind the other. Lifetime: it looks into the text given. Thread-safety: never changes.
// Complexity: O(text), but O(text x 2048) where nothing ends the tags and links that begin.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace anima::language {

class PlainReading {
 public:
  static constexpr char kAside = '\x1f';

  explicit PlainReading(std::string_view written);

  std::string_view text() const { return same_ ? written_ : std::string_view(text_); }
  // Without what nobody sees, and read one way alone: of a name.
  std::string_view seen() const { return text().substr(0, text().find(kAside)); }
  // Of a place of text(), which is not empty and holds no kAside: where it begins and ends as
  // written.
  std::size_t written_begin(std::size_t begin) const {
    return same_ ? begin : origins_[begin].begin;
  }
  std::size_t written_end(std::size_t end) const { return same_ ? end : origins_[end - 1].end; }

  // Of one byte: what it is read from.
  struct Origin {
    std::size_t begin = 0, end = 0;
  };

 private:
  std::string_view written_;
  bool same_ = true;
  std::string text_;
  std::vector<Origin> origins_;  // of each byte of text_
};

}  // namespace anima::language
