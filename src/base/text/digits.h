// Digits of the scripts of the world. Thread-safety: pure.
#pragma once

namespace anima {

// A decimal digit of any script (Unicode category Nd) as the one of ASCII that has its value; any
// other code point as it is. O(1).
char32_t ascii_digit(char32_t code_point);

}  // namespace anima
