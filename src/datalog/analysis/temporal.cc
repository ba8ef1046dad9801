// Temporal literals become plain ones: a temporal predicate has two more columns, start and end,
// and what an annotation or operator asks of them is a comparison of times. `now` is fn:time:now(),
// fixed for an evaluation.
#include "datalog/analysis/rule_builder.h"

namespace anima::datalog::detail {
namespace {

using ast::BoundKind;

ast::Term variable_term(std::string name, Offset at) {
  ast::Term term;
  term.kind = ast::TermKind::kVariable;
  term.at = at;
  term.text = std::move(name);
  return term;
}

ast::Term number_term(std::int64_t number, Offset at) {
  ast::Term term;
  term.kind = ast::TermKind::kNumber;
  term.at = at;
  term.number = number;
  return term;
}

ast::Term apply_term(std::string function, std::vector<ast::Term> arguments, Offset at) {
  ast::Term term;
  term.kind = ast::TermKind::kApply;
  term.at = at;
  term.text = std::move(function);
  term.arguments = std::move(arguments);
  return term;
}

ast::Term time_term(std::int64_t nanoseconds, Offset at) {
  return apply_term("fn:time:from_unix_nanos", {number_term(nanoseconds, at)}, at);
}

ast::Term now_term(std::int64_t offset, Offset at) {
  ast::Term now = apply_term("fn:time:now", {}, at);
  if (offset == 0) return now;
  return apply_term(
      "fn:time:add",
      {std::move(now), apply_term("fn:duration:from_nanos", {number_term(offset, at)}, at)}, at);
}

// A moment of an annotation; a duration is that long before now.
ast::Term moment(const ast::Bound& bound, bool start) {
  switch (bound.kind) {
    case BoundKind::kTime:
      return time_term(bound.nanoseconds, bound.at);
    case BoundKind::kDuration:
      return now_term(-bound.nanoseconds, bound.at);
    case BoundKind::kNow:
      return now_term(0, bound.at);
    case BoundKind::kVariable:
      return variable_term(bound.variable, bound.at);
    default:
      return time_term(start ? kMinTime : kMaxTime, bound.at);
  }
}

ast::Literal check(std::string builtin, ast::Term left, ast::Term right, const ast::Literal& at) {
  ast::Literal literal;
  literal.at = at.at;
  literal.end = at.end;
  literal.atom.at = at.at;
  literal.atom.predicate = std::move(builtin);
  literal.atom.arguments = {std::move(left), std::move(right)};
  return literal;
}

// One end of a moment of an operator: that long before (or after) now; a variable holds a duration.
ast::Term operator_moment(const ast::Bound& bound, bool future) {
  switch (bound.kind) {
    case BoundKind::kTime:
      return time_term(bound.nanoseconds, bound.at);
    case BoundKind::kDuration:
      return now_term(future ? bound.nanoseconds : -bound.nanoseconds, bound.at);
    case BoundKind::kVariable: {
      ast::Term length = variable_term(bound.variable, bound.at);
      if (!future) {
        length = apply_term("fn:duration:mult", {std::move(length), number_term(-1, bound.at)},
                            bound.at);
      }
      return apply_term("fn:time:add", {now_term(0, bound.at), std::move(length)}, bound.at);
    }
    case BoundKind::kNow:
      return now_term(0, bound.at);
    default:
      return time_term(future ? kMaxTime : kMinTime, bound.at);
  }
}

bool concrete(const ast::Bound& bound) {
  return bound.kind != BoundKind::kVariable && bound.kind != BoundKind::kOpen;
}

// A clause of the analysis, at the place of the literal that needs it.
WorkClause made_clause(const ast::Clause& around, std::uint32_t unit, ast::Atom head) {
  WorkClause work;
  work.unit = unit;
  work.internal = true;
  work.clause.at = around.at;
  work.clause.end = around.end;
  work.clause.head = std::move(head);
  return work;
}

ast::Literal atom_literal(const ast::Literal& at, std::string predicate,
                          std::vector<ast::Term> arguments) {
  ast::Literal literal;
  literal.at = at.at;
  literal.end = at.end;
  literal.atom.at = at.at;
  literal.atom.predicate = std::move(predicate);
  literal.atom.arguments = std::move(arguments);
  return literal;
}

ast::Interval interval_of(const ast::Term& start, const ast::Term& end) {
  ast::Interval interval;
  interval.start.kind = BoundKind::kVariable;
  interval.start.variable = start.text;
  interval.end.emplace();
  interval.end->kind = BoundKind::kVariable;
  interval.end->variable = end.text;
  return interval;
}

std::vector<ast::Term> column_variables(std::size_t count, Offset at) {
  std::vector<ast::Term> terms;
  for (std::size_t i = 0; i < count; ++i) {
    terms.push_back(variable_term("X#" + std::to_string(i), at));
  }
  return terms;
}

}  // namespace

ast::Term RuleBuilder::hidden_variable() {
  return variable_term("T#" + std::to_string(hidden_++), at_);
}

bool RuleBuilder::temporal(const ast::Literal& literal, bool negated) {
  const bool with_operator = literal.temporal.kind != ast::TemporalKind::kNone;
  if (!literal.when && !with_operator) {
    return report(Problem::kTemporal, literal.at,
                  literal.atom.predicate + " is temporal, its use needs a time",
                  "write " + literal.atom.predicate + "(..)@[_, _] for any time, or <-[0d, 7d] " +
                      literal.atom.predicate + "(..)");
  }
  std::vector<ast::Literal> checks;
  ast::Term start = hidden_variable();
  ast::Term end = hidden_variable();
  if (literal.when) {
    const ast::Bound& from = literal.when->start;
    const ast::Bound& to = literal.when->end ? *literal.when->end : from;
    if (from.kind == BoundKind::kVariable) start = variable_term(from.variable, from.at);
    if (to.kind == BoundKind::kVariable) end = variable_term(to.variable, to.at);
    if (concrete(from)) checks.push_back(check(":time:le", start, moment(from, true), literal));
    if (concrete(to)) checks.push_back(check(":time:ge", end, moment(to, false), literal));
  }
  if (with_operator) {
    ast::Term low;
    ast::Term high;
    if (!range(literal.temporal, low, high)) return false;
    const bool all = literal.temporal.kind == ast::TemporalKind::kPastAll ||
                     literal.temporal.kind == ast::TemporalKind::kFutureAll;
    if (all && !literal.when) return everywhere(literal, low, high);
    checks.push_back(check(":time:le", start, all ? low : high, literal));
    checks.push_back(check(":time:ge", end, all ? high : low, literal));
  }
  if (negated && !checks.empty()) return outside(literal, start, end, checks);
  if (!temporal_atom(literal, negated, start, end)) return false;
  for (const ast::Literal& one : checks) {
    if (!builtin(one, false)) return false;
  }
  return true;
}

bool RuleBuilder::temporal_atom(const ast::Literal& literal, bool negated, const ast::Term& start,
                                const ast::Term& end) {
  Literal made = literal_here();
  made.kind = negated ? LiteralKind::kNegated : LiteralKind::kAtom;
  made.predicate = context_.program.find(literal.atom.predicate);
  if (!arguments(literal.atom, !negated, made.arguments)) return false;
  for (const ast::Term* column : {&start, &end}) {
    made.arguments.push_back(Argument::variable(variable(column->text)));
  }
  emit(std::move(made));
  return true;
}

// A negated atom with conditions on its interval: the facts that meet them are a predicate of their
// own.
bool RuleBuilder::outside(const ast::Literal& literal, const ast::Term& start, const ast::Term& end,
                          const std::vector<ast::Literal>& checks) {
  const std::size_t arity = literal.atom.arguments.size();
  const std::string name =
      literal.atom.predicate + "#at" + std::to_string(context_.program.predicates.size());
  context_.add_internal(name, static_cast<std::uint32_t>(arity + 2));
  ast::Atom head;
  head.at = literal.at;
  head.predicate = name;
  head.arguments = column_variables(arity, literal.at);
  ast::Literal source = atom_literal(literal, literal.atom.predicate, head.arguments);
  source.when = interval_of(start, end);
  head.arguments.push_back(start);
  head.arguments.push_back(end);
  WorkClause work = made_clause(clause_, work_.unit, std::move(head));
  work.clause.body.push_back(std::move(source));
  work.clause.body.insert(work.clause.body.end(), checks.begin(), checks.end());
  build_clause(context_, work);

  Literal made = literal_here();
  made.kind = LiteralKind::kNegated;
  made.predicate = context_.program.find(name);
  if (!arguments(literal.atom, false, made.arguments)) return false;
  for (const ast::Term* column : {&start, &end}) {
    made.arguments.push_back(Argument::variable(variable(column->text)));
  }
  emit(std::move(made));
  return true;
}

// The low and the high end of the time that an operator speaks of.
bool RuleBuilder::range(const ast::TemporalOperator& op, ast::Term& low, ast::Term& high) {
  const bool future =
      op.kind == ast::TemporalKind::kFutureSome || op.kind == ast::TemporalKind::kFutureAll;
  const bool durations =
      op.near.kind == BoundKind::kDuration && op.far.kind == BoundKind::kDuration;
  const bool times = op.near.kind == BoundKind::kTime && op.far.kind == BoundKind::kTime;
  if ((durations || times) && op.near.nanoseconds > op.far.nanoseconds) {
    return report(Problem::kTemporal, op.near.at, "the range ends before it begins",
                  durations ? "the shorter duration comes first" : "the earlier time comes first");
  }
  low = operator_moment(op.near, future);
  high = operator_moment(op.far, future);
  if (!future && !times) std::swap(low, high);
  return true;
}

// Throughout [low, high]: facts that overlap or touch are one. A recursive predicate follows them
// from `low` on.
bool RuleBuilder::everywhere(const ast::Literal& literal, const ast::Term& low,
                             const ast::Term& high) {
  const std::size_t arity = literal.atom.arguments.size();
  std::vector<Variable> needs;
  needed_variables(low, needs);
  needed_variables(high, needs);
  const ast::Term start = hidden_variable();
  const ast::Term end = hidden_variable();
  if (!needs.empty()) {  // the range depends on the rule's variables: one fact must cover it
    if (!temporal_atom(literal, false, start, end)) return false;
    return builtin(check(":time:le", start, low, literal), false) &&
           builtin(check(":time:ge", end, high, literal), false);
  }
  const std::string name =
      literal.atom.predicate + "#since" + std::to_string(context_.program.predicates.size());
  context_.add_internal(name, static_cast<std::uint32_t>(arity + 1));
  const std::vector<ast::Term> columns = column_variables(arity, literal.at);
  const ast::Term until = variable_term("E#0", literal.at);
  const ast::Term next = variable_term("E#1", literal.at);
  const ast::Term begin = variable_term("S#0", literal.at);
  ast::Literal fact = atom_literal(literal, literal.atom.predicate, columns);
  const auto head_with = [&](const ast::Term& last) {
    ast::Atom head{literal.at, name, columns};
    head.arguments.push_back(last);
    return head;
  };

  WorkClause first = made_clause(clause_, work_.unit, head_with(until));
  fact.when = interval_of(begin, until);
  first.clause.body = {fact, check(":time:le", begin, low, literal),
                       check(":time:ge", until, low, literal)};
  build_clause(context_, first);

  WorkClause step = made_clause(clause_, work_.unit, head_with(next));
  fact.when = interval_of(begin, next);
  const ast::Term behind = apply_term(
      "fn:time:add",
      {until, apply_term("fn:duration:from_nanos", {number_term(1, literal.at)}, literal.at)},
      literal.at);
  step.clause.body = {atom_literal(literal, name, head_with(until).arguments),
                      check(":time:lt", until, high, literal), fact,
                      check(":time:gt", next, until, literal),
                      check(":time:le", begin, behind, literal)};
  build_clause(context_, step);

  Literal made = literal_here();
  made.predicate = context_.program.find(name);
  if (!arguments(literal.atom, true, made.arguments)) return false;
  made.arguments.push_back(Argument::variable(variable(end.text)));
  emit(std::move(made));
  return builtin(check(":time:ge", end, high, literal), false);
}

bool RuleBuilder::head_interval(std::vector<Argument>& arguments) {
  if (!clause_.when) {
    return report(Problem::kTemporal, clause_.head.at,
                  clause_.head.predicate + " is temporal, its head needs an interval",
                  "write " + clause_.head.predicate + "(..)@[S, E], or @[_, _] for always");
  }
  const ast::Bound& from = clause_.when->start;
  const ast::Bound& to = clause_.when->end ? *clause_.when->end : from;
  Argument start;
  Argument end;
  if (!head_value(moment(from, true), start) || !head_value(moment(to, false), end)) return false;
  if (from.kind == BoundKind::kTime && to.kind == BoundKind::kTime &&
      from.nanoseconds > to.nanoseconds) {
    return report(Problem::kTemporal, from.at, "the interval ends before it begins");
  }
  arguments.push_back(start);
  arguments.push_back(end);
  return true;
}

}  // namespace anima::datalog::detail
