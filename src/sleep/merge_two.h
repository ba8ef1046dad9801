// What a cycle only lists as perhaps the same, done on the word of a person.
// Thread-safety: a function without state.
#pragma once

#include <memory>

#include "base/json/json.h"
#include "base/result.h"
#include "store/space.h"

namespace anima::sleep {

// Makes one thing of two of a type, as KIP's MERGE does, in one entry; its answer. Errors:
// kNotFound, kDenied (protected, or of different types), those of the engine.
Result<Json> merge_two(const std::shared_ptr<store::Space>& space, const store::Origin& who,
                       store::EntityId kept, store::EntityId other);

}  // namespace anima::sleep
