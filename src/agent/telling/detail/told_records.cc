#include "agent/telling/detail/told_records.h"

#include <algorithm>

#include "agent/telling/detail/told_statements.h"
#include "store/history.h"
#include "store/holds.h"
#include "store/statements.h"

namespace anima::agent::detail {

using store::EntityId;
using store::Snapshot;
using store::Term;
using store::Triple;

namespace {

bool is_told_with(const Snapshot& now, const Triple& statement, std::uint64_t provenance) {
  const auto assertions = now.assertions(statement);
  return std::ranges::any_of(
      assertions, [&](const store::Assertion& one) { return one.provenance == provenance; });
}

std::optional<Triple> value_ended_with(const Snapshot& now, EntityId thing,
                                       std::uint64_t provenance, store::Sequence entry) {
  std::optional<Triple> found;
  for (const store::StatedWord& word : store::words_about(now.knowledge(), thing)) {
    if (word.provenance == provenance) return std::nullopt;  // it told a value
    const bool is_value =
        word.statement.predicate.predicate_class() == store::PredicateClass::kAttribute;
    if (is_value && word.to == entry && !now.contains(word.statement)) found = word.statement;
  }
  return found;
}

std::optional<Triple> ended_with(const Snapshot& now, EntityId thing, std::uint64_t provenance,
                                 store::Sequence entry) {
  const auto key = now.find_string(kEndOfLink);
  if (!key) return value_ended_with(now, thing, provenance, entry);
  store::Pattern pattern;
  pattern.subject = thing;
  pattern.predicate_class = store::PredicateClass::kLink;
  const auto predicate = store::Predicate::metadata(*key);
  std::optional<Triple> found;
  store::each_statement(now, pattern, [&](const Triple& row) {
    const auto link = now.find_proposition(row);
    if (!link) return true;
    const bool ended =
        std::ranges::any_of(objects_of(now, *link, predicate), [&](std::uint32_t code) {
          return is_told_with(now, {*link, predicate, Term{code}}, provenance);
        });
    if (ended) found = row;
    return !ended;
  });
  return found ? found : value_ended_with(now, thing, provenance, entry);
}

std::optional<Triple> told_with(const Snapshot& now, EntityId thing, std::uint64_t provenance) {
  for (const auto kind : {store::PredicateClass::kLink, store::PredicateClass::kAttribute}) {
    store::Pattern pattern;
    pattern.subject = thing;
    pattern.predicate_class = kind;
    std::optional<Triple> found;
    store::each_statement(now, pattern, [&](const Triple& row) {
      const bool told = is_told_with(now, row, provenance);
      if (told) found = row;
      return !told;
    });
    if (found) return found;
  }
  return std::nullopt;
}

std::optional<Triple> link_of(const memory::ProvenanceRecord& record) {
  if (record.sources.size() != 2) return std::nullopt;
  return Triple{record.derived, store::Predicate::link(record.sources[0]),
                Term::entity(record.sources[1])};
}

std::optional<Timestamp> begin_of(const Snapshot& now, const memory::ProvenanceRecord& record) {
  if (record.number != 0)
    return Timestamp{static_cast<std::int64_t>(record.number) * kMicrosecondsPerSecond};
  const auto link = link_of(record);
  return link ? told_begin(now, *link, record.entry) : std::nullopt;
}

// An end that was told is there whether or not it ends anything by now.
ToldByRecord told_by_times(std::vector<ToldTime> times) {
  ToldByRecord told;
  for (const ToldTime& one : times) {
    std::optional<Triple>& of = one.ends ? told.ended : told.stated;
    of = one.fact;
    if (!one.ends && one.named) told.begin = one.at;
  }
  if (told.stated) told.ended.reset();
  told.times = std::move(times);
  return told;
}

}  // namespace

ToldByRecord told_by_record(const Snapshot& now, const memory::ProvenanceRecord& record,
                            std::span<const memory::ProvenanceRecord* const> all) {
  if (auto times = told_times_with(now, record.id, record.derived); !times.empty())
    return told_by_times(std::move(times));
  ToldByRecord told;
  const auto link = link_of(record);
  told.stated = told_with(now, record.derived, record.id);
  told.begin = begin_of(now, record);
  if (told.stated) return told;
  if (!told.begin) {
    told.ended = ended_with(now, record.derived, record.id, record.entry);
    // What ended because the link began is no end that was told.
    if (told.ended && link && is_link(*told.ended) && !(*told.ended == *link)) told.ended.reset();
    return told;
  }
  const bool told_elsewhere = std::ranges::any_of(all, [&](const auto* other) {
    return other->id != record.id && other->text2 != record.text2 && link_of(*other) == link &&
           begin_of(now, *other) == told.begin;
  });
  if (now.contains(*link) && !told_elsewhere) told.link = link;
  return told;
}

std::vector<std::optional<Timestamp>> begins_of(const Snapshot& now, const Triple& link) {
  std::vector<std::optional<Timestamp>> begins;
  const auto proposition = now.find_proposition(link);
  if (!proposition) return begins;
  for (const store::Period& one : store::periods_of(now, *proposition)) begins.push_back(one.from);
  return begins;
}

std::optional<Timestamp> told_begin(const Snapshot& now, const Triple& link,
                                    store::Sequence entry) {
  const auto before = now.as_of(store::Sequence{static_cast<std::uint64_t>(entry) - 1});
  const auto after = now.as_of(entry);
  if (!before || !after) return std::nullopt;
  const auto known = begins_of(*before, link);
  for (const std::optional<Timestamp>& one : begins_of(*after, link))
    if (one && std::ranges::find(known, one) == known.end()) return one;
  return std::nullopt;
}

}  // namespace anima::agent::detail
