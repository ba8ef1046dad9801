#include "store/history.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/text/read_number.h"
#include "store/compact.h"
#include "store/log/entry_codec.h"
#include "store/log/redacted.h"
#include "store/read_around.h"
#include "store/state/versions.h"

namespace anima::store {

using detail::SnapshotState;
using detail::Version;

namespace {

// Whether the triple was visible in the version that ends, or begins, at `sequence`.
bool seen(const SnapshotState& state, const Triple& triple, std::uint64_t sequence, bool ends) {
  bool found = false;
  detail::visit_versions(
      state, triple.subject, triple.predicate, triple.object, [&](const Version& version) {
        const std::uint64_t at = ends ? version.died : version.born;
        found = found || (!version.quoted() && at == sequence && state.in_scope(version.set));
      });
  return found;
}

}  // namespace

std::vector<EntityChange> entity_changes(const Snapshot& snapshot, EntityId entity,
                                         std::size_t most) {
  const SnapshotState& state = snapshot.state();
  std::vector<Sequence> sequences = snapshot.history(entity);
  if (sequences.size() > most) {
    sequences.erase(sequences.begin(), sequences.end() - static_cast<std::ptrdiff_t>(most));
  }
  std::vector<EntityChange> changes(sequences.size());
  for (std::size_t i = 0; i < changes.size(); ++i) changes[i].sequence = sequences[i];
  const auto change_at = [&](std::uint64_t sequence) -> EntityChange* {
    const auto at = std::lower_bound(sequences.begin(), sequences.end(), Sequence{sequence});
    if (at == sequences.end() || *at != Sequence{sequence}) return nullptr;
    return &changes[static_cast<std::size_t>(at - sequences.begin())];
  };
  const std::uint64_t oldest = state.horizon == nullptr ? 0 : state.horizon->oldest;
  const auto offer = [&](const Version& version) {
    if (version.quoted() || !state.in_scope(version.set) || version.died <= oldest) return;
    EntityChange* const born = change_at(version.born);
    if (born != nullptr && !seen(state, version.triple, version.born, true)) {
      born->added.push_back(version.triple);
    }
    EntityChange* const died = change_at(version.died);
    if (died != nullptr && !seen(state, version.triple, version.died, false)) {
      died->removed.push_back(version.triple);
    }
  };
  const auto id = static_cast<std::uint32_t>(entity);
  detail::visit_versions(state, SubjectCode{id}, {}, {}, offer);
  detail::visit_versions_of_object(state, ObjectCode{id}, [&](const Version& version) {
    if (version.triple.predicate.predicate_class() == PredicateClass::kLink &&
        version.triple.subject != entity) {
      offer(version);
    }
  });
  for (EntityChange& change : changes) {
    for (std::vector<Triple>* const rows : {&change.added, &change.removed}) {
      std::sort(rows->begin(), rows->end());
      rows->erase(std::unique(rows->begin(), rows->end()), rows->end());
    }
  }
  return changes;
}

std::vector<StatedWord> words_about(const Snapshot& snapshot, EntityId entity) {
  const SnapshotState& state = snapshot.state();
  std::vector<StatedWord> words;
  const auto id = static_cast<std::uint32_t>(entity);
  detail::visit_versions(state, SubjectCode{id}, {}, {}, [&](const Version& version) {
    if (version.quoted()) return;
    const Sequence to = version.died == detail::kAlive ? Sequence::kNone : Sequence{version.died};
    state.each_context(version.set, [&](std::uint32_t, const detail::Context& context) {
      if (!state.word_in_scope(context)) return;
      words.push_back({version.triple, context.provenance, Sequence{version.born}, to,
                       Sequence{context.word_of()}});
    });
  });
  return words;
}

namespace {

// The statements of one written key.
void read_key(const Snapshot& snapshot, const WrittenKey& key, std::vector<Triple>& out) {
  Pattern pattern;
  pattern.subject = key.subject;
  pattern.predicate_class = key.predicate.predicate_class();
  // With its existence a concept gets its type and its name.
  if (pattern.predicate_class != PredicateClass::kStructural) pattern.predicate = key.predicate;
  if (pattern.predicate_class == PredicateClass::kLink) pattern.object = key.object;
  Cursor cursor = snapshot.scan(pattern);
  Triple triple;
  while (cursor.next(std::span(&triple, 1)) != 0) out.push_back(triple);
}

std::vector<Triple> only_in(const std::vector<Triple>& one, const std::vector<Triple>& other) {
  std::vector<Triple> rest;
  std::set_difference(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(rest));
  return rest;
}

std::string predicate_words(const Snapshot& snapshot, Predicate predicate) {
  switch (predicate.predicate_class()) {
    case PredicateClass::kLink:
      return std::string(snapshot.name(predicate.as_link()));
    case PredicateClass::kStructural:
      return predicate == kTypePredicate ? "is a" : "is named";
    case PredicateClass::kAttribute:
      return "." + std::string(snapshot.value(predicate.key()).text);
    case PredicateClass::kMetadata:
      return "@" + std::string(snapshot.value(predicate.key()).text);
  }
  return {};
}

std::string term_words(const Snapshot& snapshot, Term term) {
  if (!term.is_entity()) return snapshot.display(term);
  const std::string_view name = snapshot.name(term.as_entity());
  return name.empty() ? snapshot.display(term) : std::string(name);
}

}  // namespace

namespace {

// Sealed under a key that is not here, or damaged.
bool is_unreadable(const Error& error) {
  return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kCorrupt;
}

// All of them at once, and where one cannot be read, one by one.
Status visit_readable(Space& space, Sequence after, Sequence last,
                      const std::function<Status(const WrittenKey&)>& visit, std::size_t& unread) {
  const Status all = space.visit_written(after, last, visit);
  if (all || !is_unreadable(all.error())) return all;
  for (std::uint64_t at = static_cast<std::uint64_t>(after) + 1;
       at <= static_cast<std::uint64_t>(last); ++at) {
    const Status one = space.visit_written(Sequence{at - 1}, Sequence{at}, visit);
    if (one) continue;
    if (!is_unreadable(one.error())) return one;
    const Result<LogEntry> entry = space.log().entry(Sequence{at});
    if (!entry && entry.error().code != ErrorCode::kCorrupt) return fail(entry.error());
    if (entry && entry->seal.empty()) return one;
    ++unread;
  }
  return {};
}

// What was forgotten is in neither state, so that an entry that tells of it changes nothing here.
Status visit_remembered(Space& space, Sequence after, Sequence last,
                        const std::function<Status(const WrittenKey&)>& visit,
                        std::size_t& unread) {
  std::vector<Sequence> forgetting;
  bool past = false;
  const Status read = read_around_damage(
      space.log(), Sequence{static_cast<std::uint64_t>(after) + 1},
      [&](const LogEntry& entry) -> Status {
        past = entry.sequence > last;
        if (past) return fail(ErrorCode::kCancelled, "read far enough");
        return detail::visit_forgotten(entry,
                                       [&](const Json&) { forgetting.push_back(entry.sequence); });
      },
      [](Sequence, const Error&) { return Status(); });  // visit_readable() counts it
  if (!read && !past) return read;
  for (const Sequence told : forgetting) {
    const Sequence before{static_cast<std::uint64_t>(told) - 1};
    if (after < before) ANIMA_TRY(visit_readable(space, after, before, visit, unread));
    after = told;
  }
  return after < last ? visit_readable(space, after, last, visit, unread) : Status();
}

}  // namespace

Result<EntryChange> entry_changes(Space& space, const Snapshot& now, Sequence entry) {
  ANIMA_ASSIGN(EntryChange change,
               changes_between(space, now, Sequence{static_cast<std::uint64_t>(entry) - 1}, entry));
  if (change.unread == 0) return change;
  return fail(ErrorCode::kNotFound, "it was erased, or is sealed and its key is not here",
              detail::entry_place(entry));
}

Result<EntryChange> changes_between(Space& space, const Snapshot& now, Sequence earlier,
                                    Sequence entry) {
  std::set<WrittenKey> keys;
  std::size_t unread = 0;
  const auto keep = [&](WrittenKey key) -> Status {
    key.graph = GraphId::kDefault;  // whichever graph: a statement is in the scope or not
    keys.insert(key);
    return {};
  };
  ANIMA_TRY(visit_remembered(space, earlier, entry, keep, unread));
  ANIMA_ASSIGN(const Snapshot after, now.as_of(entry));
  std::vector<Triple> old_rows, new_rows;
  for (const WrittenKey& key : keys) read_key(after, key, new_rows);
  if (earlier > Sequence::kNone) {
    ANIMA_ASSIGN(const Snapshot before, now.as_of(earlier));
    for (const WrittenKey& key : keys) read_key(before, key, old_rows);
  }
  std::sort(old_rows.begin(), old_rows.end());
  std::sort(new_rows.begin(), new_rows.end());
  return EntryChange{only_in(new_rows, old_rows), only_in(old_rows, new_rows), unread};
}

Result<Snapshot> state_at(const Snapshot& now, std::string_view point) {
  if (const auto number = read_number<std::uint64_t>(point)) return now.as_of(Sequence{*number});
  ANIMA_ASSIGN(const Timestamp time, parse_timestamp(point));
  return now.as_of(time);
}

StatementWords statement_words(const Snapshot& snapshot, const Triple& triple) {
  return {term_words(snapshot, Term::entity(triple.subject)),
          predicate_words(snapshot, triple.predicate), term_words(snapshot, triple.object)};
}

namespace {

// The last of the entries that a space begins with.
Sequence end_of_bootstrap(const Snapshot& now) {
  std::uint64_t at = 1;
  const auto newest = static_cast<std::uint64_t>(now.sequence());
  while (at < newest) {
    const EntryInfo entry = now.entry(Sequence{at + 1});
    if (entry.trust != Trust::kSystem || entry.source != kBootstrapSource) break;
    ++at;
  }
  return Sequence{std::min(at, newest)};
}

bool is_shown(const Snapshot& snapshot, const Triple& triple, ChangesShown shown) {
  if (!shown.metadata && triple.predicate.predicate_class() == PredicateClass::kMetadata)
    return false;
  if (shown.schema) return true;
  const EntityId type = snapshot.type_of(triple.subject);
  return type != kConceptType && type != kPropositionType;
}

// How the memory keeps its own house (001, "System Sleep Cycle Instructions").
bool is_upkeep(const Snapshot& snapshot, const Triple& triple) {
  constexpr std::array<std::string_view, 2> kLinks{"belongs_to_domain", "consolidated_to"};
  constexpr std::array<std::string_view, 5> kKeys{"consolidation_status", "consolidated_at",
                                                  "archived_at", "archived_by", "status"};
  constexpr std::string_view kEvent = "Event";
  if (snapshot.kind(triple.subject) != EntityKind::kConcept) return false;
  if (snapshot.name(triple.subject) == "$system") return true;
  const std::string_view type = snapshot.name(snapshot.type_of(triple.subject));
  if (type == "SleepTask") return true;
  switch (triple.predicate.predicate_class()) {
    case PredicateClass::kLink:
      return std::ranges::find(kLinks, snapshot.name(triple.predicate.as_link())) != kLinks.end();
    case PredicateClass::kAttribute:
      return type == kEvent &&
             std::ranges::find(kKeys, snapshot.value(triple.predicate.key()).text) != kKeys.end();
    case PredicateClass::kStructural:
    case PredicateClass::kMetadata:
      return false;
  }
  return false;
}

std::vector<std::string> lines_of(const Snapshot& snapshot, std::span<const Triple> triples,
                                  ChangesShown shown, std::size_t& upkeep) {
  std::vector<std::string> lines, last;
  for (const Triple& triple : triples) {
    if (!is_shown(snapshot, triple, shown)) continue;
    if (triple.predicate == kNamePredicate &&
        snapshot.value(triple.object).text == snapshot.name(triple.subject)) {
      continue;
    }
    const bool own = is_upkeep(snapshot, triple);
    if (own && !shown.upkeep) {
      ++upkeep;
      continue;
    }
    const StatementWords words = statement_words(snapshot, triple);
    (own ? last : lines).push_back(words.subject + " " + words.predicate + " " + words.object);
  }
  lines.insert(lines.end(), std::move_iterator(last.begin()), std::move_iterator(last.end()));
  return lines;
}

}  // namespace

std::vector<std::string> statement_lines(const Snapshot& snapshot, std::span<const Triple> triples,
                                         ChangesShown shown) {
  std::size_t upkeep = 0;
  return lines_of(snapshot, triples, shown, upkeep);
}

Result<ChangeWords> changes_in_words(Space& space, const Snapshot& now, Sequence earlier,
                                     ChangesShown shown) {
  if (!shown.schema) earlier = std::max(earlier, end_of_bootstrap(now));
  ANIMA_ASSIGN(const EntryChange change, changes_between(space, now, earlier, now.sequence()));
  ChangeWords words;
  words.unread = change.unread;
  words.came = lines_of(now, change.added, shown, words.upkeep_came);
  words.went = lines_of(now, change.removed, shown, words.upkeep_went);
  return words;
}

}  // namespace anima::store
