// A concept of the type Word. Shared by the files that count a space into a Schema. Thread-safety:
// pure functions.
#pragma once

#include "ask/lexicon/schema.h"
#include "store/snapshot.h"

namespace anima::ask {

// What a concept of the type Word declares; `row` is its existence.
Synonym word_of_space(const store::Snapshot& snapshot, const store::Triple& row);

}  // namespace anima::ask
