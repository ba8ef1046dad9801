// TOML 1.0 read into Json, with the place of every key, so that a mistake can be pointed at. toml++
// is behind this door. Tables become objects (members in the order of the file), dates and times
// become strings in their own notation. Thread-safety: plain values.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"

namespace anima {

struct TomlDocument {
  Json root = Json::object();
  std::string source;  // the name given to parse_toml
  // "table.key" or "table.list[2].key" -> "line:column" of its key or, for an item, of its value.
  std::map<std::string, std::string, std::less<>> places;

  // "source:line:column" of a dotted key, or the source alone.
  std::string where(std::string_view key) const;
};

// `source` names the text in errors: usually its path. Errors: kSyntax at source:line:column.
Result<TomlDocument> parse_toml(std::string_view text, std::string source);

// One Error (kInvalidArgument, with its place and a near name) for each member of the table
// `prefix` ("" is the root) that is not in `known`; a known name may be "*" for any. Nothing when
// there is no such table.
std::vector<Error> unknown_toml_keys(const TomlDocument& document, std::string_view prefix,
                                     std::span<const std::string_view> known);

}  // namespace anima
