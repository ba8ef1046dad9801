#include "store/state/state_text.h"

#include "store/rare_words.h"
#include "store/text/text_search.h"

namespace anima::store {
namespace detail {
namespace {

std::vector<TextHit> search_within(const Snapshot& snapshot, const TextQuery& query,
                                   const TextLimits& limits) {
  const SnapshotState& state = snapshot.state();
  if (state.text == nullptr) return {};
  const StateText literals(state);
  const TextScope scope{state.text.get(), &literals, state.shared_term_bound, state.term_bound};
  return search_text(snapshot, scope, query, limits);
}

}  // namespace

std::vector<TextHit> search_state(const Snapshot& snapshot, const TextQuery& query) {
  return search_within(snapshot, query, {});
}

}  // namespace detail

std::vector<TextHit> search_rare_words(const Snapshot& snapshot, const TextQuery& query,
                                       std::size_t most_texts) {
  return detail::search_within(snapshot, query, {most_texts});
}

}  // namespace anima::store
