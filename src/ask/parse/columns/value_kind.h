// What kind of text a value is, so that "broken" does not take the place of a phone number.
//
// A value may stand where one of its kind stands: where the thing has a value, of the kind of that;
// where it has words alone or nothing, of the kind that most things of the attribute have there.
// Thread-safety: pure. Complexity: O(text); fits_value also O(kMostCompared values).
#pragma once

#include <cstdint>
#include <string_view>

#include "store/snapshot.h"

namespace anima::ask {

enum class TextKind : std::uint8_t { kDigits, kDay, kMail, kAddress, kWords };

// Digits with single signs between them ("+49 30 1234"), an ISO date, an e-mail address, a URL, or
// anything else, such as these with another sign before or behind them.
TextKind text_kind(std::string_view text);

inline constexpr std::size_t kMostCompared = 64;
bool fits_value(const store::Snapshot& snapshot, store::EntityId thing, std::string_view key,
                std::string_view text);

}  // namespace anima::ask
