#include "agent/telling/detail/learnt_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "language/frames/frame_questions.h"
#include "language/names/equality.h"
#include "language/names/romanised.h"
#include "language/numbers/lexemes.h"
#include "language/text/fold.h"
#include "language/text/word_uses.h"
#include "memory/speakers.h"
#include "store/holds.h"
#include "store/statements.h"
#include "store/symbols.h"

namespace anima::agent::detail {
namespace {

using language::FrameRelations;
using language::FrameSide;
using language::NameDoubt;
using language::NameEquality;
using store::EntityId;

constexpr std::string_view kAnyThing = "Thing", kAnother = "another", kAsThing = "thing",
                           kPlaceTypeName = "Place";

NamedThing asks_back(std::string question) {
  NamedThing thing;
  thing.question.asks = std::move(question);
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

std::string decision_about(std::string_view what, std::string_view words) {
  return fmt::format("{}: {}", what, language::fold(words, language::FoldStrength::kCase));
}

ToldQuestion doubt_question(NameDoubt doubt, const std::string& words, std::string_view type) {
  ToldQuestion question;
  const std::string key = decision_about(type.empty() ? "value" : type, words);
  question.yes[key] = kAsRead;
  const auto is_one = [&](std::string_view what, std::string_view of_type) {
    if (type != kAnyThing) {
      return fmt::format("\"{}\" is a name of {}: is it a name of an {} here?", words, what,
                         to_lower(type));
    }
    question.yes[key] = of_type;
    question.choices.push_back({std::string(kAsThing), {{key, std::string(kAsRead)}}});
    return fmt::format("Is \"{}\" a {}?", words, to_lower(of_type));
  };
  switch (doubt) {
    case NameDoubt::kNone:
      break;
    case NameDoubt::kCommonWord:
      question.asks = fmt::format(
          "\"{}\" {}: is it a name here?", words,
          words.find(' ') == words.npos ? "is a common word" : "has a common word in it");
      break;
    case NameDoubt::kUnknown:
    case NameDoubt::kOddlyWritten:
      question.asks = fmt::format("Is \"{}\" a name?", words);
      break;
    case NameDoubt::kPerson:
      question.asks = is_one("people", kPersonTypeName);
      break;
    case NameDoubt::kPlace:
      question.asks = is_one("a place", kPlaceTypeName);
      break;
    case NameDoubt::kFigure:
      question.asks = fmt::format("Is \"{}\" meant literally?", words);
      break;
  }
  return question;
}

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
  NamedThing thing = named(side, type);
  if (thing.is_open()) return thing;
  if (!thing.known) add_once(made_, thing);
  const bool person = thing.known ? is_person(*thing.known) : thing.type == kPersonTypeName;
  if (person && !same(thing, speaker())) add_once(people_, thing);
  return thing;
}

void LearntNames::next_sentence() {
  if (people_.empty()) return;
  people_before_ = std::move(people_);
  people_.clear();
}

void LearntNames::spoken_of(const std::vector<ask::SaidFact>& facts) {
  const auto add = [&](EntityId thing) {
    NamedThing one{thing, std::string(kPersonTypeName), std::string(now_.name(thing)), {}, {}};
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
  const auto known = memory::person_speaking(now_, speaker_);
  return {known,
          std::string(kPersonTypeName),
          known ? std::string(now_.name(*known)) : speaker_,
          {},
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
  // Who is trusted less than who tells does not say what the words of that mean.
  const auto is_less = [&](EntityId one) { return store::trust_of_thing(now_, one) < trust_; };
  if (!std::ranges::all_of(found, is_less)) std::erase_if(found, is_less);
  for (const EntityId one : store::concepts_by_alias(trusted_, name))
    if (std::ranges::find(found, one) == found.end()) found.push_back(one);
  return found;
}

// Things of the type that have a name of their own.
std::vector<EntityId> LearntNames::of_type(std::string_view type) const {
  std::vector<EntityId> found;
  const auto known = now_.find_type(type);
  if (!known) return found;
  store::Scratch scratch;
  for (const std::uint32_t code :
       now_.subjects(store::kTypePredicate, store::Term::entity(*known), scratch)) {
    const std::string_view name = now_.name(EntityId{code});
    if (!name.empty() && name.front() != '$') found.push_back(EntityId{code});
  }
  return found;
}

// Persons with some of whose words the name has: "Bob" of Bob Smith, and the other way round.
std::vector<EntityId> LearntNames::persons_named_so_in_part(const std::string& name) const {
  const std::set<std::string> words = words_of(name);
  std::vector<EntityId> found;
  for (const EntityId one : of_type(kPersonTypeName)) {
    const std::set<std::string> of_known = words_of(now_.name(one));
    const bool more = of_known.size() > words.size() && std::ranges::includes(of_known, words);
    const bool fewer = of_known.size() < words.size() && std::ranges::includes(words, of_known);
    if (more || (fewer && !of_known.empty())) found.push_back(one);
  }
  return found;
}

std::string LearntNames::label(EntityId thing) const {
  return fmt::format("{} ({})", now_.name(thing), now_.name(now_.type_of(thing)));
}

std::string LearntNames::list(const std::vector<EntityId>& things) const {
  std::vector<std::string> labels;
  for (const EntityId one : things) labels.push_back(label(one));
  return join(labels, ", ");
}

std::optional<EntityId> LearntNames::decided_one(const std::vector<EntityId>& things,
                                                 const std::string& key) const {
  const auto decided = decided_.find(key);
  for (const EntityId one : things)
    if (decided != decided_.end() && decided->second == label(one)) return one;
  return std::nullopt;
}

// Whether the name is one of these, or another's.
NamedThing LearntNames::ask_whether_one(const std::string& name, const std::string& key,
                                        const std::vector<EntityId>& things) const {
  NamedThing open;
  std::vector<std::string> names;
  for (const EntityId one : things) {
    names.emplace_back(now_.name(one));
    if (things.size() == 1) open.question.yes[key] = label(one);
    if (things.size() > 1) open.question.choices.push_back({names.back(), {{key, label(one)}}});
  }
  open.question.choices.push_back({std::string(kAnother), {{key, std::string(kAnother)}}});
  open.question.asks = fmt::format("Who is \"{}\": {}?", name, join(names, ", "));
  return open;
}

// "Bob" where Bob Smith is known, "Bob Smith" where Bob is: perhaps the same.
NamedThing LearntNames::other_person(const std::string& name, const std::string& key) const {
  const std::vector<EntityId> alike = persons_named_so_in_part(name);
  if (const auto one = decided_one(alike, key)) {
    const bool fuller = words_of(name).size() > words_of(now_.name(*one)).size();
    return {one,
            std::string(kPersonTypeName),
            std::string(now_.name(*one)),
            fuller ? name : std::string(),
            {}};
  }
  return alike.empty() ? NamedThing{} : ask_whether_one(name, key, alike);
}

// "Martín" where Martin is known: perhaps the same, and perhaps another. With another kind of
// apostrophe it is the same.
NamedThing LearntNames::spelt_otherwise(const std::string& name, const std::string& key,
                                        std::string_view type) const {
  std::vector<EntityId> same, alike;
  for (const EntityId one : of_type(type)) {
    const std::string_view known = now_.name(one);
    if (language::equal_names(known, name, NameEquality::kCase)) {
      same.push_back(one);
    } else if (language::equal_names(known, name, NameEquality::kMarks) ||
               language::same_in_ascii(known, name)) {
      alike.push_back(one);
    }
  }
  if (same.size() == 1)
    return {same.front(), std::string(type), std::string(now_.name(same.front())), {}, {}};
  alike.insert(alike.end(), same.begin(), same.end());
  if (const auto one = decided_one(alike, key))
    return {one, std::string(type), std::string(now_.name(*one)), name, {}};
  if (alike.empty()) return {};
  NamedThing open = ask_whether_one(name, key, alike);
  if (alike.size() == 1)
    open.question.asks = fmt::format("Is \"{}\" {}?", name, now_.name(alike.front()));
  return open;
}

NamedThing LearntNames::named(const FrameSide& side, std::string_view wanted) const {
  const std::string& name = side.name;
  const std::string key = decision_about(wanted, name);
  const auto found = decided_.find(key);
  const std::string decided = found == decided_.end() ? std::string() : found->second;
  const bool as_type = decided == kPersonTypeName || decided == kPlaceTypeName;
  const std::string_view type = as_type ? std::string_view(decided) : wanted;
  for (const NamedThing& one : made_) {
    const bool fits = one.type == type || type == kAnyThing;
    if (fits && language::equal_names(one.name, name, NameEquality::kCase)) return one;
  }
  std::vector<EntityId> fitting, others;
  for (const EntityId one : called(name)) {
    const EntityId of = now_.type_of(one);
    // What was only liked so far may be anything.
    const bool fits = type == kAnyThing || of == store::kEntityType || now_.name(of) == kAnyThing ||
                      FrameRelations::shipped().fits(now_.name(of), type);
    if (!fits && store::trust_of_thing(now_, one) < trust_) continue;
    (fits ? fitting : others).push_back(one);
  }
  const auto thing = [&](EntityId known) {
    return NamedThing{known, std::string(type), std::string(now_.name(known)), {}, {}};
  };
  for (const EntityId one : fitting)
    if (decided == label(one)) return thing(one);
  if (fitting.size() == 1) return thing(fitting.front());
  if (!fitting.empty()) {
    NamedThing open = asks_back(fmt::format("\"{}\" may be {}: say which.", name, list(fitting)));
    for (const EntityId one : fitting)
      open.question.choices.push_back({label(one), {{key, label(one)}}});
    return open;
  }
  const bool another = decided == kAnother;
  if (!others.empty() && !another) {
    NamedThing open = asks_back(fmt::format("\"{}\" is known as {}, which is no {}: is it another?",
                                            name, list(others), type));
    open.question.yes[key] = kAnother;
    return open;
  }
  if (!another) {
    const std::string as = as_type ? decision_about(type, name) : key;
    NamedThing one = spelt_otherwise(name, as, type);
    if (type == kPersonTypeName && !one.known && !one.is_open()) one = other_person(name, as);
    if (one.known || one.is_open()) return one;
  }
  if (side.doubt != NameDoubt::kNone && decided.empty()) {
    NamedThing open;
    open.question = doubt_question(side.doubt, name, wanted);
    return open;
  }
  return {std::nullopt, std::string(type), name, {}, {}};
}

void LearntNames::called_by_noun(const NamedThing& thing, const std::string& noun) {
  const Sex sex = sex_of_noun(noun);
  if (sex != Sex::kUnknown)
    told_sex_[language::fold(thing.name, language::FoldStrength::kCase)] = sex;
}

LearntNames::Sex LearntNames::sex_of_noun(const std::string& noun) {
  const std::string last = noun.substr(noun.rfind(' ') + 1);
  if (language::words_used_as("nouns_of_men").contains(last)) return Sex::kMale;
  return language::words_used_as("nouns_of_women").contains(last) ? Sex::kFemale : Sex::kUnknown;
}

LearntNames::Sex LearntNames::sex_of(const NamedThing& thing) const {
  const auto told = told_sex_.find(language::fold(thing.name, language::FoldStrength::kCase));
  if (told != told_sex_.end()) return told->second;
  if (!thing.known) return Sex::kUnknown;
  const Sex sex = sex_by_nouns(trusted_, *thing.known);
  return sex != Sex::kUnknown ? sex : sex_by_nouns(now_, *thing.known);
}

// By the nouns of the links that name somebody: "my brother Tom".
LearntNames::Sex LearntNames::sex_by_nouns(const store::Snapshot& now, EntityId thing) {
  for (const bool named_last : {true, false}) {
    store::Pattern pattern;
    pattern.predicate_class = store::PredicateClass::kLink;
    if (named_last) {
      pattern.object = store::Term::entity(thing);
    } else {
      pattern.subject = thing;
    }
    Sex found = Sex::kUnknown;
    store::each_statement(now, pattern, [&](const store::Triple& row) {
      const auto link = now.find_proposition(row);
      const auto noun = link ? store::said_of_link(now, *link, kNounOfLink) : std::nullopt;
      if (!noun) return true;
      const std::string text(now.value(*noun).text);
      const auto names_subject =
          language::noun_names_subject(store::predicate_label(now, row.predicate), text);
      if (names_subject && *names_subject != named_last) found = sex_of_noun(text);
      return found == Sex::kUnknown;
    });
    if (found != Sex::kUnknown) return found;
  }
  return Sex::kUnknown;
}

// The one person who was named last and may be a he, or a she. Where nothing says which, it is
// asked; whom that was about is kept with the answer, for by then others may have been named.
NamedThing LearntNames::pronoun(const FrameSide& side) const {
  const std::string word = language::fold(side.words, language::FoldStrength::kCase);
  const std::string key = decision_about("pronoun", word);
  if (const auto decided = decided_.find(key); decided != decided_.end()) {
    for (const auto* people : {&people_, &people_before_, &earlier_}) {
      for (const NamedThing& one : *people)
        if (!one.known && one.name == decided->second) return one;
    }
    for (const EntityId one : called(decided->second.substr(0, decided->second.rfind(" (")))) {
      if (is_person(one) && label(one) == decided->second)
        return {one, std::string(kPersonTypeName), std::string(now_.name(one)), {}, {}};
    }
  }
  const Sex wanted = language::words_used_as("words_for_men").contains(word)     ? Sex::kMale
                     : language::words_used_as("words_for_women").contains(word) ? Sex::kFemale
                                                                                 : Sex::kUnknown;
  for (const auto* people : {&people_, &people_before_, &earlier_}) {
    std::vector<NamedThing> sure, perhaps;
    for (const NamedThing& one : *people) {
      const Sex sex = sex_of(one);
      if (sex == wanted && sex != Sex::kUnknown) sure.push_back(one);
      if (sex == Sex::kUnknown) perhaps.push_back(one);
    }
    if (sure.size() == 1) return sure.front();
    if (sure.empty() && perhaps.size() == 1) {
      const NamedThing& one = perhaps.front();
      NamedThing open = asks_back(fmt::format("Is \"{}\" {}?", side.words, one.name));
      open.question.yes[key] = one.known ? label(*one.known) : one.name;
      return open;
    }
    if (!sure.empty() || !perhaps.empty()) break;
  }
  return asks_back(fmt::format("Who is \"{}\"? Say it with the name.", side.words));
}

// Who is called that in relation to somebody, by the nouns of links that hold.
std::vector<EntityId> LearntNames::relatives_in(const store::Snapshot& now, EntityId whose,
                                                const FrameSide& side) const {
  std::vector<EntityId> found;
  const auto relation = now.find_predicate(side.relation->name);
  if (!relation) return found;
  const auto predicate = store::Predicate::link(*relation);
  store::Scratch scratch;
  const auto codes = side.inverse ? now.subjects(predicate, store::Term::entity(whose), scratch)
                                  : now.objects(whose, predicate, scratch);
  for (const std::uint32_t code : codes) {
    const EntityId other = side.inverse ? EntityId{code} : store::Term{code}.as_entity();
    const store::Triple link = side.inverse
                                   ? store::Triple{other, predicate, store::Term::entity(whose)}
                                   : store::Triple{whose, predicate, store::Term{code}};
    const auto proposition = now.find_proposition(link);
    const auto noun =
        proposition ? store::said_of_link(now, *proposition, kNounOfLink) : std::nullopt;
    const bool holds = store::is_valid(store::standing_of(now, link), time_, time_);
    if (holds && noun && now.value(*noun).text == side.noun) found.push_back(other);
  }
  return found;
}

// Who is trusted less says who it is where nobody else does.
NamedThing LearntNames::relative(const FrameSide& side) {
  const NamedThing whose = side.name.empty() ? speaker() : named(side, kPersonTypeName);
  if (whose.is_open()) return whose;
  std::vector<EntityId> found;
  if (whose.known) found = relatives_in(trusted_, *whose.known, side);
  if (whose.known && found.empty()) found = relatives_in(now_, *whose.known, side);
  if (found.size() == 1) {
    const NamedThing thing{
        found.front(), std::string(kPersonTypeName), std::string(now_.name(found.front())), {}, {}};
    add_once(people_, thing);
    return thing;
  }
  return asks_back(fmt::format("Who is \"{}\"? Say it with the name.", side.words));
}

}  // namespace anima::agent::detail
