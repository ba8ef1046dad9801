#include "agent/telling/detail/told_writer.h"

#include <algorithm>
#include <span>
#include <vector>

#include "agent/telling/detail/timeline.h"
#include "agent/telling/detail/told_records.h"
#include "agent/telling/detail/told_statements.h"
#include "store/history.h"
#include "store/holds.h"
#include "store/restate.h"
#include "store/statements.h"
#include "store/symbols.h"

namespace anima::agent::detail {
namespace {

using store::EntityId;
using store::GraphId;
using store::Snapshot;
using store::Term;
using store::Triple;

constexpr int kMostStepsBack = 16;

// Is there a value, and does nobody else state one: neither a compartment that is trusted as far,
// nor somebody who is trusted more?
bool may_correct(const Snapshot& now, const ask::Statement& said, store::Trust trust) {
  const auto key = now.find_string(said.key);
  if (!key) return false;
  const auto predicate = store::Predicate::attribute(*key);
  const auto values = objects_of(now, said.subject, predicate);
  for (const std::uint32_t code : values) {
    for (const auto& one : now.assertions({said.subject, predicate, Term{code}})) {
      const store::Trust by = now.entry(one.born).trust;
      if (by > trust || (by == trust && one.graph != GraphId::kDefault)) return false;
    }
  }
  return !values.empty();
}

// What the graph said of it before the entry, as the word of who said it.
Status restate_in(store::Transaction& transaction, const Snapshot& before, const Triple& fact,
                  GraphId graph, const std::set<std::uint64_t>& withdrawn) {
  for (const store::Assertion& one : before.assertions(fact)) {
    if (one.graph != graph || withdrawn.contains(one.provenance)) continue;
    store::AssertOptions options;
    options.graph = one.graph;
    options.confidence = one.confidence;
    options.provenance = one.provenance;
    ANIMA_TRY(store::restate(transaction, fact, options, one.born).map([](EntityId) {}));
  }
  return {};
}

Result<Snapshot> state_before(store::Sequence entry, const Snapshot& now) {
  return now.as_of(store::Sequence{static_cast<std::uint64_t>(entry) - 1});
}

// What only repeated what was said before the entry. True: it did, and that holds again.
Result<bool> restate_earlier(store::Transaction& transaction, const Snapshot& before,
                             const Triple& fact, GraphId graph, const ToldPlace& place) {
  const bool repeated =
      std::ranges::any_of(before.assertions(fact), [&](const store::Assertion& one) {
        return one.graph == graph && !place.withdrawn.contains(one.provenance);
      });
  if (repeated) ANIMA_TRY(restate_in(transaction, before, fact, graph, place.withdrawn));
  return repeated;
}

// The newest of what the author says of it.
std::optional<store::Assertion> told_by(const Snapshot& now, const Triple& fact,
                                        const ToldPlace& place) {
  std::optional<store::Assertion> newest;
  for (const store::Assertion& one : now.assertions(fact)) {
    const bool here = one.graph == place.told.graph || one.graph == GraphId::kDefault;
    if (!here || now.entry(one.born).author != place.author) continue;
    if (!newest || newest->born < one.born) newest = one;
  }
  return newest;
}

// What the graph said before the entry of this. Of what only withdrawn memories told, that before
// it.
Status put_back(store::Transaction& transaction, const Triple& fact, const store::Assertion& told,
                const ToldPlace& place) {
  store::Sequence entry = told.born;
  for (int step = 0; step < kMostStepsBack; ++step) {
    const auto before = state_before(entry, place.before);
    if (!before) return {};  // that state is not kept any more
    std::optional<store::Sequence> passed;
    bool stands = false;
    const auto codes = objects_of(*before, fact.subject, fact.predicate);
    for (const std::uint32_t code : codes) {
      for (const store::Assertion& one :
           before->assertions({fact.subject, fact.predicate, Term{code}})) {
        if (one.graph != told.graph) continue;
        if (!place.withdrawn.contains(one.provenance)) {
          stands = true;
        } else if (!passed || one.born < *passed) {
          passed = one.born;
        }
      }
    }
    if (stands || !passed || *passed >= entry) {
      for (const std::uint32_t code : codes)
        ANIMA_TRY(restate_in(transaction, *before, {fact.subject, fact.predicate, Term{code}},
                             told.graph, place.withdrawn));
      return {};
    }
    entry = *passed;
  }
  return {};
}

bool holds(const Snapshot& snapshot, const Triple& fact, Timestamp now) {
  return snapshot.contains(fact) && store::is_valid(store::standing_of(snapshot, fact), now, now);
}

}  // namespace

std::string held_back(const Snapshot& now, const Triple& fact, store::Trust trust,
                      std::optional<GraphId> told) {
  for (const store::Assertion& one : now.assertions(fact)) {
    if (now.entry(one.born).trust > trust) return "somebody who is trusted more stated it";
    const bool own = one.graph == GraphId::kDefault || (told && one.graph == *told);
    if (!own && !is_link(fact)) return "a compartment that is loaded states it";
  }
  return {};
}

Result<EntityId> state_fact(store::Transaction& transaction, const ask::Statement& said,
                            const ToldPlace& place) {
  for (const EntityId thing : {said.subject, said.object}) {
    if (thing != EntityId::kNone && !transaction.live().exists(thing))
      return fail(ErrorCode::kConflict, "what the sentence names is gone", {}, "say it again");
  }
  if (said.is_link()) {
    return store::state_link(transaction, {said.subject, said.predicate, Term::entity(said.object)},
                             place.told);
  }
  ANIMA_ASSIGN(const Term value, transaction.term(said.value.view()));
  if (said.key == ask::kSaidToBe || said.key == ask::kAlsoCalled) {
    ANIMA_TRY(transaction.add_attribute(said.subject, said.key, value, place.told));
    return EntityId::kNone;
  }
  // What is said corrects what nobody more trusted has said; else it stands beside that.
  store::AssertOptions options = place.told;
  if (may_correct(transaction.live(), said, place.trust)) options.graph = GraphId::kDefault;
  ANIMA_TRY(transaction.set_attribute(said.subject, said.key, std::span(&value, 1), options));
  return EntityId::kNone;
}

Status end_fact(store::Transaction& transaction, const Triple& fact, const EndOfFact& end,
                const ToldPlace& place) {
  if (is_link(fact)) {
    if (!transaction.live().find_proposition(fact)) return {};
    Timeline timeline(transaction, fact, place);
    ToldTime time{fact, true, end.at, end.told};
    time.named = end.at.has_value();
    time.said_earlier = end.said_earlier;
    if (end.newer) time.newer = link_id(*end.newer);
    ANIMA_TRY(timeline.add(std::move(time)));
    return timeline.write(end.told).map([](const std::vector<Triple>&) {});
  }
  for (const GraphId graph : {GraphId::kDefault, place.told.graph}) {
    if (!stands_in(transaction.live(), fact, graph)) continue;
    ANIMA_TRY(transaction.retract(fact, graph).map([](bool) {}));
  }
  return {};
}

Result<std::vector<Triple>> hold_from(store::Transaction& transaction, const ToldTime& time,
                                      const ToldPlace& place) {
  Timeline timeline(transaction, time.link, place, time.moves);
  ANIMA_TRY(timeline.add(time));
  ANIMA_ASSIGN(std::vector<Triple> older, timeline.write(place.now));
  std::erase(older, time.link);
  return older;
}

Status take_back_time(store::Transaction& transaction, const ToldTime& time,
                      const ToldPlace& place) {
  Timeline timeline(transaction, time.link, place, time.moves);
  ANIMA_TRY(timeline.drop(time));
  return timeline.write(place.now).map([](const std::vector<Triple>&) {});
}

Status take_back_end(store::Transaction& transaction, const Triple& fact, store::Sequence entry,
                     const ToldPlace& place) {
  if (is_link(fact)) {
    for (const ToldTime& one : told_times(transaction.live(), fact))
      if (one.ends && one.word.entry == entry) return take_back_time(transaction, one, place);
    Timeline timeline(transaction, fact, place);
    timeline.open_end(fact);
    return timeline.write(place.now).map([](const std::vector<Triple>&) {});
  }
  ANIMA_ASSIGN(const Snapshot before, state_before(entry, place.before));
  for (const GraphId graph : {GraphId::kDefault, place.told.graph})
    ANIMA_TRY(restate_in(transaction, before, fact, graph, place.withdrawn));
  return {};
}

Status take_back_time(store::Transaction& transaction, const Triple& link, Timestamp begin,
                      const ToldPlace& place) {
  Timeline timeline(transaction, link, place);
  if (!timeline.drop_time(link, begin)) return {};
  return timeline.write(place.now).map([](const std::vector<Triple>&) {});
}

namespace {

// The newest that the author told of when it began.
std::optional<ToldTime> newest_begin(const Snapshot& now, const Triple& fact,
                                     const ToldPlace& place) {
  std::optional<ToldTime> newest;
  for (ToldTime& one : told_times(now, fact)) {
    const bool own = !one.ends && now.entry(one.word.entry).author == place.author;
    const bool newer = !newest || std::pair(newest->word.entry, newest->word.provenance) <
                                      std::pair(one.word.entry, one.word.provenance);
    if (own && newer) newest = std::move(one);
  }
  return newest;
}

// One of the times of a link, what was only said again, or all of it. True: one time of several.
Result<bool> take_back_link(store::Transaction& transaction, const Triple& fact,
                            const store::Assertion& told, const ToldPlace& place) {
  if (const auto time = newest_begin(transaction.live(), fact, place)) {
    const std::string link = link_id(*transaction.live().find_proposition(fact));
    for (const ToldTime& one : told_times_with(transaction.live(), time->word.provenance))
      if (one.ends ? one.newer == link : one.link == fact)
        ANIMA_TRY(take_back_time(transaction, one, place));
    return time->named && transaction.live().contains(fact);
  }
  Timeline timeline(transaction, fact, place);
  const auto before = state_before(told.born, place.before);
  const auto begin = before ? told_begin(place.before, fact, told.born) : std::nullopt;
  const bool had_more = begin && timeline.drop_time(fact, *begin);
  if (before) {
    ANIMA_ASSIGN(const bool repeated,
                 restate_earlier(transaction, *before, fact, told.graph, place));
    if (repeated || had_more)
      return timeline.write(place.now).map([&](const std::vector<Triple>&) { return had_more; });
  }
  timeline.drop_all(fact);
  ANIMA_TRY(transaction.retract_link(fact, told.graph));
  return timeline.write(place.now).map([](const std::vector<Triple>&) { return false; });
}

}  // namespace

Status take_back(store::Transaction& transaction, const Triple& fact, bool denied,
                 const ToldPlace& place) {
  const auto told = told_by(transaction.live(), fact, place);
  if (!told) return end_fact(transaction, fact, {.told = place.now}, place);
  if (is_link(fact)) {
    ANIMA_ASSIGN(const bool others_stay, take_back_link(transaction, fact, *told, place));
    if (others_stay) return {};
  } else {
    ANIMA_TRY(transaction.retract(fact, told->graph).map([](bool) {}));
    ANIMA_TRY(put_back(transaction, fact, *told, place));
  }
  if (!denied || transaction.live().assertions(fact).empty()) return {};
  return end_fact(transaction, fact, {.told = place.now}, place);
}

std::string ended_beside(const Snapshot& before, const Snapshot& after, const Triple& link,
                         Timestamp now) {
  std::string text;
  for (const std::uint32_t code : objects_of(before, link.subject, link.predicate)) {
    const Triple one{link.subject, link.predicate, Term{code}};
    if (holds(before, one, now) && !holds(after, one, now))
      text += (text.empty() ? "" : ", ") + store::term_label(before, one.object);
  }
  return text;
}

std::string held_values(const Snapshot& now, EntityId subject, store::Predicate predicate) {
  std::string text;
  const auto codes = objects_of(now, subject, predicate);
  for (const std::uint32_t code : store::holding_values(now, subject, predicate, codes))
    text += (text.empty() ? "" : ", ") + store::term_label(now, Term{code});
  return text;
}

}  // namespace anima::agent::detail
