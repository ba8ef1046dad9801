#include "memory/compartments/rule_effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "datalog/parser.h"
#include "memory/compartments/reasoner.h"

namespace anima::memory {
namespace {

constexpr std::uint64_t kMaxCompared = 200'000;

// What the rules read and what they derive.
struct Reach {
  std::set<std::string> read;
  std::set<std::string> heads;  // as queries: "p(V0, V1)"
};

Result<Reach> reach_of(const std::vector<RuleSource>& rules) {
  Reach reach;
  for (const RuleSource& source : rules) {
    ANIMA_ASSIGN(const datalog::Unit unit, datalog::parse_program(source.text, source.file));
    for (const datalog::ast::Clause& clause : unit.clauses) {
      std::vector<std::string> variables;
      for (std::size_t i = 0; i < clause.head.arguments.size(); ++i) {
        variables.push_back(fmt::format("V{}", i));
      }
      reach.heads.insert(fmt::format("{}({})", clause.head.predicate, join(variables, ", ")));
      for (const datalog::ast::Literal& literal : clause.body) {
        if (literal.kind != datalog::ast::LiteralKind::kComparison) {
          reach.read.insert(literal.atom.predicate);
        }
      }
    }
  }
  return reach;
}

bool reads(const Reach& reach, const std::vector<std::string>& changed) {
  for (const char* general : {"fact", "concept"}) {
    if (reach.read.count(general) != 0) return true;
  }
  return std::any_of(changed.begin(), changed.end(), [&](const std::string& label) {
    return reach.read.count(datalog::predicate_name(label)) != 0;
  });
}

Result<std::set<std::string>> derived_facts(const Reasoner& reasoner, const Reach& reach) {
  std::set<std::string> facts;
  for (const std::string& head : reach.heads) {
    ANIMA_ASSIGN(const std::vector<RuleRow> rows, reasoner.ask(head));
    for (const RuleRow& row : rows) facts.insert(row.fact);
  }
  return facts;
}

// What `more` has and `less` has not.
void compare(const std::set<std::string>& more, const std::set<std::string>& less,
             std::vector<std::string>& shown, std::uint64_t& total) {
  for (const std::string& fact : more) {
    if (less.count(fact) != 0) continue;
    if (total++ < kShownEffects) shown.push_back(fact);
  }
}

}  // namespace

Result<bool> rules_read(const std::vector<RuleSource>& rules,
                        const std::vector<std::string>& changed) {
  if (rules.empty()) return false;
  ANIMA_ASSIGN(const Reach reach, reach_of(rules));
  return reads(reach, changed);
}

Result<RuleEffects> rule_effects(const Reasoner& now, const store::Snapshot& before,
                                 const store::Snapshot& branch,
                                 std::span<const store::Triple> links,
                                 const std::vector<RuleSource>& rules,
                                 std::shared_ptr<Clock> clock) {
  ANIMA_ASSIGN(auto told, now.suppose(branch, links));
  if (!told) return rule_effects(before, branch, rules, std::move(clock));
  RuleEffects effects;
  effects.gained_total = told->gained.size();
  effects.lost_total = told->lost.size();
  for (std::vector<std::string>* facts : {&told->gained, &told->lost}) {
    if (facts->size() > kShownEffects) facts->resize(kShownEffects);
  }
  effects.gained = std::move(told->gained);
  effects.lost = std::move(told->lost);
  return effects;
}

Result<RuleEffects> rule_effects(const store::Snapshot& before, const store::Snapshot& after,
                                 const std::vector<RuleSource>& rules,
                                 std::shared_ptr<Clock> clock) {
  RuleEffects effects;
  ANIMA_ASSIGN(const Reach reach, reach_of(rules));
  ANIMA_ASSIGN(const auto then, Reasoner::create(before, rules, clock));
  ANIMA_ASSIGN(const auto now, Reasoner::create(after, rules, clock));
  if (then->derived() + now->derived() > kMaxCompared) {
    effects.counted_only = true;
    effects.gained_total = now->derived() - std::min(now->derived(), then->derived());
    effects.lost_total = then->derived() - std::min(now->derived(), then->derived());
    return effects;
  }
  ANIMA_ASSIGN(const std::set<std::string> old_facts, derived_facts(*then, reach));
  ANIMA_ASSIGN(const std::set<std::string> new_facts, derived_facts(*now, reach));
  compare(new_facts, old_facts, effects.gained, effects.gained_total);
  compare(old_facts, new_facts, effects.lost, effects.lost_total);
  return effects;
}

}  // namespace anima::memory
