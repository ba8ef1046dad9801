#include "agent/house/space_reads.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "base/json/text_array.h"
#include "base/text/text.h"
#include "datalog/space_facts.h"
#include "store/act.h"
#include "store/compact.h"
#include "store/holds.h"
#include "store/symbols.h"
#include "store/text_hits.h"
#include "store/verify/audit.h"

namespace anima::agent {
namespace {

using store::EntityId;
using store::PredicateClass;
using store::Snapshot;
using store::Triple;

constexpr std::size_t kMostStating = 16;  // of one statement that are shown

std::uint64_t number_of(store::Sequence sequence) { return static_cast<std::uint64_t>(sequence); }

std::string handle_of(store::EntityId entity) {
  return "C:" + std::to_string(static_cast<std::uint32_t>(entity));
}

std::vector<std::string> in_words(const Snapshot& snapshot, const std::vector<Triple>& triples) {
  std::vector<std::string> lines;
  const auto words_of = [&](const Triple& triple) {
    const store::StatementWords words = store::statement_words(snapshot, triple);
    const bool of_link = snapshot.kind(triple.subject) == store::EntityKind::kProposition;
    return std::pair(of_link ? std::string() : words.subject,
                     " " + words.predicate + " " + words.object);
  };
  for (const Triple& triple : triples) {
    auto [subject, rest] = words_of(triple);
    if (subject.empty()) {
      const auto [of, link] = words_of(snapshot.triple_of(triple.subject));
      subject = of + link;
    }
    lines.push_back(subject + rest);
  }
  return lines;
}

Json first_lines(const std::vector<std::string>& lines, std::size_t most) {
  Json list = Json::array();
  for (std::size_t i = 0; i < lines.size() && i < most; ++i) list.push_back(lines[i]);
  return list;
}

// A thing as rules name it whatever else bears its name.
std::string rule_name(const Snapshot& snapshot, EntityId thing) {
  return quote_json(std::string(snapshot.name(snapshot.type_of(thing))) + ":" +
                    std::string(snapshot.name(thing)));
}

bool is_concept(const Snapshot& snapshot, EntityId entity) {
  return snapshot.kind(entity) == store::EntityKind::kConcept;
}

// As rules write it, so that it can be asked why it holds; empty where they have no words for it.
std::string rule_text(const Snapshot& snapshot, const Triple& triple) {
  if (!is_concept(snapshot, triple.subject)) return {};
  const std::string subject = rule_name(snapshot, triple.subject);
  const std::string predicate = store::predicate_label(snapshot, triple.predicate);
  if (triple.object.is_entity()) {
    const EntityId object = triple.object.as_entity();
    if (!is_concept(snapshot, object)) return {};
    return datalog::predicate_name(predicate) + "(" + subject + ", " + rule_name(snapshot, object) +
           ")";
  }
  const store::ValueView value = snapshot.value(triple.object);
  std::string text;
  if (value.kind == store::ValueKind::kString) text = quote_json(value.text);
  if (value.kind == store::ValueKind::kBoolean) text = value.integer != 0 ? "/true" : "/false";
  if (value.kind == store::ValueKind::kInteger || value.kind == store::ValueKind::kDouble)
    text = snapshot.display(triple.object);
  if (text.empty()) return {};
  return "attribute(" + subject + ", " + quote_json(predicate) + ", " + text + ")";
}

// The most trusted first; `kMostStating` of them.
Json all_who_state(const Snapshot& snapshot, const std::vector<store::Assertion>& stated) {
  Json list = Json::array();
  for (std::size_t i = 0; i < stated.size() && i < kMostStating; ++i) {
    const store::EntryInfo info = snapshot.entry(stated[i].born);
    list.push_back(Json::object({{"author", std::string(info.author)},
                                 {"source", std::string(info.source)},
                                 {"trust", store::trust_label(info.trust)},
                                 {"entry", number_of(stated[i].born)}}));
  }
  return list;
}

Json fact_json(const Snapshot& snapshot, const Triple& triple) {
  const store::StatementWords words = store::statement_words(snapshot, triple);
  Json json = Json::object(
      {{"subject", words.subject}, {"predicate", words.predicate}, {"object", words.object}});
  // Names may be those of several things, and a text may read like one.
  json.set("subject_id", handle_of(triple.subject));
  if (triple.object.is_entity()) json.set("object_id", handle_of(triple.object.as_entity()));
  if (std::string rule = rule_text(snapshot, triple); !rule.empty())
    json.set("rule_text", std::move(rule));
  const std::vector<store::Assertion> stated = snapshot.assertions(triple);
  if (stated.empty()) return json;
  const store::EntryInfo info = snapshot.entry(stated.front().born);
  json.set("author", std::string(info.author));
  json.set("source", std::string(info.source));
  json.set("trust", store::trust_label(info.trust));
  if (stated.size() > 1) json.set("stated_by", all_who_state(snapshot, stated));
  json.set("confidence", stated.front().confidence);
  json.set("time", format_timestamp(info.time));
  json.set("entry", number_of(stated.front().born));
  const store::Standing standing = store::standing_of(snapshot, triple);
  if (standing.valid_from) json.set("valid_from", format_timestamp(*standing.valid_from));
  if (standing.valid_to) json.set("valid_to", format_timestamp(*standing.valid_to));
  return json;
}

// The newest of them, one more than are asked for where there are more.
std::vector<EntityId> newest_things(const Snapshot& snapshot, const ThingsAsked& asked,
                                    const std::optional<EntityId>& type) {
  store::Pattern pattern;
  pattern.predicate = store::kTypePredicate;
  pattern.predicate_class = PredicateClass::kStructural;
  if (type) pattern.object = store::Term::entity(*type);
  // What only says what there may be is listed where it is asked for.
  const auto is_schema = [&](const Triple& triple) {
    return !type && (triple.object == store::Term::entity(store::kConceptType) ||
                     triple.object == store::Term::entity(store::kPropositionType));
  };
  std::vector<EntityId> things;
  std::vector<Triple> batch(256);
  store::Cursor cursor = snapshot.scan(pattern);
  while (const std::size_t got = cursor.next(batch)) {
    for (const Triple& triple : std::span(batch).first(got)) {
      if (is_schema(triple)) continue;
      if (!asked.before || triple.subject < *asked.before) things.push_back(triple.subject);
    }
  }
  const std::size_t kept = std::min(things.size(), asked.most + 1);
  const auto end = things.begin() + static_cast<long>(kept);
  std::partial_sort(things.begin(), end, things.end(), std::greater<>());
  things.resize(kept);
  return things;
}

}  // namespace

namespace {

// When the links of the entity began and ended: what their metadata said of that, entry by entry.
std::vector<store::EntityChange> changed_times(const Snapshot& snapshot, EntityId entity,
                                               std::size_t most) {
  std::vector<EntityId> links;
  for (const store::StatedWord& word : store::words_about(snapshot, entity)) {
    if (word.statement.predicate.predicate_class() != PredicateClass::kLink) continue;
    const auto link = snapshot.known_proposition(word.statement);
    if (link) links.push_back(*link);
  }
  std::ranges::sort(links);
  links.erase(std::unique(links.begin(), links.end()), links.end());
  const auto is_no_time = [&](const Triple& triple) {
    if (triple.predicate.predicate_class() != PredicateClass::kMetadata) return true;
    const std::string_view key = snapshot.value(triple.predicate.key()).text;
    return key != "valid_from" && key != "valid_to" && key != store::kHeldBefore;
  };
  std::vector<store::EntityChange> changes;
  for (const EntityId link : links) {
    for (store::EntityChange& change : store::entity_changes(snapshot, link, most)) {
      std::erase_if(change.added, is_no_time);
      std::erase_if(change.removed, is_no_time);
      if (!change.added.empty() || !change.removed.empty()) changes.push_back(std::move(change));
    }
  }
  return changes;
}

}  // namespace

Result<EntityHistory> entity_history(const Snapshot& snapshot, std::string_view name,
                                     std::size_t most) {
  ANIMA_ASSIGN(const store::EntityId entity, store::find_entity(snapshot, name));
  EntityHistory history;
  history.entity = entity;
  const store::Sequence oldest = store::oldest_state(snapshot);
  std::map<store::Sequence, HistoryEntry> entries;
  const auto note = [&](const store::EntityChange& change) {
    HistoryEntry& entry = entries[change.sequence];
    std::ranges::copy(in_words(snapshot, change.added), std::back_inserter(entry.added));
    std::ranges::copy(in_words(snapshot, change.removed), std::back_inserter(entry.removed));
  };
  std::ranges::for_each(store::entity_changes(snapshot, entity, most), note);
  std::ranges::for_each(changed_times(snapshot, entity, most), note);
  while (entries.size() > most) entries.erase(entries.begin());
  for (auto& [sequence, entry] : entries) {
    entry.sequence = sequence;
    entry.act = store::act_of(snapshot, sequence);
    entry.info = snapshot.entry(sequence);
    entry.compacted = sequence <= oldest;
    history.entries.push_back(std::move(entry));
  }
  return history;
}

Json history_json(const Snapshot& snapshot, const EntityHistory& history) {
  Json entries = Json::array();
  for (const HistoryEntry& entry : history.entries) {
    entries.push_back(Json::object({{"sequence", number_of(entry.sequence)},
                                    {"time", format_timestamp(entry.info.time)},
                                    {"author", entry.info.author},
                                    {"source", entry.info.source},
                                    {"trust", store::trust_label(entry.info.trust)},
                                    {"act", number_of(entry.act)},
                                    {"added", text_array(entry.added)},
                                    {"removed", text_array(entry.removed)}}));
  }
  return Json::object({{"entity", handle_of(history.entity)},
                       {"name", snapshot.name(history.entity)},
                       {"entries", std::move(entries)}});
}

Result<Json> facts_about(const Snapshot& snapshot, std::string_view name, std::size_t most) {
  ANIMA_ASSIGN(const store::EntityId entity, store::find_entity(snapshot, name));
  std::vector<Triple> triples;
  std::vector<Triple> batch(256);
  const auto take = [&](const store::Pattern& pattern) {
    store::Cursor cursor = snapshot.scan(pattern);
    while (const std::size_t got = cursor.next(batch))
      triples.insert(triples.end(), batch.begin(), batch.begin() + static_cast<long>(got));
  };
  for (const PredicateClass each : {PredicateClass::kAttribute, PredicateClass::kLink}) {
    store::Pattern of;
    of.subject = entity;
    of.predicate_class = each;
    take(of);
  }
  store::Pattern to;
  to.object = store::Term::entity(entity);
  take(to);
  Json facts = Json::array();
  for (std::size_t i = 0; i < triples.size() && i < most; ++i)
    facts.push_back(fact_json(snapshot, triples[i]));
  const std::size_t left = triples.size() > most ? triples.size() - most : 0;
  return Json::object(
      {{"entity", handle_of(entity)},
       {"name", snapshot.name(entity)},
       {"type",
        is_concept(snapshot, entity) ? Json(snapshot.name(snapshot.type_of(entity))) : Json()},
       {"facts", std::move(facts)},
       {"left_out", static_cast<std::uint64_t>(left)}});
}

Result<EntityId> type_called(const Snapshot& snapshot, std::string_view name) {
  if (const auto type = snapshot.find_type(name)) return *type;
  store::Scratch scratch;
  std::vector<std::string> known;
  for (const std::uint32_t code :
       snapshot.subjects(store::kTypePredicate, store::Term::entity(store::kConceptType), scratch))
    known.emplace_back(snapshot.name(EntityId{code}));
  return fail(ErrorCode::kNotFound, "there is no such type", std::string(name),
              did_you_mean(nearest_names(name, known)));
}

Result<Json> things_found(const Snapshot& snapshot, const ThingsAsked& asked) {
  std::optional<EntityId> type;
  if (!asked.type.empty()) {
    ANIMA_ASSIGN(type, type_called(snapshot, asked.type));
  }
  Json list = Json::array();
  Json found = Json::object({{"things", Json::array()}});
  if (!asked.query.empty()) {
    store::TextQuery query;
    query.text = asked.query;
    query.type = type;
    query.limit = asked.most;
    for (const store::TextHit& hit : snapshot.search(query)) {
      const store::FoundText text = store::found_text(snapshot, hit);
      list.push_back(Json::object({{"id", text.id}, {"type", text.type}, {"name", text.name}}));
    }
  } else {
    std::vector<EntityId> things = newest_things(snapshot, asked, type);
    if (things.size() > asked.most) {
      things.pop_back();
      found.set("next_cursor", std::to_string(static_cast<std::uint32_t>(things.back())));
    }
    for (const EntityId thing : things) {
      list.push_back(Json::object({{"id", handle_of(thing)},
                                   {"type", snapshot.name(snapshot.type_of(thing))},
                                   {"name", snapshot.name(thing)}}));
    }
  }
  found.set("things", std::move(list));
  return found;
}

Json changes_json(const store::ChangeWords& change, store::Sequence since, store::Sequence now,
                  std::size_t most) {
  return Json::object({{"since", number_of(since)},
                       {"now", number_of(now)},
                       {"added", first_lines(change.came, most)},
                       {"removed", first_lines(change.went, most)},
                       {"added_count", static_cast<std::uint64_t>(change.came.size())},
                       {"removed_count", static_cast<std::uint64_t>(change.went.size())},
                       {"unread", static_cast<std::uint64_t>(change.unread)},
                       {"upkeep", static_cast<std::uint64_t>(change.upkeep())}});
}

Json stats_json(const store::SpaceStats& stats) {
  return Json::object({{"entries", stats.entries},
                       {"concepts", stats.concepts},
                       {"propositions", stats.propositions},
                       {"assertions", stats.assertions},
                       {"literals", stats.literals},
                       {"graphs", stats.graphs},
                       {"log_bytes", stats.log_bytes},
                       {"base_bytes", stats.base_bytes},
                       {"heap_bytes", stats.heap_bytes},
                       {"base_sequence", number_of(stats.base_sequence)}});
}

}  // namespace anima::agent
