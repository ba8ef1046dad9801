// "line:column" of an offset, for errors. Lines end with LF, CR or CRLF; columns count code points
// from 1. O(offset). Thread-safety: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace anima::sparql::detail {

// With `name` and a colon before it, where a name is given.
std::string text_place(std::string_view text, std::size_t offset, std::string_view name,
                       std::uint64_t first_line = 1);

}  // namespace anima::sparql::detail
