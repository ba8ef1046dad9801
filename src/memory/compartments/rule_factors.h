// The confidence that a rule passes on: a derived fact has the rule's factor times the mean
// confidence of what the derivation rests on.
//
// In the text of rules a factor is a comment line of its own before a clause, and counts for that
// clause; rules.toml becomes such text. Without one it is 1:
//
//   # confidence: 0.9
//   is_a(X, Z) :- is_a(X, Y), is_a(Y, Z).
//
// Errors: kInvalidArgument with the line for a factor that is no number from 0 to 1.
// Source: learning_and_psyche 2.4, 2.10. Thread-safety: immutable.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace anima::memory {

class RuleFactors {
 public:
  // Reads one text; `name` is what places in it begin with.
  Status read(std::string_view text, const std::string& name);
  // Is there a factor other than 1?
  bool any() const { return !factors_.empty(); }
  // Of the clause at a place, "name:line:column".
  double of(std::string_view where) const;

 private:
  std::map<std::string, double, std::less<>> factors_;  // by "name:line"
};

}  // namespace anima::memory
