// Why a row is there, and why it is not.
//
// A proof is found on demand by searching backward from the row: a row of height h has a rule
// instance whose atoms of the same component have smaller heights, so the search never runs in a
// circle and the proof is finite. Nodes are shared: a row that is used twice is one node.
// Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "datalog/limits.h"
#include "datalog/program.h"

namespace anima::datalog {

enum class ProofKind : std::uint8_t {
  kGiven,     // a fact from outside
  kDerived,   // by `rule` from `premises`
  kGrouped,   // by the do-transform of `rule`; `premises` are the rows of the group
  kAbsent,    // a negated atom: no row matches
  kComputed,  // a comparison, an assignment or a builtin that holds
  kExternal,  // a virtual predicate said so
  kCut,       // a limit ended the search here
};

struct ProofNode {
  ProofKind kind = ProofKind::kGiven;
  PredicateId predicate = kNone;
  std::vector<Code> row;  // kGiven, kDerived, kGrouped, kExternal, kCut
  RuleId rule = kNone;
  std::string text;                     // the fact or the literal with its values
  std::string rule_text;                // the clause as written
  std::string where;                    // of the clause
  std::vector<std::uint32_t> premises;  // nodes, in the order of the body
  std::size_t hidden_premises = 0;      // rows of a group beyond max_group_rows
};

struct Proof {
  std::vector<ProofNode> nodes;  // the goal is nodes[0]

  // Indented text; a node that was shown before is named only.
  std::string text() const;
};

// What an explanation may take when nobody says otherwise: thirty seconds.
inline Limits explanation_limits() {
  Limits limits;
  limits.deadline_ms = 30'000;
  return limits;
}

struct ExplainOptions {
  std::size_t max_nodes = 10'000;
  std::size_t max_group_rows = 100;
  // Of this explanation alone, counted from its beginning; nothing of an earlier transaction's.
  Limits limits = explanation_limits();
};

// How far one rule gets on its way to the goal.
struct RuleFailure {
  RuleId rule = kNone;
  std::string rule_text;
  std::string where;
  bool head_matches = true;
  std::string failing;               // the literal that had no match, with what was known by then
  std::vector<std::string> holding;  // literals before it, with their values
  PredicateId missing_predicate = kNone;  // when it is a positive atom: whose rows would help
};

struct WhyNot {
  bool holds = false;    // there are matching rows after all
  bool is_base = false;  // no rule defines the predicate: only a fact would help
  std::vector<RuleFailure> rules;

  std::string text() const;
};

}  // namespace anima::datalog
