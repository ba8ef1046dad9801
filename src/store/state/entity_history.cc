#include "store/state/entity_history.h"

#include <algorithm>
#include <atomic>

namespace anima::store::detail {

std::vector<Sequence> history_of(const SnapshotState& state, std::uint32_t entity) {
  std::vector<Sequence> found;
  const auto note = [&](std::uint64_t sequence) {
    if (sequence != 0 && sequence <= state.sequence)
      found.push_back(static_cast<Sequence>(sequence));
  };
  const Base& base = *state.base;
  const EntityRecord record = state.entity(entity);
  const bool proposition = record.kind == static_cast<std::uint32_t>(EntityKind::kProposition);
  const Range rows = base.of_subject(SubjectCode{entity});
  for (std::uint32_t at = rows.begin; at < rows.end; ++at) note(base.spo_born[at]);
  const auto note_retired = [&](Range range) {
    for (std::uint32_t at = range.begin; at < range.end; ++at) {
      note(base.retired_born[at]);
      note(base.retired_died[at]);
    }
  };
  note_retired(base.retired_of_subject(SubjectCode{entity}));
  if (proposition) {
    if (const std::uint32_t at =
            base.find(SubjectCode{record.a}, PredicateCode{record.b}, ObjectCode{record.c});
        at != kNoRow) {
      note(base.spo_born[at]);
    }
    note_retired(
        base.retired(SubjectCode{record.a}, PredicateCode{record.b}, ObjectCode{record.c}));
  }
  for (std::size_t k = 0; k < state.layers.size(); ++k) {
    const Delta& delta = *state.layers[k].delta;
    const auto note_row = [&](const DeltaRow& row) {
      const std::uint64_t born = row.born.load(std::memory_order_relaxed);
      const std::uint64_t died = row.died.load(std::memory_order_relaxed);
      if (born > state.layers[k].sequence || died == born) return;  // not yet, or never seen
      note(born);
      note(died);
    };
    for (std::uint32_t at = delta.head(Chain::kS, SubjectCode{entity}, {}, {}); at != kNoRow;
         at = delta.row(at).next[static_cast<int>(Chain::kS)]) {
      note_row(delta.row(at));
    }
    if (proposition) {
      for (std::uint32_t at = delta.head(Chain::kSPO, SubjectCode{record.a},
                                         PredicateCode{record.b}, ObjectCode{record.c});
           at != kNoRow; at = delta.row(at).next[static_cast<int>(Chain::kSPO)]) {
        note_row(delta.row(at));
      }
    }
    delta.deaths_below(rows, [&](std::uint64_t died) { note(died); });
    if (proposition) {
      const std::uint32_t at =
          base.find(SubjectCode{record.a}, PredicateCode{record.b}, ObjectCode{record.c});
      if (at != kNoRow)
        delta.deaths_below(Range{at, at + 1}, [&](std::uint64_t died) { note(died); });
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace anima::store::detail
