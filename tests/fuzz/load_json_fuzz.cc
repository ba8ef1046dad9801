// Any bytes as JSON Lines, and as a JSON document: a proposed mapping loads, twice, the second time
// without a change, or says where it fails.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "load/load.h"

namespace {

using namespace anima;

Result<load::LoadReport> load_bytes(store::Space& space, const char* file,
                                    const std::string& bytes) {
  ANIMA_ASSIGN(const store::Snapshot now, space.snapshot());
  ANIMA_ASSIGN(auto loading, load::Loading::open(system_files(), {{file, bytes}}, {}, now));
  const auto again = load::mapping_from_json(to_json(loading->mapping()));
  if (!again || again->tables != loading->mapping().tables) std::abort();
  return loading->write(space, {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 4096) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const char* const file = data[0] % 2 == 0 ? "rows.jsonl" : "rows.json";
  store::SpaceOptions options;
  options.text_index = false;
  const auto space = store::Space::in_memory(options).value();
  const auto first = load_bytes(*space, file, bytes);
  if (!first) {
    if (first.error().message.empty()) std::abort();
    return 0;
  }
  // Facts with blank nodes are new ones each time.
  if (!first->facts.empty()) return 0;
  const auto second = load_bytes(*space, file, bytes);
  if (!second || second->receipt.changed) std::abort();
  return 0;
}
