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

// By variable: named by the program, or bound by a literal that is no negated one. (A negated
// literal binds nothing, so for it that is some other literal.)
std::vector<bool> variables_of_others(const Rule& rule) {
  std::vector<bool> out(rule.variables.size(), false);
  for (Variable v = 0; v < rule.variables.size(); ++v) out[v] = rule.variables[v].named;
  for (const Literal& literal : rule.body) {
    if (literal.kind == LiteralKind::kAssign) out[literal.variable] = true;
    for (const Variable v : literal.outputs) out[v] = true;
    if (is_negative(literal)) continue;
    for (const Argument& argument : literal.arguments) {
      if (!argument.constant) out[argument.value] = true;
    }
  }
  return out;
}

std::vector<Variable> needed_by(const Literal& literal, const std::vector<bool>& others) {
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
        if (!argument.constant && others[argument.value]) out.push_back(argument.value);
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

// The atoms as sets of variables, reduced.
class Hypergraph {
 public:
  explicit Hypergraph(const std::vector<Literal>& body) {
    for (const Literal& literal : body) {
      if (literal.kind != LiteralKind::kAtom) continue;
      std::vector<Variable> edge = bound_variables(literal);
      std::ranges::sort(edge);
      edge.erase(std::unique(edge.begin(), edge.end()), edge.end());
      edges_.push_back(std::move(edge));
    }
    std::ranges::sort(edges_);
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    alive_.assign(edges_.size(), true);
    left_ = edges_.size();
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      for (const Variable v : edges_[e]) {
        if (v >= of_.size()) of_.resize(v + 1);
        of_[v].push_back(e);
      }
    }
  }

  // Atoms that stay.
  std::size_t run() {
    std::vector<std::size_t> waiting(edges_.size());
    for (std::size_t e = 0; e < edges_.size(); ++e) waiting[e] = e;
    while (!waiting.empty() && left_ > 1) {
      const std::size_t e = waiting.back();
      waiting.pop_back();
      if (!alive_[e]) continue;
      std::erase_if(edges_[e], [&](Variable v) { return of_[v].size() == 1; });
      if (!is_inside(e)) continue;
      alive_[e] = false;
      --left_;
      for (const Variable v : edges_[e]) {
        std::erase(of_[v], e);
        if (of_[v].size() == 1) waiting.push_back(of_[v].front());
      }
    }
    return left_;
  }

 private:
  bool is_inside(std::size_t e) const {
    const std::vector<Variable>& edge = edges_[e];
    if (edge.empty()) return true;
    const Variable rarest =
        *std::ranges::min_element(edge, {}, [&](Variable v) { return of_[v].size(); });
    return std::ranges::any_of(of_[rarest], [&](std::size_t other) {
      return other != e && std::ranges::includes(edges_[other], edge);
    });
  }

  std::vector<std::vector<Variable>> edges_;
  std::vector<bool> alive_;
  std::vector<std::vector<std::size_t>> of_;  // by variable: atoms that are left with it
  std::size_t left_ = 0;
};

}  // namespace

std::vector<std::vector<Variable>> needed_variables(const Rule& rule) {
  const std::vector<bool> others = variables_of_others(rule);
  std::vector<std::vector<Variable>> out;
  out.reserve(rule.body.size());
  for (const Literal& literal : rule.body) out.push_back(needed_by(literal, others));
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
bool is_cyclic(const std::vector<Literal>& body) { return Hypergraph(body).run() > 1; }

}  // namespace anima::datalog
