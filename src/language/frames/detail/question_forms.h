// The questions that a language has for the relations of its frames, made from their verbs and
// nouns and from the data of questions. Thread-safety: constant once made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "language/frames/asking_words.h"
#include "language/frames/frame_questions.h"

namespace anima::language::detail {

struct QuestionToken {
  enum class Kind : std::uint8_t {
    kWords,     // one of the phrases
    kSpeaker,   // the subject: who speaks
    kOther,     // the subject: somebody else
    kAnybody,   // the subject
    kObject,    // what is called so
    kNoun,      // somebody's noun, whose it is being the subject
    kBareNoun,  // a noun
  };
  Kind kind = Kind::kWords;
  FrameWords::Phrases phrases = {};
};

struct QuestionForm {
  FrameQuestion::Asks asks = FrameQuestion::Asks::kObject;
  const FrameRelation* relation = nullptr;  // null: that of the noun
  std::string leads_to = {};                // with a noun: what its relation must lead to
  bool past = false;
  std::vector<QuestionToken> tokens = {};
};

// Of a language that has both files; else none.
const std::vector<QuestionForm>& question_forms(std::string_view language);

}  // namespace anima::language::detail
