// Full case mapping: where one letter becomes several ("straße" is "STRASSE" in capitals), or what
// stands around it decides (the sigma at the end of a Greek word). base/text/text.h has the simple
// mapping, letter by letter. Bytes that are no UTF-8 become U+FFFD. A text of more than
// 256 MiB is mapped letter by letter. Thread-safety: functions.
// Complexity: O(length). Source: The Unicode Standard, 3.13, without the conditions of single
// languages, as ICU has it.
#pragma once

#include <string>
#include <string_view>

namespace anima::language {

std::string full_upper(std::string_view text);
std::string full_lower(std::string_view text);

}  // namespace anima::language
