#include "store/state/state_text.h"

namespace anima::store::detail {

std::vector<TextHit> search_state(const Snapshot& snapshot, const TextQuery& query) {
  const SnapshotState& state = snapshot.state();
  if (state.text == nullptr) return {};
  const StateText literals(state);
  const TextScope scope{state.text.get(), &literals, state.shared_term_bound, state.term_bound};
  return search_text(snapshot, scope, query);
}

}  // namespace anima::store::detail
