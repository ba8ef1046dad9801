// The steps of recall, each of which can be switched off, so that its gain can be measured.
//
// Thread-safety: plain values. Source: recall study, table of steps.
#pragma once

#include <array>
#include <string_view>

namespace anima::memory {

struct RecallSteps {
  bool stems = true;         // words by their Snowball stems
  bool stop_words = true;    // without those
  bool attachments = true;   // captions and search words in, names of participants out of a query
  bool participants = true;  // the bonus for the one whom the question names
  bool windows = true;       // each item with three neighbours on either side
  bool sessions = true;      // the session as one document
  bool dates = true;         // what the question dates against the item's day
  bool small = true;         // question, name, time, first of a session
};

struct RecallStep {
  std::string_view name;
  bool RecallSteps::*on;
};
// In the order in which they build on each other.
inline constexpr std::array<RecallStep, 8> kRecallSteps = {{
    {"stems", &RecallSteps::stems},
    {"stop-words", &RecallSteps::stop_words},
    {"attachments", &RecallSteps::attachments},
    {"participants", &RecallSteps::participants},
    {"windows", &RecallSteps::windows},
    {"sessions", &RecallSteps::sessions},
    {"dates", &RecallSteps::dates},
    {"small", &RecallSteps::small},
}};

}  // namespace anima::memory
