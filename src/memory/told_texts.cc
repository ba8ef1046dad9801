#include "memory/told_texts.h"

#include <fmt/format.h>

#include <algorithm>

#include "memory/detail/item_store.h"
#include "store/holds.h"
#include "store/merged.h"
#include "store/symbols.h"

namespace anima::memory {
namespace {

using store::EntityId;
using store::PredicateClass;
using store::Sequence;
using store::StatedWord;
using store::Term;
using store::Triple;

constexpr std::string_view kEndOfLink = "valid_to", kNewerLink = "superseded_by";

bool is_of_class(const Triple& statement, PredicateClass one) {
  return statement.predicate.predicate_class() == one;
}

// A record of a link names the relation and the object.
std::optional<Triple> told_link(const ProvenanceRecord& record) {
  if (record.sources.size() != 2) return std::nullopt;
  return Triple{record.derived, store::Predicate::link(record.sources[0]),
                Term::entity(record.sources[1])};
}

}  // namespace

ToldTexts::ToldTexts(store::Space& space, const store::Snapshot& now, Timestamp time)
    : space_(space), now_(now.knowledge()), items_(detail::items_in(now)), time_(time) {}

Result<ToldState> ToldTexts::state_of(std::string_view memory) {
  ToldState state;
  ANIMA_ASSIGN(const std::vector<Fact> facts, facts_of(memory));
  for (const Fact& fact : facts) {
    if (holds(fact.statement) != fact.ends) continue;
    ANIMA_ASSIGN(std::vector<std::string> by, tellers_of_change(fact));
    std::erase(by, memory);
    std::ranges::sort(by);
    by.erase(std::unique(by.begin(), by.end()), by.end());
    state.no_longer.push_back({words_of(fact), std::move(by)});
  }
  state.over = !facts.empty() && state.no_longer.size() == facts.size();
  return state;
}

Result<std::vector<ToldTexts::Fact>> ToldTexts::facts_of(std::string_view memory) {
  std::vector<Fact> facts;
  const auto item = detail::find_item(items_, memory);
  const auto key = items_.find_string(detail::kToldRecords);
  if (!item || !key) return facts;
  store::Scratch scratch;
  const auto told = store::Predicate::attribute(*key);
  for (const std::uint32_t code : items_.objects(*item, told, scratch)) {
    const auto id = static_cast<std::uint64_t>(items_.value(Term{code}).integer);
    for (const store::Assertion& noted : items_.assertions({*item, told, Term{code}})) {
      ANIMA_ASSIGN(const Records* records, told_in(noted.born));
      const auto record = std::ranges::find(*records, id, &ProvenanceRecord::id);
      if (record == records->end()) continue;
      for (Fact& fact : facts_of(*record)) {
        fact.statement = as_now(fact.statement, record->entry);
        if (std::ranges::find(facts, fact) == facts.end()) facts.push_back(std::move(fact));
      }
    }
  }
  return facts;
}

std::vector<ToldTexts::Fact> ToldTexts::facts_of(const ProvenanceRecord& record) {
  std::vector<Fact> facts;
  for (const StatedWord& word : words_about(record.derived)) {
    const bool said =
        word.provenance == record.id && (is_of_class(word.statement, PredicateClass::kLink) ||
                                         is_of_class(word.statement, PredicateClass::kAttribute));
    const Fact fact{word.statement};
    if (said && std::ranges::find(facts, fact) == facts.end()) facts.push_back(fact);
  }
  if (!facts.empty()) return facts;
  const auto link = told_link(record);
  if (!link) return ends_of(record);
  return {{*link, has_end_of(*link, record)}};
}

// What the record says without naming a statement: a link was given an end, or a value went.
std::vector<ToldTexts::Fact> ToldTexts::ends_of(const ProvenanceRecord& record) {
  std::vector<Fact> ends;
  const auto add = [&](const Triple& statement) {
    const Fact end{statement, true};
    if (std::ranges::find(ends, end) == ends.end()) ends.push_back(end);
  };
  for (const StatedWord& word : words_about(record.derived)) {
    if (is_of_class(word.statement, PredicateClass::kLink)) {
      if (has_end_of(word.statement, record)) add(word.statement);
    } else if (is_of_class(word.statement, PredicateClass::kAttribute)) {
      if (word.to == record.entry && !is_stated_at(word.statement, record.entry))
        add(word.statement);
    }
  }
  return ends;
}

bool ToldTexts::is_stated_at(const Triple& statement, Sequence entry) {
  return std::ranges::any_of(words_about(statement.subject), [&](const StatedWord& word) {
    return word.statement == statement && word.from <= entry &&
           (word.to == Sequence::kNone || entry < word.to);
  });
}

bool ToldTexts::has_end_of(const Triple& link, const ProvenanceRecord& record) {
  const auto known = now_.known_proposition(link);
  const auto key = now_.find_string(kEndOfLink);
  if (!known || !key) return false;
  return std::ranges::any_of(words_about(*known), [&](const StatedWord& word) {
    return word.provenance == record.id &&
           word.statement.predicate == store::Predicate::metadata(*key);
  });
}

// What was merged into another thing since it was told of is that thing.
Triple ToldTexts::as_now(const Triple& statement, Sequence told) const {
  const auto is = [&](EntityId thing) {
    return store::merged_since(now_, thing, told).value_or(thing);
  };
  const Term object = statement.object;
  return {is(statement.subject), statement.predicate,
          object.is_entity() ? Term::entity(is(object.as_entity())) : object};
}

bool ToldTexts::holds(const Triple& statement) const {
  if (!now_.contains(statement)) return false;
  return !is_of_class(statement, PredicateClass::kLink) ||
         store::is_valid(store::standing_of(now_, statement), time_, time_);
}

std::string ToldTexts::words_of(const Fact& fact) const {
  return fmt::format("{}{} {} {}", fact.ends ? "no longer " : "",
                     store::symbol_label(now_, fact.statement.subject),
                     store::predicate_label(now_, fact.statement.predicate),
                     store::term_label(now_, fact.statement.object));
}

// Who told what ended or replaced it; of an end, who told that it holds again.
Result<std::vector<std::string>> ToldTexts::tellers_of_change(const Fact& fact) {
  std::vector<std::string> memories;
  const Triple& statement = fact.statement;
  if (fact.ends) {
    ANIMA_TRY(add_tellers(statement, memories));
  } else if (now_.contains(statement)) {
    ANIMA_TRY(add_tellers_of_end(statement, memories));
  } else {
    ANIMA_TRY(add_tellers_of_removal(statement, memories));
  }
  return memories;
}

// What took the place of the link; where nothing did, what told its end.
Status ToldTexts::add_tellers_of_end(const Triple& link, std::vector<std::string>& memories) {
  const auto known = now_.find_proposition(link);
  if (!known) return {};
  if (const auto newer = store::said_of_link(now_, *known, kNewerLink)) {
    store::Scratch scratch;
    for (const std::uint32_t code : now_.objects(link.subject, link.predicate, scratch)) {
      const Triple other{link.subject, link.predicate, Term{code}};
      const auto proposition = now_.find_proposition(other);
      const bool is_it =
          proposition && now_.value(*newer).text ==
                             "P:" + std::to_string(static_cast<std::uint32_t>(*proposition));
      if (is_it) ANIMA_TRY(add_tellers(other, memories));
    }
  }
  const auto end = store::said_of_link(now_, *known, kEndOfLink);
  const auto key = now_.find_string(kEndOfLink);
  if (!memories.empty() || !end || !key) return {};
  return add_tellers({*known, store::Predicate::metadata(*key), *end}, memories);
}

// What the entry told that took it away last; else what stands there by now.
Status ToldTexts::add_tellers_of_removal(const Triple& statement,
                                         std::vector<std::string>& memories) {
  Sequence last = Sequence::kNone;
  for (const StatedWord& word : words_about(statement.subject))
    if (word.statement == statement) last = std::max(last, word.to);
  if (last != Sequence::kNone) {
    ANIMA_ASSIGN(const Records* records, told_in(last));
    for (const ProvenanceRecord& one : *records)
      if (one.derived == statement.subject && !one.text2.empty()) memories.push_back(one.text2);
  }
  if (!memories.empty() || !is_of_class(statement, PredicateClass::kAttribute)) return {};
  store::Scratch scratch;
  for (const std::uint32_t code : now_.objects(statement.subject, statement.predicate, scratch))
    ANIMA_TRY(add_tellers({statement.subject, statement.predicate, Term{code}}, memories));
  return {};
}

Status ToldTexts::add_tellers(const Triple& statement, std::vector<std::string>& memories) {
  for (const store::Assertion& one : now_.assertions(statement)) {
    ANIMA_ASSIGN(const Records* records, told_in(one.born));
    for (const ProvenanceRecord& record : *records) {
      if (record.id == one.provenance && !record.text2.empty()) memories.push_back(record.text2);
    }
  }
  return {};
}

Result<const ToldTexts::Records*> ToldTexts::told_in(Sequence entry) {
  const auto [place, fresh] = read_.try_emplace(entry);
  Records* const found = &place->second;
  if (!fresh) return found;
  ANIMA_ASSIGN(const store::LogEntry stored, space_.log().entry(entry));
  if (!stored.seal.empty() || stored.payload.empty()) return found;
  ANIMA_TRY(
      store::visit_records(stored, [&](store::RecordKind kind, std::string_view payload) -> Status {
        if (kind != store::RecordKind::kProvenance) return {};
        ANIMA_ASSIGN(Records records, decode_provenance(payload));
        for (ProvenanceRecord& one : records) {
          one.entry = entry;
          if (one.kind == ProvenanceKind::kTold) found->push_back(std::move(one));
        }
        return {};
      }));
  return found;
}

const std::vector<StatedWord>& ToldTexts::words_about(EntityId thing) {
  const auto [place, fresh] = words_.try_emplace(thing);
  if (fresh) place->second = store::words_about(now_, thing);
  return place->second;
}

}  // namespace anima::memory
