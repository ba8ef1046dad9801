// What was said in conversations and is not learnt from yet: durable from when the line is answered
// until what it states is kept, so that a conversation that is cut off loses nothing.
//
//   UnlearntLines lines(space, random);
//   lines.add(origin, "chat", line, clock.now());  // before the answer is shown
//   learn_left_lines(house, asker, lines);         // then, or when the space is used next
//
// A line is a concept in the graph kUnlearntGraph, so it is found and forgotten like all else that
// lies in the space, and belongs to the act that said it. What is learnt of a line and its
// withdrawal are whole or not there (store/act.h). Two who learn from a line at the same time may
// keep it twice. Thread-safety: one thread. Ownership: what is passed in outlives it. Errors: those
// of the space.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/conversation/conversation_facts.h"
#include "agent/talk_notes.h"
#include "base/random.h"
#include "store/space.h"

namespace anima::agent {

struct UnlearntLine {
  std::string id, session;
  SpokenLine line;
  Timestamp said;
};

class UnlearntLines {
 public:
  UnlearntLines(store::Space& space, Random& random) : space_(space), random_(random) {}

  // Durable when it returns; gives its id.
  Result<std::string> add(const store::Origin& origin, const std::string& session,
                          const SpokenLine& line, Timestamp said);
  // As they were said. O(lines that are left).
  Result<std::vector<UnlearntLine>> all();
  // One that is gone already is none.
  Status learnt(const store::Origin& origin, const std::vector<std::string>& ids);

 private:
  store::Space& space_;
  Random& random_;
};

// Learns from all that is left, by the rules of the words of the space. Errors: also those of
// keep_facts; what was not come to is left.
Result<std::vector<LearntFact>> learn_left_lines(GovernedHouse& house, SpaceAsker& asker,
                                                 UnlearntLines& lines, const store::Origin& origin);

}  // namespace anima::agent
