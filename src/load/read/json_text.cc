#include "load/read/json_text.h"

#include "base/json/json.h"
#include "base/text/text.h"

namespace anima::load {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

JsonParts::JsonParts(std::string_view text, Of of) : text_(text), of_(of) {}

void JsonParts::pass_blanks() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
}

// Up to the end of one value, whose inside its parser judges.
Result<std::string_view> JsonParts::value() {
  pass_blanks();
  const std::size_t from = at_;
  std::size_t depth = 0;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) at_ += text_[at_] == '\\' ? 1 : 0;
      if (at_ >= text_.size()) return fail(ErrorCode::kSyntax, "a string is not closed");
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      if (depth == 0) break;
      --depth;
    } else if (c == ',' && depth == 0) {
      break;
    } else if (c == ':' && depth == 0) {
      break;
    }
    ++at_;
  }
  if (depth > 0) return fail(ErrorCode::kSyntax, "a bracket is not closed");
  const std::string_view value = trim(text_.substr(from, at_ - from));
  if (value.empty()) return fail(ErrorCode::kSyntax, "a value is missing");
  return value;
}

Result<bool> JsonParts::next_line(std::string_view& part) {
  while (at_ < text_.size()) {
    const std::size_t end = text_.find('\n', at_);
    part = trim(text_.substr(at_, end == std::string_view::npos ? end : end - at_));
    at_ = end == std::string_view::npos ? text_.size() : end + 1;
    ++number_;
    if (!part.empty()) return true;
  }
  return false;
}

Result<bool> JsonParts::next(std::string_view& part, std::string* key) {
  if (of_ == Of::kLines) return next_line(part);
  const char open = of_ == Of::kArray ? '[' : '{', close = of_ == Of::kArray ? ']' : '}';
  pass_blanks();
  if (!begun_) {
    if (at_ >= text_.size() || text_[at_] != open)
      return fail(ErrorCode::kSyntax, std::string("expected ") + open);
    ++at_;
    pass_blanks();
  }
  if (at_ >= text_.size()) return fail(ErrorCode::kSyntax, "a bracket is not closed");
  if (text_[at_] == close) {
    // What follows the end of the whole is not looked at here.
    return false;
  }
  if (begun_) {
    if (text_[at_] != ',') return fail(ErrorCode::kSyntax, "a comma is missing");
    ++at_;
  }
  begun_ = true;
  ++number_;
  if (of_ == Of::kObject) {
    ANIMA_ASSIGN(const std::string_view name, value());
    ANIMA_ASSIGN(const Json parsed, parse_json(name));
    if (!parsed.is_string()) return fail(ErrorCode::kSyntax, "the name of a member is no string");
    if (key != nullptr) *key = parsed.as_string();
    pass_blanks();
    if (at_ >= text_.size() || text_[at_] != ':')
      return fail(ErrorCode::kSyntax, "a colon is missing");
    ++at_;
  }
  ANIMA_ASSIGN(part, value());
  return true;
}

}  // namespace anima::load
