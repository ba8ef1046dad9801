#include "forge/detail/lexical_gate.h"

#include <algorithm>
#include <utility>

namespace anima::forge::detail {
namespace {

constexpr std::string_view kApi = "tool_api.hpp";
constexpr std::string_view kPanicNames[] = {"__builtin_trap",  "__builtin_unreachable",
                                            "__builtin_abort", "__assert_fail",
                                            "_Exit",           "_exit"};
constexpr std::string_view kForeignNames[] = {"asm", "import", "module", "export"};
constexpr std::string_view kOtherSpellings[] = {"%:", "<%", "%>", ":>"};

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

class Gate {
 public:
  explicit Gate(std::string_view text) : text_(text) {}

  GateReading read() {
    while (at_ < text_.size()) step();
    return std::move(reading_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool at(std::string_view piece) const { return text_.substr(at_, piece.size()) == piece; }
  void refuse(std::string type, std::string subject) {
    reading_.violations.push_back(
        {std::move(type), Severity::kBlocking, std::move(subject), line_});
  }
  void advance() {
    if (text_[at_] == '\n') {
      ++line_;
      fresh_line_ = true;
    }
    ++at_;
  }

  // A line end that is hidden, with or without blanks before it.
  bool is_splice() const {
    std::size_t next = at_ + 1;
    while (next < text_.size() &&
           (text_[next] == ' ' || text_[next] == '\t' || text_[next] == '\r' ||
            text_[next] == '\f' || text_[next] == '\v'))
      ++next;
    return next < text_.size() && text_[next] == '\n';
  }

  void step() {
    const char c = peek();
    if (c == '\n' || c == ' ' || c == '\t' || c == '\r') return advance();
    if (c == '\\' && is_splice()) return refuse_one("cgo", "a spliced line");
    if (static_cast<unsigned char>(c) >= 0x80 || c < ' ' || c == 0x7F)
      return refuse_one("cgo", "a character that is not ASCII, outside of texts and comments");
    if (at("//")) return skip_line_comment();
    if (at("/*")) return skip_comment();
    if (c == '#' && fresh_line_) return directive();
    fresh_line_ = false;
    if (is_name_start(c)) return name();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (c == '"' || c == '\'') return literal(c);
    other(c);
  }

  void refuse_one(std::string type, std::string subject) {
    refuse(std::move(type), std::move(subject));
    advance();
  }

  void other(char c) {
    if (at("[[")) refuse("cgo", "an attribute");
    if (c == '\\') refuse("cgo", "a \\ outside of texts");
    for (const std::string_view each : kOtherSpellings) {
      if (at(each))
        refuse("cgo", "another spelling of " + std::string(each == "%:" ? "#" : "a bracket"));
    }
    if (at("<:") && peek(2) != ':') refuse("cgo", "another spelling of a bracket");
    if (at("??") && std::string_view("=/'()!<>-").find(peek(2)) != std::string_view::npos)
      refuse("cgo", "a trigraph");
    advance();
  }

  void skip_line_comment() {
    while (at_ < text_.size() && peek() != '\n') {
      if (peek() == '\\' && is_splice()) return refuse_one("cgo", "a spliced line");
      advance();
    }
  }

  void skip_comment() {
    at_ += 2;
    while (at_ < text_.size() && !at("*/")) advance();
    at_ = std::min(at_ + 2, text_.size());
    // A directive may stand behind a comment that begins its line.
  }

  std::string_view take_name() {
    const std::size_t begin = at_;
    while (is_name_part(peek())) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void name() {
    const std::string_view word = take_name();
    if (peek() == '"' &&
        (word == "R" || word == "u8R" || word == "uR" || word == "UR" || word == "LR"))
      return raw_literal();
    if (std::ranges::find(kPanicNames, word) != std::end(kPanicNames))
      return refuse("panic", std::string(word));
    if (std::ranges::find(kForeignNames, word) != std::end(kForeignNames) || word.starts_with('_'))
      refuse("cgo", std::string(word));
  }

  void number() {
    while (at_ < text_.size()) {
      const char c = peek();
      const bool exponent = (c == '+' || c == '-') && at_ > 0 &&
                            std::string_view("eEpP").find(text_[at_ - 1]) != std::string_view::npos;
      if (!is_name_part(c) && c != '.' && !exponent && !(c == '\'' && is_name_part(peek(1))))
        return;
      ++at_;
    }
  }

  // As far as its end, or that of the line: a compiler would refuse it there.
  void literal(char quote) {
    ++at_;
    while (at_ < text_.size() && peek() != quote && peek() != '\n') {
      if (peek() == '\\') {
        if (is_splice()) return refuse_one("cgo", "a spliced line");
        ++at_;
        if (at_ >= text_.size()) return;
      }
      advance();
    }
    if (peek() == quote) ++at_;
  }

  void raw_literal() {
    ++at_;
    const std::size_t begin = at_;
    while (at_ < text_.size() && peek() != '(' && at_ - begin <= 16) ++at_;
    const std::string end = ")" + std::string(text_.substr(begin, at_ - begin)) + "\"";
    while (at_ < text_.size() && !at(end)) {
      if (peek() == '\\' && is_splice()) refuse("cgo", "a spliced line");
      advance();
    }
    at_ = std::min(at_ + end.size(), text_.size());
  }

  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }

  void directive() {
    ++at_;
    skip_blanks();
    fresh_line_ = false;
    if (peek() == '\n' || at_ >= text_.size()) return;
    const std::string word(take_name());
    if (word == "define" || word == "undef") return;  // what follows is read like all else
    if (word == "include") return inclusion();
    refuse("cgo", "#" + word);
  }

  void inclusion() {
    skip_blanks();
    const char close = peek() == '<' ? '>' : peek() == '"' ? '"' : '\0';
    if (close == '\0') return refuse("forbidden_import", "a header that a macro names");
    const bool quoted = close == '"';
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && peek() != close && peek() != '\n') ++at_;
    const std::string header(text_.substr(begin, at_ - begin));
    if (peek() == close) ++at_;
    const bool plain = !header.empty() &&
                       std::ranges::all_of(header,
                                           [](char c) {
                                             return (c >= 'a' && c <= 'z') || is_digit(c) ||
                                                    c == '_' || c == '.' || c == '/';
                                           }) &&
                       !header.starts_with('/') && header.find("..") == std::string::npos;
    if (quoted ? header != kApi : !plain) return refuse("forbidden_import", header.substr(0, 80));
    reading_.inclusions.push_back({header, line_});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  bool fresh_line_ = true;  // nothing but blanks and comments stood on this line
  GateReading reading_;
};

}  // namespace

GateReading read_through_gate(std::string_view text) { return Gate(text).read(); }

}  // namespace anima::forge::detail
