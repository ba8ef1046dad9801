// The rules of compartments over a space, run to their fixpoint, asked, explained and kept current.
//
// What the rules see is said in datalog/space_facts.h and docs/rules.md; nothing of the space is
// copied. Errors: those of the language, with file, line and column.
// Complexity: create() is O(facts read + facts derived), refresh() O(what changed).
// Thread-safety: const functions from any thread, refresh() from one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "datalog/space_facts.h"
#include "memory/compartments/compartments.h"
#include "memory/compartments/questions.h"
#include "query/derived.h"
#include "store/space.h"

namespace anima::memory {

struct RuleRow {
  std::string fact;                 // as Datalog text
  std::vector<std::string> values;  // of the query's named variables, strings without quotes
};

// One step of a derivation, the goal first; `depth` indents it.
struct ProofLine {
  std::uint32_t depth = 0;
  std::string fact;
  std::string because;    // the rule as written, "given", "absent" ..
  std::string where;      // file:line of the rule
  bool given = false;     // a fact of the space
  bool repeated = false;  // shown before
  bool check = false;     // no fact but a condition: nothing matched, or a comparison held
  // Of a fact of the space the best that somebody asserts it with; of a derived one its rule's
  // factor (rule_factors.h) times the mean of the facts that this derivation of it rests on.
  double confidence = 1.0;
  std::vector<datalog::Premise> statements;  // of a given fact: who asserts what it rests on
};

// What a refresh changed of what the rules derive: rows of values, strings without quotes.
struct RuleChange {
  std::string predicate;
  std::vector<std::vector<std::string>> inserted, deleted;
};

// When the running of rules ends whether they are through or not: kTimeout, kCancelled.
struct RuleLimits {
  std::int64_t deadline_ms = 60'000;
  std::stop_token stop = {};
};

class Reasoner {
 public:
  // A rule that cannot be compiled is set aside with those that need it; it is the answer to what
  // they would derive.
  // `clock` answers rules that ask for the time; null: the system's.
  static Result<std::unique_ptr<Reasoner>> create(const store::Snapshot& snapshot,
                                                  const std::vector<RuleSource>& rules,
                                                  std::shared_ptr<Clock> clock = {},
                                                  const RuleLimits& limits = {});
  ~Reasoner();
  Reasoner(const Reasoner&) = delete;
  Reasoner& operator=(const Reasoner&) = delete;

  // A rule of this compartment cannot be compiled, and was set aside: its error.
  Status check(std::string_view compartment) const;

  // Carries through what the space's log has beyond the state that this one is at, up to a snapshot
  // of the space and no further.
  Status refresh(store::Space& space, const store::Snapshot& to);
  // From now on, what refreshes change of these predicates is kept; the second gives it, once.
  // O(what changes).
  void watch(const std::vector<std::string>& predicates);
  std::vector<RuleChange> take_changes();
  // Rules that ask for the time are true of the time of their last evaluation only.
  bool reads_clock() const;

  Result<std::vector<RuleRow>> ask(std::string_view query, std::size_t max_rows = 0) const;
  // The query's named variables: of what RuleRow::values are. Errors: those of the language.
  Result<std::vector<std::string>> variables(std::string_view query) const;
  Result<bool> holds(std::string_view query) const;
  // Why a fact is there. Errors: kNotFound when it is not.
  Result<std::vector<ProofLine>> why(std::string_view fact) const;
  // Why nothing matches, rule by rule.
  Result<std::string> why_not(std::string_view goal) const;

  // Does any rule pass on less than what it rests on?
  bool has_factors() const;
  // How sure a fact is, by the derivation that why() shows. Errors: as why().
  Result<double> confidence(std::string_view fact) const;
  // How far a fact may be trusted: the lowest of the premises of its derivation and of who brought
  // its rules. Errors: as why().
  Result<store::Trust> trust(std::string_view fact) const;

  // What rules would derive and no longer derive on a branch of this state's snapshot that has
  // these links beside; facts as Datalog, sorted. Nothing when only an evaluation of the branch
  // itself can tell. Errors: those of the rules. O(what changes).
  struct Difference {
    std::vector<std::string> gained, lost;
  };
  Result<std::optional<Difference>> suppose(const store::Snapshot& branch,
                                            std::span<const store::Triple> links) const;

  // What is derived under a predicate of two arguments, without what the space states under this
  // label itself. Errors: kNotFound where no rule derives it; that of a rule that fails. O(rows).
  Result<query::DerivedRelation> relation(std::string_view label) const;

  store::Snapshot snapshot() const;             // the state that it reasons over
  std::uint64_t derived() const;                // in derived relations
  std::vector<std::string> predicates() const;  // that can be asked: "stops_working/2", sorted

 private:
  struct State;
  explicit Reasoner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Labels as rules write them, of what they derive with two arguments; sorted. Rules that cannot be
// read derive nothing. O(rules).
std::vector<std::string> derived_relations(const std::vector<RuleSource>& rules);
// Parses the rules alone: syntax errors, and confidences that are none, with their place.
Status check_rules(const std::string& text, const std::string& name);
// Do the names of concepts in the rules of a compartment that is being loaded each mean one concept
// of the space, beside the rules that are loaded? Errors: kInvalidArgument with the candidates.
Status check_rule_names(const store::Snapshot& snapshot, const std::vector<RuleSource>& loaded,
                        const RuleSource& rules);

inline constexpr std::size_t kMaxConfidences = 1'000;
struct QuestionAnswer {
  std::string query;
  std::string pattern;
  bool known = true;              // the subject is known
  std::string text;               // the answer's first line
  std::vector<std::string> rows;  // first variable of each row, sorted
  // Of each row the best of its facts; empty when no rule has a factor, or there are more rows than
  // kMaxConfidences.
  std::vector<double> confidences;
  std::string proved;  // the fact that `proof` proves
  std::vector<ProofLine> proof;
  std::vector<std::string> next;  // questions to ask now
};

// Fills a matched pattern and asks. O(answers).
Result<QuestionAnswer> answer_question(const Reasoner& reasoner, const QuestionMatch& match);

}  // namespace anima::memory
