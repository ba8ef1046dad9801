// Contradictions: statements that cannot hold together, by what their predicates declare.
//
// A predicate's concept declares, as attributes of the $PropositionType:
//   functional: true          a subject has one object at most
//   disjoint_with: "q"        (or a list) no subject and object are joined by both
// Nothing is retracted. Of statements that contradict each other the one that was observed last is
// effective: the later `observed_at` in its metadata (an RFC 3339 time), else the time of the entry
// that asserted it last; then the later entry; then the higher number of the object. The others
// stay, superseded, with the reason. Only declared predicates are ever compared, so nothing
// unrelated retires anything.
// Complexity: O(statements of the subject and predicate). Thread-safety: one thread; lives no
// longer than its snapshot.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "store/snapshot.h"

namespace anima::memory {

struct Conflict {
  store::Triple effective;
  store::Triple superseded;
  std::string reason;  // for people: "capital-of is functional; Berlin was observed later (..)"
};

class Contradictions {
 public:
  explicit Contradictions(const store::Snapshot& snapshot);

  bool declared() const { return !functional_.empty() || !disjoint_.empty(); }
  // Why a statement is superseded; empty while it is effective, and for undeclared predicates.
  std::string superseded(const store::Triple& triple) const;
  // The conflicts of one statement with others, effective or not.
  std::vector<Conflict> conflicts_of(const store::Triple& triple) const;
  // Every conflict of the snapshot, by subject and predicate. O(statements of declared predicates).
  std::vector<Conflict> all() const;

 private:
  struct Observed;
  Observed observed(const store::Triple& triple) const;
  Conflict settle(const store::Triple& a, const store::Triple& b, std::string why) const;
  std::vector<store::Triple> statements(store::Predicate predicate) const;
  std::string relation(store::Predicate predicate) const;

  const store::Snapshot& snapshot_;
  std::vector<store::Predicate> functional_;                            // sorted
  std::map<store::Predicate, std::vector<store::Predicate>> disjoint_;  // both ways
};

}  // namespace anima::memory
