#include "sparql/syntax/lexer.h"

#include "base/text/text.h"
#include "sparql/syntax/characters.h"

namespace anima::sparql::syntax {

namespace {

constexpr std::size_t kShownBytes = 30;

unsigned hex_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  return static_cast<unsigned>((c | 0x20) - 'a') + 10;
}

bool is_forbidden_in_iri(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x20 || c == '<' || c == '>' || c == '"' || c == '{' || c == '}' || c == '|' ||
         c == '^' || c == '`' || c == '\\';
}

}  // namespace

std::string text_of(const ast::Place& place) {
  return std::to_string(place.line) + ":" + std::to_string(place.column);
}

Lexer::Lexer(std::string_view text) : text_(text) {
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = counted_ = 3;
  const std::size_t fault = invalid_utf8_at(text_);
  if (fault != kValidUtf8) {
    fail(place_of(fault), "the text is no UTF-8 here", "save the file as UTF-8");
  } else if (text_.find("\\u") != std::string_view::npos ||
             text_.find("\\U") != std::string_view::npos) {
    decode_code_points();
  }
}

void Lexer::fail(const ast::Place& place, std::string message, std::string hint) {
  if (error_) return;
  error_ = Error{ErrorCode::kSyntax, std::move(message), text_of(place), std::move(hint)};
}

std::string Lexer::shown(const Token& token) const {
  if (token.kind == Token::Kind::kEnd) return "the end of the text";
  const std::string_view raw = text_.substr(token.begin, token.end - token.begin);
  if (raw.size() <= kShownBytes) return "\"" + visible_text(raw) + "\"";
  return "\"" + visible_text(beginning_of(raw, kShownBytes)) + "...\"";
}

void Lexer::decode_code_points() {
  const std::string_view text = text_;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char kind = i + 1 < text.size() ? text[i + 1] : '\0';
    if (text[i] != '\\' || (kind != 'u' && kind != 'U')) {
      decoded_.push_back(text[i]);
      // A backslash that is itself escaped begins nothing.
      if (text[i] == '\\' && kind == '\\') decoded_.push_back(text[++i]);
      continue;
    }
    const std::size_t digits = kind == 'u' ? 4 : 8;
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < digits; ++k) {
      const char c = i + 2 + k < text.size() ? text[i + 2 + k] : '\0';
      if (!is_hex_digit(static_cast<unsigned char>(c))) {
        return fail(place_of(i), std::string("\\") + kind + " needs " + std::to_string(digits) +
                                     " hexadecimal digits");
      }
      value = value * 16 + hex_value(c);
    }
    if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
      return fail(place_of(i), "the escape stands for no character");
    append_utf8(decoded_, static_cast<char32_t>(value));
    i += 1 + digits;
  }
  text_ = decoded_;
}

ast::Place Lexer::place_of(std::size_t offset) {
  for (; counted_ < offset && counted_ < text_.size(); ++counted_) {
    const char c = text_[counted_];
    if (c == '\n' || (c == '\r' && at(counted_ + 1) != '\n')) {
      ++counted_place_.line;
      counted_place_.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0u) != 0x80 && c != '\r') {
      ++counted_place_.column;
    }
  }
  return counted_place_;
}

char32_t Lexer::peek(std::size_t at, std::size_t* size) const {
  *size = 0;
  if (at >= text_.size()) return 0;
  const CodePoint point = decode_utf8(text_, at);
  *size = point.size;
  return point.value;
}

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at_;
    } else if (c == '#') {
      while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
    } else {
      return;
    }
  }
}

void Lexer::next(Token& token) {
  token.text.clear();
  token.prefix.clear();
  token.kind = Token::Kind::kEnd;
  if (failed()) return;
  skip_blanks();
  token.begin = token.end = at_;
  token.place = place_of(at_);
  if (at_ >= text_.size()) return;
  const char c = text_[at_];
  std::size_t size = 0;
  const char32_t after = peek(at_ + 1, &size);
  if (c == '<' && iri(token)) {
    // An IRI.
  } else if ((c == '?' || c == '$') && size > 0 && (begins_label(after) || is_ascii_digit(after))) {
    variable(token);
  } else if (c == '"' || c == '\'') {
    string(token);
  } else if (is_ascii_digit(static_cast<unsigned char>(c)) || (c == '.' && is_ascii_digit(after))) {
    number(token);
  } else if (c == '_' && after == U':') {
    blank_label(token);
  } else if (c == '@') {
    language(token);
  } else if (c == ':' || begins_name(peek(at_, &size))) {
    name_or_word(token);
  } else {
    mark(token);
  }
  token.end = at_;
  if (failed()) token.kind = Token::Kind::kEnd;
}

bool Lexer::iri(Token& token) {
  std::size_t end = at_ + 1;
  while (end < text_.size() && !is_forbidden_in_iri(text_[end])) ++end;
  if (at(end) != '>') return false;
  token.kind = Token::Kind::kIri;
  token.text.assign(text_.substr(at_ + 1, end - at_ - 1));
  at_ = end + 1;
  return true;
}

void Lexer::variable(Token& token) {
  token.kind = Token::Kind::kVariable;
  const std::size_t begin = ++at_;
  std::size_t size = 0;
  while (continues_variable(peek(at_, &size))) at_ += size;
  token.text.assign(text_.substr(begin, at_ - begin));
}

void Lexer::number(Token& token) {
  const auto digit = [this](std::size_t offset) {
    return is_ascii_digit(static_cast<unsigned char>(at(offset)));
  };
  const std::size_t begin = at_;
  while (digit(at_)) ++at_;
  token.kind = Token::Kind::kInteger;
  std::size_t end = at_;
  if (at(end) == '.') {
    ++end;
    while (digit(end)) ++end;
    if (end > at_ + 1) {
      token.kind = Token::Kind::kDecimal;
      at_ = end;
    }
  }
  // `1.e5` is a double, `1.` an integer before a full stop.
  if ((at(end) | 0x20) == 'e') {
    std::size_t exponent = end + 1;
    if (at(exponent) == '+' || at(exponent) == '-') ++exponent;
    if (digit(exponent)) {
      while (digit(exponent)) ++exponent;
      token.kind = Token::Kind::kDouble;
      at_ = exponent;
    }
  }
  token.text.assign(text_.substr(begin, at_ - begin));
}

void Lexer::blank_label(Token& token) {
  token.kind = Token::Kind::kBlank;
  const std::size_t begin = at_ += 2;
  std::size_t size = 0;
  const char32_t first = peek(at_, &size);
  if (!begins_label(first) && !is_ascii_digit(first))
    return fail(token.place, "a blank node needs a label after \"_:\"");
  at_ += size;
  std::size_t end = at_;  // a label does not end with a full stop
  for (std::size_t offset = at_;; offset += size) {
    const char32_t c = peek(offset, &size);
    if (c != U'.' && !continues_name(c)) break;
    if (c != U'.') end = offset + size;
  }
  at_ = end;
  token.text.assign(text_.substr(begin, at_ - begin));
}

void Lexer::language(Token& token) {
  token.kind = Token::Kind::kLanguage;
  const std::size_t begin = ++at_;
  while (is_ascii_letter(static_cast<unsigned char>(at(at_)))) ++at_;
  if (at_ == begin) return fail(token.place, "a language tag needs a letter after \"@\"");
  const auto in_part = [this](std::size_t offset) {
    const auto c = static_cast<unsigned char>(at(offset));
    return is_ascii_letter(c) || is_ascii_digit(c);
  };
  while (at(at_) == '-' && in_part(at_ + 1)) {
    ++at_;
    while (in_part(at_)) ++at_;
  }
  token.text.assign(text_.substr(begin, at_ - begin));
}

void Lexer::string(Token& token) {
  token.kind = Token::Kind::kString;
  const char quote = text_[at_];
  const bool is_long = at(at_ + 1) == quote && at(at_ + 2) == quote;
  at_ += is_long ? 3 : 1;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\\') {
      if (!string_escape(token)) return;
    } else if (c == quote && (!is_long || (at(at_ + 1) == quote && at(at_ + 2) == quote))) {
      at_ += is_long ? 3 : 1;
      return;
    } else if (!is_long && (c == '\n' || c == '\r')) {
      break;
    } else {
      token.text.push_back(c);
      ++at_;
    }
  }
  fail(token.place, "the string is not closed",
       is_long ? "it ends with three quotes" : "a string of several lines needs three quotes");
}

bool Lexer::string_escape(Token& token) {
  constexpr std::string_view kLetters = "tbnrf\\\"'", kMeanings = "\t\b\n\r\f\\\"'";
  const std::size_t which = kLetters.find(at(at_ + 1));
  if (at_ + 1 >= text_.size() || which == std::string_view::npos) {
    fail(place_of(at_), "no such escape in a string",
         "write \\t \\b \\n \\r \\f \\\\ \\\" \\' or \\u0041");
    return false;
  }
  token.text.push_back(kMeanings[which]);
  at_ += 2;
  return true;
}

void Lexer::name_or_word(Token& token) {
  const std::size_t begin = at_;
  std::size_t size = 0, end = at_;
  for (std::size_t offset = at_;; offset += size) {
    const char32_t c = peek(offset, &size);
    if (c != U'.' && !continues_name(c)) break;
    if (c != U'.') end = offset + size;
  }
  if (at(end) == ':') {
    token.kind = Token::Kind::kName;
    token.prefix.assign(text_.substr(begin, end - begin));
    at_ = end + 1;
    return local_name(token);
  }
  token.kind = Token::Kind::kWord;
  while (is_ascii_letter(static_cast<unsigned char>(at(at_))) ||
         is_ascii_digit(static_cast<unsigned char>(at(at_))) || at(at_) == '_')
    ++at_;
  if (at_ == begin) {  // a name of other letters
    at_ = end;
    return fail(token.place, "a name needs a prefix and a colon before it");
  }
  token.text.assign(text_.substr(begin, at_ - begin));
}

void Lexer::local_name(Token& token) {
  std::size_t kept = at_, length = 0;  // up to the last character that may end the name
  bool first = true;
  std::size_t size = 0;
  while (!failed()) {
    const char32_t c = peek(at_, &size);
    if (c == U'%' || c == U'\\') {
      if (!local_escape(token)) return;
      kept = at_;
      length = token.text.size();
    } else if (c == U':' || (first ? begins_label(c) || is_ascii_digit(c) : continues_name(c))) {
      token.text.append(text_.substr(at_, size));
      at_ += size;
      kept = at_;
      length = token.text.size();
    } else if (c == U'.' && !first) {
      token.text.push_back('.');
      ++at_;
    } else {
      break;
    }
    first = false;
  }
  at_ = kept;
  token.text.resize(length);
}

bool Lexer::local_escape(Token& token) {
  if (text_[at_] == '%') {
    if (!is_hex_digit(static_cast<unsigned char>(at(at_ + 1))) ||
        !is_hex_digit(static_cast<unsigned char>(at(at_ + 2)))) {
      fail(place_of(at_), "\"%\" in a name needs two hexadecimal digits");
      return false;
    }
    token.text.append(text_.substr(at_, 3));
    at_ += 3;
    return true;
  }
  constexpr std::string_view kEscaped = "_~.-!$&'()*+,;=/?#@%";
  if (at_ + 1 >= text_.size() || kEscaped.find(text_[at_ + 1]) == std::string_view::npos) {
    fail(place_of(at_), "no such escape in a name", "one of _~.-!$&'()*+,;=/?#@% can be escaped");
    return false;
  }
  token.text.push_back(text_[at_ + 1]);
  at_ += 2;
  return true;
}

void Lexer::mark(Token& token) {
  constexpr std::string_view kDouble[] = {"^^", "&&", "||", "!=", "<=", ">="};
  constexpr std::string_view kSingle = "(){}[].,;*/|^?+-!=<>";
  token.kind = Token::Kind::kMark;
  const std::string_view two = text_.substr(at_, 2);
  for (const std::string_view known : kDouble) {
    if (two != known) continue;
    token.text.assign(two);
    at_ += 2;
    return;
  }
  if (kSingle.find(text_[at_]) == std::string_view::npos) {
    std::size_t size = 0;
    peek(at_, &size);
    return fail(token.place,
                "nothing begins with \"" + visible_text(text_.substr(at_, size)) + "\"");
  }
  token.text.assign(1, text_[at_++]);
}

}  // namespace anima::sparql::syntax
