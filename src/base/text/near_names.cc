// Names that were nearly right.
#include <algorithm>
#include <utility>

#include "base/text/text.h"

namespace anima {
namespace {

std::size_t bounded_distance(std::u32string_view a, std::u32string_view b, std::size_t limit) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > limit) return limit + 1;
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    // Outside this band of the table more than `limit` edits are certain.
    const std::size_t first = i > limit ? i - limit : 1;
    const std::size_t end = std::min(b.size(), i + limit);
    std::fill(row.begin(), row.end(), limit + 1);
    if (i <= limit) row[0] = i;
    std::size_t best = row[0];
    for (std::size_t j = first; j <= end; ++j) {
      const std::size_t substitute = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({substitute, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
      best = std::min(best, row[j]);
    }
    if (best > limit) return limit + 1;
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return std::min(last[b.size()], limit + 1);
}

template <typename Name>
std::vector<std::string> nearest(std::string_view wanted, std::span<const Name> candidates,
                                 std::size_t limit) {
  struct Near {
    std::size_t distance;
    std::size_t index;
  };
  const std::string folded = fold_case(wanted);
  const std::u32string letters = to_utf32(folded);
  const std::size_t tolerance = std::max<std::size_t>(1, (letters.size() + 1) / 3);
  std::vector<Near> found;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::string name = fold_case(candidates[i]);
    std::size_t distance = bounded_distance(letters, to_utf32(name), tolerance);
    const bool prefix = letters.size() >= 2 && name.size() > folded.size() &&
                        name.compare(0, folded.size(), folded) == 0;
    if (prefix) distance = std::min(distance, tolerance);
    // A name of which every letter would be replaced is not near.
    if (distance <= tolerance && distance < std::max(letters.size(), std::size_t{2})) {
      found.push_back({distance, i});
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Near& a, const Near& b) { return a.distance < b.distance; });
  std::vector<std::string> names;
  for (const Near& near : found) {
    if (names.size() == limit || near.distance > found.front().distance + 1) break;
    names.emplace_back(candidates[near.index]);
  }
  return names;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  return bounded_distance(to_utf32(a), to_utf32(b), limit);
}

std::vector<std::string> nearest_names(std::string_view wanted,
                                       std::span<const std::string_view> candidates,
                                       std::size_t limit) {
  return nearest(wanted, candidates, limit);
}

std::vector<std::string> nearest_names(std::string_view wanted,
                                       std::span<const std::string> candidates, std::size_t limit) {
  return nearest(wanted, candidates, limit);
}

std::string did_you_mean(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  std::string hint = "did you mean ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) hint += i + 1 == names.size() ? " or " : ", ";
    hint += '"' + names[i] + '"';
  }
  return hint + '?';
}

}  // namespace anima
