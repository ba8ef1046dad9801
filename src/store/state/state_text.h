// The texts of a state for the text index, and searching them. Thread-safety: pure functions over
// immutable states.
#pragma once

#include <cstdint>
#include <vector>

#include "store/state/state.h"
#include "store/text/text_index.h"

namespace anima::store::detail {

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
