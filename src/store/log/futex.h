// Sleeping until a word in memory changes, without the spinning of std::atomic::wait: what is
// waited for here is a disk. Thread-safety: any thread; with `shared`, any process that maps the
// word.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>

namespace anima::store::detail {

// Returns when woken, when the word is not `seen` any more, when the time is up, or for no reason.
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen,
                       const timespec* timeout = nullptr, bool shared = false) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word),
          shared ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE, seen, timeout, nullptr, 0);
}

inline void futex_wake_all(std::atomic<std::uint32_t>& word, bool shared = false) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word),
          shared ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace anima::store::detail
