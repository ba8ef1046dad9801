// Whom and what the sides of frames mean: a thing of the space, or a new one; else what to ask
// back. Thread-safety: one thread. Lifetime: the snapshot outlives it. Complexity: a look-up of the
// label; O(persons) for a person who is not known.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ask/ask.h"
#include "language/frames/frames.h"
#include "store/snapshot.h"

namespace anima::agent::detail {

// The metadata of a link that a noun stated: "brother". Another noun of the same relation names
// somebody else.
inline constexpr std::string_view kNounOfLink = "noun";
inline constexpr std::string_view kPersonTypeName = "Person";

struct NamedThing {
  std::optional<store::EntityId> known = {};  // none: it is new
  std::string type = {}, name = {};
  std::string asks = {};  // why it is neither
};

class LearntNames {
 public:
  LearntNames(const store::Snapshot& now, std::string speaker, Timestamp time)
      : now_(now), speaker_(std::move(speaker)), time_(time) {}

  // To be called in the order of the text; `type`: the one that the relation wants.
  NamedThing find(const language::FrameSide& side, std::string_view type);
  // From here on "he" is looked for among who was named in the sentence before first.
  void next_sentence();
  // Who was spoken of before the text.
  void spoken_of(const std::vector<ask::SaidFact>& facts);

 private:
  NamedThing speaker() const;
  NamedThing named(const std::string& name, std::string_view type) const;
  NamedThing pronoun(const language::FrameSide& side) const;
  NamedThing relative(const language::FrameSide& side);
  std::vector<store::EntityId> called(const std::string& name) const;
  std::string fuller_names(const std::string& name) const;
  bool is_person(store::EntityId thing) const;

  const store::Snapshot& now_;
  std::string speaker_;
  Timestamp time_;
  std::vector<NamedThing> made_;                              // new ones of this text
  std::vector<NamedThing> people_, people_before_, earlier_;  // who was named, without the speaker
};

}  // namespace anima::agent::detail
