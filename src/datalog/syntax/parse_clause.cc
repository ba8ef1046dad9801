// Clauses: atoms, literals with their times, and transforms.
#include <optional>

#include "datalog/syntax/parser.h"

namespace anima::datalog::detail {

ast::Atom Parser::atom(bool description) {
  ast::Atom result;
  scan_.skip_space();
  result.at = scan_.at();
  const std::string_view name = scan_.name();
  if (failed()) return result;
  if (name.empty()) {
    const bool upper = has_class(scan_.peek(), kUpper);
    expected("a predicate", upper ? "predicates begin with a lower-case letter" : "");
    return result;
  }
  result.predicate = name;
  if (!description && detail::is_reserved(name)) {
    scan_.fail(result.at, "'" + result.predicate + "' is a reserved word, not a predicate");
    return result;
  }
  if (name.starts_with("fn:")) {
    scan_.fail(result.at, "'" + result.predicate + "' is a function, not a predicate",
               "compare its value: X = " + result.predicate + "(..)");
    return result;
  }
  if (description && scan_.next_after_space(0) != '(') return result;
  result.arguments = arguments();
  return result;
}

std::vector<ast::Atom> Parser::atoms() {
  std::vector<ast::Atom> result;
  expect('[', "'['");
  while (!failed() && !scan_.take(']')) {
    result.push_back(atom(true));
    if (failed()) break;
    if (!scan_.take(',')) {
      expect(']', "',' or ']'");
      break;
    }
  }
  return result;
}

std::optional<ast::Interval> Parser::interval() {
  if (!scan_.take('@')) return std::nullopt;
  ast::Interval result;
  result.at = scan_.at() - 1;
  expect('[', "'['");
  if (failed()) return result;
  if (auto bound = scan_.bound()) result.start = std::move(*bound);
  if (!failed() && scan_.take(',') && scan_.next_after_space(0) != ']') {
    if (auto bound = scan_.bound()) result.end = std::move(*bound);
  }
  expect(']', "',' or ']'");
  return result;
}

bool Parser::starts_temporal(ast::TemporalKind& kind) const {
  struct Mark {
    std::string_view text;
    ast::TemporalKind kind;
  };
  constexpr Mark kMarks[] = {{"<-", ast::TemporalKind::kPastSome},
                             {"[-", ast::TemporalKind::kPastAll},
                             {"<+", ast::TemporalKind::kFutureSome},
                             {"[+", ast::TemporalKind::kFutureAll}};
  for (const Mark& mark : kMarks) {
    if (scan_.looking_at(mark.text) && scan_.next_after_space(2) == '[') {
      kind = mark.kind;
      return true;
    }
  }
  return false;
}

ast::TemporalOperator Parser::temporal() {
  ast::TemporalOperator result;
  if (!starts_temporal(result.kind)) return result;
  scan_.seek(scan_.at() + 2);
  expect('[', "'['");
  if (auto bound = scan_.bound()) result.near = std::move(*bound);
  expect(',', "','");
  if (failed()) return result;
  if (auto bound = scan_.bound()) result.far = std::move(*bound);
  scan_.take(',');
  expect(']', "']'");
  return result;
}

bool Parser::comparison(ast::Comparison& result) {
  using ast::Comparison;
  struct Mark {
    std::string_view text;
    Comparison comparison;
  };
  constexpr Mark kMarks[] = {{"!=", Comparison::kNotEqual},     {"<=", Comparison::kLessEqual},
                             {">=", Comparison::kGreaterEqual}, {"=", Comparison::kEqual},
                             {"<", Comparison::kLess},          {">", Comparison::kGreater}};
  for (const Mark& mark : kMarks) {
    if (scan_.take(mark.text)) {
      result = mark.comparison;
      return true;
    }
  }
  return false;
}

ast::Literal Parser::literal() {
  ast::Literal result;
  scan_.skip_space();
  result.at = scan_.at();
  if (scan_.peek() == '!' && scan_.peek(1) != '=') {
    scan_.take('!');
    result.kind = ast::LiteralKind::kNegated;
    scan_.skip_space();
    if (!has_class(scan_.peek(), kLower) && scan_.peek() != ':') {
      expected("a predicate behind '!'", "only atoms are negated; write X != Y instead of !X = Y");
      return result;
    }
    result.atom = atom(false);
    if (!failed()) result.when = interval();
  } else {
    result.temporal = temporal();
    scan_.skip_space();
    const std::string_view rest = scan_.text().substr(scan_.at());
    const bool is_bytes =
        rest.size() > 1 && rest[0] == 'b' && (rest[1] == '"' || rest[1] == '\'' || rest[1] == '`');
    if ((has_class(scan_.peek(), kLower) || scan_.peek() == ':') && !rest.starts_with("fn:") &&
        !is_bytes) {
      result.atom = atom(false);
      if (!failed()) result.when = interval();
    } else {
      if (result.temporal.kind != ast::TemporalKind::kNone) {
        expected("a predicate behind the temporal operator");
        return result;
      }
      result.kind = ast::LiteralKind::kComparison;
      result.left = term();
      if (failed()) return result;
      if (!comparison(result.comparison)) {
        expected("one of = != < <= > >=",
                 "a term alone is no condition; :filter(T) tests a boolean");
        return result;
      }
      result.right = term();
    }
  }
  result.end = scan_.at();
  return result;
}

ast::Let Parser::let() {
  ast::Let result;
  scan_.skip_space();
  result.at = scan_.at();
  if (!keyword("let")) {
    expected("let");
    return result;
  }
  scan_.skip_space();
  if (!has_class(scan_.peek(), kUpper)) {
    expected("a variable");
    return result;
  }
  result.variable = scan_.variable();
  expect('=', "'='");
  if (failed()) return result;
  result.value = term();
  if (!failed() && result.value.kind != ast::TermKind::kApply) {
    scan_.fail(result.value.at, "the value of a let must be the application of a function",
               "write a plain equation in the body, before |>");
  }
  return result;
}

ast::Transform Parser::transform() {
  ast::Transform result;
  scan_.skip_space();
  result.at = scan_.at();
  if (keyword("do")) {
    result.group = term();
    if (failed()) return result;
    if (result.group->kind != ast::TermKind::kApply) {
      scan_.fail(result.group->at, "fn:group_by(..) was expected behind do");
      return result;
    }
    if (!scan_.take(',')) return result;
    if (scan_.next_after_space(0) == '.') return result;
  }
  do {
    result.lets.push_back(let());
    if (failed()) return result;
    if (!scan_.take(',')) break;
  } while (scan_.next_after_space(0) != '.' && scan_.next_after_space(0) != '|');
  return result;
}

ast::Clause Parser::clause() {
  ast::Clause result;
  result.at = scan_.at();
  result.head = atom(false);
  if (!failed()) result.when = interval();
  if (failed()) return result;
  if (scan_.take(":-") || scan_.take("\xE2\x9F\xB8")) {
    do {
      scan_.skip_space();
      if (!result.body.empty() &&
          (scan_.peek() == '|' ||
           (scan_.peek() == '.' && !has_class(scan_.peek(1), kDigit | kUpper)))) {
        break;
      }
      result.body.push_back(literal());
      if (failed()) return result;
    } while (scan_.take(','));
    while (scan_.take("|>")) {
      result.transforms.push_back(transform());
      if (failed()) return result;
    }
  }
  if (!scan_.take('.')) {
    expected("'.'",
             "a clause ends with a dot; a dot right behind a name belongs to it, so write /a .");
  }
  result.end = scan_.at();
  return result;
}

}  // namespace anima::datalog::detail
