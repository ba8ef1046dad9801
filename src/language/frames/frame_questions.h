// What a question asks of what frames tell: "Where do I work?", "Who is Ada's brother?", "Wann habe
// ich Geburtstag?", "Since when do I live in Bergen?".
//
// The verbs and nouns are those that tell it (frame_words.h), turned into questions by the data of
// the language (asking_words.h), so that what can be told can be asked. A question is read whole
// or not at all, as a sentence is; a name is what the caller knows as one, in capitals or not.
// Thread-safety: pure; the data is made once a language. Complexity: O(question x forms).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "language/frames/frames.h"

namespace anima::language {

struct FrameQuestion {
  enum class Asks : std::uint8_t {
    kObject,
    kSubject,
    kWhether,  // both sides are named
    kHas,      // whether there is an object
    kCount,    // how many objects there are
    kBegan,    // since when it holds; both sides are named
    kEnded,    // until when it held
  };
  Asks asks = Asks::kObject;
  const FrameRelation* relation = nullptr;
  // The keys that its value may have, the likeliest first; one where no noun names it.
  std::vector<std::string> keys = {};
  FrameSide subject = {}, object = {};  // whose `words` are empty where it is asked for
  bool inverse = false;                 // the relation leads from the object to the subject
  std::string noun = {};                // that asks, its words joined by "_"
  // What the link must have been told with; empty: with anything.
  std::vector<std::string> nouns = {};
  bool past = false;
  // Seconds of the speaker's clock, half open: it must hold at some moment of them.
  std::optional<std::pair<std::int64_t, std::int64_t>> time = {};
};

struct QuestionContext {
  std::optional<Timestamp> now = {};
  std::int64_t offset_seconds = 0;                // of the asker's clock from UTC
  std::function<bool(std::string_view)> is_name;  // whether something is called so
};

// In every language that has frames. Each way to read it.
std::vector<FrameQuestion> read_frame_questions(std::string_view question,
                                                const QuestionContext& context);
// Nouns that may have told a link that is asked for with this one, in every language.
std::vector<std::string> nouns_that_tell(const FrameRelation& relation, std::string_view noun,
                                         std::string_view language);

// Whether the noun names the subject of the relation ("dad" of parent_of) or its object ("son"), in
// whichever language has it; none: no language has it.
std::optional<bool> noun_names_subject(std::string_view relation, std::string_view noun);

}  // namespace anima::language
