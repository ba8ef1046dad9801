#include "datalog/engine/solver.h"

#include <algorithm>

namespace anima::datalog {

Status Solver::run(std::span<const std::uint32_t> order, std::vector<Code>& bindings,
                   const OnSolution& on_solution) {
  order_ = order;
  on_solution_ = &on_solution;
  done_ = false;
  return step(0, bindings);
}

Status Solver::error(const Literal& literal) {
  if (forgiving_) return {};
  return fail(database_.evaluation_error(rule_, literal));
}

Status Solver::step(std::size_t depth, std::vector<Code>& bindings) {
  if (done_) return {};
  if (budget_-- == 0) done_ = true;
  ANIMA_TRY(database_.tick(1));
  if (depth == order_.size()) {
    done_ = !(*on_solution_)(bindings);
    return {};
  }
  const Literal& literal = rule_.body[order_[depth]];
  switch (literal.kind) {
    case LiteralKind::kAtom:
      return match_atom(literal, depth, bindings);
    case LiteralKind::kCall:
      if (literal.negated) return negated(literal, depth, bindings);
      return match_atom(literal, depth, bindings);
    case LiteralKind::kNegated:
      return negated(literal, depth, bindings);
    case LiteralKind::kBuiltin:
      return builtin(literal, depth, bindings);
    case LiteralKind::kAssign: {
      Code value = 0;
      if (!database_.evaluate_term(literal.left, bindings, value)) return error(literal);
      const Code before = bindings[literal.variable];
      if (before != kUnbound && before != value) {
        if (on_failure_) on_failure_(depth, bindings);
        return {};
      }
      bindings[literal.variable] = value;
      const Status status = step(depth + 1, bindings);
      bindings[literal.variable] = before;
      return status;
    }
    case LiteralKind::kCompare: {
      Code left = 0;
      Code right = 0;
      bool holds = false;
      if (!database_.evaluate_term(literal.left, bindings, left) ||
          !database_.evaluate_term(literal.right, bindings, right) ||
          !compare_values(literal.comparison, left, right, database_.evaluation(), holds)) {
        return error(literal);
      }
      if (holds) return step(depth + 1, bindings);
      if (on_failure_) on_failure_(depth, bindings);
      return {};
    }
  }
  return {};
}

Status Solver::matching(const Literal& literal, std::span<const Code> bindings,
                        const std::function<Status(const Code* row, std::uint32_t height)>& found) {
  const RelationId id = literal.predicate;
  Relation& rows = database_.relation(id);
  const View now = rows.now();
  std::vector<std::uint32_t> columns;
  std::vector<Code> key;
  for (std::uint32_t c = 0; c < literal.arguments.size(); ++c) {
    const Argument& argument = literal.arguments[c];
    const Code value = argument.constant ? argument.value : bindings[argument.value];
    if (value == kUnbound) continue;
    columns.push_back(c);
    key.push_back(value);
  }
  if (columns.size() == literal.arguments.size()) {
    const RowId row = rows.find(key.data(), now);
    if (row != kNoRow) return found(rows.row(row), rows.height(row));
    ANIMA_ASSIGN(const bool there, database_.holds(id, key.data(), now));
    return there ? found(key.data(), 0) : Status{};
  }
  if (columns.size() > 32) columns.resize(32);
  const auto agrees = [&](const Code* row) {
    for (std::size_t c = 0; c < literal.arguments.size(); ++c) {
      const Argument& argument = literal.arguments[c];
      const Code value = argument.constant ? argument.value : bindings[argument.value];
      if (value != kUnbound && row[c] != value) return false;
      // A variable that occurs twice.
      for (std::size_t d = 0; d < c && value == kUnbound; ++d) {
        if (literal.arguments[d] == argument && row[c] != row[d]) return false;
      }
    }
    return true;
  };
  const Parts parts = rows.parts(columns, now, database_.seen());
  for (std::uint32_t p = 0; p < parts.count && !done_; ++p) {
    const Part& part = parts.part[p];
    const auto offer = [&](RowId local) -> Status {
      ANIMA_TRY(database_.tick(1));
      if (done_ || !part.visible(local) || !agrees(part.table->row(local))) return {};
      return found(part.table->row(local), part.table->height(local));
    };
    if (part.index == nullptr) {
      for (RowId local = 0; local < part.limit && !done_; ++local) ANIMA_TRY(offer(local));
      continue;
    }
    const std::uint32_t group = part.index->find(*part.table, key.data());
    if (group == Index::kNoGroup) continue;
    const Index::Group run = part.index->group(group);
    for (std::uint32_t at = run.begin; at < run.end && !done_; ++at) {
      ANIMA_TRY(offer(part.index->postings()[at]));
    }
    for (RowId local = part.index->tail(group); local != kNoRow && !done_;
         local = part.index->next(local)) {
      ANIMA_TRY(offer(local));
    }
  }
  const ForeignView base = database_.foreign(id, now);
  if (!base || done_) return {};
  RowReceiver receiver(rows.columns(), [&](std::uint32_t, const Code* row) -> Status {
    return done_ || !agrees(row) ? Status{} : found(row, 0);
  });
  key.resize(columns.size());
  return base.probe(columns, key, 1, receiver);
}

Status Solver::match_atom(const Literal& literal, std::size_t depth, std::vector<Code>& bindings) {
  const RelationInfo& info = database_.network().relations[literal.predicate];
  const bool recursive = component_ != kNone && info.component == component_;
  bool any = false;
  // Rows are collected first: going deeper may build indexes and ask virtual predicates.
  std::vector<std::vector<Code>> rows;
  ANIMA_TRY(matching(literal, bindings, [&](const Code* row, std::uint32_t height) -> Status {
    if (recursive && height >= guard_) return {};
    rows.emplace_back(row, row + literal.arguments.size());
    return {};
  }));
  for (const std::vector<Code>& row : rows) {
    if (done_) return {};
    any = true;
    std::vector<Variable> fresh;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const Argument& argument = literal.arguments[c];
      if (argument.constant || bindings[argument.value] != kUnbound) continue;
      bindings[argument.value] = row[c];
      fresh.push_back(argument.value);
    }
    const Status status = step(depth + 1, bindings);
    for (const Variable v : fresh) bindings[v] = kUnbound;
    ANIMA_TRY(Status(status));
  }
  if (!any && on_failure_) on_failure_(depth, bindings);
  return {};
}

Status Solver::negated(const Literal& literal, std::size_t depth, std::vector<Code>& bindings) {
  bool any = false;
  ANIMA_TRY(matching(literal, bindings, [&](const Code*, std::uint32_t) -> Status {
    any = true;
    return {};
  }));
  if (!any) return step(depth + 1, bindings);
  if (on_failure_) on_failure_(depth, bindings);
  return {};
}

Status Solver::builtin(const Literal& literal, std::size_t depth, std::vector<Code>& bindings) {
  std::vector<Code> arguments;
  std::vector<Variable> open;
  for (const Argument& argument : literal.arguments) {
    const bool output = !argument.constant &&
                        std::ranges::find(literal.outputs, argument.value) != literal.outputs.end();
    if (output) open.push_back(argument.value);
    arguments.push_back(output              ? kUnbound
                        : argument.constant ? argument.value
                                            : bindings[argument.value]);
  }
  std::vector<Code> solutions;
  std::size_t count = 0;
  if (!solve(literal.builtin, arguments, database_.evaluation(), solutions, count)) {
    return error(literal);
  }
  if (literal.negated) {
    if (count == 0) return step(depth + 1, bindings);
    if (on_failure_) on_failure_(depth, bindings);
    return {};
  }
  bool any = false;
  for (std::size_t s = 0; s < count && !done_; ++s) {
    const std::vector<Code> before = bindings;
    bool fits = true;
    for (std::size_t o = 0; o < open.size() && fits; ++o) {
      const Code value = solutions[s * open.size() + o];
      Code& place = bindings[open[o]];
      fits = place == kUnbound || place == value;
      place = value;
    }
    if (fits) {
      any = true;
      const Status status = step(depth + 1, bindings);
      ANIMA_TRY(Status(status));
    }
    bindings = before;
  }
  if (!any && on_failure_) on_failure_(depth, bindings);
  return {};
}

}  // namespace anima::datalog
