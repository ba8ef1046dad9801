#include "agent/telling/detail/told_writer.h"

#include <algorithm>
#include <span>
#include <vector>

#include "agent/telling/detail/timeline.h"
#include "agent/telling/detail/told_records.h"
#include "agent/telling/detail/told_statements.h"
#include "agent/telling/detail/value_timeline.h"
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
constexpr std::string_view kHasRoomForOne = "functional";

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

}  // namespace

std::string held_back(const Snapshot& now, const Triple& fact, store::Trust trust,
                      std::optional<GraphId> told) {
  for (const store::Assertion& one : now.assertions(fact)) {
    const store::Trust of = now.entry(one.born).trust;
    if (of > trust) return "somebody who is trusted more stated it";
    const bool own = one.graph == GraphId::kDefault || (told && one.graph == *told);
    if (!own && of == trust && !is_link(fact)) return "a compartment that is loaded states it";
  }
  return {};
}

namespace {

Status tell_value(store::Transaction& transaction, ToldTime time, const ToldPlace& place) {
  ValueTimeline timeline(transaction, time.fact.subject, time.fact.predicate, place);
  ANIMA_TRY(timeline.add(std::move(time)));
  return timeline.write();
}

}  // namespace

Result<EntityId> define_relation(store::Transaction& transaction,
                                 const language::FrameRelation& relation,
                                 const store::AssertOptions& told, store::Trust trust) {
  const Snapshot& now = transaction.live();
  const auto known = now.find_predicate(relation.name);
  if (known && store::trust_of_thing(now, *known) >= trust) return *known;
  ANIMA_ASSIGN(const EntityId made, transaction.upsert_predicate(relation.name, told));
  if (!relation.one_valued) return made;
  ANIMA_ASSIGN(const Term yes, transaction.term(store::Value::boolean(true).view()));
  ANIMA_TRY(transaction.set_attribute(made, kHasRoomForOne, std::span(&yes, 1), told));
  return made;
}

Result<EntityId> state_fact(store::Transaction& transaction, const ask::Statement& said,
                            const SaidAt& said_at, const ToldPlace& place) {
  for (const EntityId thing : {said.subject, said.object}) {
    if (thing != EntityId::kNone && !transaction.live().exists(thing))
      return fail(ErrorCode::kConflict, "what the sentence names is gone", {}, "say it again");
  }
  if (said.is_link()) {
    const std::string_view name = transaction.live().name(said.predicate.as_link());
    if (const auto* relation = language::FrameRelations::shipped().find(name))
      ANIMA_TRY(
          define_relation(transaction, *relation, place.told, place.trust).map([](EntityId) {}));
    return store::state_untimed_link(
        transaction, {said.subject, said.predicate, Term::entity(said.object)}, place.told);
  }
  ANIMA_ASSIGN(const Term value, transaction.term(said.value.view()));
  ANIMA_ASSIGN(const Term key, transaction.term(store::Value::string(said.key).view()));
  ToldTime time{.fact = {said.subject, store::Predicate::attribute(key), value},
                .told = said_at.told};
  time.said_earlier = said_at.said_earlier;
  ANIMA_TRY(tell_value(transaction, std::move(time), place));
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
  ToldTime time{.fact = fact, .ends = true, .told = end.told};
  time.said_earlier = end.said_earlier;
  return tell_value(transaction, std::move(time), place);
}

Result<std::vector<Triple>> hold_from(store::Transaction& transaction, const ToldTime& time,
                                      const ToldPlace& place) {
  Timeline timeline(transaction, time.fact, place);
  ANIMA_TRY(timeline.add(time));
  ANIMA_ASSIGN(std::vector<Triple> older, timeline.write(place.now));
  std::erase(older, time.fact);
  return older;
}

Status take_back_time(store::Transaction& transaction, const ToldTime& time,
                      const ToldPlace& place) {
  if (!is_link(time.fact)) {
    ValueTimeline timeline(transaction, time.fact.subject, time.fact.predicate, place);
    ANIMA_TRY(timeline.drop(time));
    return timeline.write();
  }
  Timeline timeline(transaction, time.fact, place);
  ANIMA_TRY(timeline.drop(time));
  return timeline.write(place.now).map([](const std::vector<Triple>&) {});
}

Status take_back_end(store::Transaction& transaction, const Triple& fact, store::Sequence entry,
                     const ToldPlace& place) {
  for (const ToldTime& one : told_times_of(transaction.live(), fact))
    if (one.ends && one.word.entry == entry) return take_back_time(transaction, one, place);
  if (is_link(fact)) {
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
  for (ToldTime& one : told_times_of(now, fact)) {
    const bool own = !one.ends && !one.stood && now.entry(one.word.entry).author == place.author;
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
    for (const ToldTime& one :
         told_times_with(transaction.live(), time->word.provenance, fact.subject))
      if (one.ends ? one.newer == link : one.fact == fact)
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
  } else if (const auto time = newest_begin(transaction.live(), fact, place)) {
    ANIMA_TRY(take_back_time(transaction, *time, place));
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

namespace {

std::string beside_words(const std::string& held) {
  return "It stands beside " + held +
         ", which a compartment or somebody who is trusted more states.";
}

}  // namespace

std::string held_back_words(const Snapshot& after, const Triple& fact, store::Trust trust,
                            Timestamp now) {
  if (!is_link(fact)) {
    const std::string held = held_values(after, fact.subject, fact.predicate);
    const bool holds = held == store::term_label(after, fact.object);
    return holds || held.empty() ? std::string() : beside_words(held);
  }
  const store::Standing standing = store::standing_of(after, fact);
  if (!store::is_valid(standing, now, now)) {
    return standing.trust > trust
               ? "It does not hold: somebody who is trusted more says when it did."
               : std::string();
  }
  if (!store::is_functional(after, fact.predicate)) return {};
  std::string held;
  for (const Term one : store::holders_at(after, fact.subject, fact.predicate, now)) {
    if (one == fact.object) return {};
    const Triple other{fact.subject, fact.predicate, one};
    if (store::standing_of(after, other).trust > trust)
      held += (held.empty() ? "" : ", ") + store::term_label(after, one);
  }
  return held.empty() ? held : beside_words(held);
}

std::string told_since_words(const Snapshot& after, const Triple& fact) {
  if (is_link(fact) || after.contains(fact)) return {};
  const std::string held = held_values(after, fact.subject, fact.predicate);
  const std::string of = std::string(after.name(fact.subject)) + " " +
                         store::predicate_label(after, fact.predicate) + " ";
  return held.empty()
             ? of + store::term_label(after, fact.object) + " was told to have ended since."
             : of + held + " was told since, and stays.";
}

std::string held_values(const Snapshot& now, EntityId subject, store::Predicate predicate) {
  std::string text;
  const auto codes = objects_of(now, subject, predicate);
  for (const std::uint32_t code : store::holding_values(now, subject, predicate, codes))
    text += (text.empty() ? "" : ", ") + store::term_label(now, Term{code});
  return text;
}

}  // namespace anima::agent::detail
