// Cursors: where a page ended, as the sort keys of its last row. They survive writes: the next page
// starts behind those keys, whatever came or went. A cursor carries a fingerprint of its statement
// and is refused by any other. The text is opaque (base64url of JSON). Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/json.h"
#include "kip/fault.h"
#include "query/plan.h"

namespace anima::kip::detail {

// A sort key as it stands in a cursor, to the bit: what a value is shown as may say less than what
// it is ordered by.
Json key_json(const query::SortKey& key);
// Its text is put into `text`, which it views. nullopt: it is no key.
std::optional<query::SortKey> key_of_json(const Json& json, std::string* text);

std::string encode_cursor(std::uint64_t fingerprint, const JsonArray& keys);
Outcome<JsonArray> decode_cursor(std::string_view token, std::uint64_t fingerprint,
                                 std::uint32_t offset);

}  // namespace anima::kip::detail
