#include "language/numbers/lexemes.h"

#include "base/text/digits.h"
#include "base/text/read_number.h"
#include "base/text/text.h"

namespace anima::language {
namespace {

constexpr std::size_t kMostDigits = 15;

bool is_letter(CharClass c) { return c == CharClass::kLetter || c == CharClass::kMark; }

std::string in_ascii_digits(std::string_view text) {
  std::string digits;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    append_utf8(digits, ascii_digit(point.value));
    at += point.size;
  }
  return digits;
}

class Cutter {
 public:
  explicit Cutter(std::string_view text) : text_(text) {}

  Lexemes run() && {
    bool spaced = true;
    while (at_ < text_.size()) {
      const CodePoint point = decode_utf8(text_, at_);
      const CharClass kind = classify(point.value);
      const std::size_t before = out_.size();
      if (kind == CharClass::kIdeograph) {
        add(Lexeme::Kind::kIdeograph, at_ + point.size);
      } else if (kind == CharClass::kDigit) {
        run_of(Lexeme::Kind::kDigits, [](CharClass c) { return c == CharClass::kDigit; });
      } else if (is_letter(kind)) {
        run_of(Lexeme::Kind::kWord, is_letter);
      } else if (is_blank(point.value)) {
        at_ += point.size;
        spaced = true;
        continue;
      } else {
        add(Lexeme::Kind::kSign, at_ + point.size);
      }
      out_[before].spaced = spaced;
      spaced = false;
    }
    return std::move(out_);
  }

 private:
  static bool is_blank(char32_t c) {
    return c <= 0x20 || c == 0xa0 || c == 0x3000 || (c >= 0x2000 && c <= 0x200b) || c == 0x202f;
  }

  static std::string sign(std::string_view written) {
    if (is_ascii(written)) return std::string(written);
    if (written == "\xe2\x80\x99" || written == "\xe2\x80\x98") return "'";
    if (written == "\xe2\x80\x93" || written == "\xe2\x80\x94") return "-";
    return to_nfkc(written);
  }

  template <typename Belongs>
  void run_of(Lexeme::Kind kind, Belongs belongs) {
    std::size_t end = at_;
    while (end < text_.size()) {
      const CodePoint point = decode_utf8(text_, end);
      if (!belongs(classify(point.value))) break;
      end += point.size;
    }
    add(kind, end);
  }

  void add(Lexeme::Kind kind, std::size_t end) {
    Lexeme lexeme;
    lexeme.kind = kind;
    lexeme.begin = at_;
    lexeme.end = end;
    const std::string_view written = text_.substr(at_, end - at_);
    if (kind == Lexeme::Kind::kSign) {
      lexeme.text = sign(written);
    } else {
      lexeme.text = is_ascii(written) ? to_lower(written) : fold_case(to_nfkc(written));
      if (kind == Lexeme::Kind::kDigits && !is_ascii(written))
        lexeme.text = in_ascii_digits(lexeme.text);
    }
    if (kind == Lexeme::Kind::kWord) lexeme.capital = to_lower(written) != written;
    if (kind == Lexeme::Kind::kDigits && lexeme.text.size() <= kMostDigits) {
      lexeme.number = read_number<decltype(lexeme.number)>(lexeme.text).value_or(-1);
    }
    out_.push_back(std::move(lexeme));
    at_ = end;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Lexemes out_;
};

}  // namespace

Lexemes cut_lexemes(std::string_view text) { return Cutter(text).run(); }

std::vector<std::string> words_in(std::string_view phrase) {
  std::vector<std::string> words;
  for (Lexeme& lexeme : cut_lexemes(phrase)) words.push_back(std::move(lexeme.text));
  return words;
}

bool stands_at(const Lexemes& lexemes, std::size_t at, const std::vector<std::string>& words) {
  if (lexemes.size() - at < words.size()) return false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (lexemes[at + i].text != words[i]) return false;
  }
  return true;
}

}  // namespace anima::language
