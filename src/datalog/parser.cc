#include "datalog/parser.h"

#include <algorithm>

#include "datalog/syntax/fact_scanner.h"
#include "datalog/syntax/parser.h"

namespace anima::datalog {

namespace detail {
namespace {

constexpr std::size_t kMaxErrors = 50;

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

}  // namespace

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
  const ScanError& error = scan_.error();
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

// A declaration or a clause.
void Parser::item(Unit& unit) {
  if (scan_.looking_at("Decl") && !has_class(scan_.peek(4), kNameChar)) {
    ast::Declaration found = declaration();
    if (failed()) return;
    unit.order.push_back(
        {ast::ItemKind::kDeclaration, static_cast<std::uint32_t>(unit.declarations.size())});
    unit.declarations.push_back(std::move(found));
  } else {
    ast::Clause found = clause();
    if (failed()) return;
    unit.order.push_back({ast::ItemKind::kClause, static_cast<std::uint32_t>(unit.clauses.size())});
    unit.clauses.push_back(std::move(found));
  }
}

void Parser::unit(Unit& unit, ValueTable* values, std::vector<Diagnostic>& diagnostics) {
  std::optional<FactScanner> facts;
  if (values != nullptr) facts.emplace(scan_.text(), *values, unit.facts);
  for (;;) {
    if (facts) scan_.seek(facts->scan(scan_.at()));
    scan_.skip_space();
    if (scan_.done()) return;
    const Offset from = scan_.at();
    if (!header(unit)) item(unit);
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
  if (!scan_.take("?-")) scan_.take('?');
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

}  // namespace detail

namespace {

constexpr std::size_t kMaxText = 0xFFFFFFF0U;

Unexpected<Error> too_large(const std::string& name) {
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
  detail::Parser parser(*source, values == nullptr ? &result.unit.comments : nullptr);
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
  detail::Parser parser(source, nullptr);
  ParsedQuery result = parser.query();
  if (parser.failed()) return fail(parser.diagnostic(0).error());
  return result;
}

Result<ast::Term> parse_term(std::string_view text) {
  if (text.size() > kMaxText) return too_large("<term>");
  const Source source{"<term>", std::string(text)};
  detail::Parser parser(source, nullptr);
  ast::Term result = parser.single_term();
  if (parser.failed()) return fail(parser.diagnostic(0).error());
  return result;
}

}  // namespace anima::datalog
