// Texts to judge or to learn from, as the verbs of the guardian read them: one object a line, with
// a member "text". Pure functions.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"
#include "govern/trust.h"

namespace anima::cli {

// Calls `visit` with each line's object and its place, "where:line"; blank lines are passed over.
// `first` is the number of the first line. Errors: of a line that is no object with a text, and
// those of `visit`.
Status for_each_text(std::string_view lines, std::string_view where,
                     const std::function<Status(const Json&, const std::string&)>& visit,
                     std::size_t first = 1);

// Of an object, at `place`. Errors: kInvalidArgument.
Result<bool> is_attack(const Json& object, const std::string& place);
Result<govern::Trust> trust_of(const Json& object, govern::Trust otherwise,
                               const std::string& place);

// As options and objects write them.
const std::vector<std::string>& trust_names();

// For a table.
std::string first_line(const std::string& text);

}  // namespace anima::cli
