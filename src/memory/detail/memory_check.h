// What may be remembered as it was given, and what is quarantined instead.
//
// Thread-safety: functions without state. Source: governance specification 1.8.
#pragma once

#include <string>

#include "base/result.h"
#include "govern/detect/guardian.h"
#include "memory/memory_manager.h"

namespace anima::memory::detail {

// Errors: kInvalidArgument (empty content, no session, confidence outside 0..1, a reader whom the
// partition keeps out).
Status check_memory(const NewMemory& memory);

// Why the content may not be kept where it was meant to go; empty: it may.
std::string reason_to_quarantine(const govern::Guardian& guardian, const NewMemory& memory);

// The lowest trust at which the same would be kept, in words.
std::string trust_that_keeps(const govern::Guardian& guardian, NewMemory memory);

}  // namespace anima::memory::detail
