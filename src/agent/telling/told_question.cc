#include "agent/telling/told_question.h"

#include <fmt/format.h>

namespace anima::agent {

std::string ToldQuestion::text() const {
  std::string text = asks;
  if (!proposes.empty()) text += fmt::format(" \"yes\" notes: {}.", proposes);
  std::string labels;
  for (const Choice& one : choices)
    labels += fmt::format("{}\"{}\"", labels.empty() ? "" : " or ", one.label);
  if (!labels.empty())
    text += fmt::format(" {} {}.", proposes.empty() ? "Say" : "Else say", labels);
  return text;
}

Json ToldQuestion::choice_labels() const {
  Json labels = Json::array();
  if (!proposes.empty()) labels.push_back(kYesAnswer);
  labels.push_back(kNoAnswer);
  for (const Choice& one : choices) labels.push_back(one.label);
  return labels;
}

}  // namespace anima::agent
