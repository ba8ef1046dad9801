// Concepts and links as JSON; of several copies the one that holds is read (store/holds.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "query/values.h"
#include "store/snapshot.h"

namespace anima::kip::detail {

// Whole attributes, metadata and nodes. Several values that one graph gives a key read as an array.
Json attributes_of(const store::Snapshot& snapshot, store::EntityId entity);
Json metadata_of(const store::Snapshot& snapshot, store::EntityId entity);
Json node_of(const store::Snapshot& snapshot, store::EntityId entity);
// A value; entities become their id.
Json json_of(const query::Values& values, std::uint32_t code);
Json json_of(const store::Snapshot& snapshot, const store::ValueView& view);

// The metadata that the engine keeps (`_version`, `_author`, ...); null for a key that it does not
// know.
Json engine_metadata(const store::Snapshot& snapshot, store::EntityId entity, std::string_view key);

// A link's confidence is that of its best assertion, which may say it as metadata, too (`code`), or
// alone (`number`: an import, another language). Neither where nothing is said about it. `codes`:
// the values that any graph gives the metadata key.
struct LinkConfidence {
  std::optional<std::uint32_t> code;
  std::optional<double> number;
};
LinkConfidence confidence_of(const store::Snapshot& snapshot, store::EntityId entity,
                             store::Predicate key, std::span<const std::uint32_t> codes);

}  // namespace anima::kip::detail
