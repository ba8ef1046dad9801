// Words, quotes and expansions.
#include <algorithm>
#include <utility>

#include "govern/detail/shell_names.h"
#include "govern/detail/shell_parser.h"

namespace anima::govern::detail {
namespace {

// {a,b} and {1..3} become several words to bash.
bool may_expand_braces(std::string_view bare) {
  const std::size_t open = bare.find('{');
  if (open == std::string_view::npos) return false;
  const std::string_view rest = bare.substr(open);
  return rest.find(',') != std::string_view::npos || rest.find("..") != std::string_view::npos;
}

bool is_special_parameter(char c) {
  return std::string_view("?$!#@*-").find(c) != std::string_view::npos;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

WordForm Word::form() const {
  if (known == kNone) return WordForm::kFixed;
  if (splits) return WordForm::kOpen;
  const bool begins = known > 0 && text.front() != '-';
  if (globs) {
    if (pieced) return WordForm::kOpen;
    if (begins) return WordForm::kNames;
    return inside || known > 0 ? WordForm::kOpen : WordForm::kPattern;
  }
  if (begins) return WordForm::kPrefixed;
  return shaped ? WordForm::kShaped : WordForm::kOne;
}

bool Word::is_count(std::size_t at) const {
  const std::string_view literal = without_expansions();
  return numbers && at <= literal.size() &&
         literal.find_first_not_of("0123456789-", at) == std::string_view::npos;
}

bool Word::is_number(std::size_t at) const {
  const std::string_view literal = without_expansions();
  return numbers && at <= literal.size() &&
         literal.find_first_not_of("0123456789{}.,-", at) == std::string_view::npos;
}

Status Parser::parse_here_document() {
  Word body;
  while (!end()) {
    if (peek() == '\\')
      at_ += 2;
    else if (peek() == '$' || peek() == '`') {
      ANIMA_TRY(read_expansion(body, true));
    } else {
      ++at_;
    }
  }
  own(body);
  return {};
}

// Requires an empty word.
Status Parser::read_word(Word& word) {
  std::string bare;  // of a text with braces, what is neither quoted nor an expansion
  const std::size_t start = at_;
  const auto mark = [&](std::size_t& place) { place = std::min(place, word.text.size()); };
  while (!end()) {
    const char c = peek();
    const bool substitutes = (c == '<' || c == '>') && peek(1) == '(';
    if (substitutes) {
      word.known = 0;  // a path below /dev
      word.shaped = false;
      word.plain = std::min(word.plain, word.text.size());
      word.inside = true;
      word.numbers = false;
      ++at_;
      ANIMA_TRY(parse_brackets());
    } else if (is_shell_meta(c)) {
      break;
    } else if (goes_on()) {
      at_ += 2;
    } else if (c == '\'' || c == '"' || c == '\\') {
      mark(word.plain);
      word.quoted = true;
      if (c == '\'') {
        ANIMA_TRY(read_single_quotes(word));
      } else if (c == '"') {
        ANIMA_TRY(read_double_quotes(word));
      } else {
        if (at_ + 1 >= text_.size()) return give_up("a backslash at the end");
        word.put(text_.substr(at_ + 1, 1));
        at_ += 2;
      }
    } else if (c == '$' || c == '`') {
      const bool alone = at_ == start;
      mark(word.plain);
      ANIMA_TRY(read_expansion(word, false));
      if (!alone || !at_end_of_word()) word.words.reset();
    } else {
      const bool closes = last_bracket_ != Word::kNone && last_bracket_ > at_;
      const bool set = c == '[' && closes &&
                       !(word.text.empty() && (at_ + 1 >= text_.size() || is_shell_meta(peek(1))));
      if (c == '*' || c == '?' || set) {
        mark(word.known);
        word.globs = true;
      }
      // What stands behind it in a name is as plain.
      std::size_t behind = at_ + 1;
      while (behind < text_.size() && (is_name_byte(text_[behind]) || text_[behind] == '.'))
        ++behind;
      const std::string_view run = text_.substr(at_, behind - at_);
      if (braces_) bare += run;
      word.put(run);
      at_ = behind;
    }
  }
  if (at_ == start) return error("there is no word here");
  if (braces_ && may_expand_braces(bare) && in_bash(true)) {
    if (in_bash(false) || word.text != bare || word.plain != Word::kNone || word.globs)
      word.words.reset();
    else
      word.words = expanded_braces(bare);
    word.known = 0;
    word.splits = true;
  }
  return {};
}

// Whether the text may be read by bash (or, for false, by a shell like dash).
bool Parser::in_bash(bool is) {
  out_.values.ask_shell();
  return out_.valuation == nullptr || out_.valuation->in_bash.value_or(is) == is;
}

Status Parser::read_single_quotes(Word& word) {
  const std::size_t close = text_.find('\'', at_ + 1);
  if (close == std::string_view::npos) return error("a single quote is not closed");
  const std::string_view body = text_.substr(at_ + 1, close - at_ - 1);
  if (!pending_.empty() && body.find('\n') != std::string_view::npos)
    return give_up("a quoted line before the body of a here-document");
  word.put(body);
  at_ = close + 1;
  return {};
}

Status Parser::read_double_quotes(Word& word) {
  ++at_;
  while (!end() && peek() != '"') {
    if (peek() == '$' || peek() == '`') {
      ANIMA_TRY(read_expansion(word, true));
    } else if (peek() == '\\' &&
               std::string_view("$`\"\\\n").find(peek(1)) != std::string_view::npos &&
               at_ + 1 < text_.size()) {
      if (peek(1) != '\n') word.put(text_.substr(at_ + 1, 1));
      at_ += 2;
    } else {
      if (peek() == '\n' && !pending_.empty())
        return give_up("a quoted line before the body of a here-document");
      std::size_t behind = at_ + 1;
      while (behind < text_.size() && (is_name_byte(text_[behind]) || text_[behind] == '.'))
        ++behind;
      word.put(text_.substr(at_, behind - at_));
      at_ = behind;
    }
  }
  if (end()) return error("a double quote is not closed");
  ++at_;
  return {};
}

Status Parser::read_expansion(Word& word, bool in_quotes) {
  if (starts("$\\\n")) return give_up("a '$' at the end of a line that goes on");
  const bool literal = peek() == '$' && peek(1) != '(' && peek(1) != '{' && peek(1) != '[' &&
                       !is_name_byte(peek(1)) && !(is_special_parameter(peek(1))) &&
                       (in_quotes || (peek(1) != '\'' && peek(1) != '"'));
  if (literal) {
    word.put("$");
    ++at_;
    return {};
  }
  if (starts("$[")) return give_up("$[..]");
  if (starts("$\"")) return give_up("$\"..\"");
  if (read_followed(word, in_quotes)) return {};
  if (starts("$'")) return read_ansi_quotes(word);
  const std::size_t known = std::exchange(word.known, std::min(word.known, word.text.size()));
  const std::size_t start = at_;
  const bool before = std::exchange(word.numbers, true);
  // The value of an assignment is not split.
  const bool stays = in_quotes || (may_assign_ && assignment_at(word) != 0);
  std::optional<std::string> printed;
  word.single = false;
  if (peek() == '`') {
    word.numbers = false;
    ANIMA_TRY(read_back_quotes(in_quotes));
  } else if (starts("$((")) {
    ANIMA_TRY(read_arithmetic(word));
  } else if (starts("$(")) {
    ANIMA_TRY(read_substitution(word, printed));
  } else {
    ANIMA_TRY(starts("${") ? read_operation(word, in_quotes) : read_parameter(word));
  }
  if (printed && stays) {
    word.known = known;
    put_found(word, {*std::move(printed), Value::Kind::kPattern}, {});
    return {};
  }
  const bool one = in_quotes || (word.numbers && word.single);
  (one ? word.inside : word.splits) = true;
  if (one && word.numbers && !word.unknown) {
    word.pieced = true;
    word.put_expansion(kNumber);
  } else {
    word.shaped = false;
    word.put_expansion(text_.substr(start, at_ - start));
  }
  word.numbers = word.numbers && before;
  return {};
}

bool Parser::at_end_of_word() const {
  return end() || (is_shell_meta(peek()) && !((peek() == '<' || peek() == '>') && peek(1) == '('));
}

// $name, ${name} or ${name OPERATION} of a variable that surely holds a known value: that value is
// what stands in the word. False, with nothing read, for anything else.
bool Parser::read_followed(Word& word, bool in_quotes) {
  if (peek() != '$') return false;
  const bool braces = peek(1) == '{';
  const std::size_t start = at_ + (braces ? 2 : 1);
  std::size_t at = start;
  while (at < text_.size() && is_name_byte(text_[at])) ++at;
  const std::string_view name = text_.substr(start, at - start);
  if (!is_name(name) || !out_.flow.is_set(name)) return false;
  out_.values.ask(name);
  if (out_.valuation == nullptr) return false;
  const auto held = out_.valuation->variables.find(name);
  const std::size_t close = braces ? text_.find('}', at) : at;
  if (held == out_.valuation->variables.end() || close == std::string_view::npos) return false;
  const std::string_view operation = text_.substr(at, close - at);
  const Value::Kind kind = held->second.kind;
  const bool text = kind == Value::Kind::kText;
  const auto value = text ? changed_value(held->second.text, operation)
                          : changed_pattern(held->second.text, operation);
  const std::size_t behind = close + (braces ? 1 : 0);
  if (!value || text_.substr(behind).starts_with("\\\n")) return false;
  // The value of an assignment is not split.
  const bool whole =
      in_quotes || kind == Value::Kind::kNumber || (may_assign_ && assignment_at(word) != 0);
  if (!text && (!whole || (kind == Value::Kind::kBeginning && !operation.empty()))) return false;
  const std::string_view written = text_.substr(at_, behind - at_);
  if (text)
    put_value(word, *value, written, in_quotes);
  else
    put_found(word, {*value, kind}, written);
  word.followed = true;
  at_ = behind;
  return true;
}

// A value outside quotes that becomes no word or several leaves the word open and names the words.
void Parser::put_value(Word& word, const std::string& value, std::string_view written,
                       bool in_quotes) {
  word.numbers = word.numbers && value.find_first_not_of("0123456789") == std::string::npos;
  if (in_quotes || stays_one_word(value)) return word.put(value);
  word.known = std::min(word.known, word.text.size());
  word.splits = true;
  word.shaped = false;
  word.words = words_of(value);
  word.put_expansion(written);
}

void Parser::put_found(Word& word, const Value& value, std::string_view written) {
  const bool shaped = value.kind != Value::Kind::kBeginning;
  word.numbers = word.numbers && value.kind == Value::Kind::kNumber;
  word.found = word.text.empty();
  word.inside = true;
  word.pieced = word.pieced || shaped;
  word.shaped = word.shaped && shaped;
  const std::size_t unknown = shaped ? value.text.find_first_of("*?[") : value.text.size();
  word.known = std::min(word.known, word.text.size() + std::min(unknown, value.text.size()));
  if (value.kind == Value::Kind::kNumber)
    word.put_expansion(value.text);
  else
    word.put(value.text);
  if (!shaped) word.put_expansion(written);
}

// $name, $1, $?.
Status Parser::read_parameter(Word& word) {
  const char c = text_[++at_];
  if (is_special_parameter(c)) {
    word.splits = word.splits || c == '@';
    word.numbers = word.numbers && c != '@' && c != '*' && c != '-';
    ++at_;
    return {};
  }
  word.numbers = false;
  const bool digit = is_digit(c);
  do ++at_;
  while (!digit && is_name_byte(peek()));
  return {};
}

// $(..): what the last command prints counts, when it is one pipeline. `printed` is the name that
// it prints, if that is known.
Status Parser::read_substitution(Word& word, std::optional<std::string>& printed) {
  ++at_;
  const std::size_t start = at_;
  const std::size_t before = out_.commands.size();
  ANIMA_TRY(parse_brackets());
  const std::string_view body = text_.substr(start + 1, at_ - start - 2);
  const bool one = body.find_first_of(";&\n(){}`") == std::string_view::npos &&
                   body.find("||") == std::string_view::npos;
  word.numbers =
      word.numbers && one && out_.commands.size() > before && prints_numbers(out_.commands.back());
  word.single = word.numbers && prints_one_number(out_.commands.back());
  // Where nothing is sent elsewhere.
  const bool whole = body.find_first_of(";&\n()`<>|") == std::string_view::npos;
  if (whole && out_.commands.size() > before) printed = prints_name(out_.commands.back());
  return {};
}

// $((..)): names and numbers, whose values the shell reads as expressions again.
Status Parser::read_arithmetic(Word& word) {
  ANIMA_TRY(deeper());
  out_.flow.may_fail();
  ++depth_;
  at_ += 3;
  Word inner;
  for (int open = 0; !end();) {
    const char c = peek();
    if (c == ')' && open == 0) {
      if (!starts("))")) return give_up("$((..) that ends like a command");
      break;
    }
    if (c == '$' || c == '`') {
      const std::size_t name = at_ + (starts("${") ? 2 : 1);
      const bool joined = is_name_byte(text_[at_ - 1]);
      ANIMA_TRY(read_expansion(inner, true));
      // $((P${x}ATH = 0)) sets PATH.
      if (joined || is_name_byte(peek())) return give_up("a name in parts in arithmetic");
      std::string_view read = text_.substr(name, at_ - name);
      if (read.ends_with('}')) read.remove_suffix(1);
      if (is_name(read)) {
        out_.values.add_number(read);
        word.evaluates.emplace_back(read);
      } else if (!inner.numbers) {
        word.unknown = true;
      }
      inner.numbers = true;
    } else if (is_name_byte(c)) {
      const std::size_t start = at_;
      while (is_name_byte(peek())) ++at_;
      const std::string_view name = text_.substr(start, at_ - start);
      if (steers_the_shell(name)) return give_up("arithmetic on " + std::string(name));
      if (is_name(name)) {
        out_.values.add_number(name);
        word.evaluates.emplace_back(name);
      }
    } else if (std::string_view(" \t+-*/%<>=!&|^~?:,()").find(c) != std::string_view::npos) {
      open += c == '(' ? 1 : c == ')' ? -1 : 0;
      ++at_;
    } else {
      return give_up("arithmetic with more than names, numbers and signs");
    }
  }
  if (end()) return error("an expansion is not closed");
  word.unknown = word.unknown || inner.unknown;
  word.evaluates.insert(word.evaluates.end(), inner.evaluates.begin(), inner.evaluates.end());
  at_ += 2;
  --depth_;
  return {};
}

// ${name}, ${#name}, ${name OP word}. Quotes and backslashes inside are read differently by the
// shells and end the understanding.
Status Parser::read_operation(Word& word, bool in_quotes) {
  ANIMA_TRY(deeper());
  at_ += 2;
  const bool length = peek() == '#' && peek(1) != '}';
  if (length) ++at_;
  const std::size_t start = at_;
  if (is_name_byte(peek())) {
    while (is_name_byte(peek())) ++at_;
  } else if (is_special_parameter(peek())) {
    ++at_;
  }
  const std::string_view name = text_.substr(start, at_ - start);
  if (name.empty() || name == "!") return give_up("${" + std::string(1, peek()) + "..}");
  if (name == "@") word.splits = true;
  word.numbers = word.numbers && length;
  if (end()) return error("an expansion is not closed");
  if (peek() == '@' || peek() == '[') return give_up("${name" + std::string(1, peek()) + "..}");
  const bool slices =
      peek() == ':' && std::string_view("-+=?").find(peek(1)) == std::string_view::npos;
  const bool assigns = peek() == '=' || starts(":=");
  if (assigns && (!is_name(name) || steers_the_shell(name) || is_computed(name)))
    return give_up("${name=..}");
  if (assigns) {
    out_.loose.emplace(name);
    out_.values.add_anything(name);
  }
  if (slices || assigns || std::string_view("}%#:-+?").find(peek()) == std::string_view::npos)
    out_.flow.may_fail();
  ++depth_;
  Word inner;
  while (!end() && peek() != '}') {
    if (peek() == '$') {
      if (slices) return give_up("${name:..} with an expansion");
      ANIMA_TRY(read_expansion(inner, in_quotes));
    } else if (std::string_view("'\"\\`{\n").find(peek()) != std::string_view::npos ||
               (slices && !is_digit(peek()) && peek() != ':' && peek() != ' ' && peek() != '-')) {
      return give_up("${..} with more than plain text");
    } else {
      ++at_;
    }
  }
  if (end()) return error("an expansion is not closed");
  word.splits = word.splits || inner.splits;
  word.unknown = word.unknown || inner.unknown;
  word.evaluates.insert(word.evaluates.end(), inner.evaluates.begin(), inner.evaluates.end());
  ++at_;
  --depth_;
  return {};
}

// $'..' of bash; dash ends it at the first quote, so both must find the same end.
Status Parser::read_ansi_quotes(Word& word) {
  const std::size_t start = at_ + 2;
  const std::size_t close = text_.find('\'', start);
  if (close == std::string_view::npos) return error("a single quote is not closed");
  std::size_t at = start;
  while (at < close) at += text_[at] == '\\' ? 2u : 1u;
  if (at != close) return give_up("$'..' with an escaped quote");
  const std::string_view body = text_.substr(start, close - start);
  if (!pending_.empty() && body.find('\n') != std::string_view::npos)
    return give_up("a quoted line before the body of a here-document");
  const bool bash = in_bash(true);
  const bool dash = in_bash(false);
  const auto value = unescaped(body);
  if (bash && !dash && value) {
    word.put(*value);
  } else if (dash && !bash) {
    word.put("$");
    word.put(body);
  } else {
    word.known = std::min(word.known, word.text.size());
    word.inside = true;
    word.shaped = false;
    word.put_expansion(body);
    word.put_expansion("$");  // no path that is known
  }
  word.quoted = true;
  word.numbers = false;
  at_ = close + 1;
  return {};
}

Status Parser::read_back_quotes(bool in_quotes) {
  ANIMA_TRY(deeper());
  std::string body;
  const std::size_t start = ++at_;
  while (!end() && peek() != '`') {
    if (peek() == '\\' && in_quotes && peek(1) == '"')
      return give_up("an escaped quote within back quotes");
    // The shells take it away before they read what stands there: in a here-document too.
    if (goes_on()) return give_up("a line that goes on within back quotes");
    if (peek() == '\\' && std::string_view("`\\$").find(peek(1)) != std::string_view::npos &&
        at_ + 1 < text_.size())
      ++at_;
    body.push_back(peek());
    ++at_;
  }
  if (end()) return error("a back quote is not closed");
  ++at_;
  if (!pending_.empty()) return give_up("brackets before the body of a here-document");
  return parse_shell_into(body, offset_ + start, depth_ + 1, out_);
}

}  // namespace anima::govern::detail
