// What somebody who tells something means to do with what is known: state a fact, correct the last
// one, end one, or say something that is nobody's fact.
//
//   "Ada lives in Rome."                    kFact
//   "Ada's phone is broken"                 kOtherKind: the phone is 111; asked back
//   "Sorry, it is 333", "not 111 but 333"   kCorrects the fact that was told or answered last
//   "Ada no longer works at Initech"        kEnds, "Ada left Initech"
//   "Martín Berg lives in Rome."            kOtherKind: Martin Berg is known; asked back
//   "That's wrong"                          kWithdraws
//   "Yes"                                   kAgrees, to what was asked back
//   "Bob says that Ada lives in Rome"       kText: what might be, was, is denied, is somebody's
//   word "Where does Ada live", "the port of x"  kNothing: a question, an order, a piece of a
//   sentence
//
// A sentence does one of these only when each word and sign of it is read (left_over.h). What is
// left over makes it a text, and is named. No list of words says what forbids a fact.
//
// A sentence in the order of a statement is none only because it could be read as a question: what
// makes it a question is its mark, or the word that it begins with. What corrects without naming
// what, corrects one of `last`, and only where exactly one of them fits. "Forget that" takes back
// what was told, or opens again what it ended; of what was answered, only who says of it that it is
// wrong says anything. It is of the last line alone; an older one is asked back. Nothing is decided
// by guessing: what is not clear comes with the question to be asked back.
// Thread-safety: one thread. Complexity: that of some questions. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ask/lexicon/lexicon.h"
#include "ask/parse/ask_time.h"
#include "ask/parse/statements/statement.h"
#include "ask/parse/who_speaks.h"

namespace anima::ask {

enum class Saying : std::uint8_t {
  kNothing,
  kText,
  kFact,
  kOtherKind,
  kCorrects,
  kEnds,
  kWithdraws,
  kAgrees,
  kUnclear,  // it corrects or ends something, and nobody knows what
};

struct SaidFact {
  store::Triple fact;
  // Its object is what was told or asked for; else something else of it was, as in "who works
  // there?", and only who names the fact corrects it.
  bool object_asked = true;
  bool operator==(const SaidFact&) const = default;
};

// The facts that were told or answered last in the conversation.
struct LastSaid {
  std::vector<SaidFact> facts = {};
  std::vector<store::Triple> ended = {};  // what was told to hold no longer
  bool told = false;                      // by the one who speaks, not answered to him
  bool of_last_line = true;               // nothing was said since
};

struct SayingContext {
  // The name of who speaks, for "I" and "my"; empty: nobody in particular.
  std::string speaker = {};
  LastSaid last = {};
};

struct Said {
  Saying saying = Saying::kNothing;
  std::optional<Statement> fact = {};  // kFact, kOtherKind, kCorrects
  // kCorrects, kEnds, kWithdraws: what holds no longer; kUnclear: what would be taken back.
  std::optional<store::Triple> ends = {};
  std::optional<Statement> denied = {};  // kUnclear: it is said to hold no longer, and does not
  std::vector<Said> choices = {};        // kUnclear: what it may mean, where an answer decides
  bool reopens = false;                  // kWithdraws: `ends` holds again
  bool denies = false;      // kWithdraws: it says that it is wrong, not only that it be forgotten
  bool of_speaker = false;  // "I" or "my" stands in it
  bool corrects = false;    // it begins as a correction, whatever came of it
  // It names something as it is spelt otherwise ("Martín" for Martin), which may be another thing;
  // asked back.
  bool other_spelling = false;
  std::string asks = {};       // kOtherKind, kUnclear: what to ask back
  std::string left_over = {};  // kText: a word or sign of it that was not understood
};

Said read_saying(const Lexicon& lexicon, std::string_view sentence, AskTime now,
                 const SayingContext& context = {});

}  // namespace anima::ask
