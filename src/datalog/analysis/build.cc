// Clauses into the program: ground facts as rows, everything else as rules; inclusions and
// functional dependencies as violation rules.
#include <algorithm>
#include <optional>

#include "datalog/analysis/bounds.h"
#include "datalog/analysis/constants.h"
#include "datalog/analysis/rule_builder.h"

namespace anima::datalog::detail {
namespace {

Context::Place place_of(const WorkClause& work) {
  const ast::Clause& clause = work.clause;
  return {work.unit, clause.at, clause.end, clause.at, clause.end};
}

Facts& facts_of(Context& context, PredicateId id) {
  const auto [place, added] = context.fact_places.try_emplace(id, context.program.facts.size());
  if (added) context.program.facts.push_back({id, 0, {}});
  return context.program.facts[place->second];
}

bool constant_moment(const ast::Bound& bound, bool start, ValueTable& values, Code& code) {
  if (bound.kind == ast::BoundKind::kTime) {
    code = values.time(bound.nanoseconds);
  } else if (bound.kind == ast::BoundKind::kOpen) {
    code = values.time(start ? kMinTime : kMaxTime);
  } else {
    return false;
  }
  return true;
}

// The engine goes down a body by recursion, and keeps bindings for each literal of it.
constexpr std::size_t kMaxBody = 2000;

bool is_short_enough(Context& context, const WorkClause& work, const Rule& rule) {
  if (rule.body.size() <= kMaxBody) return true;
  context.report(Problem::kLimit, place_of(work),
                 "the body comes to " + std::to_string(rule.body.size()) + " literals, more than " +
                     std::to_string(kMaxBody),
                 "divide it among several rules");
  return false;
}

// The row of a fact without variables and without fn:time:now.
bool ground_row(Context& context, const WorkClause& work, const Predicate& predicate,
                std::vector<Code>& row) {
  const ast::Clause& clause = work.clause;
  if (!clause.is_fact() || clause.head.arguments.size() != predicate.arity) return false;
  for (const ast::Term& term : clause.head.arguments) {
    Code code = 0;
    if (!constant_code(term, context.values, code)) return false;
    row.push_back(code);
  }
  if (!predicate.temporal) return !clause.when;
  if (!clause.when) return false;
  const ast::Bound& from = clause.when->start;
  const ast::Bound& to = clause.when->end ? *clause.when->end : from;
  Code start = 0;
  Code end = 0;
  if (!constant_moment(from, true, context.values, start) ||
      !constant_moment(to, false, context.values, end)) {
    return false;
  }
  if (from.kind == ast::BoundKind::kTime && to.kind == ast::BoundKind::kTime &&
      from.nanoseconds > to.nanoseconds) {
    return false;  // the rule builder reports it
  }
  row.push_back(start);
  row.push_back(end);
  return true;
}

}  // namespace

void build_clause(Context& context, const WorkClause& work) {
  const PredicateId id = context.program.find(work.clause.head.predicate);
  if (id == kNone) return;
  const Predicate& predicate = context.predicate(id);
  if (predicate.external || !predicate.reflects.empty()) {
    context.report(Problem::kDeclaration, place_of(work),
                   predicate.name + (predicate.external ? " is external" : " reflects a prefix") +
                       " and cannot have clauses");
    return;
  }
  std::vector<Code> row;
  if (ground_row(context, work, predicate, row)) {
    if (!row_fits(predicate, row, context.values, true)) {
      context.report(Problem::kType, place_of(work), misfit(predicate, row, context.values, true),
                     predicate.where.empty() ? "" : "see " + predicate.where);
      return;
    }
    Facts& facts = facts_of(context, id);
    facts.codes.insert(facts.codes.end(), row.begin(), row.end());
    ++facts.rows;
    return;
  }
  RuleBuilder builder(context, work);
  std::optional<Rule> rule = builder.build();
  if (!rule || !is_short_enough(context, work, *rule)) return;
  rule->id = static_cast<RuleId>(context.program.rules.size());
  context.origins.push_back(builder.origin());
  context.program.rules.push_back(std::move(*rule));
}

void build_deferred(Context& context, const WorkClause& work) {
  RuleBuilder builder(context, work);
  std::optional<Rule> rule = builder.build();
  if (!rule || !is_short_enough(context, work, *rule)) return;
  rule->id = static_cast<RuleId>(context.deferred_origins.size());
  context.deferred_origins.push_back(builder.origin());
  context.program.deferred_rules[rule->head].push_back(std::move(*rule));
}

// Decl p(X, Y) inclusion [q(X)].  becomes  p#inclusion(X, Y) :- p(X, Y), !q(X).
void build_inclusions(Context& context) {
  for (std::uint32_t unit = 0; unit < context.units.size(); ++unit) {
    for (const ast::Declaration& declaration : context.units[unit].declarations) {
      const PredicateId subject = context.program.find(declaration.atom.predicate);
      if (subject == kNone || declaration.inclusion.empty()) continue;
      for (const ast::Atom& needed : declaration.inclusion) {
        if (needed.predicate.empty()) continue;
        const std::uint32_t columns = context.predicate(subject).columns;
        const bool temporal = context.predicate(subject).temporal;
        const std::string name = declaration.atom.predicate + "#inclusion" +
                                 std::to_string(context.program.constraints.size());
        const PredicateId violations = context.add_internal(name, columns);

        WorkClause work;
        work.unit = unit;
        work.internal = true;
        work.clause.at = declaration.at;
        work.clause.end = declaration.end;
        work.clause.head = {declaration.at, name, declaration.atom.arguments};
        ast::Literal row;
        row.at = declaration.at;
        row.end = declaration.end;
        row.atom = {declaration.at, declaration.atom.predicate, declaration.atom.arguments};
        std::uint32_t hidden = 0;
        for (ast::Term& argument : row.atom.arguments) {
          if (argument.text == "_") argument.text = "A#" + std::to_string(hidden++);
        }
        work.clause.head.arguments = row.atom.arguments;
        if (temporal) {
          row.when.emplace();
          row.when->start.kind = ast::BoundKind::kVariable;
          row.when->start.variable = "S#";
          row.when->end = row.when->start;
          row.when->end->variable = "E#";
          for (const char* column : {"S#", "E#"}) {
            ast::Term term;
            term.text = column;
            work.clause.head.arguments.push_back(std::move(term));
          }
        }
        ast::Literal absent;
        absent.kind = ast::LiteralKind::kNegated;
        absent.at = needed.at;
        absent.end = needed.at + static_cast<Offset>(needed.predicate.size());
        absent.atom = needed;
        const PredicateId other = context.program.find(needed.predicate);
        if (other != kNone && context.predicate(other).temporal) {
          absent.when.emplace();
          absent.when->end.emplace();
        }
        work.clause.body = {std::move(row), std::move(absent)};
        context.program.constraints.push_back({violations, subject,
                                               "inclusion [" + needed.predicate + "(..)]",
                                               context.lines[unit].where(needed.at),
                                               "add the fact that is missing or remove this one"});
        build_clause(context, work);
      }
    }
  }
}

namespace {

ast::Term variable_term(std::string name) {
  ast::Term term;
  term.text = std::move(name);
  return term;
}

std::string names_of(const Predicate& predicate, const std::vector<std::uint32_t>& columns) {
  std::string out;
  for (const std::uint32_t c : columns) {
    out += (out.empty() ? "" : ", ") + predicate.argument_names[c];
  }
  return "[" + out + "]";
}

void build_dependency(Context& context, std::uint32_t unit, const ast::Declaration& declaration,
                      PredicateId subject, const Dependency& dependency) {
  const Predicate& predicate = context.predicate(subject);
  if (predicate.deferred || predicate.external || predicate.temporal) return;
  const std::uint32_t columns = predicate.columns;
  const std::string name =
      predicate.name + "#fundep" + std::to_string(context.program.constraints.size());
  context.program.constraints.push_back({kNone, subject,
                                         "fundep(" + names_of(predicate, dependency.keys) + ", " +
                                             names_of(predicate, dependency.values) + ")",
                                         context.lines[unit].where(declaration.at),
                                         "keep one of the facts that share these keys"});
  const PredicateId violations = context.add_internal(name, columns);
  context.program.constraints.back().violations = violations;
  for (const std::uint32_t value : dependency.values) {
    WorkClause work;
    work.unit = unit;
    work.internal = true;
    work.clause.at = declaration.at;
    work.clause.end = declaration.end;
    ast::Literal row;
    row.at = declaration.at;
    row.end = declaration.end;
    row.atom.at = declaration.at;
    row.atom.predicate = declaration.atom.predicate;
    ast::Literal other = row;
    for (std::uint32_t c = 0; c < columns; ++c) {
      const bool key = std::ranges::find(dependency.keys, c) != dependency.keys.end();
      row.atom.arguments.push_back(variable_term("A#" + std::to_string(c)));
      other.atom.arguments.push_back(variable_term(key          ? "A#" + std::to_string(c)
                                                   : c == value ? "B#"
                                                                : "_"));
    }
    ast::Literal differs;
    differs.kind = ast::LiteralKind::kComparison;
    differs.at = declaration.at;
    differs.end = declaration.end;
    differs.comparison = ast::Comparison::kNotEqual;
    differs.left = row.atom.arguments[value];
    differs.right = variable_term("B#");
    work.clause.head = {declaration.at, name, row.atom.arguments};
    work.clause.body = {std::move(row), std::move(other), std::move(differs)};
    build_clause(context, work);
  }
}

}  // namespace

// Decl p(K, V) descr [fundep([K], [V])].  becomes  p#fundep(K, V) :- p(K, V), p(K, W), V != W.
void build_dependencies(Context& context) {
  for (std::uint32_t unit = 0; unit < context.units.size(); ++unit) {
    for (const ast::Declaration& declaration : context.units[unit].declarations) {
      const PredicateId subject = context.program.find(declaration.atom.predicate);
      if (subject == kNone) continue;
      const std::vector<Dependency> all = context.predicate(subject).dependencies;
      for (const Dependency& dependency : all) {
        build_dependency(context, unit, declaration, subject, dependency);
      }
    }
  }
}

namespace {

// The rows of a block as facts of the syntax tree.
void as_clauses(const Context& context, std::uint32_t unit, const FactBlock& block,
                std::vector<WorkClause>& clauses) {
  for (std::uint64_t row = 0; row < block.rows; ++row) {
    WorkClause work;
    work.unit = unit;
    work.clause.at = block.at;
    work.clause.end = block.at + static_cast<Offset>(block.predicate.size());
    work.clause.head.at = block.at;
    work.clause.head.predicate = block.predicate;
    for (std::uint32_t i = 0; i < block.arity; ++i) {
      Result<ast::Term> term = parse_term(context.values.text(block.codes[row * block.arity + i]));
      if (!term) return;
      work.clause.head.arguments.push_back(std::move(*term));
    }
    clauses.push_back(std::move(work));
  }
}

}  // namespace

void take_facts(Context& context, std::vector<WorkClause>& clauses) {
  for (std::uint32_t unit = 0; unit < context.units.size(); ++unit) {
    for (FactBlock& block : context.units[unit].facts) {
      const PredicateId id = context.program.find(block.predicate);
      if (id == kNone || context.predicate(id).arity != block.arity) continue;
      const Predicate& predicate = context.predicate(id);
      const Context::Place place{unit, block.at, block.at + 1, block.at, block.at};
      if (predicate.temporal) {
        context.report(
            Problem::kTemporal, place, predicate.name + " is temporal, its facts need an interval",
            "write " + predicate.name + "(..)@[2024-01-01, 2024-02-01], or @[_, _] for always");
        continue;
      }
      if (predicate.deferred) {
        as_clauses(context, unit, block, clauses);
        continue;
      }
      if (predicate.external || !predicate.reflects.empty()) {
        context.report(Problem::kDeclaration, place,
                       predicate.name + " cannot have facts: it is " +
                           (predicate.external ? "external" : "a prefix test"));
        continue;
      }
      Facts& facts = facts_of(context, id);
      if (facts.rows == 0) {
        facts.codes = std::move(block.codes);
      } else {
        facts.codes.insert(facts.codes.end(), block.codes.begin(), block.codes.end());
      }
      facts.rows += block.rows;
    }
    context.units[unit].facts.clear();
  }
}

}  // namespace anima::datalog::detail
