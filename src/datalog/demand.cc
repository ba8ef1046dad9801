#include "datalog/demand.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>

#include "datalog/analysis/context.h"

namespace anima::datalog {

namespace {

constexpr std::size_t kMaxVersions = 4096;  // predicates in ways of being bound

// Which argument places are given.
using Binding = std::vector<bool>;
using Version = std::pair<PredicateId, Binding>;

bool binds_any(const Binding& binding) {
  return std::find(binding.begin(), binding.end(), true) != binding.end();
}

void each_variable(const Term& term, const std::function<void(Variable)>& visit) {
  if (term.kind == Term::Kind::kVariable) visit(term.value);
  for (const Term& argument : term.arguments) each_variable(argument, visit);
}

// Every variable that a literal names, outputs included.
std::set<Variable> variables_of(const Literal& literal) {
  std::set<Variable> out;
  for (const Argument& argument : literal.arguments) {
    if (!argument.constant) out.insert(argument.value);
  }
  if (literal.kind == LiteralKind::kAssign) out.insert(literal.variable);
  const auto add = [&](Variable v) { out.insert(v); };
  if (literal.kind == LiteralKind::kAssign || literal.kind == LiteralKind::kCompare) {
    each_variable(literal.left, add);
  }
  if (literal.kind == LiteralKind::kCompare) each_variable(literal.right, add);
  return out;
}

bool gives(const Argument& argument, const std::set<Variable>& bound) {
  return argument.constant || bound.contains(argument.value);
}

class Rewriter {
 public:
  Rewriter(const Program& program, const std::vector<Query>& queries)
      : program_(program), queries_(queries), rules_(program.predicates.size()) {
    for (const Rule& rule : program.rules) rules_[rule.head].push_back(&rule);
  }

  std::optional<Demand> run() {
    for (const Query& query : queries_) {
      const Predicate& asked = program_.predicates[query.predicate];
      if (asked.deferred || asked.external || !asked.reflects.empty()) return std::nullopt;
    }
    mark_full();
    if (!follow_demand() || !is_safe()) return std::nullopt;
    return rewrite();
  }

 private:
  struct Body {
    std::vector<Literal> literals;
    std::vector<Argument> magic;  // arguments of the guard
    std::vector<VariableInfo> variables;
  };
  struct Made {
    PredicateId rows = kNone;
    PredicateId magic = kNone;
  };

  bool derived(PredicateId id) const { return !rules_[id].empty(); }
  // Can it be derived in part?
  bool divisible(PredicateId id) const {
    const Predicate& p = program_.predicates[id];
    return derived(id) && !full_.contains(id) && !p.lattice && !p.external && !p.deferred &&
           std::none_of(rules_[id].begin(), rules_[id].end(),
                        [](const Rule* rule) { return rule->grouping.has_value(); });
  }

  void need_in_full(PredicateId id) {
    std::deque<PredicateId> open{id};
    while (!open.empty()) {
      const PredicateId at = open.front();
      open.pop_front();
      if (!derived(at) || !full_.insert(at).second) continue;
      for (const Rule* rule : rules_[at]) {
        for (const Literal& literal : rule->body) {
          if (literal.predicate != kNone) open.push_back(literal.predicate);
        }
      }
      if (!program_.predicates[at].lattice) continue;
      for (const Lattice::Merge& merge : program_.predicates[at].lattice->merges) {
        const auto found = program_.deferred_rules.find(merge.function);
        if (found == program_.deferred_rules.end()) continue;
        for (const Rule& rule : found->second) {
          for (const Literal& literal : rule.body) {
            if (literal.predicate != kNone) open.push_back(literal.predicate);
          }
        }
      }
    }
  }

  void mark_full() {
    for (const Constraint& constraint : program_.constraints) need_in_full(constraint.violations);
    for (const Query& query : queries_) {
      if (!divisible(query.predicate) || !binds_any(binding_of(query))) {
        need_in_full(query.predicate);
      }
    }
  }

  static Binding binding_of(const Query& query) {
    Binding out;
    for (const Argument& argument : query.arguments) out.push_back(argument.constant);
    return out;
  }

  // The ways in which predicates are asked for; what turns out to be needed in full leaves them.
  bool follow_demand() {
    std::size_t full_before = full_.size() + 1;
    while (full_before != full_.size()) {
      full_before = full_.size();
      versions_.clear();
      std::deque<Version> open;
      const auto ask = [&](PredicateId id, Binding binding) {
        if (!derived(id) || full_.contains(id)) return;
        if (!divisible(id) || !binds_any(binding)) return need_in_full(id);
        Version version{id, std::move(binding)};
        if (versions_.insert(version).second) open.push_back(std::move(version));
      };
      for (const Query& query : queries_) ask(query.predicate, binding_of(query));
      while (!open.empty()) {
        if (versions_.size() > kMaxVersions) return false;
        const Version at = open.front();
        open.pop_front();
        for (const Rule* rule : rules_[at.first]) {
          const Body body = body_of(*rule, at.second);
          std::set<Variable> bound = guarded(body);
          for (const Literal& literal : body.literals) {
            if (literal.kind == LiteralKind::kAtom) {
              ask(literal.predicate, binding_of(literal, bound));
            } else if (literal.predicate != kNone) {
              need_in_full(literal.predicate);
            }
            bound.merge(variables_of(literal));
          }
        }
      }
    }
    return true;
  }

  static Binding binding_of(const Literal& literal, const std::set<Variable>& bound) {
    Binding out;
    for (const Argument& argument : literal.arguments) out.push_back(gives(argument, bound));
    return out;
  }
  static std::set<Variable> guarded(const Body& body) {
    std::set<Variable> out;
    for (const Argument& argument : body.magic) {
      if (!argument.constant) out.insert(argument.value);
    }
    return out;
  }

  // The rule's guard and its literals in the order in which they pass on what they know. A head
  // variable that something other than an atom binds cannot be given from outside: the guard has a
  // variable of its own there, and the rule derives more than was asked for.
  Body body_of(const Rule& rule, const Binding& binding) const {
    Body out;
    out.variables = rule.variables;
    std::set<Variable> made;
    for (const Literal& literal : rule.body) {
      if (literal.kind == LiteralKind::kAssign) made.insert(literal.variable);
      made.insert(literal.outputs.begin(), literal.outputs.end());
      if (literal.kind == LiteralKind::kCall) made.merge(variables_of(literal));
    }
    for (std::size_t c = 0; c < binding.size(); ++c) {
      if (!binding[c]) continue;
      const Argument& argument = rule.head_arguments[c];
      if (argument.constant || !made.contains(argument.value)) {
        out.magic.push_back(argument);
      } else {
        out.magic.push_back(Argument::variable(static_cast<Variable>(out.variables.size())));
        out.variables.push_back({"_", false});
      }
    }
    out.literals = ordered(rule, guarded(out));
    return out;
  }

  // Atoms that are connected to what is bound come first, when nothing in the body may fail and
  // only atoms bind; otherwise the order stays.
  static std::vector<Literal> ordered(const Rule& rule, std::set<Variable> bound) {
    const bool free = std::all_of(rule.body.begin(), rule.body.end(), [](const Literal& literal) {
      return !literal.may_fail &&
             (literal.kind == LiteralKind::kAtom || literal.kind == LiteralKind::kNegated ||
              literal.kind == LiteralKind::kCompare);
    });
    if (!free) return rule.body;
    std::set<Variable> by_atoms;
    std::vector<const Literal*> atoms;
    std::vector<const Literal*> checks;
    for (const Literal& literal : rule.body) {
      const bool atom = literal.kind == LiteralKind::kAtom;
      (atom ? atoms : checks).push_back(&literal);
      if (atom) by_atoms.merge(variables_of(literal));
    }
    std::vector<Literal> out;
    const auto take_checks = [&] {
      std::erase_if(checks, [&](const Literal* check) {
        for (const Variable v : variables_of(*check)) {
          if (!bound.contains(v) && by_atoms.contains(v)) return false;
        }
        out.push_back(*check);
        return true;
      });
    };
    take_checks();
    while (!atoms.empty()) {
      const auto connected = [&](const Literal* atom) {
        return std::any_of(atom->arguments.begin(), atom->arguments.end(),
                           [&](const Argument& argument) { return gives(argument, bound); });
      };
      auto next = std::find_if(atoms.begin(), atoms.end(), connected);
      if (next == atoms.end()) next = atoms.begin();
      out.push_back(**next);
      bound.merge(variables_of(**next));
      atoms.erase(next);
      take_checks();
    }
    return out;
  }

  // Errors and type checks of rules that would no longer see every row.
  bool is_safe() const {
    bool saves = false;
    for (const Rule& rule : program_.rules) {
      if (full_.contains(rule.head)) continue;
      saves = true;
      if (rule.check_bounds) return false;
      for (const Literal& literal : rule.body) {
        if (literal.may_fail || literal.kind == LiteralKind::kCall) return false;
      }
      if (rule.grouping) return false;
    }
    return saves;
  }

  Demand rewrite() {
    Demand out;
    out.program = program_;
    Program& program = out.program;
    program.rules.clear();
    std::map<Version, Made> made;
    for (const Version& version : versions_) made[version] = make_predicates(program, version);
    const auto add_rule = [&](Rule rule) {
      rule.id = static_cast<RuleId>(program.rules.size());
      program.rules.push_back(std::move(rule));
    };
    for (const Rule& rule : program_.rules) {
      if (full_.contains(rule.head)) add_rule(rule);
    }
    for (const auto& [version, ids] : made) {
      add_given(program_.predicates[version.first], version, ids, add_rule);
      for (const Rule* rule : rules_[version.first]) {
        add_versions(*rule, version, ids, made, add_rule);
      }
    }
    for (const Query& query : queries_) {
      out.queries.push_back(query);
      const auto found = made.find({query.predicate, binding_of(query)});
      if (found == made.end()) continue;
      out.queries.back().predicate = found->second.rows;
      const PredicateId magic = found->second.magic;
      auto seed = std::find_if(program.facts.begin(), program.facts.end(),
                               [&](const Facts& facts) { return facts.predicate == magic; });
      if (seed == program.facts.end()) {
        program.facts.push_back({magic, 0, {}});
        seed = std::prev(program.facts.end());
      }
      ++seed->rows;
      for (const Argument& argument : query.arguments) {
        if (argument.constant) seed->codes.push_back(argument.value);
      }
    }
    detail::stratify_again(program);
    return out;
  }

  Made make_predicates(Program& program, const Version& version) const {
    Made made;
    Predicate rows;
    const Predicate& original = program_.predicates[version.first];
    rows.name = original.name;
    rows.arity = original.arity;
    rows.columns = original.columns;
    rows.temporal = original.temporal;
    rows.internal = true;
    rows.argument_names = original.argument_names;
    made.rows = static_cast<PredicateId>(program.predicates.size());
    program.predicates.push_back(std::move(rows));
    Predicate magic;
    magic.name = original.name + "#asked";
    magic.arity = magic.columns =
        static_cast<std::uint32_t>(std::count(version.second.begin(), version.second.end(), true));
    magic.internal = true;
    made.magic = static_cast<PredicateId>(program.predicates.size());
    program.predicates.push_back(std::move(magic));
    return made;
  }

  static Literal atom(PredicateId predicate, std::vector<Argument> arguments) {
    Literal out;
    out.kind = LiteralKind::kAtom;
    out.predicate = predicate;
    out.arguments = std::move(arguments);
    return out;
  }

  // Facts that are given for the predicate itself; under its old id nothing derives them now.
  template <typename AddRule>
  void add_given(const Predicate& predicate, const Version& version, const Made& ids,
                 const AddRule& add_rule) const {
    Rule rule;
    rule.head = ids.rows;
    rule.internal = true;
    std::vector<Argument> asked;
    for (std::uint32_t c = 0; c < predicate.columns; ++c) {
      rule.head_arguments.push_back(Argument::variable(c));
      rule.variables.push_back({"_", false});
      if (version.second[c]) asked.push_back(Argument::variable(c));
    }
    rule.body = {atom(ids.magic, std::move(asked)), atom(version.first, rule.head_arguments)};
    rule.text = predicate.name;
    add_rule(std::move(rule));
  }

  template <typename AddRule>
  void add_versions(const Rule& original, const Version& version, const Made& ids,
                    const std::map<Version, Made>& made, const AddRule& add_rule) const {
    Body body = body_of(original, version.second);
    Rule rule = original;
    rule.head = ids.rows;
    rule.variables = body.variables;
    rule.body = {atom(ids.magic, body.magic)};
    std::set<Variable> bound = guarded(body);
    for (Literal& literal : body.literals) {
      std::set<Variable> names = variables_of(literal);
      if (literal.kind == LiteralKind::kAtom) {
        const auto found = made.find({literal.predicate, binding_of(literal, bound)});
        if (found != made.end()) {
          Rule asks;
          asks.head = found->second.magic;
          for (const Argument& argument : literal.arguments) {
            if (gives(argument, bound)) asks.head_arguments.push_back(argument);
          }
          asks.body = rule.body;
          asks.variables = rule.variables;
          asks.internal = true;
          asks.where = original.where;
          asks.text = original.text;
          literal.predicate = found->second.rows;
          const bool says_nothing = asks.body.size() == 1 &&
                                    asks.body.front().predicate == asks.head &&
                                    asks.body.front().arguments == asks.head_arguments;
          if (!says_nothing) add_rule(std::move(asks));
        }
      }
      bound.merge(names);
      rule.body.push_back(std::move(literal));
    }
    add_rule(std::move(rule));
  }

  const Program& program_;
  const std::vector<Query>& queries_;
  std::vector<std::vector<const Rule*>> rules_;  // by head
  std::set<PredicateId> full_;                   // derived ones that are needed whole
  std::set<Version> versions_;
};

}  // namespace

std::optional<Demand> for_queries(const Program& program, const std::vector<Query>& queries) {
  return Rewriter(program, queries).run();
}

}  // namespace anima::datalog
