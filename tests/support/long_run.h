// How long a test of many cycles runs: longer under `./dev test --full`.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace anima::test {

inline std::uint64_t cycles_to_run() {
  return std::getenv("ANIMA_TEST_FULL") != nullptr ? 1000 : 60;
}

}  // namespace anima::test
