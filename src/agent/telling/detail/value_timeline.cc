#include "agent/telling/detail/value_timeline.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "agent/telling/detail/told_statements.h"
#include "language/frames/frame_words.h"
#include "store/history.h"
#include "store/restate.h"

namespace anima::agent::detail {

using store::GraphId;
using store::Snapshot;
using store::Term;
using store::Triple;

namespace {

bool is_same_word(const ToldTime& one, const ToldTime& other) {
  return one.fact == other.fact && one.word.entry == other.word.entry &&
         one.word.provenance == other.word.provenance;
}

}  // namespace

ValueTimeline::ValueTimeline(store::Transaction& transaction, store::EntityId thing,
                             store::Predicate attribute, const ToldPlace& place, bool undone)
    : transaction_(&transaction),
      now_(transaction.live()),
      place_(place),
      thing_(thing),
      attribute_(attribute) {
  gather(undone);
}

ValueTimeline::ValueTimeline(const Snapshot& state, store::EntityId thing,
                             store::Predicate attribute, const ToldPlace& place)
    : now_(state), place_(place), thing_(thing), attribute_(attribute) {
  gather(false);
}

// --- what is known

bool ValueTimeline::is_managed(GraphId graph) const {
  return graph == GraphId::kDefault || graph == place_.told.graph;
}

void ValueTimeline::gather(bool undone) {
  const std::string_view key = now_.value(attribute_.key()).text;
  has_many_ = key == ask::kSaidToBe || key == ask::kAlsoCalled ||
              language::FrameRelations::shipped().has_many_values(key);
  for (ToldTime& one : told_values(now_, thing_, attribute_))
    told_.push_back({one.stood ? one.graph : place_.told.graph, std::move(one)});
  take_as_it_stands();
  std::erase_if(standing_,
                [&](const Word& one) { return has_record(one) || (undone && was_told(one)); });
  replay();
  changed_ = !undone && differs();
  if (!changed_) return;
  for (Word& one : std::exchange(told_, {})) stale_.push_back(std::move(one.time));
  take_as_it_stands();
  replay();
}

// What a graph says of it was said at one time, for nothing of it took the place of another.
void ValueTimeline::take_as_it_stands() {
  standing_.clear();
  others_.clear();
  std::map<GraphId, Timestamp> said;
  for (const std::uint32_t code : objects_of(now_, thing_, attribute_)) {
    const Triple fact{thing_, attribute_, Term{code}};
    for (const store::Assertion& one : now_.assertions(fact)) {
      ToldTime time{.fact = fact, .told = now_.entry(one.born).time};
      time.stood = true;
      time.graph = one.graph;
      time.word = {one.provenance, one.confidence, one.born};
      time.trust = now_.entry(one.born).trust;
      Timestamp& newest = said.emplace(one.graph, time.told).first->second;
      newest = std::max(newest, time.told);
      (is_managed(one.graph) ? standing_ : others_).push_back({one.graph, std::move(time)});
    }
  }
  for (Word& one : standing_) one.time.told = said.at(one.graph);
}

bool ValueTimeline::has_record(const Word& word) const {
  return std::ranges::any_of(
      told_, [&](const Word& one) { return !one.time.ends && is_same_word(one.time, word.time); });
}

// There was a record of it, which is gone.
bool ValueTimeline::was_told(const Word& word) const {
  const std::uint64_t provenance = word.time.word.provenance;
  const auto key = now_.find_string(std::string(kToldValue) + std::to_string(provenance));
  if (provenance == 0 || !key) return false;
  const Triple record{thing_, store::Predicate::metadata(*key), word.value()};
  return std::ranges::any_of(store::words_about(now_.with_books(), thing_),
                             [&](const store::StatedWord& one) { return one.statement == record; });
}

bool ValueTimeline::differs() const {
  std::set<std::uint32_t> follow, stand;
  for (const Word& one : words_) follow.insert(one.value().code);
  for (const std::uint32_t code : objects_of(now_, thing_, attribute_)) {
    for (const store::Assertion& one : now_.assertions({thing_, attribute_, Term{code}}))
      if (is_managed(one.graph)) stand.insert(code);
  }
  return follow != stand;
}

// --- laying it out

// What stands and is older is so by the order of entries, whatever their clocks say.
void ValueTimeline::stand_before(const ToldTime& time) {
  if (time.stood || time.said_earlier) return;
  for (auto* list : {&told_, &standing_}) {
    for (Word& one : *list)
      if (one.time.stood && one.time.word.entry < time.word.entry)
        one.time.told = std::min(one.time.told, time.told);
  }
}

void ValueTimeline::replay() {
  for (const Word& one : told_) stand_before(one.time);
  std::vector<const Word*> items;
  for (const auto* list : {&told_, &standing_})
    for (const Word& one : *list) items.push_back(&one);
  std::ranges::stable_sort(
      items, [](const Word* a, const Word* b) { return was_told_before(a->time, b->time); });
  words_.clear();
  for (const Word* one : items) {
    if (one->time.stood) {
      stand(*one);
    } else if (one->time.ends) {
      end(one->time);
    } else {
      begin(*one);
    }
  }
}

void ValueTimeline::begin(const Word& told) {
  const GraphId graph = told.graph;
  const ToldTime& time = told.time;
  const auto is_more = [&](const Word& one) { return one.time.trust > time.trust; };
  const bool stands_in_default =
      std::ranges::any_of(words_, [](const Word& one) { return one.graph == GraphId::kDefault; });
  const bool held_back =
      std::ranges::any_of(words_, is_more) ||
      std::ranges::any_of(others_, [&](const Word& one) { return one.time.trust >= time.trust; });
  const bool corrects = !has_many_ && stands_in_default && !held_back;
  if (!has_many_) {
    std::erase_if(
        words_, [&](const Word& one) { return !is_more(one) && (corrects || one.graph == graph); });
  }
  words_.push_back({corrects ? GraphId::kDefault : graph, time});
}

// Who writes into a graph replaces what it said before that.
void ValueTimeline::stand(const Word& stood) {
  if (!has_many_) {
    std::erase_if(words_, [&](const Word& one) {
      const bool older = one.graph == stood.graph && one.time.told < stood.time.told;
      const bool behind = one.time.said_earlier && stood.time.word.entry < one.time.word.entry;
      return one.time.trust <= stood.time.trust && (older || behind);
    });
  }
  words_.push_back(stood);
}

void ValueTimeline::end(const ToldTime& time) {
  const auto is_it = [&](const Word& one) { return one.value() == time.fact.object; };
  const bool held_back =
      std::ranges::any_of(
          others_, [&](const Word& one) { return is_it(one) && one.time.trust >= time.trust; }) ||
      std::ranges::any_of(
          words_, [&](const Word& one) { return is_it(one) && one.time.trust > time.trust; });
  if (!held_back) std::erase_if(words_, is_it);
}

// Of each graph each value once: on the word of who is trusted most, and said it last.
std::vector<ValueTimeline::Word> ValueTimeline::holding() const {
  std::vector<Word> held;
  for (const Word& one : words_) {
    const auto known = std::ranges::find_if(held, [&](const Word& other) {
      return other.graph == one.graph && other.value() == one.value();
    });
    if (known == held.end()) {
      held.push_back(one);
    } else if (known->time.trust <= one.time.trust) {
      *known = one;
    }
  }
  return held;
}

// --- what changes

Status ValueTimeline::add(ToldTime time) {
  time.word = {place_.told.provenance, place_.told.confidence, now_.sequence()};
  time.trust = place_.trust;
  for (const ToldTime& one : std::exchange(stale_, {}))
    ANIMA_TRY(drop_told_time(*transaction_, one, place_.told.graph));
  ANIMA_TRY(keep_told_time(*transaction_, time, place_.told.graph));
  told_.push_back({place_.told.graph, std::move(time)});
  replay();
  return {};
}

Status ValueTimeline::drop(const ToldTime& time) {
  ANIMA_TRY(drop_told_time(*transaction_, time, place_.told.graph));
  const auto is_it = [&](const Word& one) { return is_same_word(one.time, time); };
  std::erase_if(told_, is_it);
  std::erase_if(standing_, is_it);
  replay();
  return {};
}

void ValueTimeline::stood(ToldTime time) {
  Word word{time.graph, std::move(time)};
  const bool known = std::ranges::any_of(
      standing_, [&](const Word& one) { return is_same_word(one.time, word.time); });
  if (!known && !has_record(word)) standing_.push_back(std::move(word));
  replay();
}

Status ValueTimeline::write() {
  const std::vector<Word> held = holding();
  const auto is_held = [&](const Triple& fact, GraphId graph) {
    return std::ranges::any_of(
        held, [&](const Word& one) { return one.graph == graph && one.value() == fact.object; });
  };
  // What goes, and was there before anybody told of it, is kept for who takes that back.
  for (Word& one : standing_) {
    const bool stays = std::ranges::any_of(
        held, [&](const Word& other) { return is_same_word(other.time, one.time); });
    if (stays) continue;
    ANIMA_TRY(keep_told_time(*transaction_, one.time, place_.told.graph));
  }
  for (const std::uint32_t code : objects_of(now_, thing_, attribute_)) {
    const Triple fact{thing_, attribute_, Term{code}};
    for (const store::Assertion& one : now_.assertions(fact)) {
      if (!is_managed(one.graph) || is_held(fact, one.graph)) continue;
      ANIMA_TRY(transaction_->retract(fact, one.graph).map([](bool) {}));
    }
  }
  for (const Word& one : held) {
    const store::AssertOptions options{one.graph, one.time.word.confidence,
                                       one.time.word.provenance};
    const auto stands = now_.assertions(one.time.fact);
    const bool same = std::ranges::any_of(stands, [&](const store::Assertion& other) {
      return other.graph == one.graph && other.provenance == options.provenance &&
             other.born == one.time.word.entry;
    });
    if (same) continue;
    ANIMA_TRY(store::restate(*transaction_, one.time.fact, options, one.time.word.entry)
                  .map([](store::EntityId) {}));
  }
  return {};
}

}  // namespace anima::agent::detail
