// WHERE as a plan of the room `query`.
//
// Scopes: NOT sees what stands before it and keeps its own variables to itself; OPTIONAL sees what
// stands before it and shows its own; a UNION branch sees nothing and shows its own. Filters apply
// at the end of their block, except that those before a UNION apply to the rows before it.
// Three files: pattern.cc has blocks and variables, pattern_clauses.cc concepts and links,
// pattern_filter.cc conditions. Thread-safety: one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kip/detail/bind.h"
#include "kip/detail/functions.h"
#include "kip/detail/validity.h"
#include "query/derived.h"
#include "query/executor.h"
#include "store/fading.h"

namespace anima::kip::detail {

struct PatternOptions {
  bool strict = true;  // undefined types and predicates are KIP_2001; else they match nothing
  bool require_named =
      false;  // a {type, name} or {id} clause that finds nothing is KIP_3002 (DELETE, MERGE)
  query::DerivedRelations* derived = nullptr;  // what rules derive from the snapshot
  std::optional<ValidTime> valid_at = {};      // only links that hold then, named or not
  store::Fading fading = {};                   // of `_faded_confidence`
  // Patterns that name no link ask what holds then: links that have not ended, of a functional
  // predicate's each subject's one. Those that name it ask for statements. None: all do.
  std::optional<Timestamp> what_holds = {};
};

class PatternPlanner {
 public:
  struct Variable {
    query::Slot slot = 0;
    VariableKind kind = VariableKind::kUnknown;
  };

  PatternPlanner(const store::Snapshot& snapshot, const Binder& binder, PatternOptions options);

  Outcome<query::NodePtr> where(const std::vector<Clause>& clauses);

  // A variable visible at the end of WHERE; null when it is not.
  const Variable* find(const std::string& name) const;
  Outcome<Variable> require(const DotPath& path) const;
  // The same path gives the same function object, so that it is computed once where it is used
  // twice.
  Outcome<query::Expr> expression(const DotPath& path);
  query::Slot fresh(std::string name = {});

  // The finished plan around `root`.
  query::Plan finish(query::NodePtr root, std::vector<query::Slot> results);
  const std::shared_ptr<query::Values>& values() const { return values_; }
  std::vector<std::pair<std::string, Variable>> visible() const { return scope_; }

 private:
  struct Segment {
    std::vector<query::StatementPattern> patterns;
    std::vector<query::Candidates> candidates;
    std::vector<query::PathPattern> paths;
    std::vector<query::NodePtr> derived;
    std::vector<query::Expr> checks;  // of the links that the patterns match
  };
  using Scope = std::vector<std::pair<std::string, Variable>>;

  Outcome<query::NodePtr> block(const std::vector<Clause>& clauses);
  Outcome<query::NodePtr> union_branch(const std::vector<Clause>& clauses);
  Check count_clause(const Clause& clause);
  Check add_clause(const Clause& clause, Segment* segment);
  Check add_concept(const Clause& clause, Segment* segment);
  Check add_link(const Clause& clause, Segment* segment);
  Check match_concept(const ConceptMatch& match, query::Slot slot, bool named_clause,
                      Segment* segment);
  Outcome<std::vector<std::uint32_t>> named(const ConceptMatch& match, bool must_exist) const;
  Check add_pattern(const LinkMatch& match, std::optional<query::Slot> proposition,
                    Segment* segment);
  std::optional<query::Slot> add_checks(bool one_holds, std::optional<query::Slot> proposition,
                                        std::vector<query::Expr>* checks);
  ValidTime time_that_holds() const;
  Outcome<query::PathExpr> path_step(const Atom& name) const;
  Outcome<bool> add_derived(const LinkMatch& match, bool named, Segment* segment);
  Outcome<query::Ref> endpoint(const Endpoint& end, Segment* segment);
  Outcome<query::Ref> predicate(const PredicateMatch& match, Segment* segment);
  Outcome<std::uint32_t> predicate_code(const Atom& name) const;
  query::NodePtr place(Segment* segment, query::NodePtr node);
  Outcome<query::NodePtr> filtered(query::NodePtr node, std::vector<const Clause*>* filters);
  Outcome<query::Expr> condition(const Condition& condition);
  Outcome<query::Expr> operand(const Condition& condition);
  Outcome<query::Expr> membership_of(const Condition& condition);
  Outcome<query::Expr> regex_of(const Condition& condition);
  Outcome<std::vector<query::Expr>> operands(const Condition& condition);
  Outcome<query::Slot> variable(const std::string& name, VariableKind kind, Place place);

  const store::Snapshot& snapshot_;
  const Binder& binder_;
  PatternOptions options_;
  bool dated_;  // some link says when it holds
  std::shared_ptr<query::Values> values_;
  Scope scope_;
  std::vector<Scope> hidden_;  // what UNION branches do not see, but share slots with
  std::vector<std::string> names_;
  std::vector<std::pair<std::string, std::shared_ptr<const query::Function>>> functions_;
  int depth_ = 0;
  std::size_t clauses_ = 0;  // of the command, those in blocks with them
};

}  // namespace anima::kip::detail
