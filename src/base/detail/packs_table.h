// The table that the build writes from packs/, sorted by path and ended by a null path.
#pragma once

#include <cstddef>

namespace anima::detail {

struct PackFile {
  const char* path;
  const unsigned char* data;
  std::size_t size;
};

const PackFile* packs_table();

}  // namespace anima::detail
