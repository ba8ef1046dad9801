// The canonical normal forms of a text (UAX #15), for whoever compares bytes. Thread-safety: pure.
// Neither fails: bytes that are no UTF-8 read as U+FFFD.
#pragma once

#include <string>
#include <string_view>

namespace anima {

std::string to_nfc(std::string_view text);
std::string to_nfd(std::string_view text);

}  // namespace anima
