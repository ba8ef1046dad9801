#include "tools/fact_labels.h"

#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "govern/detect/text_pieces.h"
#include "store/own_graphs.h"

namespace anima::tools {
namespace {

constexpr std::size_t kMaxStatements = 64;
constexpr std::size_t kLongestText = std::size_t{64} << 10;
constexpr std::size_t kShortestPhrase = 3;  // words; fewer say nothing of where they came from
constexpr std::size_t kLongestPhrase = 8;
constexpr std::int64_t kTellingNumber = 100'000;  // six digits, as govern::numbers_in()
constexpr std::size_t kMaxLinks = 256;
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
  // Of everything that has this value.
  void add_values(const store::Snapshot& snapshot, store::Term value) {
    for (const auto kind : {store::PredicateClass::kAttribute, store::PredicateClass::kLink}) {
      store::Pattern pattern;
      pattern.object = value;
      pattern.predicate_class = kind;
      store::Cursor cursor = snapshot.scan(pattern);
      std::vector<store::Triple> statements(kMaxStatements);
      statements.resize(cursor.next(statements));
      for (const store::Triple& statement : statements) add(snapshot, statement);
    }
  }
  std::optional<govern::Trust> get() const { return stated ? stated : noted; }
};

govern::ArgumentOrigin fact_origin(const std::string& name, std::string_view text,
                                   govern::Trust trust) {
  return {name, "fact:" + std::string(beginning_of(text, kShownOfFact)), trust};
}

// Of the parts alone. So are names of members, numbers and booleans judged: what a tool calls its
// arguments, and `true`, are nobody's, whatever a page has a concept for.
std::optional<govern::ArgumentOrigin> part_origin(const store::Snapshot& snapshot,
                                                  const std::string& name, std::string_view text) {
  const auto part = least_trusted_part(snapshot, text);
  if (!part) return std::nullopt;
  return fact_origin(name, part->text, part->trust);
}

std::optional<govern::ArgumentOrigin> text_origin(const store::Snapshot& snapshot,
                                                  const std::string& name, std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (const auto label = fact_label(snapshot, text)) return fact_origin(name, text, *label);
  return part_origin(snapshot, name, text);
}

// Of whoever stated this number as a value. One of few digits says nothing of where it came from.
std::optional<govern::Trust> number_label(const store::Snapshot& snapshot, const Json& value) {
  const bool says_something = value.is_integer() && (value.as_integer() >= kTellingNumber ||
                                                     value.as_integer() <= -kTellingNumber);
  if (!says_something) return std::nullopt;
  const auto term = snapshot.find(store::Value::of(value.as_integer()).view());
  if (!term) return std::nullopt;
  Label label;
  label.add_values(snapshot, *term);
  return label.get();
}

std::optional<govern::ArgumentOrigin> origin_of(const store::Snapshot& snapshot,
                                                const std::string& name, const Json& value) {
  std::optional<govern::ArgumentOrigin> least;
  const auto consider = [&](std::optional<govern::ArgumentOrigin> origin) {
    if (origin && (!least || origin->trust < least->trust)) least = std::move(origin);
  };
  if (value.is_string()) {
    return text_origin(snapshot, name, value.as_string());
  } else if (value.is_array()) {
    for (const Json& each : value.as_array()) consider(origin_of(snapshot, name, each));
  } else if (value.is_object()) {
    for (const auto& [key, each] : value.as_object()) {
      consider(part_origin(snapshot, name, key));
      consider(origin_of(snapshot, name, each));
    }
  } else if (!value.is_null()) {
    consider(part_origin(snapshot, name, value.dump()));
    if (const auto label = number_label(snapshot, value)) {
      consider(fact_origin(name, value.dump(), *label));
    }
  }
  return least;
}

}  // namespace

std::optional<govern::Trust> statement_trust(const store::Snapshot& given,
                                             const store::Triple& statement) {
  const store::Snapshot snapshot = given.with_books();
  Label label;
  label.add(snapshot, statement);
  return label.get();
}

std::optional<govern::Trust> least_trust_among(const store::Snapshot& given,
                                               std::span<const store::EntityId> entities) {
  const store::Snapshot snapshot = given.with_books();
  std::optional<govern::Trust> least;
  const auto consider = [&](std::optional<govern::Trust> trust) {
    if (trust && (!least || *trust < *least)) least = trust;
  };
  const std::set<store::EntityId> among(entities.begin(), entities.end());
  std::vector<store::Triple> links(kMaxLinks);
  for (const store::EntityId entity : among) {
    const store::Term type = store::Term::entity(snapshot.type_of(entity));
    consider(statement_trust(snapshot, {entity, store::kTypePredicate, type}));
    store::Pattern pattern;
    pattern.subject = entity;
    store::Cursor cursor = snapshot.scan(pattern);
    std::size_t seen = 0;
    while (const std::size_t count = cursor.next(links)) {
      if ((seen += count) > kMaxLinks) {
        consider(govern::Trust::kUntrusted);
        break;
      }
      for (const store::Triple& link : std::span(links).first(count)) {
        if (!link.object.is_entity() || among.contains(link.object.as_entity()))
          consider(statement_trust(snapshot, link));
      }
    }
  }
  return least;
}

std::optional<govern::Trust> fact_label(const store::Snapshot& given, std::string_view text) {
  const store::Snapshot snapshot = given.with_books();
  Label label;
  for (const store::EntityId entity : snapshot.concepts_named(text)) {
    const store::Term type = store::Term::entity(snapshot.type_of(entity));
    label.add(snapshot, {entity, store::kTypePredicate, type});
  }
  if (const auto term = snapshot.find_string(text)) label.add_values(snapshot, *term);
  return label.get();
}

std::optional<FactPart> least_trusted_part(const store::Snapshot& given, std::string_view text) {
  const store::Snapshot snapshot = given.with_books();
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

std::vector<govern::ArgumentOrigin> argument_origins(const store::Snapshot& given,
                                                     const Json& arguments) {
  const store::Snapshot snapshot = given.with_books();
  std::vector<govern::ArgumentOrigin> origins;
  if (!arguments.is_object()) return origins;
  for (const auto& [name, value] : arguments.as_object()) {
    // What an argument is called may be somebody's word, as what it holds.
    for (const auto& origin :
         {part_origin(snapshot, name, name), origin_of(snapshot, name, value)}) {
      if (origin) origins.push_back(*origin);
    }
  }
  return origins;
}

}  // namespace anima::tools
