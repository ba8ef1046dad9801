// Places in a JSON value, as the data of the dojo names them (README.md):
//
//   mail.inbox[0].from           the first row
//   mail.inbox[id=3].body        the first row whose "id" is 3
//   mail.inbox[].body            of every row
//
// Thread-safety: pure functions. Complexity: of a look-up, the rows on the way.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"

namespace anima::dojo {

struct PlaceStep {
  enum class Kind { kMember, kIndex, kRow, kEach };
  Kind kind = Kind::kMember;
  std::string name = {};   // of kMember and kRow
  std::string value = {};  // of kRow, as it is shown
  std::size_t index = 0;   // of kIndex
};

// Errors: kSyntax with the place.
Result<std::vector<PlaceStep>> parse_place(std::string_view text);

// What stands there. Errors: kSyntax, kNotFound; kInvalidArgument for a place with "[]".
Result<const Json*> find_place(const Json& root, std::string_view place);
Result<Json*> find_place(Json& root, std::string_view place);

// The places that there are for one with "[]", each with the index of its row.
Result<std::vector<std::string>> places_of(const Json& root, std::string_view place);

// A scalar as people read it: a text without its quotes.
std::string shown(const Json& value);

}  // namespace anima::dojo
