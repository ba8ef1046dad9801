// The system calls that a sandboxed program may make: what everyday tools, compilers, interpreters
// and the C library use. What is not named here is refused (seccomp_filter.h), whatever a kernel
// offers; some that are named are judged by their arguments besides.
// Source: linux/unistd.h; docs/decisions/004-sandbox.md. Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <vector>

namespace anima::tools::detail {

// From `first` to `last`, both allowed.
struct CallRange {
  std::uint32_t first = 0, last = 0;
};
// In order, none touching another. O(n log n) for the list.
std::vector<CallRange> allowed_calls();

}  // namespace anima::tools::detail
