// The version of Anima, set by the build. Thread-safety: constants.
#pragma once

#include <string_view>

namespace anima {

std::string_view version();   // "0.1.0"
std::string_view compiler();  // "g++ 12.2.0"

}  // namespace anima
