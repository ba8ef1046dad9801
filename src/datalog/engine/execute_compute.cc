// Operators that compute: assignments, comparisons, builtin and virtual predicates.
#include <algorithm>
#include <array>
#include <span>

#include "datalog/engine/database.h"
#include "datalog/engine/execute.h"
#include "datalog/engine/stage.h"

namespace anima::datalog {
namespace {

// Which output of a builtin the argument is; literal.outputs.size() when it is none.
std::size_t output_of(const Literal& literal, std::size_t place) {
  const Argument& argument = literal.arguments[place];
  if (argument.constant) return literal.outputs.size();
  return static_cast<std::size_t>(std::ranges::find(literal.outputs, argument.value) -
                                  literal.outputs.begin());
}

// Argument places to be found, ascending.
std::vector<std::uint32_t> open_places(const Literal& literal) {
  std::vector<std::uint32_t> open;
  for (std::uint32_t a = 0; a < literal.arguments.size(); ++a) {
    if (output_of(literal, a) < literal.outputs.size()) open.push_back(a);
  }
  return open;
}

}  // namespace

Error Executor::evaluation_error(const Literal& literal) const {
  return database_.evaluation_error(plan_.rule->rule, literal);
}

bool Executor::evaluate_term(const Term& term, Batch& batch, std::uint32_t row, Code& out) {
  switch (term.kind) {
    case Term::Kind::kVariable:
      out = batch.column(term.value)[row];
      return true;
    case Term::Kind::kConstant:
      out = term.value;
      return true;
    case Term::Kind::kApply:
      break;
  }
  constexpr std::size_t kFew = 8;
  std::array<Code, kFew> few;
  std::vector<Code> many;
  Code* arguments = few.data();
  if (term.arguments.size() > kFew) {
    many.resize(term.arguments.size());
    arguments = many.data();
  }
  for (std::size_t i = 0; i < term.arguments.size(); ++i) {
    if (!evaluate_term(term.arguments[i], batch, row, arguments[i])) return false;
  }
  return evaluate(term.function, std::span<const Code>(arguments, term.arguments.size()),
                  database_.evaluation(), out);
}

Status Executor::compute(std::size_t number, Batch& in) {
  const Op& op = plan_.ops[number];
  const Literal& literal = plan_.rule->rule.body[op.literal];
  if (op.kind == OpKind::kAssign && !op.known) {
    Code* target = in.column(literal.variable);
    for (std::uint32_t i = 0; i < in.size; ++i) {
      if (!evaluate_term(literal.left, in, i, target[i])) return fail(evaluation_error(literal));
    }
    return step(number + 1, in);
  }
  std::array<std::uint8_t, kBatch> keep;
  for (std::uint32_t i = 0; i < in.size; ++i) {
    Code left = 0;
    if (!evaluate_term(literal.left, in, i, left)) return fail(evaluation_error(literal));
    if (op.kind == OpKind::kAssign) {
      keep[i] = left == in.column(literal.variable)[i] ? 1 : 0;
      continue;
    }
    Code right = 0;
    bool holds = false;
    if (!evaluate_term(literal.right, in, i, right) ||
        !compare_values(literal.comparison, left, right, database_.evaluation(), holds)) {
      return fail(evaluation_error(literal));
    }
    keep[i] = holds ? 1 : 0;
  }
  compact(op.carry, in, keep.data(), false);
  return step(number + 1, in);
}

Status Executor::expand_builtin(std::size_t number, Batch& in) {
  const Op& op = plan_.ops[number];
  const Literal& literal = plan_.rule->rule.body[op.literal];
  Stage& stage = *stages_[number];
  std::vector<Code> arguments(literal.arguments.size());
  const std::vector<std::uint32_t> open = open_places(literal);
  const std::size_t outputs = literal.outputs.size();
  std::vector<Code> solutions;
  stage.out.size = 0;
  for (std::uint32_t i = 0; i < in.size; ++i) {
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      const Argument& argument = literal.arguments[a];
      arguments[a] = argument.constant                 ? argument.value
                     : output_of(literal, a) < outputs ? kUnbound
                                                       : in.column(argument.value)[i];
    }
    solutions.clear();
    std::size_t count = 0;
    if (!solve(literal.builtin, arguments, database_.evaluation(), solutions, count)) {
      return fail(evaluation_error(literal));
    }
    if (literal.negated) count = count == 0 ? 1 : 0;
    for (std::size_t s = 0; s < count; ++s) {
      bool fits = true;
      const std::uint32_t n = stage.out.size;
      for (std::size_t o = 0; o < open.size() && !literal.negated; ++o) {
        const Code value = solutions[s * open.size() + o];
        const std::size_t output = output_of(literal, open[o]);
        const Slot slot = literal.outputs[output];
        if (op.bound[output]) {
          fits = fits && in.column(slot)[i] == value;
        } else {
          stage.out.column(slot)[n] = value;
        }
      }
      if (!fits) continue;
      for (const Slot slot : op.carry) stage.out.column(slot)[n] = in.column(slot)[i];
      stage.out.size = n + 1;
      if (stage.out.size == full_batch_) {
        ANIMA_TRY(step(number + 1, stage.out));
        stage.out.size = 0;
      }
    }
  }
  ANIMA_TRY(step(number + 1, stage.out));
  stage.out.size = 0;
  return {};
}

Status Executor::ask(std::size_t number, Batch& in) {
  const Op& op = plan_.ops[number];
  if (may_ask_) {
    const Literal& literal = plan_.rule->rule.body[op.literal];
    std::vector<Code> inputs;
    const std::vector<std::uint32_t> places = database_.ask_places(literal);
    for (std::uint32_t i = 0; i < in.size; ++i) {
      for (const std::uint32_t place : places) {
        const Argument& argument = literal.arguments[place];
        inputs.push_back(argument.constant ? argument.value : in.column(argument.value)[i]);
      }
    }
    ANIMA_TRY(database_.ask(literal.predicate, places, inputs, in.size));
  }
  return step(number + 1, in);
}

}  // namespace anima::datalog
