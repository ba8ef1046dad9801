// What a database knows of its relations for the planner: rows, and rows a key.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "datalog/engine/database.h"

namespace anima::datalog {
namespace {

// Calls `look` with at most `most` rows that lie evenly over [0, size); answers how many.
template <typename Look>
RowId sample(const Table& table, RowId size, RowId most, const Look& look) {
  const RowId count = std::min(most, size);
  for (RowId i = 0; i < count; ++i)
    look(table.row(static_cast<RowId>(std::uint64_t{i} * size / count)));
  return count;
}

}  // namespace

std::uint64_t Database::rows(RelationId id) const {
  const std::uint64_t own =
      relations_[id] == nullptr ? base_->relations[id]->alive : relations_[id]->alive();
  const auto found = foreign_->find(id);
  return found == foreign_->end() ? own : own + found->second->rows();
}

std::pair<const Table&, RowId> Database::own_rows(RelationId id) const {
  const bool has_own = relations_[id] != nullptr && relations_[id]->own().size() != 0;
  if (has_own || base_ == nullptr) return {relations_[id]->own(), relations_[id]->own().size()};
  return {*base_->relations[id]->table, base_->relations[id]->view.limit};
}

// From a sample; of what lies elsewhere the average.
double Database::matches(RelationId id, std::span<const std::uint32_t> columns,
                         std::span<const Code> key) const {
  if (foreign_->contains(id) || rows(id) == 0) return fan_out(id, columns);
  const auto [table, size] = own_rows(id);
  std::uint32_t matching = 0;
  const RowId sampled = sample(table, size, thresholds().sample_rows, [&](const Code* row) {
    bool same = true;
    for (std::size_t i = 0; i < columns.size(); ++i) same = same && row[columns[i]] == key[i];
    matching += same ? 1 : 0;
  });
  return static_cast<double>(rows(id)) * matching / std::max<double>(sampled, 1);
}

double Database::fan_out(RelationId id, std::span<const std::uint32_t> columns) const {
  const FanOut* known = known_fan_out(id, columns);
  return known == nullptr ? foreign_->at(id)->fan_out(columns) : known->of_a_key;
}

double Database::companions(RelationId id, std::span<const std::uint32_t> columns) const {
  const FanOut* known = known_fan_out(id, columns);
  return known == nullptr ? foreign_->at(id)->fan_out(columns) : known->of_a_row;
}

// Null: the rows lie elsewhere.
const Database::FanOut* Database::known_fan_out(RelationId id,
                                                std::span<const std::uint32_t> columns) const {
  if (foreign_->contains(id)) return nullptr;
  const std::uint64_t total = rows(id);
  static constexpr FanOut kEmpty{0, 0, 0};
  static constexpr FanOut kNotDerivedYet{0, 8, 8};
  if (total == 0)
    return network().relations[id].kind == RelationKind::kDerived ? &kNotDerivedYet : &kEmpty;
  FanOut& known = fan_outs_[{id, std::vector<std::uint32_t>(columns.begin(), columns.end())}];
  if (known.rows != 0 && known.rows <= total * 2 && total <= known.rows * 2) return &known;
  const auto [table, size] = own_rows(id);
  std::vector<std::uint64_t> keys;
  sample(table, size, thresholds().sample_rows, [&](const Code* row) {
    std::uint64_t hash = 0;
    for (const std::uint32_t c : columns) hash = mix_hash(hash ^ row[c]) + 1;
    keys.push_back(hash);
  });
  std::ranges::sort(keys);
  double once = 0;
  double several = 0;
  double pairs = 0;  // rows of the sample with the same key, in both orders
  for (auto at = keys.begin(); at != keys.end();) {
    const auto end = std::find_if(at, keys.end(), [&](std::uint64_t each) { return each != *at; });
    const auto count = static_cast<double>(end - at);
    (count == 1 ? once : several) += 1;
    pairs += count * (count - 1);
    at = end;
  }
  const auto sampled = static_cast<double>(keys.size());
  const double distinct = std::sqrt(static_cast<double>(size) / sampled) * once + several;
  const auto all = static_cast<double>(total);
  known.rows = total;
  known.of_a_key = all / std::max(1.0, distinct);
  known.of_a_row = 1 + (all - 1) * pairs / std::max(1.0, sampled * (sampled - 1));
  return &known;
}

}  // namespace anima::datalog
