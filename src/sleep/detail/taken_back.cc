#include "sleep/detail/taken_back.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "store/compact.h"
#include "store/undone_acts.h"

namespace anima::sleep::detail {
namespace {

using store::Sequence;

constexpr int kMergingPhase = 6;
constexpr std::string_view kUndone = "undone", kPartly = "partly undone";

std::uint64_t entry_number(Sequence sequence) { return static_cast<std::uint64_t>(sequence); }

std::vector<Sequence> entries_after(const Snapshot& now, Sequence after) {
  std::vector<Sequence> entries;
  for (std::uint64_t at = entry_number(after) + 1; at <= entry_number(now.sequence()); ++at)
    entries.push_back(Sequence{at});
  return entries;
}

bool is_of_a_cycle(const Snapshot& now, Sequence entry) {
  return parse_entry_source(now.entry(entry)).has_value();
}

bool merges(const Snapshot& now, Sequence entry) {
  const auto source = parse_entry_source(now.entry(entry));
  return source && source->phase == kMergingPhase;
}

Sequence before(Sequence sequence) { return Sequence{entry_number(sequence) - 1}; }

void note(const std::set<Sequence>& undone, CycleRecord& record) {
  std::uint64_t all = 0, gone = 0;
  for (const auto& [first, last] : record.entries) {
    for (std::uint64_t at = entry_number(first); at <= entry_number(last); ++at) {
      ++all;
      if (undone.contains(Sequence{at})) ++gone;
    }
  }
  if (gone > 0) {
    record.status = gone == all ? kUndone : kPartly;
  } else if (record.status == kUndone) {
    record.status = record.seen == Sequence::kNone ? "partial" : "complete";
  }
}

}  // namespace

Result<TakenBack> taken_back_since(store::Space& space, const Snapshot& now, Sequence after) {
  const std::vector<Sequence> entries = entries_after(now, after);
  ANIMA_ASSIGN(const std::set<Sequence> undone, store::undone_among(space, now, entries));
  TakenBack taken;
  for (const Sequence entry : undone)
    if (entry > after && is_of_a_cycle(now, entry)) taken.entries.insert(entry);
  for (const Sequence entry : entries) {
    if (!store::undoes(now, entry)) continue;
    ANIMA_ASSIGN(const std::vector<Sequence> its, store::undone_by(space, entry));
    if (std::ranges::any_of(its, [&](Sequence one) { return is_of_a_cycle(now, one); }))
      taken.undos.insert(entry);
  }
  return taken;
}

Status note_undone(store::Space& space, const Snapshot& now, std::span<CycleRecord> records) {
  const auto first = std::ranges::find_if(
      records, [](const CycleRecord& record) { return !record.entries.empty(); });
  if (first == records.end()) return {};
  const Sequence oldest = std::max(store::oldest_state(now), before(first->entries.front().first));
  ANIMA_ASSIGN(const std::set<Sequence> undone,
               store::undone_among(space, now, entries_after(now, oldest)));
  for (CycleRecord& record : records) {
    if (!record.entries.empty() && record.entries.front().first > oldest) note(undone, record);
  }
  return {};
}

Result<bool> was_parted(store::Space& space, const Snapshot& now,
                        std::span<const EntityId> things) {
  std::set<Sequence> merged;  // by an entry that is undone
  for (const EntityId thing : things) {
    const std::vector<Sequence> history = now.history(thing);
    ANIMA_ASSIGN(const std::set<Sequence> undone, store::undone_among(space, now, history));
    for (const Sequence entry : history) {
      if (!undone.contains(entry) || !merges(now, entry)) continue;
      if (!merged.insert(entry).second) return true;
    }
  }
  return false;
}

}  // namespace anima::sleep::detail
