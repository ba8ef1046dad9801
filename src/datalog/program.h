// The analysed program: what the engine evaluates.
//
// Everything that can be checked before evaluation has been checked, and every piece of sugar is
// gone:
//  * predicates, variables and strata are dense numbers;
//  * arguments of atoms and heads are variables or constants; applications of functions inside them
//  have become
//    assignments to fresh variables placed before their use;
//  * `body` is in an order in which it can be evaluated from left to right: whatever a literal
//  needs is bound to
//    its left. Positive atoms may be moved by the engine; assignments, comparisons, builtins and
//    negations may move too, but never before what they read, and a literal that can fail with an
//    error (may_fail) never before a literal that stood to its left, since that one may be what
//    keeps the error away;
//  * temporal predicates have two more columns, start and end (times; kMinTime and kMaxTime where
//  open), and
//    temporal literals have become plain literals over them;
//  * calls of deferred predicates have been unfolded into their callers; deferred rules stay
//  available for merge
//    functions and for queries;
//  * an `inclusion` is a violation predicate (Constraint) that must be empty after every
//  evaluation.
//
// Ownership: plain data; codes belong to the ValueTable given to the analysis. Thread-safety:
// immutable after analysis.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "datalog/ast.h"
#include "datalog/value.h"

namespace anima::datalog {

using PredicateId = std::uint32_t;
using RuleId = std::uint32_t;
using StratumId = std::uint32_t;
using Variable = std::uint32_t;

inline constexpr std::uint32_t kNone = 0xFFFFFFFFU;
inline constexpr std::int64_t kMinTime =
    std::numeric_limits<std::int64_t>::min();  // `_` as a start
inline constexpr std::int64_t kMaxTime = std::numeric_limits<std::int64_t>::max();  // `_` as an end

enum class Function : std::uint16_t;  // functions.h
enum class Builtin : std::uint8_t;    // functions.h
enum class Reducer : std::uint8_t;    // functions.h
struct Type;                          // types.h (private to the analysis)

// A variable of the rule, or a constant.
struct Argument {
  bool constant = false;
  std::uint32_t value = 0;  // Variable or Code

  static Argument variable(Variable v) { return {false, v}; }
  static Argument code(Code c) { return {true, c}; }
  bool operator==(const Argument&) const = default;
};

// What an assignment or comparison computes.
struct Term {
  enum class Kind : std::uint8_t { kVariable, kConstant, kApply };
  Kind kind = Kind::kConstant;
  std::uint32_t value = 0;  // Variable or Code
  Function function{};      // kApply
  std::vector<Term> arguments;
};

enum class LiteralKind : std::uint8_t {
  kAtom,     // predicate(arguments): unbound variables become bound
  kNegated,  // no row matches; named variables are bound, the others (wildcards) stand for anything
  kAssign,   // variable = left; the variable is not bound before
  kCompare,  // left comparison right; all variables bound
  kBuiltin,  // builtin(arguments); `outputs` are the variables it binds (distinct), everything else
             // is bound
  kCall,     // external predicate: `inputs` are the argument places that are bound, the others are
             // bound by the call
};

struct Literal {
  LiteralKind kind = LiteralKind::kAtom;
  PredicateId predicate = kNone;      // kAtom, kNegated, kCall
  std::vector<Argument> arguments;    // kAtom, kNegated, kBuiltin, kCall
  std::vector<Variable> outputs;      // kBuiltin
  std::vector<std::uint32_t> inputs;  // kCall: argument places
  Builtin builtin{};
  bool negated = false;  // kBuiltin, kCall: holds when there is no solution; nothing is bound
  ast::Comparison comparison = ast::Comparison::kEqual;
  Variable variable = kNone;  // kAssign
  Term left, right;           // kAssign (left), kCompare
  bool may_fail = false;      // evaluation may end with an error value
  std::string where;          // file:line:column
  std::string text;           // as written
};

struct Reduction {
  Variable result = kNone;
  Reducer reducer{};
  std::vector<Variable> arguments;  // variables of the body
};

struct Assignment {
  Variable variable = kNone;
  Term value;
  std::string where;
};

// The do-transform. One group for each distinct binding of `keys`; its rows are the distinct
// bindings of `row_variables`. Mangle's rule of what a row is has been applied: with one atom as
// the body each fact is a row (row_variables holds every variable of the atom, wildcards too, and
// rows_are_facts says that no two matches agree on them); otherwise a row is a distinct binding of
// the named variables.
struct Grouping {
  std::vector<Variable> keys;
  std::vector<Variable> row_variables;
  bool rows_are_facts = false;
  std::vector<Reduction> reductions;
  std::vector<Assignment> after;  // computed once a group from keys, reductions and earlier ones
};

struct VariableInfo {
  std::string name;  // as written; "_" and helpers are not named
  bool named = false;
};

struct Rule {
  RuleId id = kNone;
  PredicateId head = kNone;
  std::vector<Argument> head_arguments;
  std::vector<Literal> body;
  std::optional<Grouping> grouping;
  std::vector<VariableInfo> variables;
  std::vector<Variable>
      inputs;  // deferred rules: bound by the caller, in the order of the '+' places
  bool check_bounds =
      false;  // the head's types are not proven: each new row goes through check_row() (analyze.h)
  bool internal = false;  // made by the analysis (temporal operators, inclusion)
  std::string where;      // file:line:column of the clause
  std::string text;       // the clause as written, white space folded
};

enum class Mode : std::uint8_t { kInput, kOutput, kEither };

// fundep + merge: one row a key; when a second row arrives, the merged columns are replaced by what
// the merge predicate (deferred, rules in Program::deferred_rules) answers for (old.., new..,
// result..).
struct Lattice {
  struct Merge {
    std::vector<std::uint32_t> columns;
    PredicateId function = kNone;
  };
  std::vector<std::uint32_t> keys;  // columns
  std::vector<Merge> merges;
};

// fundep without merge: rows that agree on the keys agree on the values. Columns.
struct Dependency {
  std::vector<std::uint32_t> keys;
  std::vector<std::uint32_t> values;
};

struct Predicate {
  std::string name;           // with its package: "net.host"
  std::uint32_t arity = 0;    // as written
  std::uint32_t columns = 0;  // stored: arity, or arity + 2 when temporal
  bool declared = false;
  bool extensional = false;  // descr [extensional()]
  bool external = false;     // answered by a call-back
  bool deferred = false;     // evaluated when called, never stored
  bool temporal = false;
  bool is_private = false;
  bool internal = false;  // made by the analysis; not shown to users
  bool derived = false;   // some rule has it as its head
  std::vector<std::vector<Mode>> modes;
  std::vector<std::vector<std::shared_ptr<const Type>>>
      bounds;  // alternatives; empty: /any everywhere
  std::optional<Lattice> lattice;
  std::vector<Dependency> dependencies;
  std::vector<std::string> argument_names;
  std::string reflects;  // a name: p(X) holds for the names under it; not stored
  std::string documentation;
  StratumId stratum = kNone;  // kNone: no rule defines it
  std::string where;          // of the declaration, or of the first clause
  std::string package;        // empty: none
};

// The rows of `violations` (columns as `subject`) are rows of `subject` without what `text` asks
// for.
struct Constraint {
  PredicateId violations = kNone;
  PredicateId subject = kNone;
  std::string text;  // "inclusion [q(X)]", "fundep([X], [Y])"
  std::string where;
  std::string hint;
};

// One strongly connected component of the predicates that rules define.
struct Stratum {
  std::vector<PredicateId> predicates;
  std::vector<RuleId> rules;
  bool recursive = false;
  std::vector<StratumId> depends_on;  // strata that its rules read, ascending, itself not included
  std::vector<PredicateId> reads;     // predicates outside it that its rules read, ascending
  std::vector<PredicateId>
      reads_negated;  // those read under negation or by a do-transform, ascending
};

struct Facts {
  PredicateId predicate = kNone;
  std::uint64_t rows = 0;
  std::vector<Code> codes;  // rows * columns
};

struct Warning {
  std::string where;
  std::string message;
};

struct Program {
  std::vector<Predicate> predicates;
  std::vector<Rule> rules;      // by RuleId; deferred rules are not among them
  std::vector<Stratum> strata;  // in the order of evaluation
  std::vector<Facts> facts;     // given in the source
  std::vector<Constraint> constraints;
  std::unordered_map<PredicateId, std::vector<Rule>> deferred_rules;
  std::unordered_map<std::string, PredicateId> by_name;
  std::vector<Warning> warnings;

  PredicateId find(std::string_view name) const {
    const auto it = by_name.find(std::string(name));
    return it == by_name.end() ? kNone : it->second;
  }
};

// One atom to be matched: a variable that occurs twice must have one value; places of `_` have
// distinct variables.
struct Query {
  PredicateId predicate = kNone;
  std::vector<Argument> arguments;     // one a column
  std::vector<std::string> variables;  // by Variable; "_" when not named
  std::string text;
};

// A fact as codes, one a column.
struct GroundFact {
  PredicateId predicate = kNone;
  std::vector<Code> codes;
};

}  // namespace anima::datalog
