#include "store/space/undo_members.h"

#include <algorithm>
#include <iterator>

#include "base/json/json.h"
#include "store/log/archived.h"
#include "store/space.h"

namespace anima::store::detail {
namespace {

Status read_undo(const LogEntry& entry, Later& later) {
  if (!entry.seal.empty() && entry.payload.empty()) return {};  // erased
  if (is_archived(entry)) return {};                            // an entry with records stays whole
  return store::visit_records(entry, [&](RecordKind kind, std::string_view payload) -> Status {
    if (kind == RecordKind::kUndo) later.undos.push_back({entry.sequence, undone_entries(payload)});
    return {};
  });
}

Result<Later> read_from(Sequence first, const SnapshotState& state, const EntryReader& read) {
  Later later;
  const auto caused = [&](Sequence sequence, Sequence cause) {
    if (cause != Sequence::kNone) later.causes.emplace_back(sequence, cause);
  };
  std::uint64_t next = static_cast<std::uint64_t>(first);
  const std::uint64_t known_from = std::min(state.base->marks().causes_from, state.sequence + 1);
  if (next < known_from) {
    ANIMA_TRY(read(first, Sequence{known_from - 1}, [&](const LogEntry& entry) -> Status {
      caused(entry.sequence, entry.origin.cause);
      return read_undo(entry, later);
    }));
    next = known_from;
  }
  for (; next <= state.sequence; ++next) {
    const EntryRecord entry = state.entry(next);
    caused(Sequence{next}, Sequence{entry.cause});
    if (!entry.undo) continue;
    ANIMA_TRY(read(Sequence{next}, Sequence{next},
                   [&](const LogEntry& stored) { return read_undo(stored, later); }));
  }
  return later;
}

}  // namespace

Result<Later> read_later(std::span<const Sequence> ascending, const SnapshotState& state,
                         const EntryReader& read) {
  for (Sequence first = ascending.front();;) {
    ANIMA_ASSIGN(Later later, read_from(first, state, read));
    Sequence earliest = first;
    for (const PastUndo& undo : later.undos)
      for (const Sequence entry : undo.entries) earliest = std::min(earliest, entry);
    if (earliest == first) return later;
    first = earliest;
  }
}

std::vector<Sequence> undone_entries(std::string_view record) {
  std::vector<Sequence> sequences;
  const Result<Json> json = parse_json(record);
  const Json* const entries = json ? json->find("entries") : nullptr;
  if (entries == nullptr || !entries->is_array()) return sequences;
  for (const Json& number : entries->as_array()) {
    if (number.is_integer()) {
      sequences.push_back(Sequence{static_cast<std::uint64_t>(number.as_integer())});
    }
  }
  return sequences;
}

Members::Members(std::span<const Sequence> entries, std::vector<PastUndo> undos, AllWholeRows rows)
    : undos_(std::move(undos)), rows_(std::move(rows)), all_(entries.begin(), entries.end()) {
  silence();
}

void Members::add(const Sequences& more) {
  all_.insert(more.begin(), more.end());
  silence();
}

// The newest first: an undo that was undone undid nothing.
Sequences Members::silenced(const Sequences& members) const {
  Sequences silenced;
  for (auto undo = undos_.rbegin(); undo != undos_.rend(); ++undo) {
    if (silenced.contains(undo->sequence) || members.contains(undo->sequence)) continue;
    silenced.insert(undo->sequence);
    silenced.insert(undo->entries.begin(), undo->entries.end());
  }
  return silenced;
}

void Members::silence() {
  silent_ = silenced(all_);
  const Sequences before = silenced({});
  changed_ = all_;
  std::set_symmetric_difference(before.begin(), before.end(), silent_.begin(), silent_.end(),
                                std::inserter(changed_, changed_.end()));
}

bool Members::undo_something() const {
  return std::ranges::any_of(undos_, [&](const PastUndo& undo) { return has_say(undo.sequence); });
}

std::vector<Sequence> Members::undone() const {
  std::vector<Sequence> undone;
  std::set_union(all_.begin(), all_.end(), silent_.begin(), silent_.end(),
                 std::back_inserter(undone));
  return undone;
}

}  // namespace anima::store::detail
