#include "memory/recall/detail/overtaken.h"

#include <algorithm>

#include "store/act.h"
#include "store/holds.h"
#include "store/statements.h"

namespace anima::memory::detail {
namespace {

using store::Sequence;
using store::Snapshot;
using store::Term;
using store::Triple;

constexpr std::string_view kEndKey = "valid_to", kNewerKey = "superseded_by";

bool is_stated_with(const Snapshot& now, const Triple& statement, std::uint64_t provenance) {
  return std::ranges::any_of(now.assertions(statement), [&](const store::Assertion& one) {
    return one.provenance == provenance;
  });
}

// The values of a thing that have this provenance.
std::vector<Triple> values_with(const Snapshot& now, store::EntityId thing,
                                std::uint64_t provenance) {
  std::vector<Triple> values;
  store::Pattern pattern;
  pattern.subject = thing;
  pattern.predicate_class = store::PredicateClass::kAttribute;
  store::each_statement(now, pattern, [&](const Triple& row) {
    if (is_stated_with(now, row, provenance)) values.push_back(row);
  });
  return values;
}

}  // namespace

Result<std::optional<std::vector<std::string>>> OvertakenTexts::overtaken_by(
    std::string_view memory, Sequence made) {
  using Found = std::optional<std::vector<std::string>>;
  ANIMA_ASSIGN(const Records told, told_with(memory, made));
  const bool over = !told.empty() && std::ranges::none_of(told, [&](const ProvenanceRecord& one) {
    return holds(one);
  });
  if (!over) return Found();
  std::vector<std::string> newer;
  for (const ProvenanceRecord& one : told) ANIMA_TRY(add_newer(one, newer));
  std::erase(newer, memory);
  return Found(std::move(newer));
}

Result<OvertakenTexts::Records> OvertakenTexts::told_with(std::string_view memory, Sequence made) {
  Records told;
  const Sequence act = store::act_of(now_, made);
  std::size_t read = 0;
  const auto first = static_cast<std::uint64_t>(made);
  const std::uint64_t behind =
      std::min(static_cast<std::uint64_t>(now_.sequence()), first + kMostEntriesPassed) + 1;
  for (std::uint64_t at = first; at < behind && read < kMostEntriesRead; ++at) {
    if (store::act_of(now_, Sequence{at}) != act) continue;
    ++read;
    ANIMA_ASSIGN(const Records* records, told_in(Sequence{at}));
    for (const ProvenanceRecord& one : *records)
      if (one.text2 == memory) told.push_back(one);
  }
  return told;
}

// What the entry says was told; what is sealed or archived says nothing here.
Result<const OvertakenTexts::Records*> OvertakenTexts::told_in(Sequence entry) {
  const auto [place, fresh] = read_.try_emplace(entry);
  Records* const found = &place->second;
  if (!fresh) return found;
  ANIMA_ASSIGN(const store::LogEntry stored, space_.log().entry(entry));
  if (!stored.seal.empty()) return found;
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

// A record of a link names the relation and the object.
std::optional<Triple> OvertakenTexts::link_of(const ProvenanceRecord& told) const {
  if (told.sources.size() != 2) return std::nullopt;
  return Triple{told.derived, store::Predicate::link(told.sources[0]),
                Term::entity(told.sources[1])};
}

bool OvertakenTexts::holds(const ProvenanceRecord& told) const {
  const auto link = link_of(told);
  if (!link) return !values_with(now_, told.derived, told.id).empty();
  if (now_.contains(*link) && store::is_valid(store::standing_of(now_, *link), time_, time_))
    return true;
  const auto known = now_.find_proposition(*link);
  const auto end = known ? store::said_of_link(now_, *known, kEndKey) : std::nullopt;
  const auto key = now_.find_string(kEndKey);
  // It is what ended the link.
  return end && key &&
         is_stated_with(now_, {*known, store::Predicate::metadata(*key), *end}, told.id);
}

Status OvertakenTexts::add_newer(const ProvenanceRecord& told, std::vector<std::string>& memories) {
  if (const auto link = link_of(told)) {
    const auto known = now_.find_proposition(*link);
    const auto newer = known ? store::said_of_link(now_, *known, kNewerKey) : std::nullopt;
    if (!newer) return {};
    store::Scratch scratch;
    for (const std::uint32_t code : now_.objects(link->subject, link->predicate, scratch)) {
      const Triple other{link->subject, link->predicate, Term{code}};
      const auto proposition = now_.find_proposition(other);
      const bool is_it =
          proposition && now_.value(*newer).text ==
                             "P:" + std::to_string(static_cast<std::uint32_t>(*proposition));
      if (is_it) ANIMA_TRY(add_memory_of(other, memories));
    }
    return {};
  }
  const auto then = now_.as_of(told.entry);
  if (!then) return {};  // that state is not kept any more
  for (const Triple& was : values_with(*then, told.derived, told.id)) {
    store::Scratch scratch;
    for (const std::uint32_t code : now_.objects(was.subject, was.predicate, scratch))
      ANIMA_TRY(add_memory_of({was.subject, was.predicate, Term{code}}, memories));
  }
  return {};
}

Status OvertakenTexts::add_memory_of(const Triple& statement, std::vector<std::string>& memories) {
  for (const store::Assertion& one : now_.assertions(statement)) {
    ANIMA_ASSIGN(const Records* records, told_in(one.born));
    for (const ProvenanceRecord& record : *records) {
      if (record.id == one.provenance && !record.text2.empty()) memories.push_back(record.text2);
    }
  }
  return {};
}

}  // namespace anima::memory::detail
