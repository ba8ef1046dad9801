// Stable radix sort of structures by 32-bit keys, eleven bits a pass; passes in which all keys
// agree are left out.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace anima::store::detail {

// Least significant key first: sorting by (a, b) is radix_sort(b), radix_sort(a).
template <typename T, typename Key>
void radix_sort(std::vector<T>& items, std::vector<T>& room, const Key& key) {
  constexpr unsigned kBits = 11;
  constexpr std::uint32_t kMask = (1u << kBits) - 1;
  std::array<std::array<std::uint32_t, 1u << kBits>, 3> counts{};
  for (const T& item : items) {
    const std::uint32_t k = key(item);
    ++counts[0][k & kMask];
    ++counts[1][(k >> kBits) & kMask];
    ++counts[2][k >> (2 * kBits)];
  }
  room.resize(items.size());
  for (unsigned pass = 0; pass < 3; ++pass) {
    auto& count = counts[pass];
    const unsigned shift = pass * kBits;
    if (items.empty() || count[(key(items.front()) >> shift) & kMask] == items.size()) continue;
    std::uint32_t at = 0;
    for (auto& slot : count) at += std::exchange(slot, at);
    for (const T& item : items) room[count[(key(item) >> shift) & kMask]++] = item;
    items.swap(room);
  }
}

}  // namespace anima::store::detail
