// Whom and what the sides of frames mean: a thing of the space, or a new one; else what to ask
// back. Thread-safety: one thread. Lifetime: the snapshot and the decisions outlive it. Complexity:
// a look-up of the label; O(things of the type) for a name that is not known.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/telling/told_question.h"
#include "ask/ask.h"
#include "language/frames/frames.h"
#include "store/snapshot.h"

namespace anima::agent::detail {

// The metadata of a link that a noun stated: "brother". Another noun of the same relation names
// somebody else.
inline constexpr std::string_view kNounOfLink = "noun";
inline constexpr std::string_view kPersonTypeName = "Person";
inline constexpr std::string_view kAsRead = "as read";  // a decision: it is meant as it was read

struct NamedThing {
  std::optional<store::EntityId> known = {};  // none: it is new
  std::string type = {}, name = {};
  std::string also_called = {};  // a name of it that the space does not know yet
  ToldQuestion question = {};    // with `asks`, why it is none of these
  bool is_open() const { return !question.asks.empty(); }
};

// What a decision about the words is kept by.
std::string decision_about(std::string_view what, std::string_view words);
// What a doubt about words asks. `type`: as what they were read; of a value empty.
ToldQuestion doubt_question(language::NameDoubt doubt, const std::string& words,
                            std::string_view type);

class LearntNames {
 public:
  // `trusted`: what is stated on `trust`, that of who tells, and more.
  LearntNames(const store::Snapshot& now, const store::Snapshot& trusted, std::string speaker,
              store::Trust trust, Timestamp time, const Decisions& decided)
      : now_(now),
        trusted_(trusted),
        speaker_(std::move(speaker)),
        trust_(trust),
        time_(time),
        decided_(decided) {}

  // To be called in the order of the text; `type`: the one that the relation wants.
  NamedThing find(const language::FrameSide& side, std::string_view type);
  // It was named as what the noun says, "brother".
  void called_by_noun(const NamedThing& thing, const std::string& noun);
  // From here on "he" is looked for among who was named in the sentence before first.
  void next_sentence();
  // Who was spoken of before the text.
  void spoken_of(const std::vector<ask::SaidFact>& facts);

 private:
  NamedThing speaker() const;
  NamedThing named(const language::FrameSide& side, std::string_view type) const;
  NamedThing pronoun(const language::FrameSide& side) const;
  NamedThing relative(const language::FrameSide& side);
  enum class Sex : std::uint8_t { kUnknown, kMale, kFemale };
  static Sex sex_of_noun(const std::string& noun);
  Sex sex_of(const NamedThing& thing) const;
  static Sex sex_by_nouns(const store::Snapshot& now, store::EntityId thing);
  std::vector<store::EntityId> relatives_in(const store::Snapshot& now, store::EntityId whose,
                                            const language::FrameSide& side) const;
  NamedThing other_person(const std::string& name, const std::string& key) const;
  NamedThing spelt_otherwise(const std::string& name, const std::string& key,
                             std::string_view type) const;
  std::optional<store::EntityId> decided_one(const std::vector<store::EntityId>& things,
                                             const std::string& key) const;
  NamedThing ask_whether_one(const std::string& name, const std::string& key,
                             const std::vector<store::EntityId>& things) const;
  std::string label(store::EntityId thing) const;
  std::string list(const std::vector<store::EntityId>& things) const;
  std::vector<store::EntityId> called(const std::string& name) const;
  std::vector<store::EntityId> of_type(std::string_view type) const;
  std::vector<store::EntityId> persons_named_so_in_part(const std::string& name) const;
  bool is_person(store::EntityId thing) const;

  const store::Snapshot &now_, &trusted_;
  std::string speaker_;
  store::Trust trust_;
  Timestamp time_;
  const Decisions& decided_;
  std::vector<NamedThing> made_;                              // new ones of this text
  std::vector<NamedThing> people_, people_before_, earlier_;  // who was named, without the speaker
  std::map<std::string, Sex> told_sex_;                       // by the folded name
};

}  // namespace anima::agent::detail
