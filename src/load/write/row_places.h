// Which row of a file each thing came from, as short text: runs "FIRST_ENTITY+COUNT=FIRST_ROW" of
// entities and rows that both go up by one, with blanks between. A fresh load is one run.
// Thread-safety: one thread.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "store/ids.h"

namespace anima::load {

class RowPlaces {
 public:
  void add(store::EntityId entity, std::uint64_t row);
  std::string text();  // ends the last run
  // The entities alone, as runs: first, count.
  const std::vector<std::pair<std::uint32_t, std::uint32_t>>& runs();

 private:
  void end_run();
  std::string text_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> runs_;
  std::uint64_t first_ = 0, row_ = 0, count_ = 0;
};

}  // namespace anima::load
