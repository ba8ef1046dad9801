// The content that ships with Anima as data (packs/, web/dist/), compiled into the library: genesis
// capsules, guardian patterns, policies, the page of the server. Paths are as in the repository:
// "packs/guardian/patterns.toml". Thread-safety: from any thread. Lifetime: what is returned lives
// as long as the program.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace anima {

std::optional<std::string_view> pack_file(std::string_view path);
// The paths that start with `prefix`, sorted.
std::vector<std::string_view> pack_files(std::string_view prefix);

}  // namespace anima
