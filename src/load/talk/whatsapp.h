// The text that WhatsApp exports: "[08.05.23, 13:56:03] Ada: ..", "08/05/2023, 13:56 - Ada: ..",
// "5/8/23, 1:56 PM - Ada: ..", "2023-05-08, 13:56 - Ada: ..". Lines without a date belong to the
// message before.
//
// Whether the day or the month comes first is told by the whole file: a number above 12, points
// between them, AM and PM; else the day, with a note. Where the year is first, the month follows.
// Thread-safety: pure. Complexity: O(bytes).
#pragma once

#include <string>
#include <string_view>

#include "load/talk.h"

namespace anima::load {

// Whether one of the first lines begins like a message.
bool looks_like_whatsapp(std::string_view text);
Talk read_whatsapp(std::string_view text, const std::string& file);

}  // namespace anima::load
