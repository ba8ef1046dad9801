// Cursors: where a page ended, as the sort keys of its last row. They survive writes: the next page
// starts behind those keys, whatever came or went. A cursor carries a fingerprint of its statement
// and is refused by any other. The text is opaque (base64url of JSON). Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kip/fault.h"

namespace anima::kip::detail {

std::string encode_cursor(std::uint64_t fingerprint, const JsonArray& keys);
Outcome<JsonArray> decode_cursor(std::string_view token, std::uint64_t fingerprint,
                                 std::uint32_t offset);

}  // namespace anima::kip::detail
