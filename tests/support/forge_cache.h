// Where tests of made tools keep the object that each of them is linked with: compiled once in a
// build folder, and not in each test.
#pragma once

#include <string>

namespace anima::test {

inline std::string forge_cache() { return std::string(ANIMA_BINARY_DIR) + "/forge-cache"; }

}  // namespace anima::test
