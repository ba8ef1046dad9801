// The arguments of a tool in the shapes of its definition, as clients and small models send them.
//
// Taken as what they can only mean: null for what may be left out; 500.0, "500" and "true" where a
// whole number or a truth is wanted; the JSON text of an array or object; one thing where a list is
// wanted. What could mean something else stays as it is, for the tool to refuse. Thread-safety:
// pure. Complexity: O(arguments). Source: JSON Schema 2020-12, Validation 6.1.1 (500.0 is an
// integer).
#pragma once

#include <string>
#include <vector>

#include "base/json/json.h"

namespace anima::serve {

struct ShapedArguments {
  Json arguments;
  std::vector<std::string> taken;  // one each: "budget" was taken as the number 500
};
// `definition`: of the tool, as tools/list has it; `arguments`: an object.
ShapedArguments shaped_arguments(const Json& definition, Json arguments);

}  // namespace anima::serve
