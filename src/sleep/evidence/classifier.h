// Which domain a concept belongs to, without a model: where the things live that it is linked to,
// where others of its type live, and which words it shares with the domain.
//
// The best domain is taken when its score is at least 1 and half as much again as the next one's;
// else the scores are the reason why not. What was decided counts for what comes later, so that
// neighbours without a domain find one together. Deterministic: ties are no decision.
// Complexity: O(links of the concept), and O(members of its type, at most 500) once a type.
// Thread-safety: one thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sleep/evidence/reading.h"

namespace anima::sleep::detail {

struct Classification {
  EntityId domain = EntityId::kNone;  // none wins
  double score = 0;
  std::string reason;
};

class Classifier {
 public:
  explicit Classifier(const Reading& reading);
  Classification classify(EntityId item);
  void decided(EntityId item, EntityId domain) { decided_[item] = domain; }

 private:
  using Votes = std::map<EntityId, double>;
  void vote(EntityId neighbour, double weight, Votes* votes) const;
  void vote_by_neighbours(EntityId item, Votes* votes) const;
  void vote_by_type(EntityId item, Votes* votes);
  void vote_by_words(EntityId item, Votes* votes) const;
  bool counts(EntityId domain) const;

  const Reading& reading_;
  std::map<EntityId, EntityId> decided_;
  std::map<EntityId, Votes> shares_;                    // of a type's members; sums to 1
  std::map<std::string, std::vector<EntityId>> words_;  // of the domains' names and descriptions
};

}  // namespace anima::sleep::detail
