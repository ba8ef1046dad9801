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

// The names under which one person speaks; none: nobody in particular.
class SpeakerNames {
 public:
  SpeakerNames() = default;
  SpeakerNames(const store::Snapshot& now, std::string_view speaker);
  bool empty() const { return names_.empty(); }
  bool contains(std::string_view name) const;
  const std::vector<std::string>& all() const { return names_; }  // the one that was given first

 private:
  std::vector<std::string> names_;
};

}  // namespace anima::memory
