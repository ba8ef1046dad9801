// Any bytes as a CSV file: what is read is a table whose rows have as many cells as it has columns,
// the same each time; and a proposed mapping loads, twice, the second time without a change, or
// says where it fails.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "load/load.h"

namespace {

using namespace anima;

Result<load::LoadReport> load_bytes(store::Space& space, const std::string& bytes) {
  ANIMA_ASSIGN(const store::Snapshot now, space.snapshot());
  ANIMA_ASSIGN(auto loading, load::Loading::open(system_files(), {{"hosts.csv", bytes}}, {}, now));
  const Json json = to_json(loading->mapping());
  const auto again = load::mapping_from_json(json);
  if (!again || again->tables != loading->mapping().tables) std::abort();
  return loading->write(space, {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  store::SpaceOptions options;
  options.text_index = false;
  const auto space = store::Space::in_memory(options).value();
  const auto first = load_bytes(*space, bytes);
  if (!first) {
    if (first.error().message.empty()) std::abort();
    return 0;
  }
  const auto second = load_bytes(*space, bytes);
  if (!second || second->receipt.changed) std::abort();
  return 0;
}
