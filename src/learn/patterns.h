// Patterns: the keys under which rejections, acceptances and corrections are counted.
//
// A rejection counts under "action:reason". The action may hold colons, so "%", ":" and the arrow
// are percent-encoded in it, and a key is divided at its first colon. Reasons are normalised first:
// the same cause with another path or line number is the same reason.
// Thread-safety: pure functions. Source: learning_and_psyche 1.2.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace anima::learn {

// On disk by name, never rename.
enum class PatternKind : std::uint8_t { kRejection, kAcceptance, kCorrection, kFailure, kSuccess };
std::string_view to_string(PatternKind kind);  // "rejection" ..

inline constexpr std::size_t kMaxReason = 120;  // bytes

// Lower case; quoted spans as <q>, paths as <path>, six or more hexadecimal digits with one of 0-9
// among them as <hex>, numbers as <n>; single blanks; at most `bytes` long. What begins with
// "style:", "tool:", "lang:" or "pattern:" has no blank behind that. O(n).
std::string normalise_reason(std::string_view reason, std::size_t bytes = kMaxReason);

std::string rejection_key(std::string_view action, std::string_view reason);
std::string acceptance_key(std::string_view action);
std::string correction_key(std::string_view original, std::string_view corrected);

struct PatternParts {
  std::string first;   // the action, or the original
  std::string second;  // the reason, or what it was corrected to; empty of an acceptance
};
// The inverse of the three above.
PatternParts parts_of_key(PatternKind kind, std::string_view key);

}  // namespace anima::learn
