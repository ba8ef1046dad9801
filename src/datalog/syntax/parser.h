// The recursive descent behind datalog/parser.h. After a failure every function returns at once;
// what it returns is then not used. Thread-safety: belongs to one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datalog/parser.h"
#include "datalog/syntax/scanner.h"

namespace anima::datalog::detail {

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
  // --- units (parser.cc)
  bool header(Unit& unit);
  ast::PackageMention mention();
  ast::Declaration declaration();
  void item(Unit& unit);

  // --- clauses (parse_clause.cc)
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

  // --- terms (parse_term.cc)
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

}  // namespace anima::datalog::detail
