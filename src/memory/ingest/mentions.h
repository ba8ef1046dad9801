// What a turn mentions: names (capitalised words inside a sentence, and such words in a row), mail
// addresses and links; and the days that it means by its own day.
//
// Thread-safety: pure. Complexity: O(text).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "memory/recall/detail/terms.h"

namespace anima::memory::detail {

inline constexpr std::size_t kMostMentions = 16;

// In the order of the text, each once. In German, where every noun has a capital, only those of two
// words or more.
std::vector<std::string> mentions_in(std::string_view text, const std::vector<TermWord>& words,
                                     Language language);

// "2023-05-07", "2023-05-01/2023-05-07", "2023-05-01/.."; at most 4. `said`: when, by a clock that
// is so many seconds ahead of UTC. What has several readings is left out. Read in the first of the
// languages in which it names a day.
std::vector<std::string> days_in(std::string_view text, std::span<const Language> languages,
                                 std::optional<Timestamp> said, std::int64_t offset_seconds);

// The text without what a prompt of ours showed as recalled: from a line that opens a fence to the
// one that closes it, and the lines around.
std::string without_recalled(std::string_view text);

}  // namespace anima::memory::detail
