// Tokens of KIP with their places. The lexer never fails by itself: what it cannot read is a kBad
// token with the reason, which the parser reports. Views point into the text. Linear time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace anima::kip::detail {

enum class TokenKind : std::uint8_t {
  kEnd,
  kWord,
  kVariable,
  kPlaceholder,
  kString,
  kInteger,
  kDouble,
  kPunctuation,
  kBad,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::uint32_t offset = 0;
  std::string_view text;  // word; name without ? or :; string with its quotes; number; punctuation
  const char* problem = nullptr;  // of a kBad token
  const char* remedy = "";
  bool bad_identifier = false;
  bool escaped = false;  // of a string: it holds a backslash
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();
  std::size_t size() const { return text_.size(); }  // of the whole text

 private:
  bool skip_comments();  // false: an open block comment
  void skip_word();
  Token make(TokenKind kind, std::size_t start, std::size_t name_start) const;
  Token bad(std::size_t start, std::size_t end, const char* problem, const char* remedy = "",
            bool identifier = false);
  Token sigil(TokenKind kind);
  Token string();
  Token number();
  Token punctuation();

  std::string_view text_;
  std::size_t at_ = 0;
};

// The contents of a string token; false when it holds an invalid escape. Without an escape they are
// what stands between the quotes.
bool decode_string(std::string_view quoted, std::string* out);
bool is_valid_utf8(std::string_view text);

constexpr bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_word_part(char c) { return is_word_start(c) || is_digit(c); }

}  // namespace anima::kip::detail
