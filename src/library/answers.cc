#include "anima/answers.h"

#include <fmt/format.h>

#include <algorithm>

namespace anima {
namespace {

const Json kNothing;

}  // namespace

const Json& Rows::Row::operator[](std::size_t column) const {
  const JsonArray& cells = table_->cells_[index_];
  return column < cells.size() ? cells[column] : kNothing;
}

const Json& Rows::Row::operator[](std::string_view column) const {
  const std::vector<std::string>& names = table_->columns_;
  const auto found = std::find(names.begin(), names.end(), column);
  return (*this)[static_cast<std::size_t>(found - names.begin())];
}

std::string Rows::Row::text_of(const Json& value) {
  return value.is_string() ? value.as_string() : value.dump();
}

std::string_view to_string(QuestionStatus status) {
  switch (status) {
    case QuestionStatus::kAnswered:
      return "answered";
    case QuestionStatus::kEmpty:
      return "empty";
    case QuestionStatus::kAmbiguous:
      return "ambiguous";
    case QuestionStatus::kNotUnderstood:
      break;
  }
  return "not_understood";
}

std::string Proof::text() const {
  std::string text;
  for (const ProofStep& step : steps) {
    const std::string indent(std::size_t{2} * step.depth, ' ');
    const std::string because = step.where.empty() ? step.because : "rule at " + step.where;
    text += fmt::format("{}{}  ({})\n", indent, step.fact, because);
    for (const Assertion& one : step.asserted) {
      text += fmt::format("{}    entry {} of {}, by {}{}{}{}, trust {}{}{}\n", indent, one.entry,
                          one.time, one.author,
                          one.source.empty() ? "" : " (source given: ", one.source,
                          one.source.empty() ? "" : ")", to_string(one.trust),
                          one.provenance.empty() ? "" : ", ", one.provenance);
    }
    for (const std::string& one : step.contradictions) text += indent + "    " + one + "\n";
  }
  return text;
}

}  // namespace anima
