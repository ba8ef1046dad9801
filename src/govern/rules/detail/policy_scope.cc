#include "govern/rules/detail/policy_scope.h"

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

bool reads_clock(const datalog::Program& program) {
  return std::ranges::any_of(program.rules,
                             [](const Rule& rule) { return Occurrences(rule).reads_clock(); });
}

// Sorts the rules over calls into those of one call and the others.
class Split {
 public:
  Split(const datalog::Program& program, const Marks& keyed,
        const std::vector<datalog::PredicateId>& trace,
        const std::vector<datalog::PredicateId>& decisions)
      : program_(program),
        keyed_(keyed),
        given_(marks(trace)),
        decides_(marks(decisions)),
        plain_(program.rules.size(), false),
        whole_(keyed) {
    find_plain_rules();
  }

  // By RuleId. A decision may have rules of both sorts, whatever else is derived may not.
  bool is_direct(const Rule& rule) const {
    return plain_[rule.id] && (decides_[rule.head] || whole_[rule.head]);
  }

  Marks traced() const {
    Marks traced(program_.rules.size(), false);
    Marks needed(program_.predicates.size(), false);
    const auto take = [&](const Rule& rule) {
      traced[rule.id] = true;
      for (const Literal& literal : rule.body) {
        if (is_atom(literal)) needed[literal.predicate] = true;
      }
    };
    for (const Rule& rule : program_.rules) {
      if (keyed_[rule.head] && !is_direct(rule)) take(rule);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const Rule& rule : program_.rules) {
        if (traced[rule.id] || !needed[rule.head]) continue;
        take(rule);
        changed = true;
      }
    }
    return traced;
  }

 private:
  Marks marks(const std::vector<datalog::PredicateId>& predicates) const {
    Marks out(program_.predicates.size(), false);
    for (const datalog::PredicateId predicate : predicates) {
      if (predicate != datalog::kNone) out[predicate] = true;
    }
    return out;
  }

  bool reads_whole(const Rule& rule) const {
    return std::ranges::all_of(rule.body, [&](const Literal& literal) {
      return !is_atom(literal) || !keyed_[literal.predicate] || given_[literal.predicate] ||
             whole_[literal.predicate];
    });
  }

  // `whole_`: predicates all of whose rules are plain, and read such predicates alone.
  void find_plain_rules() {
    for (const datalog::Stratum& stratum : program_.strata) {
      for (const datalog::RuleId id : stratum.rules) {
        const Rule& rule = program_.rules[id];
        plain_[id] = keyed_[rule.head] && !given_[rule.head] && !stratum.recursive &&
                     speaks_of_one_call(rule, keyed_, Occurrences(rule)) && calls_nothing(rule) &&
                     reads_whole(rule);
        if (!plain_[id]) whole_[rule.head] = false;
      }
    }
  }

  static bool calls_nothing(const Rule& rule) {
    return std::ranges::none_of(
        rule.body, [](const Literal& literal) { return literal.kind == LiteralKind::kCall; });
  }

  const datalog::Program& program_;
  const Marks& keyed_;
  Marks given_;
  Marks decides_;
  Marks plain_;  // by RuleId
  Marks whole_;  // by PredicateId
};

void find_readers(const datalog::Program& program, const std::vector<datalog::PredicateId>& trace,
                  PolicyScope& scope) {
  for (const Rule& rule : program.rules) {
    const Occurrences occurrences(rule);
    for (const Literal& literal : rule.body) {
      if (!is_atom(literal) || literal.arguments.size() <= kTextColumn) continue;
      if (std::ranges::find(trace, literal.predicate) == trace.end()) continue;
      const Argument& text = literal.arguments[kTextColumn];
      // A group tells rows apart by all of their columns.
      if (rule.grouping || text.constant || occurrences.of(text.value) > 1)
        scope.readers.push_back({literal.predicate, literal.arguments});
    }
  }
}

}  // namespace

bool PolicyScope::keeps_text(datalog::PredicateId predicate,
                             std::span<const datalog::Code> row) const {
  if (keeps_every_text) return true;
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
  PolicyScope scope;
  scope.keyed = keyed_predicates(program, trace, decisions);
  if (!has_plain_predicates(program, scope.keyed) || reads_clock(program)) {
    scope.keeps_every_text = true;
    scope.needs_trace = true;
    scope.traced.assign(program.rules.size(), true);
    return scope;
  }
  find_readers(program, trace, scope);
  const Split split(program, scope.keyed, trace, decisions);
  for (const datalog::Stratum& stratum : program.strata) {
    for (const datalog::RuleId id : stratum.rules) {
      if (split.is_direct(program.rules[id])) scope.direct.push_back(id);
    }
  }
  scope.traced = split.traced();
  scope.needs_trace = std::ranges::find(scope.traced, true) != scope.traced.end();
  return scope;
}

datalog::Program traced_program(datalog::Program program, const PolicyScope& scope) {
  const auto stays = [&](const Rule& rule) {
    return scope.traced[rule.id] || !scope.keyed[rule.head];
  };
  for (datalog::Stratum& stratum : program.strata) {
    std::erase_if(stratum.rules, [&](datalog::RuleId id) { return !stays(program.rules[id]); });
    std::erase_if(stratum.predicates, [&](datalog::PredicateId predicate) {
      return scope.keyed[predicate] && std::ranges::none_of(stratum.rules, [&](datalog::RuleId id) {
               return program.rules[id].head == predicate;
             });
    });
  }
  return program;
}

}  // namespace anima::govern::detail
