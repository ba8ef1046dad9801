// Facts that are learnt from what is said in open words (language/frames/frames.h): names,
// types and predicates that the space does not have are made by use.
//
//   "I work at Initech and I live in Oslo."   Ada works_at Initech; Ada lives_in Oslo
//
// How a text is read, and when it teaches nothing, is in language/frames/telling.h. "I" is the
// speaker. A name is the one thing of a fitting type that has it, else a new one. "He" is the one
// person who was spoken of just before, "my brother" the one who was called that. What is not sure
// is asked back and nothing is written: a name that may be none, several things of a name, a thing
// of another type, a person whose name is known in part or with more words, somebody of a lone
// given name who was told of in another role. An answer is a decision (told_question.h), with which
// the text is read again.
//
// Everything of a text is one transaction, in the graph of what is told (told_facts.h), as the word
// of who said it and with his trust: one graph for all that people say, so that undoing, unloading
// and forgetting know it. A new value of a relation that has room for one ends the one that the
// same author told, from the day that the sentence names, else from now on; what others told stays
// beside it. A relation that is made here says of itself that it has room for one.
//
// What was said in the past and is learnt only now (learn_said_before) says when it was seen; it
// never takes the place of what is known since, and then is left out.
//
// Thread-safety: one thread. Errors: those of the space. Complexity: O(text x patterns) to read;
// O(persons) for each name that is new.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/telling/told_question.h"
#include "ask/ask.h"
#include "base/clock.h"
#include "language/frames/telling.h"
#include "memory/memory_item.h"
#include "memory/memory_manager.h"
#include "store/space.h"

namespace anima::agent {

struct Learnt {
  std::string stated = {};     // "Ada works_at Initech; Ada lives_in Oslo"
  std::string corrected = {};  // "Ada lives_in: Bergen, was Oslo"
  std::string asks = {};       // why nothing was written
  // The same, where an answer decides it.
  std::optional<ToldQuestion> question = {};
  std::vector<ask::SaidFact> facts = {};
  std::vector<store::Triple> ended = {};  // links that were told to hold no longer
  store::Sequence entry = store::Sequence::kNone;
};

struct Learning {
  const memory::NewMemory& item;
  std::string memory;                    // the id of the text; empty: it was not kept
  std::string speaker;                   // who is "I"; empty: nobody in particular
  Timestamp now;                         // when it was said
  std::vector<ask::SaidFact> last = {};  // what was told or answered before, for "he"
  bool before = false;                   // it was said then, and is learnt only now
  bool late = false;         // and was asked back: what the same source said since counts, too
  Decisions decided = {};    // what was asked back, and answered
  std::string expects = {};  // what is to be noted, and else is asked again; empty: all
  std::optional<Timestamp> since = {};  // it takes the place of a text of that time
};

// Requires that it teaches openly.
Result<Learnt> learn_telling(store::Space& space, const Learning& learning,
                             const language::Telling& telling);

// What would be asked back of it, as the state is.
struct AskedBack {
  ToldQuestion question = {};
  bool teaches = false;  // nothing is asked, and something would be noted
};
AskedBack asked_back(const store::Snapshot& state, const Learning& learning,
                     const language::Telling& telling);

// What somebody said in conversations that were kept before, sentence by sentence in the order of
// time. What is to be asked back there becomes a question of the space.
struct SaidBefore {
  std::string text;
  Timestamp time;
};
struct LearntBefore {
  std::vector<std::string> facts;  // of each text
  std::size_t asked = 0;
};
Result<LearntBefore> learn_said_before(store::Space& space, std::vector<SaidBefore> said,
                                       const store::Origin& origin);

}  // namespace anima::agent
