// Terms: constants, variables, lists, maps, structs and types.
#include "datalog/syntax/parser.h"

namespace anima::datalog::detail {

namespace {
constexpr int kMaxDepth = 200;
}  // namespace

std::vector<ast::Term> Parser::arguments() {
  std::vector<ast::Term> result;
  expect('(', "'('");
  while (!failed() && !scan_.take(')')) {
    result.push_back(term());
    if (failed()) break;
    if (!scan_.take(',')) {
      expect(')', "',' or ')'");
      break;
    }
  }
  return result;
}

void Parser::named_term(ast::Term& result) {
  const Offset from = scan_.at();
  result.text = scan_.name();
  if (!result.text.starts_with("fn:")) {
    if (in_description_ && scan_.peek() == '(') {
      result.kind = ast::TermKind::kAtom;
      result.arguments = arguments();
      return;
    }
    scan_.fail(from, "'" + result.text + "' is not a term",
               "names begin with '/', strings stand in quotes, variables begin with an upper-case "
               "letter, functions with fn:");
    return;
  }
  result.kind = ast::TermKind::kApply;
  result.arguments = arguments();
}

// "[" has been taken: a list, or a map when a colon follows the first element.
void Parser::bracketed(ast::Term& result) {
  result.kind = ast::TermKind::kApply;
  result.text = "fn:list";
  while (!failed() && !scan_.take(']')) {
    result.arguments.push_back(term());
    if (failed()) return;
    if (scan_.take(':')) {
      if (result.arguments.size() > 1 && result.text == "fn:list") {
        return expected("',' or ']'", "an element of a list has no ':'");
      }
      result.text = "fn:map";
      result.arguments.push_back(term());
      if (failed()) return;
    } else if (result.text == "fn:map") {
      return expected("':'", "a map is written [key : value, ..]");
    }
    if (!scan_.take(',')) {
      expect(']', "',' or ']'");
      return;
    }
  }
}

void Parser::braced(ast::Term& result) {
  result.kind = ast::TermKind::kApply;
  result.text = "fn:struct";
  while (!failed() && !scan_.take('}')) {
    result.arguments.push_back(term());
    expect(':', "':'");
    if (failed()) return;
    result.arguments.push_back(term());
    if (failed()) return;
    if (!scan_.take(',')) {
      expect('}', "',' or '}'");
      return;
    }
  }
}

ast::Term Parser::member() {
  scan_.skip_space();
  ast::Term result;
  result.at = scan_.at();
  const bool optional = keyword("opt");
  ast::Term label = term();
  if (failed()) return result;
  if (!scan_.take(':')) {
    if (optional) expected("':'");
    return label;
  }
  result.kind = optional ? ast::TermKind::kOptional : ast::TermKind::kMember;
  result.arguments.push_back(std::move(label));
  result.arguments.push_back(term());
  return result;
}

// The dot has been taken: .List</number>
void Parser::type_term(ast::Term& result) {
  result.kind = ast::TermKind::kType;
  while (has_class(scan_.peek(), kNameChar)) {
    result.text += scan_.peek();
    scan_.seek(scan_.at() + 1);
  }
  expect('<', "'<'");
  while (!failed() && !scan_.take('>')) {
    result.arguments.push_back(member());
    if (failed()) return;
    if (!scan_.take(',')) {
      expect('>', "',' or '>'");
      return;
    }
  }
}

ast::Term Parser::term() {
  if (++depth_ > kMaxDepth) {
    scan_.fail(scan_.at(), "terms are nested too deep", "at most 200 levels");
  }
  ast::Term result;
  if (!failed()) result = term_inside();
  --depth_;
  return result;
}

ast::Term Parser::term_inside() {
  ast::Term result;
  scan_.skip_space();
  result.at = scan_.at();
  const char c = scan_.peek();
  if (scan_.string(result.text)) {
    result.kind = ast::TermKind::kString;
  } else if (scan_.bytes(result.text)) {
    result.kind = ast::TermKind::kBytes;
  } else if (has_class(c, kUpper) || c == '_') {
    result.kind = ast::TermKind::kVariable;
    result.text = scan_.variable();
  } else if (c == '/') {
    result.kind = ast::TermKind::kName;
    result.text = scan_.constant();
  } else if (c == '[' || c == '{') {
    scan_.take(c);
    c == '[' ? bracketed(result) : braced(result);
  } else if (c == '.' && has_class(scan_.peek(1), kUpper)) {
    scan_.take('.');
    type_term(result);
  } else if (has_class(c, kLower) || (c == ':' && has_class(scan_.peek(1), kLower))) {
    named_term(result);
  } else {
    const NumberKind kind = scan_.number(result.number, result.real);
    if (kind == NumberKind::kNone) {
      expected("a term");
    } else {
      result.kind = kind == NumberKind::kInteger ? ast::TermKind::kNumber : ast::TermKind::kFloat;
    }
  }
  return result;
}

}  // namespace anima::datalog::detail
