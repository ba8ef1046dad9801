#include "ask/parse/statements/held_facts.h"

#include "base/text/text.h"
#include "store/holds.h"
#include "store/symbols.h"

namespace anima::ask {

using store::EntityId;
using store::Triple;

std::optional<Triple> HeldFacts::held_as(const Statement& fact) const {
  if (fact.is_link()) {
    const Triple link{fact.subject, fact.predicate, store::Term::entity(fact.object)};
    if (fact.object != EntityId::kNone && holds(link)) return link;
    return std::nullopt;
  }
  for (const Triple& one : values_of(fact.subject, fact.key)) {
    if (same_text(store::term_label(snapshot_, one.object), fact.said)) return one;
  }
  return std::nullopt;
}

bool HeldFacts::holds(const Triple& fact) const {
  if (!snapshot_.contains(fact)) return false;
  return store::is_valid(store::standing_of(snapshot_, fact), now_, now_);
}

std::vector<Triple> HeldFacts::values_of(EntityId thing, std::string_view key) const {
  std::vector<Triple> values;
  const auto name = snapshot_.find_string(key);
  if (!name) return values;
  const auto predicate = store::Predicate::attribute(*name);
  store::Scratch scratch;
  const auto codes = snapshot_.objects(thing, predicate, scratch);
  const std::vector<std::uint32_t> all(codes.begin(), codes.end());
  for (const std::uint32_t code : store::holding_values(snapshot_, thing, predicate, all))
    values.push_back({thing, predicate, store::Term{code}});
  return values;
}

bool same_text(std::string_view a, std::string_view b) { return normal_name(a) == normal_name(b); }

std::vector<Triple> HeldFacts::about(EntityId subject, const Statement& fact) const {
  if (!fact.is_link()) return values_of(subject, fact.key);
  std::vector<Triple> held;
  store::Scratch scratch;
  const auto codes = snapshot_.objects(subject, fact.predicate, scratch);
  for (const std::uint32_t code : std::vector<std::uint32_t>(codes.begin(), codes.end())) {
    const Triple link{subject, fact.predicate, store::Term{code}};
    if (holds(link)) held.push_back(link);
  }
  return held;
}

bool HeldFacts::says_the_same(const Triple& fact, const Statement& other) const {
  if (fact.object.is_entity()) return fact.object.as_entity() == other.object;
  return same_text(store::term_label(snapshot_, fact.object), other.said);
}

std::vector<Triple> HeldFacts::between(EntityId from, EntityId to) const {
  std::vector<Triple> found;
  for (const PredicateInfo& info : lexicon_.schema().predicates) {
    if (!info.link || info.derived) continue;
    const Triple link{from, *info.link, store::Term::entity(to)};
    if (holds(link)) found.push_back(link);
  }
  return found;
}

std::string what_it_is_about(const Lexicon& lexicon, const Triple& fact) {
  const store::Snapshot& snapshot = lexicon.snapshot();
  const std::string word = store::predicate_label(snapshot, fact.predicate);
  const std::string name(snapshot.name(fact.subject));
  if (fact.predicate.predicate_class() == store::PredicateClass::kLink) return name + " " + word;
  return fill(lexicon.pack(), "attribute_of",
              {{"name", name}, {"attribute", replace_all(word, "_", " ")}});
}

}  // namespace anima::ask
