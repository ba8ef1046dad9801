#include "govern/rules/detail/idle_rules.h"

#include <set>

namespace anima::govern::detail {

std::vector<std::string> idle_rules(const datalog::Program& program,
                                    const std::vector<datalog::PredicateId>& decisions,
                                    std::string_view shipped) {
  std::set<datalog::PredicateId> asked(decisions.begin(), decisions.end());
  for (std::size_t before = 0; before != asked.size();) {
    before = asked.size();
    for (const datalog::Rule& rule : program.rules) {
      if (!asked.contains(rule.head)) continue;
      for (const datalog::Literal& literal : rule.body) asked.insert(literal.predicate);
    }
  }
  std::vector<std::string> idle;
  for (const datalog::Rule& rule : program.rules) {
    if (rule.internal || asked.contains(rule.head) || rule.where.starts_with(shipped)) continue;
    idle.push_back(rule.where + ": this decides nothing, for no deny(Call, Reason) or " +
                   "ask(Call, Reason) rests on '" + program.predicates[rule.head].name + "'");
  }
  return idle;
}

}  // namespace anima::govern::detail
