#include "datalog/engine/body.h"

#include <algorithm>
#include <utility>

#include "datalog/engine/network.h"

namespace anima::datalog {
namespace {

void collect(const Term& term, std::vector<Variable>& out) {
  if (term.kind == Term::Kind::kVariable) out.push_back(term.value);
  for (const Term& argument : term.arguments) collect(argument, out);
}

// Named by the program, or bound by a literal other than the one at `place`.
bool occurs_elsewhere(const Rule& rule, std::uint32_t place, Variable v) {
  if (v < rule.variables.size() && rule.variables[v].named) return true;
  for (std::uint32_t i = 0; i < rule.body.size(); ++i) {
    if (i == place) continue;
    const Literal& other = rule.body[i];
    if (other.kind == LiteralKind::kAssign && other.variable == v) return true;
    if (std::ranges::find(other.outputs, v) != other.outputs.end()) return true;
    if (is_negative(other)) continue;
    for (const Argument& argument : other.arguments) {
      if (argument == Argument::variable(v)) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Variable> needed_variables(const Rule& rule, std::uint32_t place) {
  const std::vector<Literal>& body = rule.body;
  const Literal& literal = body[place];
  std::vector<Variable> out;
  switch (literal.kind) {
    case LiteralKind::kAtom:
      break;
    case LiteralKind::kCall:
      for (const std::uint32_t input : literal.inputs) {
        if (!literal.arguments[input].constant) out.push_back(literal.arguments[input].value);
      }
      if (!literal.negated) break;
      [[fallthrough]];
    case LiteralKind::kNegated:
      // Variables that occur nowhere else stand for anything; every other one is bound.
      for (const Argument& argument : literal.arguments) {
        if (!argument.constant && occurs_elsewhere(rule, place, argument.value))
          out.push_back(argument.value);
      }
      break;
    case LiteralKind::kAssign:
      collect(literal.left, out);
      break;
    case LiteralKind::kCompare:
      collect(literal.left, out);
      collect(literal.right, out);
      break;
    case LiteralKind::kBuiltin:
      for (const Argument& argument : literal.arguments) {
        if (!argument.constant &&
            std::ranges::find(literal.outputs, argument.value) == literal.outputs.end()) {
          out.push_back(argument.value);
        }
      }
      break;
  }
  return out;
}

std::vector<Variable> bound_variables(const Literal& literal) {
  std::vector<Variable> out;
  if (is_positive(literal)) {
    for (const Argument& argument : literal.arguments) {
      if (!argument.constant) out.push_back(argument.value);
    }
  } else if (literal.kind == LiteralKind::kAssign) {
    out.push_back(literal.variable);
  } else if (literal.kind == LiteralKind::kBuiltin) {
    out = literal.outputs;
  }
  return out;
}

// GYO: take away variables of one atom only and atoms inside others; what is left is a cycle.
bool is_cyclic(const std::vector<Literal>& body) {
  std::vector<std::vector<Variable>> edges;
  for (const Literal& literal : body) {
    if (literal.kind != LiteralKind::kAtom) continue;
    std::vector<Variable> edge = bound_variables(literal);
    std::ranges::sort(edge);
    edge.erase(std::unique(edge.begin(), edge.end()), edge.end());
    edges.push_back(std::move(edge));
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& edge : edges) {
      const auto lonely = [&](Variable v) {
        return std::ranges::count_if(
                   edges, [v](const auto& e) { return std::ranges::binary_search(e, v); }) == 1;
      };
      changed |= std::erase_if(edge, lonely) > 0;
    }
    for (std::size_t i = 0; i < edges.size(); ++i) {
      for (std::size_t j = 0; j < edges.size(); ++j) {
        if (i == j || !std::ranges::includes(edges[j], edges[i])) continue;
        edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(i));
        changed = true;
        break;
      }
      if (changed) break;
    }
  }
  return edges.size() > 1;
}

}  // namespace anima::datalog
