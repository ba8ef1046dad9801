#include "tools/fact_labels.h"

#include <algorithm>

namespace anima::tools {
namespace {

constexpr std::size_t kMaxStatements = 64;

void raise(std::optional<govern::Trust>& label, const store::Snapshot& snapshot,
           const store::Triple& statement) {
  for (const store::Assertion& assertion : snapshot.assertions(statement)) {
    const govern::Trust trust = snapshot.entry(assertion.born).trust;
    label = label ? std::max(*label, trust) : trust;
  }
}

}  // namespace

std::optional<govern::Trust> fact_label(const store::Snapshot& snapshot, std::string_view text) {
  std::optional<govern::Trust> label;
  for (const store::EntityId entity : snapshot.concepts_named(text)) {
    const store::Term type = store::Term::entity(snapshot.type_of(entity));
    raise(label, snapshot, {entity, store::kTypePredicate, type});
  }
  const auto term = snapshot.find_string(text);
  if (!term) return label;
  for (const auto kind : {store::PredicateClass::kAttribute, store::PredicateClass::kLink}) {
    store::Pattern pattern;
    pattern.object = *term;
    pattern.predicate_class = kind;
    store::Cursor cursor = snapshot.scan(pattern);
    std::vector<store::Triple> statements(kMaxStatements);
    statements.resize(cursor.next(statements));
    for (const store::Triple& statement : statements) raise(label, snapshot, statement);
  }
  return label;
}

std::vector<govern::ArgumentOrigin> argument_origins(const store::Snapshot& snapshot,
                                                     const Json& arguments) {
  std::vector<govern::ArgumentOrigin> origins;
  if (!arguments.is_object()) return origins;
  for (const auto& [name, value] : arguments.as_object()) {
    if (!value.is_string() || value.as_string().empty()) continue;
    if (const auto label = fact_label(snapshot, value.as_string()))
      origins.push_back({name, "fact:" + value.as_string().substr(0, 200), *label});
  }
  return origins;
}

}  // namespace anima::tools
