// What a text of somebody tells, sentence by sentence: the one door to all who learn from what is
// said (chat, messages, remember, ingest, sleep).
//
// Two rules hold here and are in no other place. A sentence is read whole or not at all (frames.h).
// And a text with one sentence that is not read, that asks, or that takes something back, teaches
// nothing at all: of such a sentence nobody knows what it does to those beside it ("I doubt it.",
// "I am lying.", "True or false?"). Greetings change nothing.
//
// Who has words of his own, as a space has, gives a reader of them (OtherReader); it is asked for
// the sentences that tell nothing in open words. Thread-safety: pure, as far as the other reader
// is. Lifetime: what is read points into the text. Complexity: that of reading each sentence once
// in each language of frames.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "language/frames/frames.h"

namespace anima::language {

enum class SentenceAct : std::uint8_t {
  kNotRead,
  kNothing,  // an order, or a piece of a sentence: it tells nothing
  kGreets,
  kAsks,
  kStates,
  kCorrects,
  kEnds,       // what it names holds no longer
  kTakesBack,  // what was said before it
};

struct OtherRead {
  SentenceAct act = SentenceAct::kNotRead;
  std::string left = {};  // the words that were not read
  bool leads = false;  // by itself it tells nothing; it belongs to the sentence behind ("Sorry!")
};
using OtherReader = std::function<OtherRead(std::string_view sentence)>;

struct ToldSentence {
  std::string_view text;
  SentenceAct act = SentenceAct::kNotRead;
  std::vector<Frame> frames = {};  // in open words; empty where the other reader read it
  std::string left = {};           // kNotRead: the words that were not read
  bool corrects = false;           // it begins as a correction
  bool of_speaker = false;
  bool of_group = false;  // it begins as what several tell of themselves
};

struct Telling {
  std::vector<ToldSentence> sentences = {};
  // It has more sentences than are read (kMostToldSentences).
  bool too_long = false;

  // Everything that it tells may be learnt. THE rule.
  bool teaches() const;
  // It teaches, and all in open words.
  bool teaches_openly() const;
  bool only_greets() const;
  // The words that were not read, a part a sentence.
  std::vector<std::string> left() const;
};

inline constexpr std::size_t kMostToldSentences = 16;

// Lines and sentences, in order. A text that is too long has none.
Telling read_telling(std::string_view text, const FrameContext& context,
                     const OtherReader& other = {});

}  // namespace anima::language
