#include "datalog/detail/table.h"

#include <algorithm>
#include <cstring>

namespace anima::datalog {

namespace {
constexpr std::size_t kFirstSlots = 64;
}

Table::Table(std::uint32_t columns) : columns_(columns), rows_(columns), heights_(1), died_(1) {}
Table::~Table() = default;

RowId Table::append(const Code* row, std::uint32_t height) {
  const RowId id = size_;
  Code* place = rows_.reserve(id);
  for (std::uint32_t i = 0; i < columns_; ++i) place[i] = row[i];
  *heights_.reserve(id) = height;
  size_ = id + 1;
  return id;
}

void Table::kill(RowId id, Epoch epoch) {
  std::uint32_t* place = died_.reserve(id, 0xFF);
  const bool was_alive = *place == kForever;
  __atomic_store_n(place, epoch, __ATOMIC_RELAXED);
  const bool is_alive = epoch == kForever;
  if (was_alive && !is_alive) dead_.fetch_add(1, std::memory_order_relaxed);
  if (!was_alive && is_alive) dead_.fetch_sub(1, std::memory_order_relaxed);
}

void Table::grow_primary(std::size_t capacity) {
  auto fresh = std::make_unique<SlotArray>(capacity);
  std::uint32_t* slots = fresh->slots();
  const std::size_t mask = fresh->mask();
  constexpr std::size_t kAhead = 16;
  std::uint64_t hashes[kAhead] = {};
  // The old slots go first while nobody else reads them: rows say everything.
  if (!shared_) {
    primary_.store(nullptr, std::memory_order_relaxed);
    kept_.clear();
  }
  for (RowId id = 0; id < hashed_ + kAhead; ++id) {
    if (id >= kAhead) {
      const RowId placed = static_cast<RowId>(id - kAhead);
      std::size_t i = hashes[placed % kAhead] & mask;
      while (slots[i] != kNoRow) i = (i + 1) & mask;
      slots[i] = placed;
    }
    if (id < hashed_) {
      const std::uint64_t hash = hash_row(rows_.at(id), columns_);
      hashes[id % kAhead] = hash;
      __builtin_prefetch(slots + (hash & mask), 1);
    } else if (id + 1 >= hashed_ + kAhead) {
      break;
    }
  }
  kept_.push_back(std::move(fresh));
  primary_.store(kept_.back().get(), std::memory_order_release);
}

void Table::ensure_primary() {
  if (has_primary() && hashed_ == size_) return;
  if (!has_primary()) {
    std::size_t capacity = kFirstSlots;
    while (capacity < std::size_t{size_} * 2) capacity *= 2;
    hashed_ = size_;
    grow_primary(capacity);
    return;
  }
  for (RowId id = hashed_; id < size_; ++id) add_to_primary(id, hash_row(row(id), columns_));
}

void Table::add_to_primary(RowId id, std::uint64_t hash) {
  SlotArray* array = primary_.load(std::memory_order_relaxed);
  if ((std::size_t{hashed_} + 1) * 2 > array->mask() + 1) {
    grow_primary((array->mask() + 1) * 2);
    array = primary_.load(std::memory_order_relaxed);
  }
  std::uint32_t* slots = array->slots();
  std::size_t i = hash & array->mask();
  while (slots[i] != kNoRow) i = (i + 1) & array->mask();
  store_release(slots + i, id);
  hashed_ = id + 1;
}

RowId Table::find(const Code* row, std::uint64_t hash, const View& view) const {
  const SlotArray* array = primary_.load(std::memory_order_acquire);
  const std::uint32_t* slots = array->slots();
  const std::size_t mask = array->mask();
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    const RowId id = load_acquire(slots + i);
    if (id == kNoRow) return kNoRow;
    if (id >= view.limit) continue;
    const Code* other = rows_.at(id);
    bool same = true;
    for (std::uint32_t c = 0; c < columns_; ++c) same &= other[c] == row[c];
    if (same && died(id) > view.epoch) return id;
  }
}

void Table::drop_primary() {
  primary_.store(nullptr, std::memory_order_relaxed);
  hashed_ = 0;
  if (!shared_) kept_.clear();
}

const Index& Table::index(std::span<const std::uint32_t> columns, Epoch seen) {
  for (auto& index : indexes_) {
    if (!std::ranges::equal(index->columns(), columns)) continue;
    if (index->wants_rebuild(size_)) {
      auto fresh = std::make_shared<Index>(*this, columns, size_, seen);
      index = std::move(fresh);
    } else {
      index->extend(*this, size_);
    }
    return *index;
  }
  indexes_.push_back(std::make_shared<Index>(*this, columns, size_, seen));
  return *indexes_.back();
}

std::shared_ptr<const Index> Table::find_index(std::span<const std::uint32_t> columns) const {
  for (const auto& index : indexes_) {
    if (std::ranges::equal(index->columns(), columns)) return index;
  }
  return nullptr;
}

std::size_t Table::bytes() const {
  std::size_t total = rows_.bytes() + heights_.bytes() + died_.bytes();
  for (const auto& array : kept_) total += array->bytes();
  for (const auto& index : indexes_) total += index->bytes();
  return total;
}

}  // namespace anima::datalog
