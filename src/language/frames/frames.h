// What a sentence tells of somebody in open words: "I work at Initech and I live in Oslo", "My
// husband Tom is allergic to peanuts", "Ada zog letzte Woche nach Bergen".
//
// A frame is a relation and its two sides; which ones there are, and how a language says them, is
// data (frame_words.h). A sentence is read whole or not at all: every word of it is a side, words
// of the relation, a time, or of a closed list of openers, closers and fillers; "and" joins whole
// clauses, whose subject may be shared. So a hedge, a negation, a wish, a condition, hearsay, a
// question, a quotation, code, and the past leave words over, and nothing is read; the words from
// the first one that fits nothing are given back. What could be a name only by chance is none: in
// small letters, behind an article, a noun of the list of those that are none, everything where the
// whole sentence is in capitals. What may be a name or not ("Free", "Bedarf"), may be a name of
// something else ("I like Tom"), or may be said figuratively ("I play hardball") is read with a
// doubt: the caller, who knows more names, drops it or asks.
//
// Nothing is known here of who speaks or of what is known: the caller binds the sides.
// Thread-safety: pure. Complexity: O(sentence x patterns), with backtracking of a few clauses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "language/frames/frame_words.h"

namespace anima::language {

// Why an object or a name may not be what it is read as.
enum class NameDoubt : std::uint8_t {
  kNone,
  kCommonWord,    // its words are common ones
  kUnknown,       // nothing says that it is a name
  kOddlyWritten,  // "Rome&Berlin", "Rome LOL"
  kPerson,        // it is a name of a person, where something else is told of
  kPlace,         // the same of a place
  kFigure,        // a word that is often said figuratively there
};

// One side of a frame.
struct FrameSide {
  enum class Kind : std::uint8_t {
    kName,
    kSpeaker,
    kPronoun,   // somebody who was named before
    kRelative,  // "my brother", "Ada's brother": who stands so to `name`, or to the speaker
    kTopic,     // a common noun: "jazz"
    kValue,     // as its relation's kind says; dates as 2024-03-13, 2024-03, 2024, or as written
  };
  Kind kind = Kind::kName;
  std::string name = {};   // as written; of a relative, whose it is; empty: the speaker's
  std::string words = {};  // as written
  const FrameRelation* relation = nullptr;  // of a relative
  std::string noun = {};                    // of a relative: "brother"
  bool inverse = false;                     // the relation leads from the relative to whose it is
  NameDoubt doubt = NameDoubt::kNone;       // of a name, a topic or a value
  std::vector<std::string> nouns = {};      // of a question: those that name the same; empty: all
};

struct Frame {
  const FrameRelation* relation = nullptr;  // lives as long as the program
  std::string key = {};                     // its name, with the noun's where that names it
  FrameSide subject = {}, object = {};
  std::string noun = {};  // that it was said with: "brother"
  FrameTime time = FrameTime::kHolds;
  // When it began or ended, by the clock of who speaks; none: nothing says when.
  std::optional<std::int64_t> at_second = {};
  bool denied = false;  // it has ended, where it was known: "I like jazz, not rock"
  bool needed = false;  // a denied one: where it was not known, the text tells nothing
};

struct FramesRead {
  std::vector<Frame> frames = {};  // in the order of the sentence; empty: it was not read
  bool opens = false;              // it is a greeting, or another opener, alone
  bool corrects = false;           // it begins as a correction
  bool of_speaker = false;
  bool of_group = false;  // it was not read, and begins as what several tell of themselves: "we"
  std::string left =
      {};  // where it was not read: the words from the first that fits nothing, else all
};

struct FrameContext {
  std::optional<Timestamp> now = {};
  std::int64_t offset_seconds = 0;  // of the speaker's clock from UTC
};

// `language`: a code like "en". Nothing is read in a language without frames.
FramesRead read_frames(std::string_view sentence, std::string_view language,
                       const FrameContext& context = {});

}  // namespace anima::language
