#include "sleep/evidence/work_set.h"

#include <fmt/format.h>

#include <cstdio>

namespace anima::sleep::detail {
namespace {

using store::Sequence;

std::uint64_t number(Sequence sequence) { return static_cast<std::uint64_t>(sequence); }

constexpr std::string_view kAuthor = "$system";

}  // namespace

WorkSet WorkSet::everything(const Snapshot& snapshot) {
  WorkSet work;
  work.everything_ = true;
  for (std::uint32_t id = 1; id < snapshot.entity_bound(); ++id)
    if (snapshot.kind(EntityId{id}) != store::EntityKind::kNone && snapshot.exists(EntityId{id}))
      work.add(snapshot, EntityId{id});
  return work;
}

void WorkSet::add(const Snapshot& snapshot, EntityId entity) {
  const bool link = snapshot.kind(entity) == store::EntityKind::kProposition;
  (link ? links_ : concepts_).insert(entity);
}

void WorkSet::add_all(const WorkSet& other) {
  everything_ = everything_ || other.everything_;
  concepts_.insert(other.concepts_.begin(), other.concepts_.end());
  links_.insert(other.links_.begin(), other.links_.end());
}

void WorkSet::take_out(const WorkSet& other) {
  for (const EntityId item : other.concepts_) concepts_.erase(item);
  for (const EntityId link : other.links_) links_.erase(link);
}

void WorkSet::add_written(const Snapshot& snapshot, const store::WrittenKey& key) {
  if (key.graph != store::GraphId::kDefault) return;
  add(snapshot, key.subject);
  if (key.predicate.predicate_class() != store::PredicateClass::kLink) return;
  if (key.object.is_entity()) add(snapshot, key.object.as_entity());
  if (const auto link = snapshot.known_proposition({key.subject, key.predicate, key.object}))
    links_.insert(*link);
}

std::string entry_source(std::uint64_t cycle, int phase, std::size_t changes) {
  return fmt::format("sleep cycle {}, phase {}, {} changes", cycle, phase, changes);
}

std::optional<EntrySource> parse_entry_source(const store::EntryInfo& entry) {
  if (entry.author != kAuthor) return std::nullopt;
  EntrySource source;
  unsigned long long cycle = 0, changes = 0;
  const std::string text(entry.source);
  if (std::sscanf(text.c_str(), "sleep cycle %llu, phase %d, %llu changes", &cycle, &source.phase,
                  &changes) != 3)
    return std::nullopt;
  source.cycle = cycle;
  source.changes = static_cast<std::size_t>(changes);
  return source;
}

Result<WorkSet> written_since(store::Space& space, const Snapshot& now, Sequence after,
                              Sequence last,
                              const std::function<bool(const store::EntryInfo&)>& skip) {
  WorkSet work = WorkSet::nothing();
  std::uint64_t begin = number(after) + 1;
  while (begin <= number(last)) {
    if (skip(now.entry(Sequence{begin}))) {
      ++begin;
      continue;
    }
    std::uint64_t end = begin;
    while (end < number(last) && !skip(now.entry(Sequence{end + 1}))) ++end;
    const Status read =
        space.visit_written(Sequence{begin - 1}, Sequence{end}, [&](const store::WrittenKey& key) {
          work.add_written(now, key);
          return Status{};
        });
    if (!read && read.error().code == ErrorCode::kNotFound) return WorkSet::everything(now);
    ANIMA_TRY(read);
    begin = end + 1;
  }
  return work;
}

}  // namespace anima::sleep::detail
