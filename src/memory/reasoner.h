// The rules of compartments over one snapshot of a space, run to their fixpoint, asked and
// explained.
//
// What the rules see (docs/rules.md): each relation p of the space as the predicate p(S, O), and
// concept(Id, Type, Name), attribute(Id, Key, Value), metadata(Id, Key, Value), fact(Graph, S, P,
// O). An entity is the string of its name, "Type:name" when another concept bears the same name
// and it is no untyped one; literals are numbers and strings. A relation's name becomes a
// predicate's by predicate_name(). Only relations that a rule or a query mentions are read.
// Errors: those of the language, with file, line and column.
// Complexity: create() is O(facts read + facts derived). Thread-safety: one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "memory/compartments.h"
#include "memory/questions.h"
#include "store/snapshot.h"

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
  std::string predicate;  // of a fact, with its arguments as labels
  std::vector<std::string> arguments;
};

class Reasoner {
 public:
  // `queries` are atoms that will be asked, so that the relations they mention are there.
  static Result<std::unique_ptr<Reasoner>> create(const store::Snapshot& snapshot,
                                                  const std::vector<RuleSource>& rules,
                                                  const std::vector<std::string>& queries = {});
  ~Reasoner();
  Reasoner(const Reasoner&) = delete;
  Reasoner& operator=(const Reasoner&) = delete;

  Result<std::vector<RuleRow>> ask(std::string_view query, std::size_t max_rows = 0) const;
  Result<bool> holds(std::string_view query) const;
  // Why a fact is there. Errors: kNotFound when it is not.
  Result<std::vector<ProofLine>> why(std::string_view fact) const;
  // Why nothing matches, rule by rule.
  Result<std::string> why_not(std::string_view goal) const;

  std::uint64_t facts() const;    // read from the space
  std::uint64_t derived() const;  // in derived relations
  std::uint64_t rounds() const;
  std::vector<std::string> predicates() const;  // that can be asked: "stops_working/2", sorted

 private:
  struct State;
  explicit Reasoner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Parses the rules alone: syntax errors with their place.
Status check_rules(const std::string& text, const std::string& name);

// The statement of the space that a given fact of a proof stands for.
std::optional<store::Triple> find_fact(const store::Snapshot& snapshot, const ProofLine& line);

struct QuestionAnswer {
  std::string query;
  std::string pattern;
  bool known = true;              // the subject is known
  std::string text;               // the answer's first line
  std::vector<std::string> rows;  // first variable of each row, sorted
  std::string proved;             // the fact that `proof` proves
  std::vector<ProofLine> proof;
  std::vector<std::string> next;  // questions to ask now
};

// Fills a matched pattern and asks. O(answers).
Result<QuestionAnswer> answer_question(const Reasoner& reasoner, const QuestionMatch& match);

}  // namespace anima::memory
