// The program as the engine runs it: relations, rules and components in order.
//
// Two rewrites make everything downstream uniform.
//  * A derived predicate p may also have given facts. They live in a relation of their own and
//  reach p by a copy
//    rule, so "given" and "derived" never share a row and retraction of a given fact is ordinary
//    maintenance.
//  * A rule with a do-transform writes a relation of groups (keys, then results), maintained group
//  by group; a copy
//    rule builds the head from it. Groups of counts, sums and extremes have a column for each of
//    those and one for the number of their rows, whether the head needs them or not.
// Relation ids below Program::predicates.size() are predicate ids; helpers follow.
//
// Immutable after build_network(); shared by all lines. Thread-safety: immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "datalog/program.h"

namespace anima::datalog {

using RelationId = std::uint32_t;

enum class RelationKind : std::uint8_t {
  kBase,      // facts from outside; no rule writes it
  kGiven,     // the given facts of a derived predicate
  kDerived,   // written by rules
  kGroups,    // written by one do-transform
  kHidden,    // rows of a base relation that are not to be seen
  kExternal,  // filled by call-backs: the memo of a virtual predicate
};

struct RelationInfo {
  RelationKind kind = RelationKind::kBase;
  std::uint32_t columns = 0;
  PredicateId predicate = kNone;    // the predicate that it serves
  RelationId given = kNone;         // of a derived predicate: where its given facts are
  RelationId hidden = kNone;        // of facts over a base relation: what is hidden of it
  std::uint32_t component = kNone;  // that writes it
};

enum class RuleKind : std::uint8_t { kWritten, kCopyGiven, kCopyGroups, kGrouping };

struct NetworkRule {
  RuleKind kind = RuleKind::kWritten;
  Rule rule;                       // predicates in it are relation ids
  RuleId source = kNone;           // the program's rule
  std::uint32_t grouping = kNone;  // kCopyGroups: the NetworkRule that writes the groups
  // kGrouping: the groups keep every result and how many rows they have, so a change is added to
  // them and taken from them; nothing is folded again.
  bool adjusts = false;
};

struct Component {
  bool grouping = false;  // one do-transform
  bool recursive = false;
  bool lattice = false;  // some predicate keeps one row a key
  StratumId stratum = kNone;
  std::vector<RelationId> writes;
  std::vector<std::uint32_t> rules;
  std::vector<RelationId> reads;  // outside of it, ascending, negated ones included
};

struct Network {
  std::shared_ptr<const Program> program;
  std::vector<RelationInfo> relations;
  std::vector<NetworkRule> rules;
  std::vector<Component> components;  // in the order of evaluation

  const Predicate& predicate(RelationId relation) const {
    return program->predicates[relations[relation].predicate];
  }
  // Where facts from outside go.
  RelationId given(PredicateId predicate) const {
    const RelationId given = relations[predicate].given;
    return given == kNone ? predicate : given;
  }
};

// Atoms that bring rows in, and literals that hold while rows are missing.
inline bool is_positive(const Literal& literal) {
  return literal.kind == LiteralKind::kAtom ||
         (literal.kind == LiteralKind::kCall && !literal.negated);
}
inline bool is_negative(const Literal& literal) {
  return literal.kind == LiteralKind::kNegated ||
         (literal.kind == LiteralKind::kCall && literal.negated);
}

// Whether every relation and key of the network is within kMaxColumns (limits.h); kLimitExceeded
// names what is not.
Status check_widths(const Program& program);

// Requires check_widths(). `foreign`: predicates whose given facts lie in a base relation.
std::shared_ptr<const Network> build_network(std::shared_ptr<const Program> program,
                                             const std::vector<PredicateId>& foreign = {});

}  // namespace anima::datalog
