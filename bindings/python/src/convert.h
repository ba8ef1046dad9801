// Values between Python and Anima: JSON without a text in between, texts, lists of texts, trust.
//
// Everything here needs the GIL. What cannot be said is refused, never changed: an integer beyond
// 64 bits, NaN and infinity, a lone surrogate and a key that is no str are errors (ValueError or
// TypeError in Python), and so is nesting beyond 64 levels, hence a dict that holds itself.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anima/answers.h"
#include "base/json/json.h"

namespace anima::python {

namespace nb = nanobind;

// A str as UTF-8; `what` names it in the error.
std::string text_of(nb::handle value, const char* what);
// None: no text.
std::optional<std::string> text_if_any(nb::handle value, const char* what);
// A list or tuple of str.
std::vector<std::string> texts_of(nb::handle values, const char* what);
nb::object str_from(std::string_view text);
nb::list list_from(const std::vector<std::string>& texts);

// None, bool, int, float, str, list, tuple and mappings; what has __index__ is an int. O(value).
Json json_from(nb::handle value);
nb::object python_from(const Json& value);

// A whole number, 0 or more; `what` names it in the error.
std::uint64_t entry_from(nb::handle value, const char* what);

// 0 (hostile) .. 5 (system), as anima.Trust has it.
TrustLevel trust_from(int level);
inline int number_of(TrustLevel level) { return static_cast<int>(level); }

}  // namespace anima::python
