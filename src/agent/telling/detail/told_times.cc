#include "agent/telling/detail/told_times.h"

#include <algorithm>
#include <tuple>

#include "agent/json_fields.h"
#include "agent/telling/detail/told_statements.h"
#include "store/history.h"
#include "store/holds.h"
#include "store/restate.h"
#include "store/statements.h"
#include "store/symbols.h"

namespace anima::agent::detail {

using store::EntityId;
using store::Snapshot;
using store::Term;
using store::Triple;

namespace {

constexpr std::string_view kTold = "told", kBegins = "begins", kEnds = "ends", kAt = "at",
                           kNamed = "named", kSaidEarlier = "said_earlier", kMoves = "moves",
                           kFromNow = "from_now", kCorrects = "corrects", kNewer = "newer",
                           kRecord = "record", kOf = "of", kStood = "stood", kGraph = "graph",
                           kWithdraws = "withdraws", kWithdrawn = "d", kGone = memory::kToldGone;

bool is_of_value(const ToldTime& time) {
  return time.fact.predicate.predicate_class() == store::PredicateClass::kAttribute;
}

Json to_json(const Snapshot& now, const ToldTime& time) {
  Json json = Json::object({{std::string(kTold), format_timestamp(time.told)},
                            {std::string(time.ends ? kEnds : kBegins), true},
                            {std::string(kRecord), time.word.provenance}});
  if (time.at) json.set(kAt, format_timestamp(*time.at));
  const std::pair<std::string_view, bool> flags[] = {
      {kNamed, time.named},      {kSaidEarlier, time.said_earlier}, {kMoves, time.moves},
      {kFromNow, time.from_now}, {kCorrects, time.corrects},        {kWithdraws, time.withdraws}};
  for (const auto& [name, is] : flags)
    if (is) json.set(name, true);
  if (!time.newer.empty()) json.set(kNewer, time.newer);
  if (is_of_value(time)) json.set(kOf, std::string(now.value(time.fact.predicate.key()).text));
  if (time.stood) json.set(kStood, true);
  if (time.stood && time.graph != store::GraphId::kDefault)
    json.set(kGraph, std::string(now.graph_name(time.graph)));
  return json;
}

std::optional<ToldTime> from_json(const Snapshot& now, const Json& json) {
  const auto told = parse_timestamp(agent::text_of(json, kTold));
  if (!told || (!flag_of(json, kEnds) && !flag_of(json, kBegins))) return std::nullopt;
  ToldTime time;
  time.told = *told;
  time.ends = flag_of(json, kEnds);
  if (const auto at = parse_timestamp(agent::text_of(json, kAt))) time.at = *at;
  time.named = flag_of(json, kNamed);
  time.said_earlier = flag_of(json, kSaidEarlier);
  time.moves = flag_of(json, kMoves);
  time.from_now = flag_of(json, kFromNow);
  time.corrects = flag_of(json, kCorrects);
  time.withdraws = flag_of(json, kWithdraws);
  time.newer = agent::text_of(json, kNewer);
  time.stood = flag_of(json, kStood);
  const std::string graph = agent::text_of(json, kGraph);
  if (!graph.empty()) {
    const auto known = now.find_graph(graph);
    if (!known) return std::nullopt;
    time.graph = *known;
  }
  return time;
}

// One for each record of provenance, so that who undoes one of them leaves the others. What stood
// has one for each of its words: many of them may have the same record, or none.
std::string name_of(const Snapshot& now, const ToldTime& time) {
  const std::string entry = std::to_string(static_cast<std::uint64_t>(time.word.entry));
  const std::string attribute =
      is_of_value(time) ? "_" + std::string(now.value(time.fact.predicate.key()).text) : "";
  if (time.withdraws) return std::string(kWithdrawn) + entry + attribute;
  if (!time.stood) return std::to_string(time.word.provenance);
  return entry + "_" + std::to_string(static_cast<std::uint32_t>(time.graph)) + attribute;
}

// Of what was told of one thing what somebody withdrew since goes.
void leave_withdrawn(std::vector<ToldTime>& times) {
  const std::vector<ToldTime> all = times;
  std::erase_if(times, [&](const ToldTime& time) {
    return !time.withdraws && std::ranges::any_of(all, [&](const ToldTime& one) {
      return one.withdraws && one.fact.predicate == time.fact.predicate &&
             time.word.entry < one.word.entry && time.trust <= one.trust;
    });
  });
}

void drop_withdrawals(std::vector<ToldTime>& times) {
  leave_withdrawn(times);
  std::erase_if(times, [](const ToldTime& one) { return one.withdraws; });
}

// The name in the key of a record; nullopt: it is none.
std::optional<std::string> name_in(const Snapshot& now, store::Predicate predicate,
                                   std::string_view prefix) {
  if (predicate.predicate_class() != store::PredicateClass::kMetadata) return std::nullopt;
  const std::string_view label = now.value(predicate.key()).text;
  if (!label.starts_with(prefix)) return std::nullopt;
  return std::string(label.substr(prefix.size()));
}

std::optional<store::Predicate> key_of(const Snapshot& now, std::string_view prefix,
                                       const std::string& name) {
  const auto key = now.find_string(std::string(prefix) + name);
  return key ? std::optional(store::Predicate::metadata(*key)) : std::nullopt;
}

// The memory of what was told with it is forgotten.
bool is_forgotten(const Snapshot& now, std::uint64_t provenance) {
  const auto key = provenance == 0 ? std::nullopt : key_of(now, kGone, std::to_string(provenance));
  if (!key) return false;
  store::Pattern pattern;
  pattern.predicate = *key;
  Triple first;
  return now.with_books().scan(pattern).next({&first, 1}) != 0;
}

// What the statement of a record says, as the word of its graph.
std::optional<ToldTime> read(const Snapshot& now, const Triple& kept, const Triple& fact,
                             const store::Assertion& word) {
  const auto json = parse_json(now.value(kept.object).text);
  auto time = json && json->is_object() ? from_json(now, *json) : std::nullopt;
  if (!time || is_forgotten(now, word.provenance)) return std::nullopt;
  time->fact = fact;
  time->word = {word.provenance, word.confidence, word.born};
  time->trust = now.entry(word.born).trust;
  time->author = std::string(now.entry(word.born).author);
  time->value = kept.object;
  return time;
}

std::optional<ToldTime> read_of_link(const Snapshot& now, const Triple& kept) {
  const auto assertions = now.assertions(kept);
  if (assertions.empty() || now.kind(kept.subject) != store::EntityKind::kProposition)
    return std::nullopt;
  return read(now, kept, now.triple_of(kept.subject), assertions.front());
}

std::optional<store::Predicate> attribute_in(const Snapshot& now, Term record) {
  const auto json = parse_json(now.value(record).text);
  const auto key =
      json && json->is_object() ? now.find_string(agent::text_of(*json, kOf)) : std::nullopt;
  return key ? std::optional(store::Predicate::attribute(*key)) : std::nullopt;
}

std::vector<Term> objects_in(const Snapshot& now, EntityId thing, store::Predicate key,
                             store::GraphId graph) {
  std::vector<Term> objects;
  for (const std::uint32_t code : objects_of(now, thing, key))
    if (stands_in(now, {thing, key, Term{code}}, graph)) objects.push_back(Term{code});
  return objects;
}

// The records of values that a statement of the book names: one for each value.
void read_of_values(const Snapshot& now, const Triple& kept, std::vector<ToldTime>& times) {
  const auto book = now.find_graph(kToldBook);
  const auto name = name_in(now, kept.predicate, kToldTimes);
  const auto key = name ? key_of(now, kToldValue, *name) : std::nullopt;
  const auto attribute = attribute_in(now, kept.object);
  if (!book || !attribute || !stands_in(now, kept, *book)) return;
  if (is_withdrawal(now.value(kept.predicate.key()).text)) {
    for (const store::Assertion& word : now.assertions(kept)) {
      auto time = read(now, kept, {kept.subject, *attribute, Term{}}, word);
      if (word.graph == *book && time) times.push_back(std::move(*time));
    }
    return;
  }
  if (!key) return;
  for (const Term value : objects_in(now, kept.subject, *key, *book)) {
    for (const store::Assertion& word : now.assertions({kept.subject, *key, value})) {
      if (word.graph != *book) continue;
      if (auto time = read(now, kept, {kept.subject, *attribute, value}, word))
        times.push_back(std::move(*time));
    }
  }
}

}  // namespace

bool was_told_before(const ToldTime& a, const ToldTime& b) {
  return std::tuple(a.told.microseconds, a.word.entry, a.word.provenance, a.at) <
         std::tuple(b.told.microseconds, b.word.entry, b.word.provenance, b.at);
}

std::vector<ToldTime> told_times(const Snapshot& now, const Triple& link) {
  std::vector<ToldTime> times;
  const auto known = now.known_proposition(link);
  if (!known) return times;
  store::Pattern pattern;
  pattern.subject = *known;
  pattern.predicate_class = store::PredicateClass::kMetadata;
  store::each_statement(now, pattern, [&](const Triple& row) {
    if (!name_in(now, row.predicate, kToldTimes)) return;
    if (auto time = read_of_link(now, row)) times.push_back(std::move(*time));
  });
  drop_withdrawals(times);
  std::ranges::sort(times, was_told_before);
  return times;
}

std::vector<ToldTime> told_values_of(const Snapshot& known, EntityId thing) {
  const Snapshot now = known.with_books();
  std::vector<ToldTime> times;
  store::Pattern pattern;
  pattern.subject = thing;
  pattern.predicate_class = store::PredicateClass::kMetadata;
  store::each_statement(now, pattern, [&](const Triple& row) {
    if (name_in(now, row.predicate, kToldTimes)) read_of_values(now, row, times);
  });
  drop_withdrawals(times);
  return times;
}

std::vector<ToldTime> told_values(const Snapshot& now, EntityId thing, store::Predicate attribute) {
  std::vector<ToldTime> times = told_values_of(now, thing);
  std::erase_if(times, [&](const ToldTime& one) { return one.fact.predicate != attribute; });
  std::ranges::sort(times, was_told_before);
  return times;
}

std::vector<ToldTime> told_times_of(const Snapshot& now, const Triple& fact) {
  if (is_link(fact)) return told_times(now, fact);
  std::vector<ToldTime> times = told_values(now, fact.subject, fact.predicate);
  std::erase_if(times, [&](const ToldTime& one) { return !(one.fact == fact); });
  return times;
}

bool held_before(const Snapshot& now, const Triple& fact) {
  if (is_link(fact)) {
    const auto link = now.find_proposition(fact);
    return link && store::periods_of(now, *link).back().to.has_value();
  }
  return !now.contains(fact) && std::ranges::any_of(told_times_of(now, fact),
                                                    [](const ToldTime& one) { return !one.ends; });
}

std::vector<store::Predicate> attributes_of_record(const Snapshot& known, EntityId thing,
                                                   store::Predicate key) {
  const Snapshot now = known.with_books();
  std::vector<store::Predicate> attributes;
  auto name = name_in(now, key, kToldTimes);
  if (!name) name = name_in(now, key, kToldValue);
  const auto times = name ? key_of(now, kToldTimes, *name) : std::nullopt;
  if (!times) return attributes;
  for (const std::uint32_t code : objects_of(now, thing, *times))
    if (const auto attribute = attribute_in(now, Term{code})) attributes.push_back(*attribute);
  return attributes;
}

std::vector<store::Predicate> attributes_ever_told(const Snapshot& known, EntityId thing) {
  const Snapshot now = known.with_books();
  std::vector<store::Predicate> attributes;
  for (const store::StatedWord& one : store::words_about(now, thing)) {
    if (!name_in(now, one.statement.predicate, kToldTimes)) continue;
    if (const auto attribute = attribute_in(now, one.statement.object))
      attributes.push_back(*attribute);
  }
  std::ranges::sort(attributes);
  attributes.erase(std::unique(attributes.begin(), attributes.end()), attributes.end());
  return attributes;
}

std::vector<ToldTime> told_times_with(const Snapshot& known, std::uint64_t provenance,
                                      EntityId thing) {
  const Snapshot now = known.with_books();
  std::vector<ToldTime> times;
  if (const auto key = key_of(now, kToldTimes, std::to_string(provenance))) {
    store::Pattern pattern;
    pattern.predicate = *key;
    store::each_statement(now, pattern, [&](const Triple& row) {
      if (auto time = read_of_link(now, row)) {
        times.push_back(std::move(*time));
      } else {
        read_of_values(now, row, times);
      }
    });
  }
  for (ToldTime& one : told_values_of(now, thing))
    if (one.stood && one.word.provenance == provenance) times.push_back(std::move(one));
  std::ranges::sort(times, was_told_before);
  return times;
}

bool was_told_of(const Snapshot& known, const Triple& fact) {
  const Snapshot now = known.with_books();
  const bool of_link = is_link(fact);
  const auto kept_by = of_link ? now.known_proposition(fact) : std::optional(fact.subject);
  if (!kept_by) return false;
  return std::ranges::any_of(store::words_about(now, *kept_by), [&](const store::StatedWord& one) {
    return name_in(now, one.statement.predicate, kToldTimes) &&
           (of_link || attribute_in(now, one.statement.object) == fact.predicate);
  });
}

std::vector<store::Sequence> entries_that_told(const Snapshot& known, EntityId kept_by) {
  const Snapshot now = known.with_books();
  std::vector<store::Sequence> entries;
  for (const store::StatedWord& one : store::words_about(now, kept_by)) {
    if (!name_in(now, one.statement.predicate, kToldTimes)) continue;
    const auto json = parse_json(now.value(one.statement.object).text);
    const auto time = json && json->is_object() ? from_json(now, *json) : std::nullopt;
    if (!time || time->ends || time->withdraws || time->stood) continue;
    entries.push_back(one.said == store::Sequence::kNone ? one.from : one.said);
  }
  return entries;
}

std::vector<EntityId> subjects_of_withdrawn(const Snapshot& known) {
  const Snapshot now = known.with_books();
  std::vector<EntityId> subjects;
  for (const store::Predicate key : now.predicates(store::PredicateClass::kMetadata)) {
    if (!is_withdrawal(now.value(key.key()).text)) continue;
    store::Pattern pattern;
    pattern.predicate = key;
    store::each_statement(now, pattern, [&](const Triple& row) {
      const bool link = now.kind(row.subject) == store::EntityKind::kProposition;
      subjects.push_back(link ? now.triple_of(row.subject).subject : row.subject);
    });
  }
  std::ranges::sort(subjects);
  subjects.erase(std::unique(subjects.begin(), subjects.end()), subjects.end());
  return subjects;
}

bool is_withdrawal(std::string_view key) {
  return key.starts_with(kGone) ||
         (key.starts_with(kToldTimes) && key.substr(kToldTimes.size()).starts_with(kWithdrawn));
}

bool may_return(const Snapshot& now, std::uint64_t provenance) {
  return provenance != 0 && key_of(now, kToldTimes, std::to_string(provenance)) &&
         !is_forgotten(now, provenance);
}

Status mark_forgotten(store::Transaction& transaction, EntityId thing, std::uint64_t provenance) {
  if (provenance == 0) return {};
  store::AssertOptions options;
  options.graph = transaction.graph(kToldBook);
  ANIMA_ASSIGN(const Term yes, transaction.term(store::Value::boolean(true).view()));
  return transaction.set_metadata(thing, std::string(kGone) + std::to_string(provenance),
                                  std::span(&yes, 1), options);
}

bool is_unfounded(const Snapshot& now, const store::Assertion& word,
                  std::span<const ToldTime> left) {
  return word.provenance != 0 && key_of(now, kToldTimes, std::to_string(word.provenance)) &&
         std::ranges::none_of(
             left, [&](const ToldTime& one) { return !one.ends && one.word.entry == word.born; });
}

Status keep_told_time(store::Transaction& transaction, ToldTime& time, store::GraphId graph) {
  const Snapshot& now = transaction.live();
  const bool of_value = is_of_value(time);
  const auto kept_by = of_value ? time.fact.subject : now.known_proposition(time.fact);
  if (!kept_by) return {};
  const std::string name = name_of(now, time);
  ANIMA_ASSIGN(time.value, transaction.term(store::Value::from_json(to_json(now, time)).view()));
  store::AssertOptions options;
  options.graph = of_value ? transaction.graph(kToldBook) : graph;
  options.confidence = time.word.confidence;
  options.provenance = time.word.provenance;
  const auto keep = [&](std::string_view prefix, Term value) -> Status {
    ANIMA_ASSIGN(const Term key,
                 transaction.term(store::Value::string(std::string(prefix) + name).view()));
    return store::restate(transaction, {*kept_by, store::Predicate::metadata(key), value}, options,
                          time.word.entry)
        .map([](EntityId) {});
  };
  if (of_value && !time.withdraws) ANIMA_TRY(keep(kToldValue, time.fact.object));
  return keep(kToldTimes, time.value);
}

Status drop_told_time(store::Transaction& transaction, const ToldTime& time, store::GraphId graph) {
  const bool of_value = is_of_value(time);
  const auto kept_by =
      of_value ? time.fact.subject : transaction.live().known_proposition(time.fact);
  const std::string name = name_of(transaction.live(), time);
  const auto key = key_of(transaction.live(), kToldTimes, name);
  if (!kept_by || !key) return {};
  const store::GraphId in = of_value ? transaction.graph(kToldBook) : graph;
  if (const auto values = of_value ? key_of(transaction.live(), kToldValue, name) : std::nullopt) {
    ANIMA_TRY(transaction.retract({*kept_by, *values, time.fact.object}, in).map([](bool) {}));
    if (!objects_in(transaction.live(), *kept_by, *values, in).empty()) return {};
  }
  return transaction.retract({*kept_by, *key, time.value}, in).map([](bool) {});
}

}  // namespace anima::agent::detail
