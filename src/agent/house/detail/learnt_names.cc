#include "agent/house/detail/learnt_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "language/names/equality.h"
#include "language/numbers/lexemes.h"
#include "store/holds.h"
#include "store/symbols.h"

namespace anima::agent::detail {
namespace {

using language::FrameRelations;
using language::FrameSide;
using language::NameEquality;
using store::EntityId;

constexpr std::string_view kAnyThing = "Thing";

NamedThing asks_back(std::string question) {
  NamedThing thing;
  thing.asks = std::move(question);
  return thing;
}

bool same(const NamedThing& a, const NamedThing& b) {
  if (a.known || b.known) return a.known == b.known;
  return a.type == b.type && language::equal_names(a.name, b.name, NameEquality::kCase);
}

void add_once(std::vector<NamedThing>& list, const NamedThing& thing) {
  const bool there =
      std::ranges::any_of(list, [&](const NamedThing& one) { return same(one, thing); });
  if (!there) list.push_back(thing);
}

std::set<std::string> words_of(std::string_view name) {
  std::set<std::string> words;
  for (language::Lexeme& one : language::cut_lexemes(name))
    if (one.kind != language::Lexeme::Kind::kSign) words.insert(std::move(one.text));
  return words;
}

}  // namespace

NamedThing LearntNames::find(const FrameSide& side, std::string_view type) {
  switch (side.kind) {
    case FrameSide::Kind::kSpeaker:
      return speaker();
    case FrameSide::Kind::kPronoun:
      return pronoun(side);
    case FrameSide::Kind::kRelative:
      return relative(side);
    case FrameSide::Kind::kName:
    case FrameSide::Kind::kTopic:
    case FrameSide::Kind::kValue:
      break;
  }
  NamedThing thing = named(side.name, type);
  if (!thing.asks.empty()) return thing;
  if (!thing.known) add_once(made_, thing);
  if (type == kPersonTypeName && !same(thing, speaker())) add_once(people_, thing);
  return thing;
}

void LearntNames::next_sentence() {
  if (people_.empty()) return;
  people_before_ = std::move(people_);
  people_.clear();
}

void LearntNames::spoken_of(const std::vector<ask::SaidFact>& facts) {
  const auto add = [&](EntityId thing) {
    NamedThing one{thing, std::string(kPersonTypeName), std::string(now_.name(thing)), {}};
    if (is_person(thing) && !same(one, speaker())) add_once(earlier_, one);
  };
  for (const ask::SaidFact& one : facts) {
    add(one.fact.subject);
    if (one.fact.object.is_entity()) add(one.fact.object.as_entity());
  }
}

bool LearntNames::is_person(EntityId thing) const {
  return now_.kind(thing) == store::EntityKind::kConcept &&
         FrameRelations::shipped().fits(now_.name(now_.type_of(thing)), kPersonTypeName);
}

NamedThing LearntNames::speaker() const {
  if (speaker_.empty()) return asks_back("Nobody said who speaks; say it with a name.");
  const auto type = now_.find_type(kPersonTypeName);
  return {type ? now_.find_concept(*type, speaker_) : std::nullopt,
          std::string(kPersonTypeName),
          speaker_,
          {}};
}

// What has the name, or is called so besides.
std::vector<EntityId> LearntNames::called(const std::string& name) const {
  std::vector<EntityId> found;
  for (const EntityId one : now_.concepts_labelled(name)) {
    const EntityId type = now_.type_of(one);
    const bool defines = type == store::kConceptType || type == store::kPropositionType;
    if (!defines && now_.exists(one)) found.push_back(one);
  }
  const auto key = now_.find_string(ask::kAlsoCalled);
  const auto value = now_.find_string(name);
  if (!key || !value) return found;
  store::Scratch scratch;
  for (const std::uint32_t code :
       now_.subjects(store::Predicate::attribute(*key), *value, scratch)) {
    if (std::ranges::find(found, EntityId{code}) == found.end()) found.push_back(EntityId{code});
  }
  return found;
}

// Persons who are known by more words than these, with commas between.
std::string LearntNames::fuller_names(const std::string& name) const {
  const std::set<std::string> words = words_of(name);
  const auto type = now_.find_type(kPersonTypeName);
  if (!type) return {};
  std::string names;
  store::Scratch scratch;
  for (const std::uint32_t code :
       now_.subjects(store::kTypePredicate, store::Term::entity(*type), scratch)) {
    const std::string_view known = now_.name(EntityId{code});
    const std::set<std::string> of_known = words_of(known);
    if (of_known.size() > words.size() && std::ranges::includes(of_known, words))
      names += (names.empty() ? "" : ", ") + std::string(known);
  }
  return names;
}

NamedThing LearntNames::named(const std::string& name, std::string_view type) const {
  for (const NamedThing& one : made_) {
    const bool fits = one.type == type || type == kAnyThing;
    if (fits && language::equal_names(one.name, name, NameEquality::kCase)) return one;
  }
  std::vector<EntityId> fitting, others;
  for (const EntityId one : called(name)) {
    const EntityId of = now_.type_of(one);
    const bool fits = type == kAnyThing || of == store::kEntityType ||
                      FrameRelations::shipped().fits(now_.name(of), type);
    (fits ? fitting : others).push_back(one);
  }
  if (fitting.size() == 1)
    return {fitting.front(), std::string(type), std::string(now_.name(fitting.front())), {}};
  const auto list = [&](const std::vector<EntityId>& things) {
    std::string text;
    for (const EntityId one : things) {
      text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", now_.name(one),
                          now_.name(now_.type_of(one)));
    }
    return text;
  };
  if (!fitting.empty())
    return asks_back(fmt::format("\"{}\" may be {}: say which.", name, list(fitting)));
  if (!others.empty()) {
    return asks_back(
        fmt::format("\"{}\" is known as {}, which is no {}.", name, list(others), type));
  }
  if (type == kPersonTypeName) {
    if (const std::string fuller = fuller_names(name); !fuller.empty()) {
      return asks_back(fmt::format("Who is \"{}\": {}? Say it with the whole name.", name, fuller));
    }
  }
  return {std::nullopt, std::string(type), name, {}};
}

NamedThing LearntNames::pronoun(const FrameSide& side) const {
  for (const auto* people : {&people_, &people_before_, &earlier_}) {
    if (people->size() == 1) return people->front();
    if (!people->empty()) break;
  }
  return asks_back(fmt::format("Who is \"{}\"? Say it with the name.", side.words));
}

NamedThing LearntNames::relative(const FrameSide& side) {
  const NamedThing whose = side.name.empty() ? speaker() : named(side.name, kPersonTypeName);
  if (!whose.asks.empty()) return whose;
  std::vector<EntityId> found;
  const auto relation = now_.find_predicate(side.relation->name);
  if (relation && whose.known) {
    const auto predicate = store::Predicate::link(*relation);
    store::Scratch scratch;
    const auto codes = side.inverse
                           ? now_.subjects(predicate, store::Term::entity(*whose.known), scratch)
                           : now_.objects(*whose.known, predicate, scratch);
    for (const std::uint32_t code : codes) {
      const EntityId other = side.inverse ? EntityId{code} : store::Term{code}.as_entity();
      const store::Triple link =
          side.inverse ? store::Triple{other, predicate, store::Term::entity(*whose.known)}
                       : store::Triple{*whose.known, predicate, store::Term{code}};
      const auto proposition = now_.find_proposition(link);
      const auto noun =
          proposition ? store::said_of_link(now_, *proposition, kNounOfLink) : std::nullopt;
      const bool holds = store::is_valid(store::standing_of(now_, link), time_, time_);
      if (holds && noun && now_.value(*noun).text == side.noun) found.push_back(other);
    }
  }
  if (found.size() == 1) {
    const NamedThing thing{
        found.front(), std::string(kPersonTypeName), std::string(now_.name(found.front())), {}};
    add_once(people_, thing);
    return thing;
  }
  return asks_back(fmt::format("Who is \"{}\"? Say it with the name.", side.words));
}

}  // namespace anima::agent::detail
