// Searches proofs and failures over a database. Thread-safety: as its database.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "datalog/engine/database.h"
#include "datalog/engine/solver.h"
#include "datalog/explain.h"

namespace anima::datalog {

class Explainer {
 public:
  Explainer(Database& database, const ExplainOptions& options)
      : database_(database), options_(options) {
    database_.begin_budget(options.limits);
  }

  Result<Proof> explain(PredicateId predicate, std::span<const Code> row);
  Result<WhyNot> why_not(const Query& goal);

 private:
  struct Open {
    std::uint32_t node;
    RelationId relation;
    RowId row;
  };

  std::uint32_t node_of(RelationId relation, RowId row);
  std::uint32_t leaf_of(RelationId relation, const std::vector<Code>& row);
  std::uint32_t literal_node(ProofKind kind, const Rule& rule, const Literal& literal,
                             std::span<const Code> bindings);
  Status expand(const Open& open);
  Result<bool> by_rule(const Open& open, std::uint32_t rule, bool guarded);
  Result<bool> by_groups(const Open& open, std::uint32_t rule);
  Result<bool> by_key(const Open& open, const Lattice& lattice);
  void add_premises(std::uint32_t node, const Rule& rule, std::span<const Code> bindings);
  std::vector<std::uint32_t> order_of(std::uint32_t rule, PlanGoal goal);
  bool unify(const std::vector<Argument>& head, std::span<const Code> row,
             std::vector<Code>& bindings) const;
  Result<RuleFailure> failure_of(std::uint32_t rule, const Query& goal);

  Database& database_;
  ExplainOptions options_;
  Proof proof_;
  std::map<std::pair<RelationId, RowId>, std::uint32_t> known_;
  std::map<std::pair<RelationId, std::vector<Code>>, std::uint32_t> leaves_;  // of base relations
  std::vector<Open> open_;
};

}  // namespace anima::datalog
