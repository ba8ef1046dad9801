// What a text that teaches would write: its frames bound to the things of the space, or what is to
// be asked back first. Thread-safety: pure. Lifetime: as learn_telling(). Complexity: a look-up a
// name; O(persons) for each person who is not known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/telling/detail/learnt_names.h"
#include "agent/telling/detail/told_writer.h"
#include "agent/telling/learnt_facts.h"

namespace anima::agent::detail {

// What is to be written of one frame.
struct PlannedFact {
  NamedThing subject, object;
  language::Frame frame = {};
  ask::Statement said = {};             // subject and object are filled in when it is written
  Timestamp from;                       // when it began or ended, else now
  std::optional<Timestamp> at = {};     // the same, where that was told
  bool from_now = false;                // it began then, and something else is known since
  bool dated = false;                   // people are told since when
  bool corrects = false;                // what is known of when it began is wrong
  std::optional<Timestamp> until = {};  // where it is written and has ended
};

inline bool is_value(const language::Frame& frame) { return frame.relation->object.empty(); }

// What of the space a text is read by, which outlives it.
struct SpaceRead {
  const store::Snapshot& all;    // what may end
  const store::Snapshot& known;  // what its names mean: no file that nobody trusts
  // What decides when its facts hold and what is asked about them: the words of those who are
  // trusted as far as who tells. What is trusted less stands beside it.
  const store::Snapshot& trusted;
};

// Empty with a question, or because nothing of it is to be known.
std::vector<PlannedFact> plan_telling(const SpaceRead& space, const Learning& learning,
                                      const Decisions& decided, const language::Telling& telling,
                                      ToldQuestion& question);

// "Ada works_at Initech".
std::string told_words(const PlannedFact& fact);
// All of it, as people are told of it.
std::string stated_words(const std::vector<PlannedFact>& facts);

}  // namespace anima::agent::detail
