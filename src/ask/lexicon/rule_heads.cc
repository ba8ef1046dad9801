#include "ask/lexicon/rule_heads.h"

#include <algorithm>
#include <map>
#include <utility>

#include "datalog/parser.h"

namespace anima::ask {

std::vector<RuleHead> rule_heads(const std::vector<memory::RuleSource>& rules) {
  std::map<std::string, RuleHead> heads;
  for (const memory::RuleSource& source : rules) {
    const auto unit = datalog::parse_program(source.text, source.file);
    if (!unit) continue;
    for (const auto& clause : unit->clauses) {
      const std::size_t arity = clause.head.arguments.size();
      if (arity < 1 || arity > 2 || clause.body.empty()) continue;
      RuleHead& head = heads[clause.head.predicate];
      head.name = clause.head.predicate;
      head.arity = arity;
      head.clauses.push_back(clause);
    }
  }
  std::vector<RuleHead> list;
  for (auto& [name, head] : heads) list.push_back(std::move(head));
  return list;
}

std::string closed_base(const RuleHead& rule) {
  if (rule.arity != 2 || rule.clauses.size() != 2) return {};
  std::string base;
  bool direct = false, stepped = false;
  for (const auto& clause : rule.clauses) {
    for (const auto& literal : clause.body) {
      const bool plain = literal.kind == datalog::ast::LiteralKind::kAtom &&
                         literal.atom.arguments.size() == 2 && !literal.when;
      if (!plain) return {};
      if (literal.atom.predicate == rule.name) continue;
      if (!base.empty() && base != literal.atom.predicate) return {};
      base = literal.atom.predicate;
    }
    const auto variable = [](const datalog::ast::Atom& atom, std::size_t i) {
      const auto& term = atom.arguments[i];
      return term.kind == datalog::ast::TermKind::kVariable ? term.text : std::string();
    };
    const auto& head = clause.head;
    if (clause.body.size() == 1 && clause.body[0].atom.predicate == base) {
      direct = !variable(head, 0).empty() && !variable(head, 1).empty() &&
               variable(head, 0) != variable(head, 1) &&
               variable(head, 0) == variable(clause.body[0].atom, 0) &&
               variable(head, 1) == variable(clause.body[0].atom, 1);
    } else if (clause.body.size() == 2) {
      const datalog::ast::Atom* first = &clause.body[0].atom;
      const datalog::ast::Atom* second = &clause.body[1].atom;
      if (variable(*first, 0) != variable(head, 0)) std::swap(first, second);
      stepped = !variable(*first, 1).empty() && variable(*first, 0) == variable(head, 0) &&
                variable(*first, 1) == variable(*second, 0) &&
                variable(*second, 1) == variable(head, 1) &&
                variable(*first, 1) != variable(*first, 0) &&
                variable(*second, 1) != variable(*second, 0) &&
                (first->predicate == base || second->predicate == base);
    }
  }
  return direct && stepped ? base : std::string();
}

bool needs_reasoner(const std::vector<RuleHead>& heads) {
  return std::any_of(heads.begin(), heads.end(), [](const RuleHead& head) {
    return head.arity == 1 || closed_base(head).empty();
  });
}

}  // namespace anima::ask
