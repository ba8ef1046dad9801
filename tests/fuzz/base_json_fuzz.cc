// Whatever parses prints, parses again to the same value and prints the same; nothing crashes on
// what does not parse.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/json/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = anima::parse_json(text);
  if (!value) {
    ANIMA_CHECK(!value.error().message.empty());
    return 0;
  }
  const std::string printed = value->dump();
  const auto again = anima::parse_json(printed);
  ANIMA_CHECK(again.has_value());
  ANIMA_CHECK(*again == *value);
  ANIMA_CHECK(again->dump() == printed);
  ANIMA_CHECK(anima::parse_json(value->dump(2)).has_value());
  return 0;
}
