// Texts within IRIs of Anima's own: percent-encoded but for letters, digits, "-", "_", ".", "~" and
// what is not ASCII (RFC 3987, 3.1). Thread-safety: pure functions. O(length).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace anima::sparql::detail {

void append_percent_encoded(std::string& out, std::string_view text);
// Unset for a bad escape or a colon, which only stands between texts.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace anima::sparql::detail
