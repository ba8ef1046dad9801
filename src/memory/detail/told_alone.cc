#include "memory/detail/told_alone.h"

#include <algorithm>

#include "memory/detail/forgotten_mentions.h"
#include "memory/detail/forgotten_things.h"
#include "store/past_links.h"

namespace anima::memory::detail {
namespace {

using store::EntityId;
using store::PredicateClass;
using store::Snapshot;
using store::StatedWord;

bool goes(const StatedWord& word, const ToldAndGoing& going) {
  if (word.provenance != 0) return going.records.contains(word.provenance);
  const store::Predicate predicate = word.statement.predicate;
  switch (predicate.predicate_class()) {
    case PredicateClass::kStructural:
      return going.entries.contains(word.said == store::Sequence::kNone ? word.from : word.said);
    case PredicateClass::kMetadata:
      return going.keys.contains(predicate.key());
    default:
      return false;
  }
}

bool is_told_alone(const Snapshot& snapshot, EntityId thing, const ToldAndGoing& going) {
  const auto word_goes = [&](const StatedWord& word) { return goes(word, going); };
  const std::vector<StatedWord> said = store::words_about(snapshot, thing);
  if (said.empty() || !std::ranges::all_of(said, word_goes)) return false;
  return std::ranges::all_of(store::links_ever(snapshot, thing), [&](const store::Triple& link) {
    if (link.subject == thing) return true;  // of `said`
    const std::vector<StatedWord> words = store::words_about(snapshot, link.subject);
    return std::ranges::all_of(
        words, [&](const StatedWord& word) { return word.statement != link || word_goes(word); });
  });
}

}  // namespace

std::vector<EntityId> things_told_alone(const Snapshot& snapshot, const ToldAndGoing& going) {
  std::vector<EntityId> things;
  if (going.records.empty()) return things;
  for (std::uint32_t id = 1; id < snapshot.entity_bound(); ++id) {
    const EntityId thing{id};
    if (!is_thing(snapshot, thing) || is_of_bootstrap(snapshot, thing) ||
        is_of_loaded_compartment(snapshot, thing))
      continue;
    if (is_told_alone(snapshot, thing, going)) things.push_back(thing);
  }
  return things;
}

}  // namespace anima::memory::detail
