// Text search at a cost that does not grow with the space: for who asks once for each thing that
// changed, as sleep does for duplicates.
//
// As Snapshot::search(), but a word of the query that more texts have than `most_texts` is passed
// over (the whole name still finds its equals). Thread-safety: pure. Complexity: O(words x
// most_texts).
#pragma once

#include <cstddef>
#include <vector>

#include "store/snapshot.h"

namespace anima::store {

std::vector<TextHit> search_rare_words(const Snapshot& snapshot, const TextQuery& query,
                                       std::size_t most_texts);

}  // namespace anima::store
