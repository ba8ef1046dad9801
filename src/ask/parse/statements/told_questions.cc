#include "ask/parse/statements/told_questions.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "ask/parse/joins.h"
#include "ask/parse/statements/saying.h"
#include "base/civil_days.h"
#include "language/frames/frame_questions.h"

namespace anima::ask {
namespace {

using language::FrameQuestion;
using language::FrameRelation;
using language::FrameSide;
using store::EntityId;
using Asks = FrameQuestion::Asks;

constexpr std::string_view kPerson = "Person", kFirstDay = "0001-01-01", kLastDay = "9999-12-31";
constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr double kOtherNamesCost = 0.2;

class Binder {
 public:
  Binder(const Lexicon& lexicon, const WhoSpeaks& speaker)
      : lexicon_(lexicon),
        schema_(lexicon.schema()),
        snapshot_(lexicon.snapshot()),
        joins_(lexicon),
        speaker_(speaker) {}

  std::vector<EntityId> called(std::string_view text) const {
    std::vector<EntityId> things = lexicon_.names().called(snapshot_, normal_name(text));
    std::erase_if(things, [&](EntityId one) { return schema_.types_of_entity(one).empty(); });
    return things;
  }

  void bind(const FrameQuestion& question) {
    if (question.relation->object.empty()) {
      if (question.asks == Asks::kObject && !question.past && !question.time) values(question);
      return;
    }
    predicate_ = schema_.find_predicate(question.relation->name);
    if (predicate_ < 0 || !info().link || info().derived) return;
    switch (question.asks) {
      case Asks::kObject:
      case Asks::kCount:
        for (const SetRef& subject : sets_of(question.subject)) {
          add(question,
              question.asks == Asks::kCount ? Reading::Form::kCount : Reading::Form::kList,
              related(question, question.inverse ? info().subjects() : info().objects(), subject,
                      !question.inverse));
        }
        return;
      case Asks::kSubject:
        for (const SetRef& object : sets_of(question.object))
          add(question, Reading::Form::kList, related(question, info().subjects(), object, false));
        return;
      case Asks::kWhether:
        for (const SetRef& subject : sets_of(question.subject)) {
          for (const SetRef& object : sets_of(question.object)) {
            SetExpr set = *subject;
            set.restrictions.push_back(relation(question, object, question.inverse));
            add(question, Reading::Form::kExists, set);
          }
        }
        return;
      case Asks::kHas:
        for (const SetRef& subject : sets_of(question.subject)) {
          SetExpr set = *subject;
          const TypeSet ends = question.inverse ? info().subjects() : info().objects();
          set.restrictions.push_back(
              relation(question, joins_.of_types(ends, true), question.inverse));
          add(question, Reading::Form::kExists, set);
        }
        return;
      case Asks::kBegan:
      case Asks::kEnded:
        bounds(question);
        return;
    }
  }

  std::vector<Reading> take() { return std::move(found_); }

 private:
  const PredicateInfo& info() const {
    return schema_.predicates[static_cast<std::size_t>(predicate_)];
  }

  // --- the sides

  std::vector<EntityId> speakers() const {
    std::vector<EntityId> found;
    if (speaker_.name.empty()) return found;
    for (const EntityId one : called(speaker_.name)) {
      if (speaker_.person && *speaker_.person != one) continue;
      const std::string_view type = snapshot_.name(snapshot_.type_of(one));
      if (language::FrameRelations::shipped().fits(type, kPerson)) found.push_back(one);
    }
    return found;
  }

  // One of each thing that is meant.
  std::vector<SetRef> sets_of(const FrameSide& side) {
    const bool of_speaker = side.kind == FrameSide::Kind::kSpeaker ||
                            (side.kind == FrameSide::Kind::kRelative && side.name.empty());
    std::vector<SetRef> sets;
    for (const EntityId one : of_speaker ? speakers() : called(side.name)) {
      SetRef set = joins_.of_things({one});
      if (side.kind == FrameSide::Kind::kRelative) set = relative(side, set);
      if (set != nullptr) sets.push_back(std::move(set));
    }
    return sets;
  }

  SetRef relative(const FrameSide& side, const SetRef& owner) {
    const int predicate = schema_.find_predicate(side.relation->name);
    if (predicate < 0) return nullptr;
    const int outer = std::exchange(predicate_, predicate);
    FrameQuestion question;
    question.relation = side.relation;
    question.nouns = side.nouns;
    const auto set = std::make_shared<SetExpr>(related(
        question, side.inverse ? info().subjects() : info().objects(), owner, !side.inverse));
    predicate_ = outer;
    return set;
  }

  // --- relations

  // The members of the types from which the relation leads to the other set; `inverse`: to which it
  // leads from there.
  SetExpr related(const FrameQuestion& question, const TypeSet& types, const SetRef& other,
                  bool inverse) const {
    SetExpr set;
    set.types = question.relation->symmetric ? info().subjects().either(info().objects()) : types;
    set.restrictions.push_back(relation(question, other, inverse));
    return set;
  }

  Restriction one_way(const FrameQuestion& question, const SetRef& other, bool inverse) const {
    Restriction restriction;
    restriction.edge = {predicate_, inverse, false};
    restriction.target = other;
    restriction.nouns = question.nouns;
    return restriction;
  }

  // Of a symmetric relation whichever way it was told; with a noun it says what the object is.
  Restriction relation(const FrameQuestion& question, const SetRef& other, bool inverse) const {
    const bool both_ways = question.relation->symmetric && question.nouns.empty();
    if (!both_ways || other->names.size() != 1) return one_way(question, other, inverse);
    store::Scratch scratch;
    const bool leads = !snapshot_.objects(other->names[0], *info().link, scratch).empty();
    const bool is_led_to =
        !snapshot_.subjects(*info().link, store::Term::entity(other->names[0]), scratch).empty();
    if (leads != is_led_to) return one_way(question, other, leads);
    if (!leads) return one_way(question, other, inverse);
    Restriction either;
    either.kind = Restriction::Kind::kAny;
    either.alternatives = {{one_way(question, other, true)}, {one_way(question, other, false)}};
    return either;
  }

  // --- readings

  static std::string day_of_second(std::int64_t second, bool end) {
    if (second == std::numeric_limits<std::int64_t>::min()) return std::string(kFirstDay);
    if (second == std::numeric_limits<std::int64_t>::max()) return std::string(kLastDay);
    return format_day(day_at_second(end ? second + kSecondsPerDay - 1 : second));
  }

  void add(const FrameQuestion& question, Reading::Form form, const SetExpr& set) {
    Reading reading;
    reading.form = form;
    reading.set = std::make_shared<SetExpr>(set);
    reading.ever = question.past && !question.time;
    if (question.time) {
      reading.valid_from = day_of_second(question.time->first, false);
      reading.valid_until = day_of_second(question.time->second, true);
    }
    found_.push_back(std::move(reading));
  }

  // Since when, or until when, the link holds.
  void bounds(const FrameQuestion& question) {
    if (question.time) return;
    for (const SetRef& subject : sets_of(question.subject)) {
      for (const SetRef& object : sets_of(question.object)) {
        if (subject->names.size() != 1 || object->names.size() != 1) continue;
        Reading reading;
        reading.form =
            question.asks == Asks::kBegan ? Reading::Form::kBegan : Reading::Form::kEnded;
        reading.ever = question.asks == Asks::kEnded || question.past;
        reading.fact = {predicate_, false, false};
        const store::Triple turned{object->names[0], *info().link,
                                   store::Term::entity(subject->names[0])};
        const bool turn = question.relation->symmetric && snapshot_.contains(turned);
        reading.set = turn ? object : subject;
        reading.other = turn ? subject : object;
        found_.push_back(std::move(reading));
      }
    }
  }

  bool has_value(const SetExpr& set, const std::string& key) const {
    if (set.names.size() != 1) return true;
    return snapshot_.attribute(set.names[0], key).has_value();
  }

  // Of the keys that the space has, those that the thing has a value of; else the first.
  void values(const FrameQuestion& question) {
    std::vector<std::string> keys = question.keys;
    const bool names = question.relation->value == language::ValueKind::kName;
    if (names) keys = {std::string(kAlsoCalled)};
    std::erase_if(keys, [&](const std::string& key) { return schema_.find_attribute(key) < 0; });
    for (const SetRef& subject : sets_of(question.subject)) {
      const auto known = std::ranges::find_if(
          keys, [&](const std::string& key) { return has_value(*subject, key); });
      if (known == keys.end() && names) {
        add(question, Reading::Form::kList, *subject);
        continue;
      }
      if (keys.empty()) continue;
      add(question, Reading::Form::kValue, *subject);
      // "What is my dad called" asks who he is before it asks for his other names.
      const bool relative = question.subject.kind == FrameSide::Kind::kRelative;
      if (names && relative) found_.back().cost = kOtherNamesCost;
      found_.back().attribute = schema_.find_attribute(known == keys.end() ? keys.front() : *known);
    }
  }

  const Lexicon& lexicon_;
  const Schema& schema_;
  const store::Snapshot& snapshot_;
  Joins joins_;
  const WhoSpeaks& speaker_;
  int predicate_ = -1;
  std::vector<Reading> found_;
};

}  // namespace

std::vector<Reading> told_questions(const Lexicon& lexicon, const Schema& everything,
                                    std::string_view question, const WhoSpeaks& speaker,
                                    AskTime now) {
  Binder binder(lexicon, speaker);
  language::QuestionContext context;
  context.now = now.time;
  context.offset_seconds = now.offset_seconds;
  context.is_name = [&](std::string_view text) { return !binder.called(text).empty(); };
  for (const FrameQuestion& one : language::read_frame_questions(question, context)) {
    const bool own_word =
        std::ranges::find(one.keys, one.noun) == one.keys.end() &&
        (everything.find_attribute(one.noun) >= 0 || everything.find_predicate(one.noun) >= 0);
    if (one.noun.empty() || !own_word) binder.bind(one);
  }
  return binder.take();
}

}  // namespace anima::ask
