// Contradictions: statements that cannot hold together.
//
// A predicate's concept declares, as attributes of the $PropositionType:
//   functional: true          a subject has one object at most
//   disjoint_with: "q"        (or a list) no subject and object are joined by both
// The values of an attribute are one opinion where one graph gives them on one level of trust;
// those beside them contradict it. Which of two statements is effective is the rule of
// store/holds.h, at the time of the snapshot's last entry; where that finds them equal, neither is,
// and `effective` is the one with the lower number. The others stay, with the reason. Only declared
// predicates are compared, so nothing unrelated retires anything. Complexity: O(statements of the
// subject and predicate). Thread-safety: one thread; lives no longer than its snapshot.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "store/holds.h"
#include "store/snapshot.h"

namespace anima::memory {

// Why the other statement is not the effective one.
enum class Verdict : std::uint8_t {
  kEnded,      // not valid now, or never valid together: both may be right, each for its time
  kOutranked,  // who states it is trusted less: an open contradiction, whatever their times
  kOlder,      // who states it is trusted as far, and saw it earlier
  kEven,       // nothing tells which is right, as of two of one entry: both stand, and are open
};

inline bool is_open(Verdict verdict) {
  return verdict == Verdict::kOutranked || verdict == Verdict::kEven;
}

struct Conflict {
  store::Triple effective;
  store::Triple superseded;
  Verdict verdict = Verdict::kOlder;
  std::string reason;  // for people: "capital-of is functional; Berlin was observed later (..)"
};

class Contradictions {
 public:
  explicit Contradictions(const store::Snapshot& snapshot);

  bool declared() const { return !functional_.empty() || !disjoint_.empty(); }
  // Why a statement does not hold now: what supersedes it, or when it ended; empty while it holds,
  // also where another one holds with it that nothing tells it apart from.
  std::string superseded(const store::Triple& triple) const;
  // "ended on 2026-11-16, by Ada", or that it begins later; empty while it is valid.
  std::string out_of_time(const store::Triple& triple) const;
  // The conflicts of one statement with others, effective or not.
  std::vector<Conflict> conflicts_of(const store::Triple& triple) const;
  // Every conflict of the snapshot but those with what has ended, by subject and predicate.
  // O(attributes + statements of declared predicates).
  std::vector<Conflict> all() const;

 private:
  Conflict settle(const store::Triple& a, const store::Triple& b, std::string why) const;
  Conflict judged(const store::Triple& effective, const store::Triple& other,
                  std::string why) const;
  bool is_valid_now(const store::Standing& standing) const;
  std::vector<Conflict> conflicts_of_value(const store::Triple& triple) const;
  void add_values(std::vector<Conflict>& conflicts) const;
  std::vector<store::Triple> statements(store::Predicate predicate) const;
  std::string relation(store::Predicate predicate) const;
  std::string said_by(store::EntityId link, std::string_view key) const;
  std::string newer_of(store::EntityId link) const;

  const store::Snapshot& snapshot_;
  Timestamp now_;                                                       // of the last entry
  std::vector<store::Predicate> functional_;                            // sorted
  std::map<store::Predicate, std::vector<store::Predicate>> disjoint_;  // both ways
};

}  // namespace anima::memory
