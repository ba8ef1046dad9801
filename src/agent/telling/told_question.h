// What is asked back before something that was told is noted, and what the answers decide.
//
// A decision is kept by what it is about: a name in its role, or a value. It says that the words
// are meant as they were read, as which type, as somebody else of the name, or which thing of the
// space they mean, by its label. With the decisions the same text is read and bound again, so that
// an answer writes what was proposed and nothing that was not. Thread-safety: plain values.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"

namespace anima::agent {

// The answers to every question.
inline constexpr std::string_view kYesAnswer = "yes", kNoAnswer = "no";

using Decisions = std::map<std::string, std::string>;

// Of what is asked back in the words of the space: among the decisions, what was told or answered
// before it (LastFacts); of an answer, which of its meanings it chooses.
inline constexpr std::string_view kSaidBefore = "said before", kMeaning = "meaning";

struct ToldQuestion {
  struct Choice {
    std::string label;  // what is said to choose it
    Decisions decides;
  };
  std::string asks = {};             // `Is "Free" a name?`
  std::string proposes = {};         // what "yes" notes; empty: yes is no answer
  Decisions yes = {};                // what "yes" decides
  std::vector<Choice> choices = {};  // beside yes and no
  bool may_be_answered() const { return !proposes.empty() || !choices.empty(); }
  // The question with its answers, for people.
  std::string text() const;
  Json choice_labels() const;
};

}  // namespace anima::agent
