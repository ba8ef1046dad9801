// How much a folder holds: the sizes of its files and the number of its entries. Sparse files count
// as long as they say they are, since somebody reads them whole later.
// Thread-safety: from any thread. What cannot be read counts as nothing; what lies deeper than a
// thousand folders as too much. Complexity: one look at each entry.
#pragma once

#include <cstdint>
#include <string>

namespace anima::tools::detail {

struct DiskUse {
  std::uint64_t bytes = 0;
  std::uint64_t entries = 0;
};

// Stops counting behind `most` entries.
DiskUse disk_use(const std::string& folder, std::uint64_t most);

}  // namespace anima::tools::detail
