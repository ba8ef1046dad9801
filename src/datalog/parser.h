// The parser of Mangle: text to syntax tree.
//
// A recursive descent parser behind a fast path: with a ValueTable, a clause that is a ground fact
// of plain constants (`edge(1, /a, "text").`) goes straight into a column block without a tree.
// After an error the parser goes on behind the clause's dot, so an editor gets every error of a
// file (the first 50).
//
// Beyond google/mangle's grammar: `X <-1` and `[-1]` are read as the comparison and the list that
// they look like; a query may be written ?p(X), ?- p(X). or p(X). Limits: 4 GiB a text, nesting 200
// deep. Errors: Diagnostics with Problem::kSyntax. Thread-safety: functions without shared state.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "datalog/ast.h"
#include "datalog/diagnostics.h"

namespace anima::datalog {

struct ParsedUnit {
  Unit unit;
  std::vector<Diagnostic> diagnostics;
};

// With `values`, ground facts are coded into Unit::facts; without, everything is in the tree.
// O(text).
ParsedUnit parse_unit(std::shared_ptr<const Source> source, ValueTable* values = nullptr);

// The same, with the first error as the answer.
Result<Unit> parse_program(std::string text, std::string name = "<input>",
                           ValueTable* values = nullptr);

// One atom, perhaps with an interval: `p(X, _, 1)`, `?p(X)`, `?- p(X).`, or a bare predicate name
// (no arguments are then in `atom`, and bare is true).
struct ParsedQuery {
  ast::Atom atom;
  std::optional<ast::Interval> when;
  bool bare = false;
};
Result<ParsedQuery> parse_query(std::string_view text);

// One constant term with nothing around it: `/a`, `-3`, `[1, 2]`.
Result<ast::Term> parse_term(std::string_view text);

}  // namespace anima::datalog
