#include "datalog/analyze.h"

#include <algorithm>

#include "base/text/text.h"
#include "datalog/analysis/bounds.h"
#include "datalog/analysis/constants.h"
#include "datalog/analysis/context.h"
#include "datalog/functions.h"

namespace anima::datalog {
namespace {

using detail::Context;
using detail::WorkClause;

bool one_plain_atom(const Context& context, const ast::Clause& clause) {
  if (clause.body.size() != 1) return false;
  const ast::Literal& literal = clause.body.front();
  if (literal.kind != ast::LiteralKind::kAtom || literal.atom.predicate.empty() ||
      literal.atom.predicate.front() == ':' || literal.temporal.kind != ast::TemporalKind::kNone) {
    return false;
  }
  const PredicateId id = context.program.find(literal.atom.predicate);
  if (id == kNone) return false;
  const Predicate& predicate = context.program.predicates[id];
  return !predicate.deferred && !predicate.external && predicate.reflects.empty();
}

void analyse(Context& context, const AnalysisOptions& options) {
  detail::collect_symbols(context, options);
  detail::resolve_names(context);
  std::vector<WorkClause> clauses;
  for (std::uint32_t unit = 0; unit < context.units.size(); ++unit) {
    for (ast::Clause& clause : context.units[unit].clauses) {
      WorkClause work;
      work.unit = unit;
      work.facts_are_rows = one_plain_atom(context, clause);
      work.clause = std::move(clause);
      clauses.push_back(std::move(work));
    }
    context.units[unit].clauses.clear();
  }
  std::vector<WorkClause> deferred;
  detail::check_facts(context);
  detail::take_facts(context, clauses);
  // What follows relies on names, arities and declarations.
  if (has_errors(context.diagnostics)) {
    for (const WorkClause& work : clauses) {
      const PredicateId head = context.program.find(work.clause.head.predicate);
      const bool called = head != kNone && context.program.predicates[head].deferred;
      if (!called) detail::build_clause(context, work);
    }
    return;
  }
  detail::expand_deferred(context, clauses, deferred);
  for (const WorkClause& work : clauses) detail::build_clause(context, work);
  for (const WorkClause& work : deferred) detail::build_deferred(context, work);
  detail::build_inclusions(context);
  detail::build_dependencies(context);
  if (has_errors(context.diagnostics)) return;
  detail::stratify(context);
  if (has_errors(context.diagnostics)) return;
  detail::check_types(context);
}

bool before(const Diagnostic& a, const Diagnostic& b) {
  if (a.file != b.file) return a.file < b.file;
  if (a.from.line != b.from.line) return a.from.line < b.from.line;
  return a.from.column < b.from.column;
}

}  // namespace

Analysis analyze(std::vector<Unit> units, ValueTable& values, const AnalysisOptions& options) {
  Context context(values);
  context.units = std::move(units);
  for (const Unit& unit : context.units) context.lines.emplace_back(unit.source);
  analyse(context, options);
  Analysis analysis;
  analysis.diagnostics = std::move(context.diagnostics);
  std::stable_sort(analysis.diagnostics.begin(), analysis.diagnostics.end(), before);
  if (!has_errors(analysis.diagnostics)) analysis.program = std::move(context.program);
  return analysis;
}

Result<Program> analyze_program(std::vector<Unit> units, ValueTable& values,
                                const AnalysisOptions& options) {
  Analysis analysis = analyze(std::move(units), values, options);
  if (!analysis.program) return fail(first_error(analysis.diagnostics));
  return std::move(*analysis.program);
}

Result<Program> compile(std::string text, ValueTable& values, std::string name,
                        const AnalysisOptions& options) {
  ANIMA_ASSIGN(Unit unit, parse_program(std::move(text), std::move(name), &values));
  std::vector<Unit> units;
  units.push_back(std::move(unit));
  return analyze_program(std::move(units), values, options);
}

// ---- Queries and facts

namespace {

Result<PredicateId> known_predicate(const Program& program, std::string_view name) {
  const PredicateId id = program.find(name);
  if (id != kNone) return id;
  std::vector<std::string> names;
  for (const Predicate& predicate : program.predicates) {
    if (!predicate.internal) names.push_back(predicate.name);
  }
  std::sort(names.begin(), names.end());
  return fail(ErrorCode::kInvalidArgument, "there is no predicate " + std::string(name), "<query>",
              did_you_mean(nearest_names(name, std::span<const std::string>(names))));
}

// Gives each variable of the query a number; `_` is new each time.
class QueryVariables {
 public:
  explicit QueryVariables(std::vector<std::string>& names) : names_(names) {}

  Argument add(std::string_view name) {
    if (name != "_") {
      for (Variable v = 0; v < names_.size(); ++v) {
        if (names_[v] == name) return Argument::variable(v);
      }
    }
    names_.emplace_back(name);
    return Argument::variable(static_cast<Variable>(names_.size() - 1));
  }

 private:
  std::vector<std::string>& names_;
};

Result<Code> ground(const ast::Term& term, ValueTable& values, std::int64_t now) {
  Evaluation evaluation{values, now};
  Code code = 0;
  if (!detail::ground_code(term, evaluation, code)) {
    return fail(ErrorCode::kInvalidArgument, evaluation.error,
                "<query>:1:" + std::to_string(term.at + 1));
  }
  return code;
}

std::int64_t moment(const ast::Bound& bound, bool start, std::int64_t now) {
  switch (bound.kind) {
    case ast::BoundKind::kTime:
      return bound.nanoseconds;
    case ast::BoundKind::kDuration:
      return now - bound.nanoseconds;
    case ast::BoundKind::kNow:
      return now;
    default:
      return start ? kMinTime : kMaxTime;
  }
}

Error wrong_arity(const Predicate& predicate, std::size_t given) {
  return {ErrorCode::kInvalidArgument,
          predicate.name + " has " + std::to_string(predicate.arity) + " arguments, here are " +
              std::to_string(given),
          "<query>", ""};
}

}  // namespace

Result<Query> compile_query(const Program& program, std::string_view text, ValueTable& values,
                            std::int64_t now) {
  ANIMA_ASSIGN(const ParsedQuery parsed, parse_query(text));
  Query query;
  query.text = std::string(trim(text));
  ANIMA_ASSIGN(query.predicate, known_predicate(program, parsed.atom.predicate));
  const Predicate& predicate = program.predicates[query.predicate];
  QueryVariables variables(query.variables);
  if (parsed.bare) {
    for (std::uint32_t i = 0; i < predicate.columns; ++i)
      query.arguments.push_back(variables.add("_"));
    return query;
  }
  if (parsed.atom.arguments.size() != predicate.arity) {
    return fail(wrong_arity(predicate, parsed.atom.arguments.size()));
  }
  for (const ast::Term& term : parsed.atom.arguments) {
    if (term.kind == ast::TermKind::kVariable) {
      query.arguments.push_back(variables.add(term.text));
      continue;
    }
    ANIMA_ASSIGN(const Code code, ground(term, values, now));
    query.arguments.push_back(Argument::code(code));
  }
  if (parsed.when && !predicate.temporal) {
    return fail(ErrorCode::kInvalidArgument, predicate.name + " is not temporal", "<query>");
  }
  if (!predicate.temporal) return query;
  for (const bool start : {true, false}) {
    const ast::Bound* bound = !parsed.when                 ? nullptr
                              : start || !parsed.when->end ? &parsed.when->start
                                                           : &*parsed.when->end;
    if (bound == nullptr || bound->kind == ast::BoundKind::kOpen) {
      query.arguments.push_back(variables.add("_"));
    } else if (bound->kind == ast::BoundKind::kVariable) {
      query.arguments.push_back(variables.add(bound->variable));
    } else {
      query.arguments.push_back(Argument::code(values.time(moment(*bound, start, now))));
    }
  }
  return query;
}

Result<GroundFact> compile_fact(const Program& program, std::string_view text, ValueTable& values,
                                std::int64_t now) {
  ANIMA_ASSIGN(const ParsedQuery parsed, parse_query(text));
  GroundFact fact;
  ANIMA_ASSIGN(fact.predicate, known_predicate(program, parsed.atom.predicate));
  const Predicate& predicate = program.predicates[fact.predicate];
  if (parsed.bare || parsed.atom.arguments.size() != predicate.arity) {
    return fail(wrong_arity(predicate, parsed.atom.arguments.size()));
  }
  for (const ast::Term& term : parsed.atom.arguments) {
    ANIMA_ASSIGN(const Code code, ground(term, values, now));
    fact.codes.push_back(code);
  }
  if (parsed.when.has_value() != predicate.temporal) {
    return fail(ErrorCode::kInvalidArgument,
                predicate.name + (predicate.temporal ? " is temporal, its facts need an interval"
                                                     : " is not temporal"),
                "<query>");
  }
  if (predicate.temporal) {
    const ast::Bound& from = parsed.when->start;
    const ast::Bound& to = parsed.when->end ? *parsed.when->end : from;
    if (from.kind == ast::BoundKind::kVariable || to.kind == ast::BoundKind::kVariable) {
      return fail(ErrorCode::kInvalidArgument, "a fact has no variables", "<query>");
    }
    const std::int64_t start = moment(from, true, now);
    const std::int64_t end = moment(to, false, now);
    if (start > end) {
      return fail(ErrorCode::kInvalidArgument, "the interval ends before it begins", "<query>");
    }
    fact.codes.push_back(values.time(start));
    fact.codes.push_back(values.time(end));
  }
  if (!detail::row_fits(predicate, fact.codes, values, true)) {
    return fail(ErrorCode::kInvalidArgument, detail::misfit(predicate, fact.codes, values, true),
                "<query>", predicate.where.empty() ? "" : "see " + predicate.where);
  }
  return fact;
}

Status check_row(const Program& program, PredicateId id, std::span<const Code> row,
                 const ValueTable& values) {
  const Predicate& predicate = program.predicates[id];
  if (detail::row_fits(predicate, row, values, false)) return {};
  return fail(ErrorCode::kInvalidArgument, detail::misfit(predicate, row, values, false),
              predicate.where);
}

// ---- Printing

namespace {

// A moment of an interval as the parser reads it.
void append_moment(Code code, const ValueTable& values, std::string& out) {
  const ValueView value = values.view(code);
  if (value.kind == ValueKind::kTime && value.number != kMinTime && value.number != kMaxTime) {
    const std::string text = values.text(code);  // fn:time:parse_rfc3339("..")
    const std::size_t from = text.find('"') + 1;
    out += text.substr(from, text.rfind('"') - from);
  } else {
    out += '_';
  }
}

}  // namespace

std::string print_fact(const Predicate& predicate, std::span<const Code> row,
                       const ValueTable& values) {
  std::string out = predicate.name;
  out += '(';
  for (std::size_t i = 0; i < predicate.arity && i < row.size(); ++i) {
    if (i > 0) out += ',';
    values.append_text(row[i], out);
  }
  out += ')';
  if (!predicate.temporal || row.size() < predicate.columns) return out;
  out += "@[";
  append_moment(row[predicate.arity], values, out);
  if (row[predicate.arity] != row[predicate.arity + 1]) {
    out += ", ";
    append_moment(row[predicate.arity + 1], values, out);
  }
  out += ']';
  return out;
}

}  // namespace anima::datalog
