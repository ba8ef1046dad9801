// Who speaks: the person of exactly this name, or the one with whom that was merged, so that all of
// a person's names are one speaker. A name that somebody only told of ("I am also called Ann"), or
// that nobody trusted gave, is no speaker's, for another Ann may speak. Thread-safety: pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/snapshot.h"

namespace anima::memory {

// nullopt: nobody of the name is known. Of several who were merged with one of the name it is none.
// O(those that are called so).
std::optional<store::EntityId> person_speaking(const store::Snapshot& now,
                                               std::string_view speaker);

// Since when a name has been of whom it was of in that entry: the act that made it anew after a
// merge; kNone: always, as far as is known. Names of two eras may be of two people.
store::Sequence era_of_speaker(const store::Snapshot& now, std::string_view speaker,
                               store::Sequence said);

// The names under which one person speaks; none: nobody in particular. A name that was merged and
// then made anew is of two: what was said before is of whom it was merged with.
class SpeakerNames {
 public:
  SpeakerNames() = default;
  SpeakerNames(const store::Snapshot& now, std::string_view speaker);
  bool empty() const { return names_.empty(); }
  bool contains(std::string_view name) const;                        // at any time
  bool contains(std::string_view name, store::Sequence said) const;  // in that entry

 private:
  struct Name {
    std::string name;
    store::Sequence from, until;
  };
  void add(const store::Snapshot& now, store::EntityId person, std::string name);
  std::vector<Name> names_;  // the one that was given first
};

}  // namespace anima::memory
