#include "agent/telling/detail/telling_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "agent/telling/detail/told_statements.h"
#include "agent/telling/detail/told_writer.h"
#include "agent/telling/told_facts.h"
#include "base/text/read_number.h"
#include "base/text/text.h"
#include "language/frames/frame_questions.h"
#include "language/names/equality.h"
#include "language/times/times.h"
#include "store/holds.h"
#include "store/statements.h"
#include "store/symbols.h"

namespace anima::agent::detail {
namespace {

using language::Frame;
using language::FrameTime;
using language::ValueKind;
using store::EntityId;
using store::Term;
using store::Triple;

constexpr std::string_view kNameRelation = "name";
constexpr std::int64_t kSameMoment = kMicrosecondsPerSecond;
// Decisions: what is known holds; what was said held before it; what had ended holds from now on;
// it began then, too.
constexpr std::string_view kStays = "stays", kHeldBefore = "held before", kAgain = "again",
                           kBoth = "both";

store::Value value_of(const Frame& frame) {
  const std::string& text = frame.object.name;
  if (frame.relation->value == ValueKind::kNumber) {
    if (const auto number = read_number<std::int64_t>(text)) return store::Value::of(*number);
  }
  return store::Value::string(text);
}

// The links of the subject under the relation that hold then.
std::vector<Triple> links_of(const store::Snapshot& now, EntityId subject, EntityId relation,
                             Timestamp time) {
  std::vector<Triple> links;
  const auto predicate = store::Predicate::link(relation);
  store::Scratch scratch;
  for (const std::uint32_t code : now.objects(subject, predicate, scratch)) {
    const Triple link{subject, predicate, Term{code}};
    if (store::is_valid(store::standing_of(now, link), time, time)) links.push_back(link);
  }
  return links;
}

class TellingPlanner {
 public:
  TellingPlanner(const SpaceRead& space, const Learning& learning, const Decisions& decided)
      : all_(space.all),
        now_(space.known),
        trusted_(space.trusted),
        learning_(learning),
        decided_(decided),
        names_(space.known, space.trusted, learning.speaker, learning.item.trust, learning.now,
               decided) {
    names_.spoken_of(learning.last);
  }

  // Empty with a question, or because nothing of it is to be known.
  std::vector<PlannedFact> run(const language::Telling& telling, ToldQuestion& question) {
    std::vector<PlannedFact> all;
    if (says_two(telling, question)) return {};
    for (const language::ToldSentence& sentence : telling.sentences) {
      for (const Frame& frame : sentence.frames) {
        PlannedFact fact = plan(frame, question);
        if (lacks_what_ends(fact)) {
          question = {};
          return {};
        }
        if (is_needless_denial(fact) || is_own_name(fact)) {
          question = {};
          continue;
        }
        if (question.asks.empty() && is_nobodys(fact)) return {};
        if (question.asks.empty() && stays(fact)) continue;
        if (question.asks.empty()) question = fault_of(fact);
        if (!question.asks.empty()) return {};
        if (learning_.before && is_overtaken(fact)) continue;
        for (const NamedThing* side : {&fact.subject, &fact.object})
          if (!side->also_called.empty() && said_so_.insert(side->also_called).second)
            all.push_back(also_called(*side));
        all.push_back(std::move(fact));
      }
      names_.next_sentence();
    }
    return all;
  }

 private:
  PlannedFact plan(const Frame& frame, ToldQuestion& question) {
    PlannedFact fact;
    fact.frame = frame;
    fact.subject = names_.find(frame.subject, kPersonTypeName);
    question = fact.subject.question;
    if (!is_value(frame)) {
      fact.object = names_.find(frame.object, frame.relation->object);
      if (question.asks.empty()) question = fact.object.question;
      if (const auto names_subject = language::noun_names_subject(frame.relation->name, frame.noun))
        names_.called_by_noun(*names_subject ? fact.subject : fact.object, frame.noun);
    } else {
      fact.said.key =
          frame.relation->value == ValueKind::kName ? std::string(ask::kAlsoCalled) : key_of(frame);
      fact.said.value = value_of(frame);
      const bool decided = decided_.contains(decision_about("value", frame.object.name));
      if (question.asks.empty() && frame.object.doubt != language::NameDoubt::kNone && !decided)
        question = doubt_question(frame.object.doubt, frame.object.name, {});
    }
    fact.dated = frame.at_second || frame.time == FrameTime::kBegan || learning_.since;
    fact.from = frame.at_second ? language::utc_of(*frame.at_second, 0)
                                : learning_.since.value_or(learning_.now);
    if (frame.at_second || frame.time == FrameTime::kBegan) fact.at = fact.from;
    return fact;
  }

  // "I switched from Initech to Globex", where Initech is not used, but where I work.
  bool lacks_what_ends(const PlannedFact& fact) const {
    if (!fact.frame.needed) return false;
    const auto link = fact_to_end(fact);
    return !link || !store::is_valid(store::standing_of(all_, *link), learning_.now, learning_.now);
  }

  // "I'm Nora", said by Nora.
  static bool is_own_name(const PlannedFact& fact) {
    return fact.said.key == ask::kAlsoCalled &&
           language::equal_names(fact.subject.name, fact.frame.object.name,
                                 language::NameEquality::kCase);
  }

  // What a name was said not to be, and nobody said that it is. What is no name may be a word of
  // any other kind: "I like jazz, not today".
  bool is_needless_denial(const PlannedFact& fact) const {
    if (!fact.frame.denied) return false;
    // "Bob lives in Rome, not Ada": something else is denied, which is asked back.
    if (fact.object.is_open() && !now_.concepts_labelled(fact.frame.object.name).empty())
      return false;
    if (fact.frame.relation->one_valued && (is_value(fact.frame) || has_room_for_one(fact.frame)))
      return true;
    if (fact.frame.object.kind != language::FrameSide::Kind::kName) return false;
    const auto link = fact_to_end(fact);
    return !link || !store::is_valid(store::standing_of(all_, *link), learning_.now, learning_.now);
  }

  // What is stated takes the place of the other one then.
  bool has_room_for_one(const Frame& frame) const {
    const auto known = all_.find_predicate(frame.relation->name);
    return !known || store::is_functional(all_, store::Predicate::link(*known)) ||
           store::trust_of_thing(all_, *known) < learning_.item.trust;
  }

  // The name that the space has for the same, where that holds days as well: "born" of "born_on".
  std::string key_of(const Frame& frame) const {
    for (const std::string& other : frame.relation->also) {
      if (!has_days(frame.key) && has_days(other)) return other;
    }
    return frame.key;
  }

  bool has_days(std::string_view key) const {
    const auto name = now_.find_string(key);
    if (!name) return false;
    store::Pattern values;
    values.predicate = store::Predicate::attribute(*name);
    values.predicate_class = store::PredicateClass::kAttribute;
    Triple first;
    if (now_.scan(values).next({&first, 1}) == 0) return false;
    const store::ValueView value = now_.value(first.object);
    return value.kind == store::ValueKind::kString && parse_timestamp(value.text).has_value();
  }

  static PlannedFact also_called(const NamedThing& thing) {
    PlannedFact fact;
    fact.subject = thing;
    fact.frame.relation = language::FrameRelations::shipped().find(kNameRelation);
    fact.frame.key = std::string(ask::kAlsoCalled);
    fact.frame.object.kind = language::FrameSide::Kind::kValue;
    fact.frame.object.name = thing.also_called;
    fact.said.key = std::string(ask::kAlsoCalled);
    fact.said.value = store::Value::string(thing.also_called);
    return fact;
  }

  // Its words are said of more than persons, and nobody of that name is known.
  static bool is_of_somebody(const PlannedFact& fact) {
    return fact.subject.known || fact.frame.subject.kind != language::FrameSide::Kind::kName;
  }
  bool is_nobodys(const PlannedFact& fact) const {
    if (fact.frame.relation->known_subject && !is_of_somebody(fact)) return true;
    // A name that somebody else has is no second one.
    if (fact.said.key != ask::kAlsoCalled) return false;
    for (const EntityId one : trusted_.concepts_labelled(fact.frame.object.name))
      if (one != fact.subject.known && trusted_.exists(one)) return true;
    return false;
  }

  // Something else is known since.
  bool is_overtaken(const PlannedFact& fact) const {
    if (!fact.subject.known || !fact.frame.relation->one_valued) return false;
    store::Scratch scratch;
    if (is_value(fact.frame)) {
      const auto key = trusted_.find_string(fact.said.key);
      if (!key) return false;
      const auto predicate = store::Predicate::attribute(*key);
      for (const std::uint32_t code : trusted_.objects(*fact.subject.known, predicate, scratch)) {
        const Triple value{*fact.subject.known, predicate, Term{code}};
        if (store::standing_of(trusted_, value).observed <= learning_.now) continue;
        for (const auto& one : trusted_.assertions(value))
          if (learning_.late || trusted_.entry(one.born).source != learning_.item.source)
            return true;
      }
      return false;
    }
    const auto relation = trusted_.find_predicate(fact.frame.relation->name);
    if (!relation) return false;
    const auto predicate = store::Predicate::link(*relation);
    const auto codes = trusted_.objects(*fact.subject.known, predicate, scratch);
    return std::ranges::any_of(codes, [&](std::uint32_t code) {
      const auto standing =
          store::standing_of(trusted_, {*fact.subject.known, predicate, Term{code}});
      return standing.observed > learning_.now ||
             (standing.valid_from && *standing.valid_from > learning_.now);
    });
  }

  // What of it contradicts what is known, as a question.
  ToldQuestion fault_of(const PlannedFact& fact) const {
    ToldQuestion question = which_is_right(fact);
    if (question.asks.empty()) question = holds_again(fact);
    if (question.asks.empty()) question = since_when(fact);
    if (question.asks.empty()) question.asks = contradiction_of(fact);
    if (question.asks.empty() && !is_value(fact.frame)) question = other_role_of(fact);
    return question;
  }

  // The thing that would be written of.
  std::optional<EntityId> in_space(const NamedThing& thing) const {
    if (thing.known) return thing.known;
    const auto type = all_.find_type(thing.type);
    return type ? all_.find_concept(*type, thing.name) : std::nullopt;
  }

  // What it says holds no longer, whoever stated it; nullopt: the space has no such words.
  std::optional<Triple> fact_to_end(const PlannedFact& fact) const {
    const auto subject = in_space(fact.subject);
    if (!subject) return std::nullopt;
    if (is_value(fact.frame)) {
      const auto key = all_.find_string(fact.said.key);
      const auto value = all_.find(fact.said.value.view());
      if (!key || !value) return std::nullopt;
      return Triple{*subject, store::Predicate::attribute(*key), *value};
    }
    const auto object = in_space(fact.object);
    const auto relation = all_.find_predicate(fact.frame.relation->name);
    if (!object || !relation) return std::nullopt;
    return Triple{*subject, store::Predicate::link(*relation), Term::entity(*object)};
  }

  // Why what is told to hold no longer does not end; empty: it does. What does not hold may have
  // ended by another text, which may be forgotten.
  std::string fault_of_end(const PlannedFact& fact) const {
    const auto held = fact_to_end(fact);
    if (!held || !(holds(all_, *held, learning_.now) || held_before(all_, *held)))
      return fmt::format("That {} is not known, so nothing ended.", told_words(fact));
    if (!holds(all_, *held, learning_.now)) return {};
    const auto begin = store::standing_of(all_, *held).valid_from;
    if (begin && fact.frame.at_second && fact.from <= *begin) {
      return fmt::format("{} holds since {}: an end before that is not noted.", told_words(fact),
                         short_day(*begin));
    }
    const std::string why =
        held_back(all_, *held, learning_.item.trust, all_.find_graph(kToldGraph));
    return why.empty() ? why : fmt::format("{} stays as it is: {}.", told_words(fact), why);
  }

  std::string contradiction_of(const PlannedFact& fact) const {
    if (is_value(fact.frame))
      return fact.frame.time == FrameTime::kEnded ? fault_of_end(fact) : std::string();
    const bool itself = fact.subject.known ? fact.subject.known == fact.object.known
                                           : fact.subject.name == fact.object.name &&
                                                 fact.subject.type == fact.object.type;
    if (itself) {
      return fmt::format("Is there another \"{}\"? Say it with the whole name.", fact.object.name);
    }
    return fact.frame.time == FrameTime::kEnded ? fault_of_end(fact) : std::string();
  }

  // The links of the fact's subject that hold now, where there is room for one of them.
  std::vector<Triple> rivals_of(const PlannedFact& fact) const {
    if (is_value(fact.frame) || fact.frame.time == FrameTime::kEnded ||
        !fact.frame.relation->one_valued || !fact.subject.known)
      return {};
    const auto relation = trusted_.find_predicate(fact.frame.relation->name);
    if (!relation) return {};
    return links_of(trusted_, *fact.subject.known, *relation, learning_.now);
  }
  static bool is_of(const PlannedFact& fact, const Triple& link) {
    return fact.object.known && link.object == Term::entity(*fact.object.known);
  }

  // What holds since a later time than is said of what takes its place. Behind a text that takes
  // the place of an older one: what was told since that one, and holds since before this.
  struct Rival {
    std::string label;
    Timestamp since;
  };
  std::optional<Rival> later_than(const PlannedFact& fact) const {
    const bool says_when = fact.frame.at_second || fact.frame.time == FrameTime::kBegan;
    if (!says_when || (learning_.since && !fact.frame.at_second)) return std::nullopt;
    for (const Triple& link : rivals_of(fact)) {
      if (is_of(fact, link)) continue;
      const store::Standing standing = store::standing_of(trusted_, link);
      const auto began = standing.valid_from ? standing.valid_from : took_place_at(link);
      if (!began) continue;
      const bool told_since = learning_.since && *learning_.since < standing.observed;
      const bool contradicts =
          learning_.since ? told_since && *began <= fact.from : *began >= fact.from;
      if (contradicts) return Rival{store::term_label(trusted_, link.object), *began};
    }
    return std::nullopt;
  }

  // When a link took the place of another one, where nobody said when it began.
  std::optional<Timestamp> took_place_at(const Triple& link) const {
    const auto newer = trusted_.find_proposition(link);
    if (!newer) return std::nullopt;
    for (const std::uint32_t code : objects_of(trusted_, link.subject, link.predicate)) {
      const auto older = trusted_.find_proposition({link.subject, link.predicate, Term{code}});
      const auto said =
          older ? store::said_of_link(trusted_, *older, kNewerThanLink) : std::nullopt;
      if (said && trusted_.value(*said).text == link_id(*newer))
        return store::periods_of(trusted_, *older).back().to;
    }
    return std::nullopt;
  }

  // "Moved to Rome in 2018", where Rome holds since 2015 by another word.
  ToldQuestion since_when(const PlannedFact& fact) const {
    ToldQuestion question;
    const bool decided = decided_.contains(since_key(fact)) || decided_.contains(again_key(fact));
    if (!fact.frame.at_second || decided) return question;
    const auto known = other_begin(fact);
    if (!known) return question;
    question.asks =
        fmt::format("{} holds since {}: since when is right?", told_words(fact), short_day(*known));
    question.choices.push_back({short_day(fact.from), {{since_key(fact), std::string(kAsRead)}}});
    question.choices.push_back({short_day(*known), {{since_key(fact), std::string(kStays)}}});
    question.choices.push_back({"both", {{since_key(fact), std::string(kBoth)}}});
    return question;
  }

  std::optional<Triple> own_link(const PlannedFact& fact) const {
    const bool known = fact.subject.known && fact.object.known && !is_value(fact.frame);
    const auto relation = known ? trusted_.find_predicate(fact.frame.relation->name) : std::nullopt;
    if (!relation) return std::nullopt;
    return Triple{*fact.subject.known, store::Predicate::link(*relation),
                  Term::entity(*fact.object.known)};
  }

  // Another begin that was named for the same time: where nothing else held in between.
  std::optional<Timestamp> other_begin(const PlannedFact& fact) const {
    const auto link = own_link(fact);
    const auto known = link ? trusted_.find_proposition(*link) : std::nullopt;
    if (!known || fact.frame.time == FrameTime::kEnded) return std::nullopt;
    std::vector<store::Period> periods = store::periods_of(trusted_, *known);
    if (!named_begin(*link)) periods.pop_back();
    std::optional<Timestamp> other;
    for (const store::Period& one : periods) {
      if (!one.from || (one.to && *one.to <= *one.from)) continue;
      if (*one.from == fact.from) return std::nullopt;
      const bool held = *one.from < fact.from && (!one.to || fact.from < *one.to);
      const bool next =
          !other && fact.from < *one.from && !began_between(*link, fact.from, *one.from);
      if (held || next) other = one.from;
    }
    return other;
  }

  // Something else of the relation: it held, and came back.
  bool began_between(const Triple& link, Timestamp first, Timestamp last) const {
    for (const std::uint32_t code : objects_of(trusted_, link.subject, link.predicate)) {
      const Triple other{link.subject, link.predicate, Term{code}};
      const auto proposition = other == link ? std::nullopt : trusted_.find_proposition(other);
      if (!proposition) continue;
      for (const store::Period& one : store::periods_of(trusted_, *proposition)) {
        if (one.from && first < *one.from && *one.from < last) return true;
      }
    }
    return false;
  }

  static std::string since_key(const PlannedFact& fact) {
    return decision_about("since when", fact.object.name);
  }

  // When a link began to hold as somebody named it; "moved", said without a time, names none.
  std::optional<Timestamp> named_begin(const Triple& link) const {
    const auto begin = store::standing_of(trusted_, link).valid_from;
    const auto proposition = trusted_.find_proposition(link);
    const auto term =
        proposition ? store::said_of_link(trusted_, *proposition, kBeginOfLink) : std::nullopt;
    const auto key = trusted_.find_string(kBeginOfLink);
    if (!begin || !term || !key) return std::nullopt;
    for (const store::Assertion& one :
         trusted_.assertions({*proposition, store::Predicate::metadata(*key), *term})) {
      const std::int64_t apart = trusted_.entry(one.born).time.microseconds - begin->microseconds;
      if (apart < -kSameMoment || apart > kSameMoment) return begin;
    }
    return std::nullopt;
  }

  // "2015", "2015-03-01".
  static std::string short_day(Timestamp time) {
    std::string text = format_timestamp(time);
    for (const std::string_view end : {"T00:00:00Z", "-01-01"})
      if (text.ends_with(end)) text.resize(text.size() - end.size());
    return text;
  }

  // "I live in Oslo and I live in Rome": nobody knows which is right.
  bool says_two(const language::Telling& telling, ToldQuestion& question) const {
    std::vector<const Frame*> said;
    for (const language::ToldSentence& sentence : telling.sentences) {
      for (const Frame& frame : sentence.frames) {
        if (frame.time == FrameTime::kEnded || !frame.relation->one_valued) continue;
        for (const Frame* other : said) {
          if (!is_rival(*other, frame) || decided_.contains(which_key(frame))) continue;
          question = which_of(*other, frame);
          return true;
        }
        said.push_back(&frame);
      }
    }
    return false;
  }
  static bool is_rival(const Frame& one, const Frame& other) {
    const bool same = one.relation == other.relation && one.key == other.key &&
                      one.subject.kind == other.subject.kind &&
                      one.subject.name == other.subject.name;
    const bool in_turn = one.at_second && other.at_second && *one.at_second != *other.at_second;
    return same && !in_turn && one.object.name != other.object.name;
  }
  static ToldQuestion which_of(const Frame& one, const Frame& other) {
    ToldQuestion question;
    question.asks =
        fmt::format("{} has room for one: {} or {}?", one.key, one.object.name, other.object.name);
    for (const auto& [right, wrong] : {std::pair(&one, &other), std::pair(&other, &one)}) {
      question.choices.push_back(
          {right->object.name,
           {{which_key(*right), std::string(kAsRead)}, {which_key(*wrong), std::string(kStays)}}});
    }
    return question;
  }

  static std::string which_key(const Frame& frame) {
    return decision_about("which is right", frame.object.name);
  }

  ToldQuestion which_is_right(const PlannedFact& fact) const {
    ToldQuestion question;
    const auto rival = later_than(fact);
    if (!rival || decided_.contains(which_key(fact.frame))) return question;
    question.asks =
        learning_.since
            ? fmt::format("{} {} {} was told since: which is right now?", fact.subject.name,
                          fact.frame.key, rival->label)
            : fmt::format("{} {} {} holds since {}{}: which is right now?", fact.subject.name,
                          fact.frame.key, rival->label, format_timestamp(rival->since),
                          rival->since == fact.from ? ", too" : ", which is later");
    question.choices.push_back({fact.object.name, {{which_key(fact.frame), std::string(kAsRead)}}});
    // What was said of a time before that held until then.
    const bool at_once = rival->since == fact.from;
    const std::string_view known = learning_.since || at_once ? kStays : kHeldBefore;
    question.choices.push_back({rival->label, {{which_key(fact.frame), std::string(known)}}});
    return question;
  }

  // Of two it was chosen; what was said and is right holds from now on, whenever it began.
  bool stays(PlannedFact& fact) const {
    const auto decision = [&](const std::string& key) {
      const auto decided = decided_.find(key);
      return decided == decided_.end() ? std::string_view() : std::string_view(decided->second);
    };
    const std::string_view which = decision(which_key(fact.frame));
    if (which == kStays || decision(since_key(fact)) == kStays) return true;
    const std::string_view since = decision(since_key(fact));
    fact.corrects = since == kAsRead;
    const auto rival = which == kAsRead ? later_than(fact) : std::nullopt;
    const bool from_now = rival && rival->since != fact.from;
    if (from_now || decision(again_key(fact)) == kAgain) {
      fact.from = learning_.now;
      fact.from_now = true;
      fact.dated = true;
    }
    return false;
  }

  // "Moved to Rome in 2018", where it was told that Rome ended in 2020.
  ToldQuestion holds_again(const PlannedFact& fact) const {
    ToldQuestion question;
    const bool may_be = fact.frame.at_second && fact.frame.time != FrameTime::kEnded;
    const auto link = may_be ? own_link(fact) : std::nullopt;
    if (!link || decided_.contains(again_key(fact))) return question;
    const auto known = trusted_.find_proposition(*link);
    if (!known || store::said_of_link(trusted_, *known, kNewerThanLink)) return question;
    const store::Period last = store::periods_of(trusted_, *known).back();
    const bool held = last.to && (!last.from || *last.from < *last.to);
    if (!held || *last.to <= fact.from || learning_.now < *last.to) return question;
    question.asks = fmt::format("{} ended on {}: does it hold again, from now on?",
                                told_words(fact), short_day(*last.to));
    question.yes[again_key(fact)] = kAgain;
    return question;
  }
  static std::string again_key(const PlannedFact& fact) {
    return decision_about("holds again", fact.object.name);
  }

  // "My colleague Lena", where Lena was told of as a sister: perhaps there are two of them.
  ToldQuestion other_role_of(const PlannedFact& fact) const {
    ToldQuestion question;
    const Frame& frame = fact.frame;
    const bool of_persons = frame.relation->object == kPersonTypeName;
    if (frame.noun.empty() || !of_persons || !fact.subject.known || !fact.object.known)
      return question;
    for (const bool forward : {true, false}) {
      const NamedThing& whose = forward ? fact.subject : fact.object;
      const NamedThing& who = forward ? fact.object : fact.subject;
      const language::FrameSide& side = forward ? frame.object : frame.subject;
      const bool lone =
          side.kind == language::FrameSide::Kind::kName && side.name.find(' ') == std::string::npos;
      const std::string key = decision_about("role of " + frame.noun, who.name);
      if (!lone || decided_.contains(key)) continue;
      const std::string role = role_between(*whose.known, *who.known);
      if (role.empty() || last_word(role) == last_word(frame.noun)) continue;
      question.asks = fmt::format("Is {}, who was told of as {}, the same as this {}?", who.name,
                                  role, frame.noun);
      question.yes[key] = kAsRead;
      return question;
    }
    return question;
  }

  static std::string_view last_word(std::string_view words) {
    const std::size_t blank = words.rfind(' ');
    return blank == words.npos ? words : words.substr(blank + 1);
  }

  // The noun of a link that holds between the two, in either direction; empty: none has one.
  std::string role_between(EntityId one, EntityId other) const {
    for (const auto& [subject, object] : {std::pair(one, other), std::pair(other, one)}) {
      store::Pattern pattern;
      pattern.subject = subject;
      pattern.object = Term::entity(object);
      pattern.predicate_class = store::PredicateClass::kLink;
      std::optional<std::string> role;
      store::each_statement(trusted_, pattern, [&](const Triple& row) {
        const auto link = trusted_.find_proposition(row);
        const auto noun = link ? store::said_of_link(trusted_, *link, kNounOfLink) : std::nullopt;
        const bool holds =
            store::is_valid(store::standing_of(trusted_, row), learning_.now, learning_.now);
        if (noun && holds) role = std::string(trusted_.value(*noun).text);
        return !role;
      });
      if (role) return *role;
    }
    return {};
  }

  const store::Snapshot &all_, &now_, &trusted_;
  const Learning& learning_;
  const Decisions& decided_;
  LearntNames names_;
  std::set<std::string> said_so_;  // other names that are noted
};

}  // namespace

std::string told_words(const PlannedFact& fact) {
  const std::string object = is_value(fact.frame) ? fact.frame.object.name : fact.object.name;
  return fmt::format("{} {} {}", fact.subject.name,
                     fact.said.key.empty() ? fact.frame.key : fact.said.key, object);
}

std::string stated_words(const std::vector<PlannedFact>& facts) {
  std::vector<std::string> stated;
  for (const PlannedFact& fact : facts) {
    const bool ended = fact.frame.time == FrameTime::kEnded;
    const bool from = !ended && fact.dated && !is_value(fact.frame) &&
                      (fact.frame.at_second || fact.frame.time != FrameTime::kBegan);
    stated.push_back((ended ? "no longer " : "") + told_words(fact) +
                     (from ? " from " + format_timestamp(fact.from) : std::string()) +
                     (fact.until ? " until " + format_timestamp(*fact.until) : std::string()));
  }
  return join(stated, "; ");
}

std::vector<PlannedFact> plan_telling(const SpaceRead& space, const Learning& learning,
                                      const Decisions& decided, const language::Telling& telling,
                                      ToldQuestion& question) {
  return TellingPlanner(space, learning, decided).run(telling, question);
}

}  // namespace anima::agent::detail
