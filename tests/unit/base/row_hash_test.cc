#include "base/row_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace anima::row_hash_test {
namespace {

TEST(RowHash, IsTheSameWhereverTheCellsLie) {
  const std::vector<std::uint32_t> row = {7, 0, 0xFFFFFFFF, 42, 7};
  for (std::size_t length = 0; length <= row.size(); ++length) {
    EXPECT_EQ(hash_row(row.data(), length),
              hash_cells(length, [&row](std::size_t i) { return row[i]; }));
  }
}

TEST(RowHash, TellsOrderLengthAndPlaceApart) {
  const std::vector<std::vector<std::uint32_t>> rows = {
      {0}, {0, 0}, {0, 0, 0}, {1, 2}, {2, 1}, {1, 2, 3}, {3, 2, 1}, {1, 2, 0}, {0, 1, 2}, {1}};
  std::set<std::uint64_t> hashes;
  for (const auto& row : rows) hashes.insert(hash_row(row.data(), row.size()));
  EXPECT_GE(hashes.size(), rows.size() - 1);  // of nothing but zeroes, one and two are alike
}

// Codes are small numbers in a row: their places in a table have to differ all the same.
TEST(RowHash, SpreadsCodesInARowOverTheLowBits) {
  constexpr std::size_t kPlaces = 4096;
  for (const std::size_t length : {1U, 2U, 3U}) {
    std::vector<int> taken(kPlaces);
    std::vector<std::uint32_t> row(length, 5);
    for (std::uint32_t i = 0; i < kPlaces; ++i) {
      row[length - 1] = i;
      row[0] += length > 1 ? 1 : 0;
      ++taken[hash_row(row.data(), length) & (kPlaces - 1)];
    }
    std::size_t empty = 0;
    int most = 0;
    for (const int count : taken) {
      empty += count == 0 ? 1 : 0;
      most = std::max(most, count);
    }
    EXPECT_LT(empty, kPlaces / 2) << length;  // at random it would be 37 of 100
    EXPECT_LT(most, 12) << length;
  }
}

}  // namespace
}  // namespace anima::row_hash_test
