#include "govern/detail/policy_scope.h"

#include <algorithm>

#include "datalog/functions.h"

namespace anima::govern::detail {
namespace {

using datalog::Argument;
using datalog::Literal;
using datalog::LiteralKind;
using datalog::Rule;
using datalog::Term;

bool is_atom(const Literal& literal) {
  return literal.kind == LiteralKind::kAtom || literal.kind == LiteralKind::kNegated ||
         literal.kind == LiteralKind::kCall;
}

// How often each variable of a rule stands in it.
class Occurrences {
 public:
  explicit Occurrences(const Rule& rule) : counts_(rule.variables.size(), 0) {
    add(rule.head_arguments);
    for (const Literal& literal : rule.body) {
      add(literal.arguments);
      if (literal.kind == LiteralKind::kAssign) add(literal.variable);
      if (literal.kind == LiteralKind::kAssign || literal.kind == LiteralKind::kCompare)
        add(literal.left);
      if (literal.kind == LiteralKind::kCompare) add(literal.right);
    }
  }
  std::size_t of(datalog::Variable variable) const {
    return variable < counts_.size() ? counts_[variable] : 0;
  }
  bool reads_clock() const { return reads_clock_; }

 private:
  void add(datalog::Variable variable) {
    if (variable >= counts_.size()) counts_.resize(variable + 1, 0);
    ++counts_[variable];
  }
  void add(const std::vector<Argument>& arguments) {
    for (const Argument& argument : arguments) {
      if (!argument.constant) add(argument.value);
    }
  }
  void add(const Term& term) {
    if (term.kind == Term::Kind::kVariable) add(term.value);
    if (term.kind != Term::Kind::kApply) return;
    reads_clock_ = reads_clock_ || term.function == datalog::Function::kNow;
    for (const Term& argument : term.arguments) add(argument);
  }

  std::vector<std::size_t> counts_;
  bool reads_clock_ = false;
};

using Marks = std::vector<bool>;  // by PredicateId

// The predicates that rest on the trace.
Marks keyed_predicates(const datalog::Program& program,
                       const std::vector<datalog::PredicateId>& trace,
                       const std::vector<datalog::PredicateId>& decisions) {
  Marks keyed(program.predicates.size(), false);
  for (const auto* given : {&trace, &decisions}) {
    for (const datalog::PredicateId predicate : *given) {
      if (predicate != datalog::kNone) keyed[predicate] = true;
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Rule& rule : program.rules) {
      if (keyed[rule.head]) continue;
      keyed[rule.head] = std::ranges::any_of(rule.body, [&](const Literal& literal) {
        return is_atom(literal) && keyed[literal.predicate];
      });
      changed = changed || keyed[rule.head];
    }
  }
  return keyed;
}

// Does a rule with such a head speak of one call only?
bool speaks_of_one_call(const Rule& rule, const Marks& keyed, const Occurrences& occurrences) {
  if (rule.grouping || !rule.inputs.empty() || rule.head_arguments.empty() ||
      rule.head_arguments[0].constant) {
    return false;
  }
  const Argument call = rule.head_arguments[0];
  std::size_t places = 1;
  bool bound = false;
  for (const Literal& literal : rule.body) {
    if (!is_atom(literal) || !keyed[literal.predicate]) continue;
    if (literal.kind == LiteralKind::kCall || literal.arguments.empty() ||
        literal.arguments[0] != call) {
      return false;
    }
    ++places;
    bound = bound || literal.kind == LiteralKind::kAtom;
  }
  return bound && occurrences.of(call.value) == places;
}

bool has_plain_predicates(const datalog::Program& program, const Marks& keyed) {
  if (!program.constraints.empty() || !program.deferred_rules.empty()) return false;
  for (std::size_t i = 0; i < program.predicates.size(); ++i) {
    const datalog::Predicate& predicate = program.predicates[i];
    if (predicate.temporal) return false;
    if (keyed[i] && (predicate.lattice || predicate.external || !predicate.dependencies.empty()))
      return false;
  }
  return std::ranges::none_of(program.facts,
                              [&](const datalog::Facts& facts) { return keyed[facts.predicate]; });
}

}  // namespace

bool PolicyScope::keeps_text(datalog::PredicateId predicate,
                             std::span<const datalog::Code> row) const {
  if (!one_call) return true;
  return std::ranges::any_of(readers, [&](const Reader& reader) {
    if (reader.predicate != predicate) return false;
    for (std::size_t i = 1; i < row.size(); ++i) {
      const Argument& argument = reader.arguments[i];
      if (i != kTextColumn && argument.constant && argument.value != row[i]) return false;
    }
    return true;
  });
}

PolicyScope scope_of(const datalog::Program& program,
                     const std::vector<datalog::PredicateId>& trace,
                     const std::vector<datalog::PredicateId>& decisions) {
  const Marks keyed = keyed_predicates(program, trace, decisions);
  if (!has_plain_predicates(program, keyed)) return {};
  PolicyScope scope;
  for (const Rule& rule : program.rules) {
    const Occurrences occurrences(rule);
    if (occurrences.reads_clock()) return {};
    if (!keyed[rule.head]) continue;
    if (!speaks_of_one_call(rule, keyed, occurrences)) return {};
    for (const Literal& literal : rule.body) {
      if (!is_atom(literal) || literal.arguments.size() <= kTextColumn) continue;
      if (std::ranges::find(trace, literal.predicate) == trace.end()) continue;
      const Argument& text = literal.arguments[kTextColumn];
      if (text.constant || occurrences.of(text.value) > 1)
        scope.readers.push_back({literal.predicate, literal.arguments});
    }
  }
  scope.one_call = true;
  return scope;
}

}  // namespace anima::govern::detail
