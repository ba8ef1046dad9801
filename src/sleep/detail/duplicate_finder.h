// Concepts that are probably one thing under two names.
//
// Candidates come from blocking, never from comparing all with all: the same letters, the same
// word, beginning or end, a shared alias, an equal key, and what the indexes find for the name and
// the keys. A pair of one type is surely the same when it has an identity in common
// (identity.h) that no third one has, or names that are equal up to white space, and up to case
// where that tells nothing apart. An equal address of mail makes one of two only where it is the
// mailbox of the one person whom both names mean (evidence/mailbox.h), an equal address of the web
// or account where the names are spelled alike, an equal ORCID where they fit
// (evidence/name_fit.h). A pair is never the same when the two
// say what cannot both hold. What is only alike is possibly the same: for a person to decide.
// Complexity: O(work) look-ups. Thread-safety: one thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sleep/detail/cycle.h"
#include "sleep/detail/identity.h"
#include "sleep/evidence/similarity.h"

namespace anima::sleep::detail {

enum class Verdict { kDifferent, kPossible, kSame };

struct Judgement {
  Verdict verdict = Verdict::kDifferent;
  std::string reason;
  bool veto = false;  // something speaks against it, whatever else is alike
};

struct Pair {
  EntityId a, b;  // a < b
  Judgement judgement;
};

class DuplicateFinder {
 public:
  explicit DuplicateFinder(const Reading& reading) : reading_(reading), identities_(reading) {}
  // The pairs of `items` with anything that is there which are possibly or surely the same. With
  // `among_themselves` the items are all that is there, and no index is asked.
  std::vector<Pair> find(const std::set<EntityId>& items, bool among_themselves = false);
  Judgement judge(EntityId a, EntityId b);
  // Concepts of this type are compared at all: no events, tasks or definitions.
  bool is_comparable(EntityId item) const;

 private:
  struct Profile {
    NameForm name;
    std::vector<NameForm> aliases;
    std::map<std::string, Key> keys;                          // by attribute
    std::set<std::pair<std::uint32_t, std::uint32_t>> links;  // (predicate, other), both ways
    std::set<EntityId> neighbours;
  };
  // What two have in common beside their names: attributes, by what an equal value of them says.
  struct Common {
    std::string identity, shared, contact;  // one that says so; empty: none
    std::vector<std::string> addresses;
    bool any() const {
      return !identity.empty() || !shared.empty() || !contact.empty() || !addresses.empty();
    }
  };
  const Profile& profile(EntityId item);
  // The attribute of which the two have different values, or empty.
  std::string common_keys(EntityId a, const Profile& x, const Profile& y, Common* common) const;
  Judgement judge_alike(const Profile& x, const Profile& y, NameMatch names, bool alias,
                        const Common& common) const;
  Judgement judge_address(const Profile& x, const Profile& y, const std::string& attribute) const;
  void block(EntityId item, std::map<std::string, std::vector<EntityId>>* blocks);
  std::vector<EntityId> looked_up(EntityId item);

  const Reading& reading_;
  Identities identities_;
  std::map<EntityId, Profile> profiles_;
  std::set<std::string> shared_;  // blocks of keys that more than two have, up to case
};

}  // namespace anima::sleep::detail
