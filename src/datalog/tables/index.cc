#include "datalog/tables/index.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "datalog/limits.h"
#include "datalog/tables/table.h"

namespace anima::datalog {

Index::Index(const Table& table, std::span<const std::uint32_t> columns, RowId rows,
             std::uint32_t seen)
    : columns_(columns.begin(), columns.end()), groups_(1), next_(1) {
  frozen_end_ = rows;
  end_ = rows;
  if (columns_.size() == 1) {
    Code low = 0xFFFFFFFFU;
    Code high = 0;
    for (RowId id = 0; id < rows; ++id) {
      const Code c = table.row(id)[columns_[0]];
      low = std::min(low, c);
      high = std::max(high, c);
    }
    if (rows > 0 && (high - low < table.thresholds().direct_codes || high - low < rows * 2)) {
      // Some room above: new codes are most often the next ones.
      const std::uint64_t width = std::uint64_t{high} - low + 1;
      direct_.base = low;
      direct_.width = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(width + width / 4 + 64, std::uint64_t{0xFFFFFFFFU} - low));
      direct_.slots.reset(new std::uint32_t[direct_.width]);
      std::memset(direct_.slots.get(), 0xFF, std::size_t{direct_.width} * sizeof(std::uint32_t));
    }
  }
  kept_.push_back(std::make_unique<SlotArray>(64));
  slots_.store(kept_.back().get(), std::memory_order_release);

  // Count, lay out, fill: three passes, runs of ascending row ids.
  std::unique_ptr<std::uint32_t[]> of_row(new std::uint32_t[std::max<std::size_t>(rows, 1)]);
  const bool any_dead = table.dead() > 0;
  for (RowId id = 0; id < rows; ++id) {
    if (any_dead && table.died(id) <= seen) {
      of_row[id] = kNoGroup;
      continue;
    }
    const std::uint32_t group = find_or_add(table, id);
    of_row[id] = group;
    ++groups_.at(group)->count;
  }
  std::uint32_t at = 0;
  for (std::uint32_t g = 0; g < group_count_; ++g) {
    Group& group = *groups_.at(g);
    group.begin = at;
    group.end = at;
    at += group.count;
  }
  posting_count_ = at;
  postings_.reset(new std::uint32_t[std::max<std::size_t>(at, 1)]);
  for (RowId id = 0; id < rows; ++id) {
    if (of_row[id] != kNoGroup) postings_[groups_.at(of_row[id])->end++] = id;
  }
}

Index::~Index() = default;

void Index::key_of(const Table& table, RowId row, Code* key) const {
  const Code* values = table.row(row);
  for (std::size_t i = 0; i < columns_.size(); ++i) key[i] = values[columns_[i]];
}

bool Index::same_key(const Table& table, const Group& group, const Code* key) const {
  if (columns_.size() == 1) return group.key == key[0];
  const Code* values = table.row(group.sample);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (values[columns_[i]] != key[i]) return false;
  }
  return true;
}

void Index::prefetch(const Code* key) const {
  if (columns_.size() == 1 && key[0] - direct_.base < direct_.width) {
    __builtin_prefetch(&direct_.slots[key[0] - direct_.base]);
    return;
  }
  const SlotArray* array = slots_.load(std::memory_order_acquire);
  __builtin_prefetch(array->slots() + (hash_key(key) & array->mask()));
}

std::uint32_t Index::find(const Table& table, const Code* key) const {
  if (columns_.size() == 1 && key[0] - direct_.base < direct_.width) {
    return load_acquire(&direct_.slots[key[0] - direct_.base]);
  }
  const SlotArray* array = slots_.load(std::memory_order_acquire);
  const std::uint64_t hash = hash_key(key);
  const Code mark = columns_.size() == 1 ? key[0] : static_cast<Code>(hash >> 16);
  for (std::size_t i = hash & array->mask();; i = (i + 1) & array->mask()) {
    const std::uint32_t id = load_acquire(array->slots() + i);
    if (id == kNoGroup) return kNoGroup;
    const Group& group = *groups_.at(id);
    if (group.key == mark && same_key(table, group, key)) return id;
  }
}

std::uint32_t Index::find_or_add(const Table& table, RowId row) {
  Code key[kMaxColumns];
  key_of(table, row, key);
  const std::uint64_t hash = hash_key(key);
  const Code mark = columns_.size() == 1 ? key[0] : static_cast<Code>(hash >> 16);
  std::uint32_t* place = nullptr;
  if (columns_.size() == 1 && key[0] - direct_.base < direct_.width) {
    place = &direct_.slots[key[0] - direct_.base];
    if (*place != kNoGroup) return *place;
  } else {
    SlotArray* array = slots_.load(std::memory_order_relaxed);
    if ((std::size_t{group_count_} + 1) * 2 > array->mask() + 1) {
      grow(table);
      array = slots_.load(std::memory_order_relaxed);
    }
    std::size_t i = hash & array->mask();
    for (;; i = (i + 1) & array->mask()) {
      const std::uint32_t id = array->slots()[i];
      if (id == kNoGroup) break;
      const Group& group = *groups_.at(id);
      if (group.key == mark && same_key(table, group, key)) return id;
    }
    place = array->slots() + i;
  }
  const std::uint32_t id = group_count_++;
  *groups_.reserve(id) = Group{mark, 0, 0, kNoRow, row, 0};
  store_release(place, id);
  return id;
}

void Index::grow(const Table& table) {
  SlotArray* old = slots_.load(std::memory_order_relaxed);
  auto fresh = std::make_unique<SlotArray>((old->mask() + 1) * 2);
  Code key[kMaxColumns];
  for (std::size_t s = 0; s <= old->mask(); ++s) {
    const std::uint32_t id = old->slots()[s];
    if (id == kNoGroup) continue;
    key_of(table, groups_.at(id)->sample, key);
    std::size_t i = hash_key(key) & fresh->mask();
    while (fresh->slots()[i] != kNoGroup) i = (i + 1) & fresh->mask();
    fresh->slots()[i] = id;
  }
  kept_.push_back(std::move(fresh));
  slots_.store(kept_.back().get(), std::memory_order_release);
  if (!table.shared()) kept_.erase(kept_.begin(), kept_.end() - 1);
}

void Index::extend(const Table& table, RowId to) {
  for (RowId id = end_; id < to; ++id) {
    Group& group = *groups_.at(find_or_add(table, id));
    *next_.reserve(id - frozen_end_) = group.tail;
    __atomic_store_n(&group.count, group.count + 1, __ATOMIC_RELAXED);
    store_release(&group.tail, id);
  }
  end_ = to;
}

std::size_t Index::bytes() const {
  std::size_t total = groups_.bytes() + next_.bytes() + posting_count_ * sizeof(RowId) +
                      std::size_t{direct_.width} * sizeof(std::uint32_t);
  for (const auto& array : kept_) total += array->bytes();
  return total;
}

}  // namespace anima::datalog
