// Records of differences as they stand on the disk, and texts whose difference is shown.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/json/json.h"
#include "tools/effects/difference.h"
#include "tools/effects/text_diff.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (const auto record = anima::parse_json(input); record) {
    if (auto difference = anima::tools::effects::from_record(*record); difference) {
      difference->find_moves();
      (void)to_json(*difference, "/work", 10).dump();
      (void)summary(*difference);
    }
  }
  const std::size_t half = input.size() / 2;
  (void)anima::tools::effects::text_diff(input.substr(0, half), input.substr(half), 100);
  return 0;
}
