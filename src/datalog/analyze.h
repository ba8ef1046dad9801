// From syntax trees to a Program that can be evaluated (program.h): packages, declarations, arity,
// names, safety, stratification, types, and the removal of every sugar. Follows spec part 1, 1.4
// to 1.12.
//
// Errors: every Diagnostic names file, line, column, the clause and what to do. Analysis goes on
// after an error to find the others, but there is a program only when there is no error.
// Thread-safety: functions without shared state; the ValueTable is written to.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datalog/diagnostics.h"
#include "datalog/parser.h"
#include "datalog/program.h"

namespace anima::datalog {

// A predicate that has facts from elsewhere (a .facts file, the memory's store, assertions of the
// host). It needs no declaration, and nothing is inferred about its types from the facts in the
// source.
struct BasePredicate {
  std::string name;
  std::uint32_t arity = 0;
};

struct AnalysisOptions {
  std::vector<BasePredicate> base;
};

struct Analysis {
  std::optional<Program> program;
  std::vector<Diagnostic> diagnostics;
};

// Takes the units (their coded facts move into the program).
Analysis analyze(std::vector<Unit> units, ValueTable& values, const AnalysisOptions& options = {});

// The same, with the first error as the answer.
Result<Program> analyze_program(std::vector<Unit> units, ValueTable& values,
                                const AnalysisOptions& options = {});

// Parses and analyses one text.
Result<Program> compile(std::string text, ValueTable& values, std::string name = "<input>",
                        const AnalysisOptions& options = {});

// A query's atom against the program: unknown predicates and wrong arity are errors; functions of
// constants are computed, so `e([3], X)` matches the list.
Result<Query> compile_query(const Program& program, std::string_view text, ValueTable& values,
                            std::int64_t now = 0);

// A ground fact (`p(1, /a)`, with or without its dot; temporal ones with their interval), checked
// against the predicate's declaration.
Result<GroundFact> compile_fact(const Program& program, std::string_view text, ValueTable& values,
                                std::int64_t now = 0);

// A row in Mangle syntax: `p(1,/a)`, temporal ones with their interval. No space between arguments,
// as spec 1.3.
std::string print_fact(const Predicate& predicate, std::span<const Code> row,
                       const ValueTable& values);

// One literal with its variables bound as `bindings` says (kUnbound: not bound), for explanations:
// `q(1,X)`, `!r(2)`.
std::string print_literal(const Program& program, const Rule& rule, const Literal& literal,
                          std::span<const Code> bindings, const ValueTable& values);

// Is the row what the predicate's bounds allow? The error names the argument, its value and the
// bound.
Status check_row(const Program& program, PredicateId predicate, std::span<const Code> row,
                 const ValueTable& values);

}  // namespace anima::datalog
