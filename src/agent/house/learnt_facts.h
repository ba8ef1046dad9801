// Facts that are learnt from what is said in open words (language/frames/frames.h): names,
// types and predicates that the space does not have are made by use.
//
//   "I work at Initech and I live in Oslo."   Ada works_at Initech; Ada lives_in Oslo
//
// A text is read sentence by sentence, whole or not at all: one sentence that is not read, but for
// a greeting, keeps the text from teaching anything ("I doubt it."). "I" is the speaker. A name is
// the one thing of a fitting type that has it, else a new one; where several have it, a thing of
// another type, or a person whose name it is only a part of, nothing is written and it is asked
// back. "He" is the one person who was spoken of just before, "my brother" the one who was called
// that.
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
#include <string>
#include <string_view>
#include <vector>

#include "ask/ask.h"
#include "base/clock.h"
#include "language/frames/frames.h"
#include "memory/memory_item.h"
#include "memory/memory_manager.h"
#include "store/space.h"

namespace anima::agent {

// What a text tells in open words.
struct TellingRead {
  std::vector<std::vector<language::Frame>> sentences = {};  // those that were read
  std::vector<std::string> left = {};                        // the words that were not, by sentence
  bool corrects = false;                                     // the first begins as a correction
  bool of_speaker = false;
  bool opens = false;  // it greets
  bool only_opens() const { return opens && sentences.empty() && left.empty(); }
  bool tells() const { return !sentences.empty(); }
};
TellingRead read_telling(std::string_view text, Timestamp now);

struct Learnt {
  std::string stated = {};     // "Ada works_at Initech; Ada lives_in Oslo"
  std::string corrected = {};  // "Ada lives_in: Bergen, was Oslo"
  std::string asks = {};       // to be asked back; then nothing was written
  std::vector<ask::SaidFact> facts = {};
};

struct Learning {
  const memory::NewMemory& item;
  std::string memory;                    // the id of the text; empty: it was not kept
  std::string speaker;                   // who is "I"; empty: nobody in particular
  Timestamp now;                         // when it was said
  std::vector<ask::SaidFact> last = {};  // what was told or answered before, for "he"
  bool before = false;                   // it was said then, and is learnt only now
};

// Requires that it tells something.
Result<Learnt> learn_telling(store::Space& space, const Learning& learning,
                             const TellingRead& telling);

// What somebody said in conversations that were kept before, sentence by sentence in the order of
// time. What is to be asked back there is left out. Gives what was learnt of each.
struct SaidBefore {
  std::string text, session;
  Timestamp time;
};
Result<std::vector<std::string>> learn_said_before(store::Space& space,
                                                   std::vector<SaidBefore> said,
                                                   const store::Origin& origin);

}  // namespace anima::agent
