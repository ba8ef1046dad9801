// Values that stand where nothing is known, by their words (packs/sleep/placeholders.toml): "TBD2",
// "n/a 3". What is a placeholder by its form alone is in base/text/identifier.h.
// Thread-safety: from any thread. O(length).
#pragma once

#include <string_view>

namespace anima::sleep::detail {

bool is_word_of_placeholder(std::string_view text);

}  // namespace anima::sleep::detail
