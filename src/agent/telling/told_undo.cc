#include "agent/telling/told_undo.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "agent/telling/detail/timeline.h"
#include "agent/telling/detail/told_moves.h"
#include "agent/telling/detail/told_statements.h"
#include "agent/telling/detail/told_times.h"
#include "agent/telling/detail/value_timeline.h"
#include "agent/telling/told_facts.h"
#include "memory/provenance.h"
#include "store/holds.h"
#include "store/merged.h"
#include "store/past_links.h"
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

// A thing and one of its attributes.
using Values = std::pair<store::EntityId, store::Predicate>;

// What changes with the keys.
struct Concerned {
  std::set<Triple> links;
  std::set<Values> values;
};

void add_record(const Snapshot& state, store::EntityId kept_by, store::Predicate key,
                Concerned& concerned) {
  if (state.kind(kept_by) == store::EntityKind::kProposition) {
    concerned.links.insert(state.triple_of(kept_by));
    return;
  }
  for (const store::Predicate one : detail::attributes_of_record(state, kept_by, key))
    concerned.values.emplace(kept_by, one);
}

Concerned concerned_by(const Snapshot& before, const Snapshot& now,
                       std::span<const store::WrittenKey> keys) {
  Concerned concerned;
  std::set<store::Predicate> records;
  for (const store::WrittenKey& key : keys) {
    const auto kind = key.predicate.predicate_class();
    const Triple statement{key.subject, key.predicate, key.object};
    if (detail::is_link(statement)) concerned.links.insert(statement);
    if (kind == store::PredicateClass::kAttribute)
      concerned.values.emplace(key.subject, key.predicate);
    if (kind != store::PredicateClass::kMetadata) continue;
    for (const Snapshot* state : {&before, &now})
      add_record(*state, key.subject, key.predicate, concerned);
    records.insert(key.predicate);
  }
  // A record may be of another thing by now, into which the one that it was of was merged.
  for (const store::Predicate key : records) {
    if (!before.value(key.key()).text.starts_with(detail::kToldTimes)) continue;
    store::Pattern pattern;
    pattern.predicate = key;
    store::each_statement(before.with_books(), pattern, [&](const Triple& row) {
      add_record(before, row.subject, key, concerned);
    });
  }
  return concerned;
}

// What a thing has, by what was told of it before the undo and what the undo left of that.
class Relay {
 public:
  Relay(store::Transaction& transaction, const Snapshot& before, std::span<const Sequence> undone,
        GraphId graph)
      : transaction_(transaction), before_(before), undone_(undone) {
    was_.told.graph = graph;
  }

  Status run(const Values& values) {
    const auto& [thing, attribute] = values;
    // What is told of it is told of the thing that it is a part of now.
    if (store::merged_into(transaction_.live(), thing)) return {};
    const std::vector<ToldTime> left = detail::told_values(transaction_.live(), thing, attribute);
    const std::vector<ToldTime> known = detail::told_values(before_, thing, attribute);
    if (left.empty() && known.empty() && !is_unfounded({thing, attribute, {}}, left)) return {};
    if (detail::ValueTimeline(before_, thing, attribute, was_).is_changed()) return {};
    detail::ValueTimeline timeline(transaction_, thing, attribute, was_, true);
    for (const ToldTime& one : left)
      if (is_undone(one)) ANIMA_TRY(timeline.drop(one));
    for (const ToldTime& one : known)
      if (one.stood && !is_undone(one)) timeline.stood(one);
    return timeline.write();
  }

  Status run(const Triple& link) {
    if (laid_out_.contains(link) || !is_of_told(link)) return {};
    detail::KnownBefore known{.things_return = true};
    detail::Timeline(before_, link, was_).add_to(known);
    const std::vector<Triple> rivals = detail::rivals_of(transaction_.live(), link);
    const Snapshot left = transaction_.view();
    detail::ToldPlace is{was_.told, was_.trust, {}, was_.now, left};
    detail::Timeline timeline(transaction_, link, is, &known);
    for (const Triple& rival : rivals) {
      for (const ToldTime& one : detail::told_times(transaction_.live(), rival))
        if (is_undone(one)) ANIMA_TRY(timeline.drop(one));
    }
    laid_out_.insert(rivals.begin(), rivals.end());
    return timeline.write(is.now).map([](const std::vector<Triple>&) {});
  }

 private:
  bool is_undone(const ToldTime& one) const {
    return std::ranges::binary_search(undone_, one.word.entry);
  }

  bool is_of_told(const Triple& link) const {
    const std::vector<ToldTime> left = detail::told_times(transaction_.live(), link);
    return !left.empty() || !detail::told_times(before_, link).empty() || is_unfounded(link, left);
  }

  // It, or a value of it, stands on the word of what does not count.
  bool is_unfounded(const Triple& fact, const std::vector<ToldTime>& left) const {
    const Snapshot& now = transaction_.live();
    std::vector<std::uint32_t> objects{fact.object.code};
    if (!detail::is_link(fact)) objects = detail::objects_of(now, fact.subject, fact.predicate);
    return std::ranges::any_of(objects, [&](std::uint32_t code) {
      const auto words = now.assertions({fact.subject, fact.predicate, store::Term{code}});
      return std::ranges::any_of(words, [&](const store::Assertion& word) {
        return detail::is_unfounded(now, word, left);
      });
    });
  }

  store::Transaction& transaction_;
  const Snapshot& before_;
  const std::span<const Sequence> undone_;
  std::set<Triple> laid_out_;
  detail::ToldPlace was_{
      {}, store::Trust::kSystem, {}, before_.entry(before_.sequence()).time, before_};
};

// Which text that is not undone told of something first. A link stands on what is left of what was
// told; that there is a thing is the word of whoever named it, whatever became of what he said of
// it.
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
    detail::ToldPlace place{{}, store::Trust::kSystem, {}, {}, before_};
    place.told.graph = graph_;
    return detail::Timeline(before_, link, place).is_told(link);
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
  // Who told of a link has named what it is about, also where nothing is left of that link. Of what
  // was told before anything that is undone the things were there.
  void add_naming(store::EntityId kept_by, std::optional<Sequence>& found) const {
    for (const Sequence entry : detail::entries_that_told(before_, kept_by))
      if (!undone_.empty() && undone_.front() < entry) add(entry, found);
  }
  void add_naming(const Triple& link, std::optional<Sequence>& found) const {
    if (const auto known = before_.known_proposition(link)) add_naming(*known, found);
  }

  void add_entity(store::EntityId entity, std::optional<Sequence>& found) const {
    const store::EntityId type = before_.type_of(entity);
    store::Pattern pattern;
    if (type == store::kPropositionType) {
      pattern.predicate = store::Predicate::link(entity);
      store::each_statement(before_, pattern, [&](const Triple& row) { add_link(row, found); });
      for (const store::EntityId subject : detail::subjects_of_withdrawn(before_))
        for (const Triple& link : store::links_ever(before_, subject))
          if (link.predicate == pattern.predicate) add_naming(link, found);
      return;
    }
    if (type == store::kConceptType) {
      pattern.predicate = store::kTypePredicate;
      pattern.predicate_class = store::PredicateClass::kStructural;
      pattern.object = store::Term::entity(entity);
      std::set<store::EntityId> things;
      store::each_statement(before_, pattern,
                            [&](const Triple& row) { things.insert(row.subject); });
      for (const store::EntityId subject : detail::subjects_of_withdrawn(before_))
        if (before_.type_of(subject) == entity) things.insert(subject);
      for (const store::EntityId thing : things) add_thing(thing, found);
      return;
    }
    add_thing(entity, found);
  }

  void add_thing(store::EntityId thing, std::optional<Sequence>& found) const {
    for (const Triple& link : store::links_ever(before_, thing)) {
      add_link(link, found);
      add_naming(link, found);
    }
    for (const ToldTime& one : detail::told_values_of(before_, thing))
      if (!one.ends && !one.stood) add(one.word.entry, found);
    add_naming(thing, found);
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
  return key == record || key == value || detail::is_withdrawal(key) ||
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
  const Concerned concerned = concerned_by(before, transaction.live(), keys);
  Relay relay(transaction, before, undone, *graph);
  for (const Triple& link : concerned.links) ANIMA_TRY(relay.run(link));
  for (const Values& one : concerned.values) ANIMA_TRY(relay.run(one));
  return {};
}

}  // namespace

store::UndoRules told_undo_rules() {
  return {memory::counts_provenance, told_elsewhere, is_told_time, lay_out_undone,
          detail::lay_out_moved};
}

}  // namespace anima::agent
