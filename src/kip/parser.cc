#include "kip/parser.h"

#include <charconv>
#include <string>
#include <variant>

#include "kip/detail/parser.h"

namespace anima::kip {

bool is_identifier(std::string_view text) {
  if (text.empty() || !detail::is_word_start(text[0])) return false;
  for (const char c : text) {
    if (!detail::is_word_part(c)) return false;
  }
  return true;
}

Family family_of(const Statement& statement) {
  if (std::holds_alternative<Find>(statement.body)) return Family::kQuery;
  if (std::holds_alternative<Describe>(statement.body) ||
      std::holds_alternative<Search>(statement.body) ||
      std::holds_alternative<Export>(statement.body)) {
    return Family::kMeta;
  }
  return Family::kChange;
}

Outcome<Script> parse(std::string_view text) {
  if (text.size() > kMaxTextBytes) {
    return refuse(Code::kInvalidSyntax,
                  "the command is " + std::to_string(text.size()) + " bytes long; the limit is " +
                      std::to_string(kMaxTextBytes),
                  "split it into several commands, or pass large values as parameters");
  }
  Script script;
  script.text = text;
  detail::Parser parser(script.text);
  auto statements = parser.script();
  if (!statements) {
    statements.error().locate(text);
    return fail(std::move(statements).error());
  }
  script.statements = std::move(*statements);
  return script;
}

namespace detail {

namespace {

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

std::string shorten(std::string_view text) {
  if (text.size() <= 40) return std::string(text);
  std::size_t end = 37;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace

void Parser::advance() {
  last_end_ = token_.offset + static_cast<std::uint32_t>(token_.text.size());
  if (token_.kind == TokenKind::kVariable || token_.kind == TokenKind::kPlaceholder) ++last_end_;
  token_ = lexer_.next();
}

Check Parser::expect_word(std::string_view word, const char* hint) {
  if (take_word(word)) return {};
  return unexpected(std::string(word), hint);
}

Unexpected<Fault> Parser::unexpected_mark(std::string_view mark, const char* hint) const {
  return unexpected("'" + std::string(mark) + "'", hint);
}

// {ok:true} reads as a word and a placeholder: here the colon separates.
Check Parser::expect_colon() {
  if (token_.kind == TokenKind::kPlaceholder) {
    token_.kind = TokenKind::kWord;
    ++token_.offset;
    return {};
  }
  return expect_punctuation(":");
}

std::string Parser::describe_token() const {
  switch (token_.kind) {
    case TokenKind::kEnd:
      return "the end of the text";
    case TokenKind::kVariable:
      return "?" + shorten(token_.text);
    case TokenKind::kPlaceholder:
      return ":" + shorten(token_.text);
    case TokenKind::kString:
      return shorten(token_.text);
    default:
      return "'" + shorten(token_.text) + "'";
  }
}

Unexpected<Fault> Parser::unexpected(const std::string& wanted, const std::string& hint) const {
  if (token_.kind == TokenKind::kBad) {
    return refuse(token_.bad_identifier ? Code::kInvalidIdentifier : Code::kInvalidSyntax,
                  token_.problem, token_.remedy, token_.offset);
  }
  std::string advice = hint;
  if (advice.empty() && token_.kind == TokenKind::kWord && upper(token_.text) == wanted) {
    advice = "keywords are upper case: write " + wanted;
  }
  return refuse(Code::kInvalidSyntax, "expected " + wanted + " but found " + describe_token(),
                std::move(advice), token_.offset);
}

Unexpected<Fault> Parser::syntax(std::uint32_t offset, std::string message,
                                 std::string hint) const {
  return refuse(Code::kInvalidSyntax, std::move(message), std::move(hint), offset);
}

Check Parser::deeper() {
  if (++depth_ > kMaxNesting) {
    return syntax(token_.offset, "nested deeper than " + std::to_string(kMaxNesting) + " levels",
                  "pass deep structures as parameters");
  }
  return {};
}

Check Parser::string_text(std::string* into) {
  if (token_.kind != TokenKind::kString) return unexpected("a string in double quotes");
  if (!token_.escaped) {
    into->assign(token_.text.data() + 1, token_.text.size() - 2);
  } else if (!decode_string(token_.text, into)) {
    return syntax(token_.offset, "this string holds an escape that JSON does not know",
                  "valid escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX");
  }
  advance();
  return {};
}

Outcome<std::string> Parser::variable(const char* what) {
  if (token_.kind != TokenKind::kVariable) {
    const bool word = token_.kind == TokenKind::kWord;
    return unexpected(what,
                      word ? "variables start with ?, as in ?" + std::string(token_.text) : "");
  }
  std::string name(token_.text);
  advance();
  return name;
}

Check Parser::string_atom(const char* what, Atom* into) {
  into->place = place();
  if (token_.kind == TokenKind::kString) return string_text(&into->text);
  if (token_.kind == TokenKind::kPlaceholder) {
    into->placeholder = true;
    into->text = token_.text;
    advance();
    return {};
  }
  const bool word = token_.kind == TokenKind::kWord;
  return unexpected(what,
                    word ? "write it in double quotes: \"" + std::string(token_.text) + "\"" : "");
}

Outcome<Atom> Parser::count_atom(const char* what, std::int64_t minimum) {
  Atom atom;
  atom.place = place();
  if (token_.kind == TokenKind::kPlaceholder) {
    atom.placeholder = true;
    atom.text = token_.text;
    advance();
    return atom;
  }
  const auto text = token_.text;
  if (token_.kind != TokenKind::kInteger ||
      std::from_chars(text.data(), text.data() + text.size(), atom.count).ec != std::errc{} ||
      atom.count < minimum) {
    return unexpected(std::string(what) + " (a whole number of " + std::to_string(minimum) +
                      " or more)");
  }
  advance();
  return atom;
}

Check Parser::number_value(Value* into) {
  Value& value = *into;
  const auto text = token_.text;
  const char* end = text.data() + text.size();
  if (token_.kind == TokenKind::kInteger) {
    value.kind = Value::Kind::kInteger;
    if (std::from_chars(text.data(), end, value.integer).ec != std::errc{}) {
      if (text.size() > Json::kLongestInteger + text.starts_with('-'))
        return syntax(
            token_.offset,
            "this whole number has more than " + std::to_string(Json::kLongestInteger) + " digits",
            "write it as a string");
      value.text = text;
    }
  } else {
    value.kind = Value::Kind::kDouble;
    if (std::from_chars(text.data(), end, value.number).ec != std::errc{}) {
      return syntax(token_.offset, "this number is out of range");
    }
  }
  advance();
  return {};
}

Check Parser::value(bool update, Value* into) {
  Value& value = *into;
  value.place = place();
  switch (token_.kind) {
    case TokenKind::kString:
      value.kind = Value::Kind::kString;
      return string_text(&value.text);
    case TokenKind::kInteger:
    case TokenKind::kDouble:
      return number_value(into);
    case TokenKind::kPlaceholder:
      value.kind = Value::Kind::kPlaceholder;
      value.text = token_.text;
      advance();
      return {};
    case TokenKind::kVariable: {
      if (!update) break;
      value.kind = Value::Kind::kPath;
      ANIMA_ASSIGN(value.path, dot_path());
      return {};
    }
    case TokenKind::kWord:
      if (at_word("true") || at_word("false")) {
        value.kind = Value::Kind::kBool;
        value.boolean = at_word("true");
        advance();
        return {};
      }
      if (take_word("null")) return {};
      if (update) return call(into);
      break;
    case TokenKind::kPunctuation:
      if (at_punctuation("[")) return array(update, into);
      if (at_punctuation("{")) return object(update, into);
      break;
    default:
      break;
  }
  const bool word = token_.kind == TokenKind::kWord;
  return unexpected("a value", word ? "strings are written in double quotes" : "");
}

Check Parser::array(bool update, Value* into) {
  into->kind = Value::Kind::kArray;
  ANIMA_TRY(deeper());
  ANIMA_TRY(expect_punctuation("["));
  while (!at_punctuation("]")) {
    ANIMA_TRY(value(update, &into->items.emplace_back()));
    if (!take_punctuation(",")) break;
  }
  ANIMA_TRY(expect_punctuation("]", "elements are separated by commas"));
  shallower();
  return {};
}

Check Parser::object(bool update, Value* into) {
  into->kind = Value::Kind::kObject;
  into->place = place();
  ANIMA_TRY(deeper());
  ANIMA_TRY(expect_punctuation("{"));
  while (!at_punctuation("}")) {
    ANIMA_TRY(object_key(into));
    ANIMA_TRY(expect_colon());
    ANIMA_TRY(value(update, &into->items.emplace_back()));
    if (!take_punctuation(",")) break;
  }
  ANIMA_TRY(expect_punctuation("}", "members are separated by commas"));
  shallower();
  return {};
}

Check Parser::object_key(Value* object) {
  const Place key_place = place();
  std::string key;
  if (token_.kind == TokenKind::kWord) {
    key = token_.text;
    advance();
  } else if (token_.kind == TokenKind::kString) {
    ANIMA_TRY(string_text(&key));
  } else {
    return unexpected("a key", "keys are names or strings: { key: value }");
  }
  for (const std::string& earlier : object->keys) {
    if (earlier == key) {
      return syntax(key_place.offset, "the key \"" + key + "\" stands twice in this object");
    }
  }
  object->keys.push_back(std::move(key));
  return {};
}

Check Parser::call(Value* into) {
  Value& value = *into;
  value.kind = Value::Kind::kCall;
  value.text = token_.text;
  const std::size_t arity = value.text == "ADD" || value.text == "MUL" || value.text == "COALESCE"
                                ? 2
                            : value.text == "CLAMP" ? 3
                                                    : 0;
  if (arity == 0) {
    return unexpected("a value",
                      "UPDATE knows ADD, MUL, COALESCE and CLAMP; strings need double quotes");
  }
  advance();
  ANIMA_TRY(deeper());
  ANIMA_TRY(expect_punctuation("("));
  for (std::size_t i = 0; i < arity; ++i) {
    if (i > 0) ANIMA_TRY(expect_punctuation(","));
    ANIMA_TRY(this->value(true, &value.items.emplace_back()));
  }
  ANIMA_TRY(expect_punctuation(")"));
  shallower();
  return {};
}

Outcome<DotPath> Parser::dot_path() {
  DotPath path;
  path.place = place();
  ANIMA_ASSIGN(path.variable, variable("a variable such as ?x"));
  while (take_punctuation(".")) {
    if (token_.kind == TokenKind::kString) {
      ANIMA_TRY(string_text(&path.fields.emplace_back()));
      continue;
    }
    if (token_.kind != TokenKind::kWord) return unexpected("a field name");
    path.fields.emplace_back(token_.text);
    advance();
  }
  return path;
}

Outcome<std::vector<Statement>> Parser::script() {
  std::vector<Statement> statements;
  while (token_.kind != TokenKind::kEnd) {
    if (take_punctuation(";")) continue;
    ANIMA_ASSIGN(Statement next, statement());
    statements.push_back(std::move(next));
  }
  return statements;
}

}  // namespace detail
}  // namespace anima::kip
