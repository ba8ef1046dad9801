// What an operator that makes bindings writes into. Private to the executor's files.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "datalog/engine/execute.h"

namespace anima::datalog {

// The values that one key's run has in its open column, as an array over the column's window of
// codes: testing a value is one load, and neighbouring bindings often share the key.
struct Marks {
  bool prepared = false;
  bool usable = false;
  Code base = 0;
  std::vector<std::uint32_t> stamps;
  std::uint32_t stamp = 0;
  std::uint32_t group = Index::kNoGroup;  // whose values carry the current stamp

  bool test(Code value) const {
    const Code place = value - base;
    return place < stamps.size() && stamps[place] == stamp;
  }
};

struct Executor::Stage {
  explicit Stage(std::uint32_t slots) : out(slots), staging(slots) {}
  Batch out;
  Batch staging;  // kMeet: before the other atoms were tested
  std::uint32_t count = 0;
  // The first `count` of each are set; the rest is never read, nor wiped.
  std::array<std::uint32_t, kBatch> from;    // binding of the input
  std::array<const Code*, kBatch> row;       // row that it met
  std::array<std::uint32_t, kBatch> height;  // of that row, when heights are kept
  std::array<std::uint32_t, kBatch> groups;

  // kMeet, by atom:
  std::vector<Marks> marks;
  std::vector<std::vector<std::uint32_t>> found;  // groups of the bindings, two parts an atom
  std::vector<std::uint32_t> weight;
  std::vector<std::uint32_t> walker;
  std::vector<Access> full;  // the atoms with their open column bound
};

}  // namespace anima::datalog
