// The version of Anima and of its build, set by the build. Thread-safety: constants.
#pragma once

#include <string_view>

namespace anima {

std::string_view version();     // "0.1.0"
std::string_view compiler();    // "g++ 12.2.0"
std::string_view build_type();  // "Release"
std::string_view processor();   // "x86_64"
std::string_view commit();      // of the sources; empty where the build was not told

}  // namespace anima
