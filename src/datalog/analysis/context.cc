#include "datalog/analysis/context.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/text/text.h"
#include "datalog/values/signatures.h"

namespace anima::datalog::detail {

LineIndex::LineIndex(std::shared_ptr<const Source> source) : source_(std::move(source)) {
  starts_.push_back(0);
  const std::string& text = source_->text;
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    starts_.push_back(static_cast<Offset>(at + 1));
  }
}

Position LineIndex::locate(Offset at) const {
  const auto line = std::upper_bound(starts_.begin(), starts_.end(), at) - 1;
  return {static_cast<std::uint32_t>(line - starts_.begin() + 1), at - *line + 1};
}

std::string LineIndex::where(Offset at) const {
  const Position position = locate(at);
  return source_->name + ":" + std::to_string(position.line) + ":" +
         std::to_string(position.column);
}

Diagnostic& Context::report(Problem problem, const Place& place, std::string message,
                            std::string hint) {
  Diagnostic diagnostic;
  diagnostic.problem = problem;
  const LineIndex& index = lines[place.unit];
  diagnostic.file = index.source().name;
  diagnostic.from = index.locate(place.at);
  diagnostic.to = index.locate(std::max(place.end, place.at));
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  diagnostic.clause = index.source().snippet(place.clause_at, place.clause_end);
  diagnostics.push_back(std::move(diagnostic));
  return diagnostics.back();
}

void Context::warn(Problem problem, const Place& place, std::string message, std::string hint) {
  Diagnostic& diagnostic = report(problem, place, std::move(message), std::move(hint));
  diagnostic.warning = true;
  program.warnings.push_back({diagnostic.where(), diagnostic.message});
}

PredicateId Context::add_predicate(Predicate predicate) {
  const auto id = static_cast<PredicateId>(program.predicates.size());
  program.by_name.emplace(predicate.name, id);
  program.predicates.push_back(std::move(predicate));
  open.push_back(false);
  mentions.push_back(0);
  return id;
}

PredicateId Context::add_internal(std::string name, std::uint32_t columns) {
  Predicate predicate;
  predicate.name = std::move(name);
  predicate.arity = predicate.columns = columns;
  predicate.internal = true;
  return add_predicate(std::move(predicate));
}

std::string predicate_hint(const Context& context, std::string_view wanted) {
  std::vector<std::string> names;
  for (const Predicate& predicate : context.program.predicates) {
    if (!predicate.internal) names.push_back(predicate.name);
  }
  if (wanted.starts_with(":")) {
    for (const Signature& builtin : builtins()) names.emplace_back(builtin.name);
  }
  std::sort(names.begin(), names.end());
  const std::vector<std::string> near = nearest_names(wanted, std::span<const std::string>(names));
  return near.empty() ? "declare it: Decl " + std::string(wanted) + "(..)." : did_you_mean(near);
}

}  // namespace anima::datalog::detail
