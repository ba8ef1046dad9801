// Names for what a file brings: types from names of tables, keys from titles of columns.
// Thread-safety: pure.
#pragma once

#include <string>
#include <string_view>

namespace anima::load {

// "Memory (MB)" -> "memory_mb", "personId" -> "person_id"; letters of any script stay.
std::string snake_case(std::string_view title);
// "network_devices" -> "NetworkDevice"; the last word in the singular.
std::string type_name(std::string_view table);
inline constexpr std::string_view kNoTypeName = "Row";  // for what has no word in its name
// What a column says it names: "host_id", "HostID", "host_name", "hosts" -> "host".
std::string named_thing(std::string_view column);
// "host_id" -> "host": the predicate of a link column.
std::string link_name(std::string_view column);

}  // namespace anima::load
