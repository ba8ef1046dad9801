// When a call is made again, and how long is waited before: exponential back-off with jitter, and
// what the server asks for. Thread-safety: pure functions of their arguments. Sources: RFC 9110,
// 10.2.3 (Retry-After); RFC 6585, 4 (429).
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/random.h"
#include "llm/http.h"

namespace anima::llm {

struct BackOff {
  std::int64_t first_ms = 500;
  std::int64_t most_ms = 20'000;
  std::int64_t longest_asked_ms = 120'000;  // a server that asks for more is believed, not awaited
};

// Before the next attempt, after `failed` of them (1 or more): first_ms doubled with each, at most
// most_ms, and between half and all of that by chance. Draws once.
std::int64_t back_off_ms(const BackOff& back_off, std::int64_t failed, Random& random);

// What the server asks for: retry-after-ms, retry-after in seconds or as a date. Nothing when it
// does not say, or says what cannot be read.
std::optional<std::int64_t> asked_wait_ms(const HttpHead& head, Timestamp now);

// True for an answer after which the same call may succeed: 408, 425, 429, 5xx but 501 and 505; a
// server's own x-should-retry goes before.
bool may_retry(const HttpHead& head);
bool may_retry(HttpEnd end);

}  // namespace anima::llm
