#include "datalog/engine/match.h"

#include <algorithm>
#include <memory>

namespace anima::datalog {

namespace {

// A pattern as tests on a row.
class Tests {
 public:
  explicit Tests(std::span<const Argument> pattern) {
    for (std::uint32_t c = 0; c < pattern.size(); ++c) {
      if (pattern[c].constant) {
        constants_.emplace_back(c, pattern[c].value);
        continue;
      }
      for (std::uint32_t d = 0; d < c; ++d) {
        if (pattern[d] == pattern[c]) equal_.emplace_back(d, c);
      }
    }
  }
  bool operator()(const Code* row) const {
    for (const auto& [column, code] : constants_) {
      if (row[column] != code) return false;
    }
    for (const auto& [first, second] : equal_) {
      if (row[first] != row[second]) return false;
    }
    return true;
  }

 private:
  std::vector<std::pair<std::uint32_t, Code>> constants_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> equal_;
};

// The index with the most columns, all of them bound.
const Index* choose(std::span<const std::shared_ptr<const Index>> indexes,
                    std::span<const Argument> pattern) {
  const Index* best = nullptr;
  for (const auto& index : indexes) {
    const bool usable =
        std::ranges::all_of(index->columns(), [&](std::uint32_t c) { return pattern[c].constant; });
    if (!usable) continue;
    if (best == nullptr || best->columns().size() < index->columns().size()) best = index.get();
  }
  return best;
}

}  // namespace

std::size_t match_rows(const Parts& parts,
                       std::span<const std::shared_ptr<const Index>> base_indexes,
                       std::span<const std::shared_ptr<const Index>> own_indexes,
                       std::span<const Argument> pattern,
                       const std::function<bool(const Part& part, RowId local)>& found) {
  const bool bound = std::ranges::all_of(pattern, &Argument::constant);
  const Tests agrees(pattern);
  std::size_t looked_at = 0;
  std::vector<Code> key;
  for (std::uint32_t p = 0; p < parts.count; ++p) {
    const Part& part = parts.part[p];
    const auto offer = [&](RowId local) {
      ++looked_at;
      return !agrees(part.table->row(local)) || !part.visible(local) || found(part, local);
    };
    if (bound && part.table->has_primary()) {
      key.clear();
      for (const Argument& argument : pattern) key.push_back(argument.value);
      const std::uint64_t hash = hash_row(key.data(), part.table->columns());
      const RowId local = part.table->find(key.data(), hash, {part.limit, part.epoch});
      if (local != kNoRow && !offer(local)) return looked_at;
      continue;
    }
    const Index* index =
        choose(part.offset == 0 && parts.count == 2 ? base_indexes : own_indexes, pattern);
    if (index == nullptr) {
      for (RowId local = 0; local < part.limit; ++local) {
        if (!offer(local)) return looked_at;
      }
      continue;
    }
    key.clear();
    for (const std::uint32_t c : index->columns()) key.push_back(pattern[c].value);
    const std::uint32_t group = index->find(*part.table, key.data());
    if (group == Index::kNoGroup) continue;
    const Index::Group& run = index->group(group);
    const std::uint32_t begin = run.begin;
    const std::uint32_t end = run.end;
    for (std::uint32_t at = begin; at < end; ++at) {
      if (!offer(index->postings()[at])) return looked_at;
    }
    for (RowId local = index->tail(group); local != kNoRow; local = index->next(local)) {
      if (!offer(local)) return looked_at;
    }
  }
  return looked_at;
}

}  // namespace anima::datalog
