// Under which names conversations keep notes of themselves, beside what was told in them: lines
// that are learnt from later, and how far what a session heard is trusted. Thread-safety:
// constants.
#pragma once

#include <string_view>

namespace anima::agent {

inline constexpr std::string_view kUnlearntGraph = "urn:anima:unlearnt";
inline constexpr std::string_view kModelSessionType = "ModelSession";

}  // namespace anima::agent
