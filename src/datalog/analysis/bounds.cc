#include "datalog/analysis/bounds.h"

#include "datalog/values/evaluate.h"

namespace anima::datalog::detail {
namespace {

std::size_t first_misfit(const std::vector<TypePtr>& types, std::span<const Code> row,
                         const ValueTable& values, bool closed) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (!conforms(values, row[i], *types[i], closed)) return i;
  }
  return types.size();
}

}  // namespace

bool row_fits(const Predicate& predicate, std::span<const Code> row, const ValueTable& values,
              bool closed) {
  if (predicate.bounds.empty()) return true;
  for (const std::vector<TypePtr>& types : predicate.bounds) {
    if (first_misfit(types, row, values, closed) == types.size()) return true;
  }
  return false;
}

std::string misfit(const Predicate& predicate, std::span<const Code> row, const ValueTable& values,
                   bool closed) {
  // The alternative that the row follows longest.
  std::size_t place = 0;
  const std::vector<TypePtr>* nearest = &predicate.bounds.front();
  for (const std::vector<TypePtr>& types : predicate.bounds) {
    const std::size_t found = first_misfit(types, row, values, closed);
    if (found > place) {
      place = found;
      nearest = &types;
    }
  }
  std::string text = "argument " + std::to_string(place + 1) + " of " + predicate.name;
  if (place < predicate.argument_names.size() && predicate.argument_names[place] != "_") {
    text += " (" + predicate.argument_names[place] + ")";
  }
  return text + " is " + brief(values, row[place]) + ", " + type_text(*(*nearest)[place], values) +
         " was declared";
}

}  // namespace anima::datalog::detail
