// "The owner of gitea is Ben, not Ada": what is told, and what it is said not to be.
// Thread-safety: pure. Complexity: O(sentence x phrases).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace anima::ask {

struct Contrast {
  std::string told;   // the sentence before the words that contrast
  std::string other;  // what stands behind them, without the full stop
};

// By the last of the words that contrast (packs/language/frames); none: none of them stands inside.
std::optional<Contrast> contrast_in(std::string_view sentence, std::string_view language);

}  // namespace anima::ask
