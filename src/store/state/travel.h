// Readings of a snapshot that take more than a range: earlier states, an entity's history, values
// in order, text. Thread-safety: pure functions over immutable states.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "store/state/cursor.h"
#include "store/state/state.h"
#include "store/text/text_index.h"

namespace anima::store::detail {

// O(1) for a sequence that the shared delta covers, O(changes since) below the base's.
Result<std::shared_ptr<const SnapshotState>> state_as_of(
    const std::shared_ptr<const SnapshotState>& from, std::uint64_t sequence);
std::vector<Sequence> history_of(const SnapshotState& state, std::uint32_t entity);
std::unique_ptr<CursorState> scan_values(const std::shared_ptr<const SnapshotState>& state,
                                         Predicate attribute, std::optional<Term> low,
                                         std::optional<Term> high);

// The dictionary of a state, for the text index.
class StateText final : public TextSource {
 public:
  explicit StateText(const SnapshotState& state) : state_(state) {}
  ValueView literal(std::uint32_t place) const override {
    return state_.value(Term::literal(place));
  }

 private:
  const SnapshotState& state_;
};
std::vector<TextHit> search_state(const Snapshot& snapshot, const TextQuery& query);

}  // namespace anima::store::detail
