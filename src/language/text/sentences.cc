#include "language/text/sentences.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text/text.h"
#include "language/text/vocabulary.h"

namespace anima::language {
namespace {

// Ends a sentence whatever follows: their scripts use them for nothing else.
bool always_ends(char32_t c) {
  constexpr std::array<char32_t, 12> kEnds = {'!',    '?',    0x2026, 0x3002, 0xff01, 0xff1f,
                                              0xff61, 0x0964, 0x0965, 0x06d4, 0x061f, 0x0589};
  return std::ranges::find(kEnds, c) != kEnds.end();
}

bool closes(char32_t c) {
  constexpr std::array<char32_t, 12> kClosing = {'"',    '\'',   ')',    ']',    0x201d, 0x2019,
                                                 0x00bb, 0x203a, 0x300d, 0x300f, 0xff09, 0x201c};
  return std::ranges::find(kClosing, c) != kClosing.end();
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

class SentenceCutter {
 public:
  explicit SentenceCutter(std::string_view text) : text_(text) {}

  std::vector<TextSpan> run() {
    while (at_ < text_.size()) {
      const CodePoint point = decode_utf8(text_, at_);
      const std::size_t here = at_;
      at_ += point.size;
      if (always_ends(point.value)) {
        end_behind_closing();
      } else if (point.value == '.') {
        if (stop_ends(here)) end_behind_closing();
      } else if (point.value == '\n' && empty_line()) {
        end(here);
      }
    }
    end(text_.size());
    return std::move(sentences_);
  }

 private:
  bool empty_line() const {
    std::size_t at = at_;
    while (at < text_.size() && text_[at] != '\n' && is_blank(text_[at])) ++at;
    return at < text_.size() && text_[at] == '\n';
  }

  bool stop_ends(std::size_t stop) {
    std::size_t next = at_;
    while (next < text_.size()) {
      const CodePoint point = decode_utf8(text_, next);
      if (!closes(point.value) && point.value != '.') break;
      next += point.size;
    }
    if (next == text_.size()) return true;
    if (!is_blank(text_[next])) return false;
    while (next < text_.size() && is_blank(text_[next])) ++next;
    if (next == text_.size()) return true;
    const char32_t following = decode_utf8(text_, next).value;
    if (letter_kind(following) == LetterKind::kLetter && !is_upper(following) &&
        is_cased(following))
      return false;
    const std::string_view before = word_before(stop);
    return count_code_points(before) != 1 && !is_title(fold(before, FoldStrength::kCase));
  }

  static bool is_cased(char32_t c) {
    std::string letter;
    append_utf8(letter, c);
    return to_upper(letter) != letter;
  }

  std::string_view word_before(std::size_t stop) const {
    std::size_t from = stop;
    while (from > start_ && !is_blank(text_[from - 1]) && text_[from - 1] != '.' &&
           text_[from - 1] != '(')
      --from;
    const std::string_view word = text_.substr(from, stop - from);
    const bool digits = word.find_first_not_of("0123456789") == word.npos;
    return digits ? std::string_view() : word;
  }

  void end_behind_closing() {
    while (at_ < text_.size()) {
      const CodePoint point = decode_utf8(text_, at_);
      if (!closes(point.value) && !always_ends(point.value) && point.value != '.') break;
      at_ += point.size;
    }
    end(at_);
  }

  void end(std::size_t to) {
    std::size_t from = start_;
    while (from < to && is_blank(text_[from])) ++from;
    std::size_t last = to;
    while (last > from && is_blank(text_[last - 1])) --last;
    if (from < last) sentences_.push_back({from, last});
    start_ = to;
  }

  std::string_view text_;
  std::size_t at_ = 0, start_ = 0;
  std::vector<TextSpan> sentences_;
};

}  // namespace

std::vector<TextSpan> sentences(std::string_view text) { return SentenceCutter(text).run(); }

}  // namespace anima::language
