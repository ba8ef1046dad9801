#include "query/derived_edges.h"

#include <algorithm>
#include <utility>

namespace anima::query {

DerivedEdges::Side DerivedEdges::sorted(const std::vector<std::uint32_t>& keys,
                                        const std::vector<std::uint32_t>& others) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  pairs.reserve(keys.size());
  for (std::size_t row = 0; row < keys.size(); ++row) pairs.emplace_back(keys[row], others[row]);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  Side side;
  side.keys.reserve(pairs.size());
  side.others.reserve(pairs.size());
  for (const auto& [key, other] : pairs) {
    side.keys.push_back(key);
    side.others.push_back(other);
  }
  return side;
}

DerivedEdges::DerivedEdges(const std::vector<std::uint32_t>& from,
                           const std::vector<std::uint32_t>& to)
    : forward_(sorted(from, to)), backward_(sorted(to, from)) {}

std::span<const std::uint32_t> DerivedEdges::next(std::uint32_t code, bool forward) const {
  const Side& side = forward ? forward_ : backward_;
  const auto [begin, end] = std::equal_range(side.keys.begin(), side.keys.end(), code);
  const auto first = static_cast<std::size_t>(begin - side.keys.begin());
  return std::span(side.others).subspan(first, static_cast<std::size_t>(end - begin));
}

}  // namespace anima::query
