#include "world/record_rows.h"

#include <utility>

namespace anima::world {

std::string record_name(std::uint64_t cycle) { return "record." + std::to_string(cycle); }

Result<std::vector<CycleRecord>> load_records(StateStore& store) {
  std::vector<CycleRecord> records;
  // Worlds of before have all of theirs in one.
  ANIMA_ASSIGN(const auto old, store.load_part("records"));
  if (old) {
    ANIMA_ASSIGN(records, unpack_bytes<std::vector<CycleRecord>>(*old));
  }
  for (;;) {
    ANIMA_ASSIGN(const auto kept, store.load_part(record_name(records.size())));
    if (!kept) return records;
    ANIMA_ASSIGN(records.emplace_back(), unpack_bytes<CycleRecord>(*kept));
  }
}

}  // namespace anima::world
