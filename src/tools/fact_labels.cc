#include "tools/fact_labels.h"

#include <algorithm>

#include "base/text.h"
#include "govern/text_pieces.h"
#include "store/own_graphs.h"

namespace anima::tools {
namespace {

constexpr std::size_t kMaxStatements = 64;
constexpr std::size_t kLongestText = std::size_t{64} << 10;
constexpr std::size_t kShortestPhrase = 3;  // words; fewer say nothing of where they came from
constexpr std::size_t kLongestPhrase = 8;
constexpr std::size_t kShownOfFact = 200;  // bytes

// The most trusted who stated a text. Anima's own books tell of what others stated, with a trust of
// their own: they count where nobody else says it.
struct Label {
  std::optional<govern::Trust> stated, noted;

  void add(const store::Snapshot& snapshot, const store::Triple& statement) {
    for (const store::Assertion& assertion : snapshot.assertions(statement)) {
      const govern::Trust trust = snapshot.entry(assertion.born).trust;
      auto& best = store::is_own_graph(snapshot.graph_name(assertion.graph)) ? noted : stated;
      best = best ? std::max(*best, trust) : trust;
    }
  }
  std::optional<govern::Trust> get() const { return stated ? stated : noted; }
};

std::optional<govern::ArgumentOrigin> origin_of(const store::Snapshot& snapshot,
                                                const std::string& name, const Json& value) {
  std::optional<govern::ArgumentOrigin> least;
  const auto consider = [&](std::optional<govern::ArgumentOrigin> origin) {
    if (origin && (!least || origin->trust < least->trust)) least = std::move(origin);
  };
  const auto fact = [&](std::string_view text, govern::Trust trust) {
    return govern::ArgumentOrigin{name, "fact:" + std::string(beginning_of(text, kShownOfFact)),
                                  trust};
  };
  if (value.is_string() && !value.as_string().empty()) {
    const std::string& text = value.as_string();
    if (const auto label = fact_label(snapshot, text)) return fact(text, *label);
    if (const auto part = least_trusted_part(snapshot, text)) return fact(part->text, part->trust);
  } else if (value.is_array()) {
    for (const Json& each : value.as_array()) consider(origin_of(snapshot, name, each));
  } else if (value.is_object()) {
    for (const auto& [key, each] : value.as_object()) consider(origin_of(snapshot, name, each));
  }
  return least;
}

}  // namespace

std::optional<govern::Trust> fact_label(const store::Snapshot& snapshot, std::string_view text) {
  Label label;
  for (const store::EntityId entity : snapshot.concepts_named(text)) {
    const store::Term type = store::Term::entity(snapshot.type_of(entity));
    label.add(snapshot, {entity, store::kTypePredicate, type});
  }
  const auto term = snapshot.find_string(text);
  if (!term) return label.get();
  for (const auto kind : {store::PredicateClass::kAttribute, store::PredicateClass::kLink}) {
    store::Pattern pattern;
    pattern.object = *term;
    pattern.predicate_class = kind;
    store::Cursor cursor = snapshot.scan(pattern);
    std::vector<store::Triple> statements(kMaxStatements);
    statements.resize(cursor.next(statements));
    for (const store::Triple& statement : statements) label.add(snapshot, statement);
  }
  return label.get();
}

std::optional<FactPart> least_trusted_part(const store::Snapshot& snapshot, std::string_view text) {
  text = text.substr(0, kLongestText);
  std::optional<FactPart> least;
  std::size_t covered = 0;  // by stated parts, from the left
  const auto consider = [&](std::string_view part) {
    const std::size_t end = static_cast<std::size_t>(part.data() - text.data()) + part.size();
    const auto label = fact_label(snapshot, part);
    if (!label) return false;
    covered = std::max(covered, end);
    if (!least || *label < least->trust) least = FactPart{part, *label};
    return true;
  };
  // Longer phrases before shorter ones that begin at the same word.
  std::vector<std::string_view> phrases;
  for (std::size_t words = kLongestPhrase; words >= kShortestPhrase; --words) {
    const auto found = govern::phrases_in(text, words);
    phrases.insert(phrases.end(), found.begin(), found.end());
  }
  std::ranges::stable_sort(phrases, {}, &std::string_view::data);
  for (const std::string_view phrase : phrases) {
    const auto end = static_cast<std::size_t>(phrase.data() - text.data()) + phrase.size();
    if (end > covered) (void)consider(phrase);
  }
  for (const std::string_view address : govern::addresses_in(text)) (void)consider(address);
  return least;
}

std::vector<govern::ArgumentOrigin> argument_origins(const store::Snapshot& snapshot,
                                                     const Json& arguments) {
  std::vector<govern::ArgumentOrigin> origins;
  if (!arguments.is_object()) return origins;
  for (const auto& [name, value] : arguments.as_object()) {
    if (const auto origin = origin_of(snapshot, name, value)) origins.push_back(*origin);
  }
  return origins;
}

}  // namespace anima::tools
