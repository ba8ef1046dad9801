#include "govern/rules/detail/call_rules.h"

#include <algorithm>
#include <bit>

#include "datalog/analyze.h"

namespace anima::govern::detail {
namespace {

using datalog::Argument;
using datalog::Code;
using datalog::Literal;
using datalog::LiteralKind;
using datalog::PredicateId;
using datalog::Term;

constexpr std::uint64_t kWorkBetweenLooks = 4096;  // rows, between two looks at the clock
constexpr std::size_t kFewRows = 16;               // that are compared one by one

std::size_t hash_of(std::span<const Code> row) {
  std::uint64_t hash = 0;
  for (const Code code : row) {
    hash = (hash ^ code) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 32;
  }
  return hash;
}

bool is_positive_or_negated(const Literal& literal) {
  return literal.kind == LiteralKind::kAtom || literal.kind == LiteralKind::kNegated;
}

// The rows in the order of the values in some columns.
std::vector<Code> sorted_by(const datalog::Rows& rows, const std::vector<std::uint32_t>& columns) {
  std::vector<std::size_t> order(rows.count);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    for (const std::uint32_t column : columns) {
      const Code left = rows.codes[a * rows.columns + column];
      const Code right = rows.codes[b * rows.columns + column];
      if (left != right) return left < right;
    }
    return false;
  });
  std::vector<Code> sorted;
  sorted.reserve(rows.codes.size());
  for (const std::size_t i : order) {
    const auto row = rows.row(i);
    sorted.insert(sorted.end(), row.begin(), row.end());
  }
  return sorted;
}

}  // namespace

void CallFacts::clear() {
  for (const PredicateId predicate : filled_) {
    rows_[predicate].clear();
    slots_[predicate].clear();
  }
  filled_.clear();
}

void CallFacts::put(PredicateId predicate, std::span<const Code> row) {
  std::vector<Code>& rows = rows_[predicate];
  if (rows.empty()) filled_.push_back(predicate);
  rows.insert(rows.end(), row.begin(), row.end());
}

bool CallFacts::put_new(PredicateId predicate, std::span<const Code> row) {
  const std::vector<Code>& rows = rows_[predicate];
  Slots& slots = slots_[predicate];
  const std::size_t count = rows.size() / row.size();
  const auto is_row = [&](std::size_t number) {
    return std::equal(row.begin(), row.end(),
                      rows.begin() + static_cast<std::ptrdiff_t>(number * row.size()));
  };
  if (count <= kFewRows) {
    for (std::size_t i = 0; i < count; ++i) {
      if (is_row(i)) return false;
    }
    put(predicate, row);
    return true;
  }
  if (slots.size() < 2 * (count + 1)) hash_rows(rows, row.size(), slots);
  std::size_t at = hash_of(row) & (slots.size() - 1);
  for (; slots[at] != 0; at = (at + 1) & (slots.size() - 1)) {
    if (is_row(slots[at] - 1)) return false;
  }
  slots[at] = static_cast<std::uint32_t>(count + 1);
  put(predicate, row);
  return true;
}

void CallFacts::hash_rows(const std::vector<Code>& rows, std::size_t width, Slots& slots) const {
  const std::size_t count = rows.size() / width;
  slots.assign(std::bit_ceil(4 * (count + 1)), 0);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t at =
        hash_of(std::span<const Code>(rows).subspan(i * width, width)) & (slots.size() - 1);
    while (slots[at] != 0) at = (at + 1) & (slots.size() - 1);
    slots[at] = static_cast<std::uint32_t>(i + 1);
  }
}

CallRules::CallRules(const datalog::Program& program, const PolicyScope& scope,
                     const datalog::Snapshot& fixed, datalog::ValueTable& values, Clock& clock)
    : program_(program), clock_(clock), evaluation_{values} {
  std::size_t most_variables = 0;
  for (const datalog::RuleId id : scope.direct) {
    Result<Compiled> rule = compiled(program.rules[id], scope, fixed);
    if (!rule) {
      unread_ = std::move(rule).error();
      return;
    }
    rules_.push_back(std::move(*rule));
    most_variables = std::max(most_variables, program.rules[id].variables.size());
  }
  bindings_.resize(most_variables);
}

Result<CallRules::Compiled> CallRules::compiled(const datalog::Rule& rule, const PolicyScope& scope,
                                                const datalog::Snapshot& fixed) const {
  Compiled out{&rule, {}};
  std::vector<bool> bound(rule.variables.size(), false);
  for (const Literal& literal : rule.body) {
    Step& step = out.body.emplace_back();
    step.literal = &literal;
    if (literal.kind == LiteralKind::kAssign) bound[literal.variable] = true;
    const std::vector<bool> before = bound;
    for (std::uint32_t i = 0; i < literal.arguments.size(); ++i) {
      const Argument& argument = literal.arguments[i];
      if (argument.constant) {
        step.places.push_back({Place::Kind::kCode, argument.value});
      } else if (bound[argument.value]) {
        step.places.push_back({Place::Kind::kBound, argument.value});
      } else if (literal.kind == LiteralKind::kNegated) {
        step.places.push_back({Place::Kind::kAny, 0});
      } else {
        step.places.push_back({Place::Kind::kBinds, argument.value});
        if (literal.kind == LiteralKind::kBuiltin) step.open.push_back(i);
        if (literal.kind == LiteralKind::kAtom) bound[argument.value] = true;
      }
      if (argument.constant || before[argument.value]) step.known.push_back(i);
    }
    for (const datalog::Variable output : literal.outputs) bound[output] = true;
    step.rests_on_no_call = is_positive_or_negated(literal) && !scope.keyed[literal.predicate];
    if (!step.rests_on_no_call) continue;
    ANIMA_ASSIGN(const datalog::Rows rows, fixed.all(literal.predicate, {.sorted = false}));
    step.holds_without_columns = rows.columns == 0 && rows.count > 0;
    step.rows = sorted_by(rows, step.known);
  }
  return out;
}

Status CallRules::decide(CallFacts& facts, std::int64_t deadline_milliseconds,
                         std::span<const PredicateId> asked, std::span<RuleDecision> decisions) {
  if (unread_) return fail(*unread_);
  facts_ = &facts;
  asked_ = asked;
  decisions_ = decisions;
  work_ = 0;
  evaluation_.now = clock_.now().microseconds * 1000;
  deadline_ = deadline_milliseconds == 0
                  ? 0
                  : clock_.monotonic_nanoseconds() + deadline_milliseconds * 1'000'000;
  for (const Compiled& rule : rules_) ANIMA_TRY(solve(rule, 0));
  return {};
}

Status CallRules::tick() {
  if (++work_ % kWorkBetweenLooks != 0 || deadline_ == 0) return {};
  if (clock_.monotonic_nanoseconds() <= deadline_) return {};
  return fail(ErrorCode::kTimeout, "the rules of one call passed their deadline");
}

Error CallRules::error_of(const Compiled& rule, const Literal& literal) const {
  return Error{ErrorCode::kInvalidArgument, evaluation_.error + ", in: " + rule.rule->text,
               literal.where.empty() ? rule.rule->where : literal.where,
               "guard the expression with a test to its left"};
}

Status CallRules::solve(const Compiled& rule, std::size_t step) {
  if (step == rule.body.size()) return derive(rule);
  switch (rule.body[step].literal->kind) {
    case LiteralKind::kAtom:
    case LiteralKind::kNegated:
      return solve_atom(rule, step);
    case LiteralKind::kBuiltin:
      return solve_builtin(rule, step);
    case LiteralKind::kAssign:
    case LiteralKind::kCompare:
      return compute(rule, step);
    case LiteralKind::kCall:
      break;
  }
  return fail(ErrorCode::kInvalidArgument, "a rule of one call asks an external predicate",
              rule.rule->where);
}

// The rows that may match: those of the call, or the run with the known values.
std::span<const Code> CallRules::candidates(const Step& step) const {
  if (!step.rests_on_no_call) return facts_->rows(step.literal->predicate);
  if (step.known.empty()) return step.rows;
  const std::size_t width = step.places.size();
  const auto compare = [&](std::size_t row) {
    for (const std::uint32_t column : step.known) {
      const Code value = step.rows[row * width + column];
      const Code wanted = known_value(step.places[column]);
      if (value != wanted) return value < wanted ? -1 : 1;
    }
    return 0;
  };
  const auto first_not = [&](int limit, std::size_t low) {
    std::size_t high = step.rows.size() / width;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (compare(middle) < limit) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  const std::size_t begin = first_not(0, 0);
  const std::size_t end = first_not(1, begin);
  return std::span<const Code>(step.rows).subspan(begin * width, (end - begin) * width);
}

bool CallRules::matches(const Step& step, const Code* row) {
  for (std::size_t c = 0; c < step.places.size(); ++c) {
    const Place& place = step.places[c];
    if (place.kind == Place::Kind::kAny) continue;
    if (place.kind == Place::Kind::kBinds) {
      bindings_[place.value] = row[c];
    } else if (known_value(place) != row[c]) {
      return false;
    }
  }
  return true;
}

Status CallRules::solve_atom(const Compiled& rule, std::size_t number) {
  const Step& step = rule.body[number];
  const std::size_t width = step.places.size();
  const bool negated = step.literal->kind == LiteralKind::kNegated;
  if (width == 0) return step.holds_without_columns == negated ? Status{} : solve(rule, number + 1);
  // Rules do not derive what they read, so the rows stay where they are.
  const std::span<const Code> rows = candidates(step);
  for (std::size_t at = 0; at + width <= rows.size(); at += width) {
    ANIMA_TRY(tick());
    if (!matches(step, rows.data() + at)) continue;
    if (negated) return {};
    ANIMA_TRY(solve(rule, number + 1));
  }
  return negated ? solve(rule, number + 1) : Status{};
}

Status CallRules::solve_builtin(const Compiled& rule, std::size_t number) {
  const Step& step = rule.body[number];
  std::vector<Code> arguments;
  for (const Place& place : step.places)
    arguments.push_back(place.kind == Place::Kind::kBinds ? datalog::kUnbound : known_value(place));
  std::vector<Code> solutions;
  std::size_t count = 0;
  if (!datalog::solve(step.literal->builtin, arguments, evaluation_, solutions, count))
    return fail(error_of(rule, *step.literal));
  if (step.literal->negated) return count == 0 ? solve(rule, number + 1) : Status{};
  for (std::size_t s = 0; s < count; ++s) {
    ANIMA_TRY(tick());
    for (std::size_t o = 0; o < step.open.size(); ++o)
      bindings_[step.places[step.open[o]].value] = solutions[s * step.open.size() + o];
    ANIMA_TRY(solve(rule, number + 1));
  }
  return {};
}

Status CallRules::compute(const Compiled& rule, std::size_t number) {
  const Literal& literal = *rule.body[number].literal;
  Code left = 0;
  if (!evaluate_term(literal.left, left)) return fail(error_of(rule, literal));
  if (literal.kind == LiteralKind::kAssign) {
    bindings_[literal.variable] = left;
    return solve(rule, number + 1);
  }
  Code right = 0;
  bool holds = false;
  if (!evaluate_term(literal.right, right) ||
      !datalog::compare_values(literal.comparison, left, right, evaluation_, holds)) {
    return fail(error_of(rule, literal));
  }
  return holds ? solve(rule, number + 1) : Status{};
}

bool CallRules::evaluate_term(const Term& term, Code& out) {
  if (term.kind != Term::Kind::kApply) {
    out = term.kind == Term::Kind::kVariable ? bindings_[term.value] : term.value;
    return true;
  }
  std::vector<Code> arguments(term.arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!evaluate_term(term.arguments[i], arguments[i])) return false;
  }
  return datalog::evaluate(term.function, arguments, evaluation_, out);
}

Status CallRules::derive(const Compiled& compiled) {
  const datalog::Rule& rule = *compiled.rule;
  std::vector<Code> row;
  for (const Argument& argument : rule.head_arguments)
    row.push_back(argument.constant ? argument.value : bindings_[argument.value]);
  if (!facts_->put_new(rule.head, row)) return {};
  if (rule.check_bounds)
    ANIMA_TRY(datalog::check_row(program_, rule.head, row, evaluation_.values));
  const auto place = std::ranges::find(asked_, rule.head);
  if (place == asked_.end()) return {};
  RuleDecision& decision = decisions_[static_cast<std::size_t>(place - asked_.begin())];
  if (!decision.found || evaluation_.values.compare(row[1], decision.reason) < 0)
    decision = {true, row[1], rule.where};
  return {};
}

}  // namespace anima::govern::detail
