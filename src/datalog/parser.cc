#include "datalog/parser.h"

#include <algorithm>

#include "datalog/detail/fact_scanner.h"
#include "datalog/detail/scanner.h"

namespace anima::datalog {
namespace {

using detail::has_class;
using detail::kDigit;
using detail::kLower;
using detail::kNameChar;
using detail::kUpper;
using detail::NumberKind;
using detail::Scanner;

constexpr int kMaxDepth = 200;
constexpr std::size_t kMaxErrors = 50;

// Recursive descent. After a failure every function returns at once; what it returns is then not
// used.
class Parser {
 public:
  Parser(const Source& source, std::vector<ast::Comment>* comments)
      : source_(source), scan_(source.text, comments) {}

  void unit(Unit& unit, ValueTable* values, std::vector<Diagnostic>& diagnostics);
  ParsedQuery query();
  ast::Term single_term();

  bool failed() const { return scan_.failed(); }
  Diagnostic diagnostic(Offset clause) const;

 private:
  bool header(Unit& unit);
  ast::PackageMention mention();
  ast::Declaration declaration();
  ast::Clause clause();
  ast::Atom atom(bool description);
  std::vector<ast::Atom> atoms();
  ast::Literal literal();
  bool starts_temporal(ast::TemporalKind& kind) const;
  ast::TemporalOperator temporal();
  std::optional<ast::Interval> interval();
  bool comparison(ast::Comparison& comparison);
  ast::Transform transform();
  ast::Let let();
  ast::Term term();
  ast::Term term_inside();
  void named_term(ast::Term& term);
  void bracketed(ast::Term& term);
  void braced(ast::Term& term);
  void type_term(ast::Term& term);
  ast::Term member();
  std::vector<ast::Term> arguments();
  bool keyword(std::string_view word);
  void expect(char c, std::string_view what);
  void expected(std::string_view what, std::string hint = {});

  const Source& source_;
  Scanner scan_;
  int depth_ = 0;
  bool in_description_ = false;
};

std::string shown(const Scanner& scan) {
  if (scan.done()) return "the end of the text";
  std::size_t size = 1;
  const std::string_view rest = scan.text().substr(scan.at());
  if (has_class(rest[0], kNameChar)) {
    while (size < rest.size() && size < 40 && has_class(rest[size], kNameChar)) ++size;
  } else if (static_cast<unsigned char>(rest[0]) >= 0x80) {
    while (size < rest.size() && size < 4 &&
           (static_cast<unsigned char>(rest[size]) & 0xC0) == 0x80)
      ++size;
  }
  return "'" + std::string(rest.substr(0, size)) + "'";
}

void Parser::expected(std::string_view what, std::string hint) {
  scan_.fail(scan_.at(), std::string(what) + " was expected, not " + shown(scan_), std::move(hint));
}

void Parser::expect(char c, std::string_view what) {
  if (failed()) return;
  if (!scan_.take(c)) expected(what);
}

bool Parser::keyword(std::string_view word) {
  scan_.skip_space();
  if (!scan_.looking_at(word) || has_class(scan_.peek(word.size()), kNameChar)) return false;
  return scan_.take(word);
}

Diagnostic Parser::diagnostic(Offset clause) const {
  const detail::ScanError& error = scan_.error();
  Diagnostic result;
  result.problem = Problem::kSyntax;
  result.file = source_.name;
  result.from = source_.locate(error.at);
  result.to = {result.from.line, result.from.column + 1};
  result.message = error.message;
  result.hint = error.hint;
  Scanner behind(source_.text);
  behind.seek(std::max(clause, error.at));
  behind.skip_clause();
  result.clause = source_.snippet(clause, behind.at());
  return result;
}

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

ast::Declaration Parser::declaration() {
  ast::Declaration result;
  scan_.skip_space();
  result.at = scan_.at();
  keyword("Decl");
  result.atom = atom(false);
  if (failed()) return result;
  result.temporal = keyword("temporal");
  if (keyword("descr")) {
    in_description_ = true;
    result.description = atoms();
    in_description_ = false;
  }
  while (!failed() && keyword("bound")) {
    ast::BoundRow row;
    row.at = scan_.at();
    expect('[', "'['");
    while (!failed() && !scan_.take(']')) {
      row.types.push_back(term());
      if (failed() || scan_.take(',')) continue;
      expect(']', "',' or ']'");
      break;
    }
    result.bounds.push_back(std::move(row));
  }
  if (!failed() && keyword("inclusion")) result.inclusion = atoms();
  expect('.', "'.'");
  result.end = scan_.at();
  return result;
}

ast::PackageMention Parser::mention() {
  ast::PackageMention result;
  scan_.skip_space();
  result.at = scan_.at();
  result.name = scan_.name();
  if (result.name.empty() && !failed()) {
    expected("a package name", "package names are lower case");
    return result;
  }
  scan_.skip_space();
  if (!failed() && scan_.peek() == '[') result.atoms = atoms();
  expect('!', "'!'");
  return result;
}

// Package and Use. False when neither stands here.
bool Parser::header(Unit& unit) {
  const Offset at = scan_.at();
  if (keyword("Package")) {
    ast::PackageMention found = mention();
    if (!failed() && unit.package) {
      scan_.fail(at, "the unit has a package already", "one Package a unit, at its beginning");
    }
    if (!failed()) unit.package = std::move(found);
    return true;
  }
  if (keyword("Use")) {
    ast::PackageMention found = mention();
    if (!failed()) unit.uses.push_back(std::move(found));
    return true;
  }
  return false;
}

void Parser::unit(Unit& unit, ValueTable* values, std::vector<Diagnostic>& diagnostics) {
  std::optional<detail::FactScanner> facts;
  if (values != nullptr) facts.emplace(scan_.text(), *values, unit.facts);
  for (;;) {
    if (facts) scan_.seek(facts->scan(scan_.at()));
    scan_.skip_space();
    if (scan_.done()) return;
    const Offset from = scan_.at();
    if (!header(unit)) {
      if (scan_.looking_at("Decl") && !has_class(scan_.peek(4), kNameChar)) {
        ast::Declaration found = declaration();
        if (!failed()) {
          unit.order.push_back(
              {ast::ItemKind::kDeclaration, static_cast<std::uint32_t>(unit.declarations.size())});
          unit.declarations.push_back(std::move(found));
        }
      } else {
        ast::Clause found = clause();
        if (!failed()) {
          unit.order.push_back(
              {ast::ItemKind::kClause, static_cast<std::uint32_t>(unit.clauses.size())});
          unit.clauses.push_back(std::move(found));
        }
      }
    }
    if (failed()) {
      diagnostics.push_back(diagnostic(from));
      if (diagnostics.size() >= kMaxErrors) return;
      const Offset at = std::max(from, scan_.error().at);
      scan_.clear_error();
      depth_ = 0;
      in_description_ = false;
      scan_.seek(at);
      scan_.skip_clause();
      scan_.clear_error();
      if (scan_.at() <= from) scan_.seek(from + 1);
    }
  }
}

ParsedQuery Parser::query() {
  ParsedQuery result;
  if (scan_.take("?-") || scan_.take('?')) {
  }
  scan_.skip_space();
  result.atom.at = scan_.at();
  const Offset from = scan_.at();
  const std::string_view name = scan_.name();
  if (!name.empty() && scan_.next_after_space(0) != '(') {
    result.bare = true;
    result.atom.predicate = name;
  } else {
    scan_.seek(from);
    result.atom = atom(false);
    if (!failed()) result.when = interval();
  }
  if (failed()) return result;
  scan_.take('.');
  scan_.skip_space();
  if (!scan_.done()) expected("the end of the query", "a query is one atom: p(X, /a)");
  return result;
}

ast::Term Parser::single_term() {
  ast::Term result = term();
  if (failed()) return result;
  scan_.skip_space();
  if (!scan_.done()) expected("the end of the term");
  return result;
}

constexpr std::size_t kMaxText = 0xFFFFFFF0U;

tl::unexpected<Error> too_large(const std::string& name) {
  return fail(ErrorCode::kLimitExceeded, "the text is larger than 4 GiB", name,
              "split it, or load it as .facts files");
}

}  // namespace

ParsedUnit parse_unit(std::shared_ptr<const Source> source, ValueTable* values) {
  ParsedUnit result;
  result.unit.source = source;
  if (source->text.size() > kMaxText) {
    Diagnostic diagnostic;
    diagnostic.problem = Problem::kLimit;
    diagnostic.file = source->name;
    diagnostic.message = "the text is larger than 4 GiB";
    diagnostic.hint = "split it, or load it as .facts files";
    result.diagnostics.push_back(std::move(diagnostic));
    return result;
  }
  Parser parser(*source, values == nullptr ? &result.unit.comments : nullptr);
  parser.unit(result.unit, values, result.diagnostics);
  return result;
}

Result<Unit> parse_program(std::string text, std::string name, ValueTable* values) {
  auto source = std::make_shared<Source>();
  source->name = std::move(name);
  source->text = std::move(text);
  ParsedUnit parsed = parse_unit(std::move(source), values);
  if (has_errors(parsed.diagnostics)) return fail(first_error(parsed.diagnostics));
  return std::move(parsed.unit);
}

Result<ParsedQuery> parse_query(std::string_view text) {
  if (text.size() > kMaxText) return too_large("<query>");
  const Source source{"<query>", std::string(text)};
  Parser parser(source, nullptr);
  ParsedQuery result = parser.query();
  if (parser.failed()) return fail(parser.diagnostic(0).error());
  return result;
}

Result<ast::Term> parse_term(std::string_view text) {
  if (text.size() > kMaxText) return too_large("<term>");
  const Source source{"<term>", std::string(text)};
  Parser parser(source, nullptr);
  ast::Term result = parser.single_term();
  if (parser.failed()) return fail(parser.diagnostic(0).error());
  return result;
}

}  // namespace anima::datalog
