// valid_text: bytes that somebody calls a text, as UTF-8 for certain.
//
// JSON, the log's exports and the bus tell texts alone. What comes from a sender, a file or a
// program may be anything; whoever keeps it or tells it takes it through here first, for one stray
// byte would make the whole record unreadable.
// Complexity: O(bytes). Thread-safety: a function of its argument. Source: Unicode 15, 3.9, U+FFFD
// substitution.
#pragma once

#include <string>
#include <string_view>

namespace anima {

// The same bytes when they are UTF-8; else U+FFFD stands for what is not.
std::string valid_text(std::string_view bytes);

}  // namespace anima
