#include "agent/telling/told_undo.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "agent/telling/detail/timeline.h"
#include "agent/telling/detail/told_statements.h"
#include "agent/telling/detail/told_times.h"
#include "agent/telling/detail/value_timeline.h"
#include "agent/telling/told_facts.h"
#include "memory/provenance.h"
#include "store/holds.h"
#include "store/restate.h"
#include "store/statements.h"
#include "store/symbols.h"

namespace anima::agent {

using detail::ToldTime;
using store::GraphId;
using store::Sequence;
using store::Snapshot;
using store::Triple;

namespace {

std::set<Triple> links_of(const Snapshot& now, std::span<const store::WrittenKey> keys) {
  std::set<Triple> links;
  for (const store::WrittenKey& key : keys) {
    Triple link{key.subject, key.predicate, key.object};
    if (key.predicate.predicate_class() == store::PredicateClass::kMetadata &&
        now.kind(key.subject) == store::EntityKind::kProposition)
      link = now.triple_of(key.subject);
    if (detail::is_link(link)) links.insert(link);
  }
  return links;
}

// A thing and one of its attributes.
using Values = std::pair<store::EntityId, store::Predicate>;

std::set<Values> values_of(const Snapshot& before, const Snapshot& now,
                           std::span<const store::WrittenKey> keys) {
  std::set<Values> values;
  for (const store::WrittenKey& key : keys) {
    if (key.predicate.predicate_class() == store::PredicateClass::kAttribute)
      values.emplace(key.subject, key.predicate);
    for (const Snapshot* state : {&before, &now})
      for (const store::Predicate one :
           detail::attributes_of_record(*state, key.subject, key.predicate))
        values.emplace(key.subject, one);
  }
  return values;
}

bool is_among(const ToldTime& time, const std::vector<ToldTime>& times) {
  return std::ranges::any_of(times, [&](const ToldTime& one) {
    return one.value == time.value && one.word.provenance == time.word.provenance;
  });
}

// One link, by what was told of it before the undo and what the undo left of that.
class Relay {
 public:
  Relay(store::Transaction& transaction, const Snapshot& before, std::span<const Sequence> undone,
        GraphId graph)
      : transaction_(transaction), before_(before), undone_(undone), graph_(graph) {}

  Status run(const Values& values) {
    const auto& [thing, attribute] = values;
    const std::vector<ToldTime> left = detail::told_values(transaction_.live(), thing, attribute);
    const std::vector<ToldTime> known = detail::told_values(before_, thing, attribute);
    if (left.empty() && known.empty()) return {};
    const Timestamp now = before_.entry(before_.sequence()).time;
    detail::ToldPlace place{{}, store::Trust::kSystem, {}, now, before_};
    place.told.graph = graph_;
    if (detail::ValueTimeline(before_, thing, attribute, place).is_changed()) return {};
    detail::ValueTimeline timeline(transaction_, thing, attribute, place, true);
    for (const ToldTime& one : left)
      if (is_undone(one)) ANIMA_TRY(timeline.drop(one));
    for (const ToldTime& one : known)
      if (one.stood && !is_undone(one)) timeline.stood(one);
    return timeline.write();
  }

  Status run(const Triple& link) {
    const std::vector<ToldTime> left = detail::told_times(transaction_.live(), link);
    const std::vector<ToldTime> known = detail::told_times(before_, link);
    if (!is_changed(left, known)) return {};
    const auto back = std::ranges::find_if(left.rbegin(), left.rend(), [&](const ToldTime& one) {
      return !is_among(one, known) && !one.ends && !is_undone(one);
    });
    if (back != left.rend() && !transaction_.live().contains(link)) ANIMA_TRY(restate(*back));
    const bool moves =
        std::ranges::any_of(left, &ToldTime::moves) || std::ranges::any_of(known, &ToldTime::moves);
    for (const auto& [trust, author] : tellers(link))
      ANIMA_TRY(lay_out(link, moves, left, author, trust));
    return {};
  }

 private:
  bool is_undone(const ToldTime& one) const {
    return std::ranges::binary_search(undone_, one.word.entry);
  }

  // Something of it comes or goes.
  bool is_changed(const std::vector<ToldTime>& left, const std::vector<ToldTime>& known) const {
    const auto comes = [&](const ToldTime& one) { return is_undone(one) || !is_among(one, known); };
    const auto goes = [&](const ToldTime& one) { return !is_among(one, left); };
    return std::ranges::any_of(left, comes) || std::ranges::any_of(known, goes);
  }

  // Who told of the link, or of what may take its place, before the undo or behind it: those who
  // are trusted most last, for what they told stands against the others.
  std::set<std::pair<store::Trust, std::string>> tellers(const Triple& link) const {
    std::set<std::pair<store::Trust, std::string>> tellers;
    for (const Snapshot* state : {&before_, &transaction_.live()}) {
      for (const Triple& one : detail::rivals_of(*state, link)) {
        for (const ToldTime& time : detail::told_times(*state, one))
          tellers.emplace(time.trust, std::string(before_.entry(time.word.entry).author));
      }
    }
    return tellers;
  }

  Status restate(const ToldTime& back) {
    store::AssertOptions options;
    options.graph = graph_;
    options.confidence = back.word.confidence;
    options.provenance = back.word.provenance;
    return store::restate(transaction_, back.fact, options, back.word.entry)
        .map([](store::EntityId) {});
  }

  Status lay_out(const Triple& link, bool moves, const std::vector<ToldTime>& left,
                 const std::string& author, store::Trust trust) {
    const Snapshot undone = transaction_.view();
    const Timestamp now = before_.entry(before_.sequence()).time;
    detail::ToldPlace was{{}, trust, author, now, before_};
    detail::ToldPlace is{{}, trust, author, now, undone};
    was.told.graph = is.told.graph = graph_;
    detail::KnownBefore known;
    detail::Timeline(before_, link, was, moves).add_to(known);
    detail::Timeline timeline(transaction_, link, is, moves, &known);
    for (const ToldTime& one : left) {
      const bool own = transaction_.live().entry(one.word.entry).author == author;
      if (own && is_undone(one)) ANIMA_TRY(timeline.drop(one));
    }
    return timeline.write(now).map([](const std::vector<Triple>&) {});
  }

  store::Transaction& transaction_;
  const Snapshot& before_;
  const std::span<const Sequence> undone_;
  const GraphId graph_;
};

// Which text that is not undone told of something first.
class ToldElsewhere {
 public:
  ToldElsewhere(const Snapshot& before, std::span<const Sequence> undone, GraphId graph)
      : before_(before), undone_(undone), graph_(graph) {}

  bool is_undone(Sequence entry) const { return std::ranges::binary_search(undone_, entry); }

  // There is a thing, or a relation has room for one.
  bool defines(const store::WrittenKey& key) const {
    return key.predicate == store::kTypePredicate ||
           (key.predicate.predicate_class() == store::PredicateClass::kAttribute &&
            before_.type_of(key.subject) == store::kPropositionType);
  }

  // A link of which all is told, so that what is left of that says whether it goes.
  bool is_told(const store::WrittenKey& key) const {
    const Triple link{key.subject, key.predicate, key.object};
    if (key.graph != graph_ || !detail::is_link(link)) return false;
    const std::vector<ToldTime> times = detail::told_times(before_, link);
    return std::ranges::any_of(times, [&](const ToldTime& one) {
      const store::EntryInfo said = before_.entry(one.word.entry);
      detail::ToldPlace place{{}, one.trust, std::string(said.author), said.time, before_};
      place.told.graph = graph_;
      return detail::Timeline(before_, link, place, one.moves).is_told(link);
    });
  }

  // Of a link, or of the existence of a thing, a type or a predicate; nullopt: none did.
  std::optional<Sequence> first(const store::WrittenKey& key) const {
    if (key.graph != graph_) return std::nullopt;
    std::optional<Sequence> found;
    if (key.predicate.predicate_class() == store::PredicateClass::kLink) {
      add_link({key.subject, key.predicate, key.object}, found);
    } else if (defines(key)) {
      add_entity(key.subject, found);
    }
    return found;
  }

 private:
  void add(Sequence entry, std::optional<Sequence>& found) const {
    if (!is_undone(entry) && (!found || entry < *found)) found = entry;
  }
  void add_link(const Triple& link, std::optional<Sequence>& found) const {
    for (const ToldTime& one : detail::told_times(before_, link))
      if (!one.ends) add(one.word.entry, found);
  }
  void add_links(const store::Pattern& pattern, std::optional<Sequence>& found) const {
    store::each_statement(before_, pattern, [&](const Triple& row) { add_link(row, found); });
  }

  void add_entity(store::EntityId entity, std::optional<Sequence>& found) const {
    const store::EntityId type = before_.type_of(entity);
    store::Pattern pattern;
    if (type == store::kPropositionType) {
      pattern.predicate = store::Predicate::link(entity);
      return add_links(pattern, found);
    }
    if (type == store::kConceptType) {
      pattern.predicate = store::kTypePredicate;
      pattern.predicate_class = store::PredicateClass::kStructural;
      pattern.object = store::Term::entity(entity);
      std::vector<store::EntityId> things;
      store::each_statement(before_, pattern,
                            [&](const Triple& row) { things.push_back(row.subject); });
      for (const store::EntityId thing : things) add_thing(thing, found);
      return;
    }
    add_thing(entity, found);
  }

  void add_thing(store::EntityId thing, std::optional<Sequence>& found) const {
    store::Pattern pattern;
    pattern.predicate_class = store::PredicateClass::kLink;
    pattern.subject = thing;
    add_links(pattern, found);
    pattern.subject = {};
    pattern.object = store::Term::entity(thing);
    add_links(pattern, found);
    for (const ToldTime& one : detail::told_values_of(before_, thing))
      if (!one.ends && !one.stood) add(one.word.entry, found);
  }

  const Snapshot& before_;
  const std::span<const Sequence> undone_;
  const GraphId graph_;
};

std::vector<store::WrittenKey> told_elsewhere(const Snapshot& before,
                                              std::span<const Sequence> undone,
                                              std::span<const store::WrittenKey> keys) {
  std::vector<store::WrittenKey> stay;
  const auto graph = before.find_graph(kToldGraph);
  if (!graph) return stay;
  const ToldElsewhere elsewhere(before, undone, *graph);
  for (const store::WrittenKey& key : keys)
    if (elsewhere.first(key) || elsewhere.is_told(key)) stay.push_back(key);
  return stay;
}

// A time of a link that follows from what was told, as who told it wrote it.
bool is_told_time(const Snapshot& now, const Triple& statement, const store::Assertion& word) {
  if (statement.predicate.predicate_class() != store::PredicateClass::kMetadata) return false;
  const std::string key = store::predicate_label(now, statement.predicate);
  const std::string record = std::string(detail::kToldTimes) + std::to_string(word.provenance);
  const std::string value = std::string(detail::kToldValue) + std::to_string(word.provenance);
  const bool is_time =
      std::ranges::find(store::kTimesOfAStatement, key) != std::end(store::kTimesOfAStatement);
  return key == record || key == value ||
         (is_time && word.provenance != 0 && now.find_string(record).has_value());
}

// What stays is the word of who told of it, too.
Status restate_things(store::Transaction& transaction, const ToldElsewhere& elsewhere,
                      std::span<const store::WrittenKey> keys, GraphId graph) {
  for (const store::WrittenKey& key : keys) {
    const auto said = elsewhere.defines(key) ? elsewhere.first(key) : std::nullopt;
    if (!said) continue;
    store::AssertOptions options;
    options.graph = graph;
    for (const std::uint32_t code :
         detail::objects_of(transaction.live(), key.subject, key.predicate)) {
      const Triple fact{key.subject, key.predicate, store::Term{code}};
      const auto words = transaction.live().assertions(fact);
      const bool goes = std::ranges::any_of(words, [&](const store::Assertion& one) {
        return one.graph == graph && elsewhere.is_undone(one.born);
      });
      if (!goes) continue;
      ANIMA_TRY(store::restate(transaction, fact, options, *said).map([](store::EntityId) {}));
    }
  }
  return {};
}

Status lay_out_undone(store::Transaction& transaction, const Snapshot& before,
                      std::span<const Sequence> undone, std::span<const store::WrittenKey> keys) {
  const auto graph = before.find_graph(kToldGraph);
  if (!graph) return {};
  ANIMA_TRY(restate_things(transaction, {before, undone, *graph}, keys, *graph));
  const std::set<Triple> links = links_of(before, keys);
  Relay relay(transaction, before, undone, *graph);
  for (const Triple& link : links) ANIMA_TRY(relay.run(link));
  const std::set<Values> values = values_of(before, transaction.live(), keys);
  for (const Values& one : values) ANIMA_TRY(relay.run(one));
  return {};
}

}  // namespace

store::UndoRules told_undo_rules() {
  return {memory::counts_provenance, told_elsewhere, is_told_time, lay_out_undone};
}

}  // namespace anima::agent
