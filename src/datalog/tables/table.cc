#include "datalog/tables/table.h"

#include <algorithm>

namespace anima::datalog {

namespace {
constexpr std::size_t kFirstSlots = 64;
}

Table::Table(std::uint32_t columns, const Thresholds& thresholds)
    : columns_(columns), thresholds_(thresholds), rows_(columns) {}
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
  const bool was_alive = died(id) == kForever;
  const bool is_alive = epoch == kForever;
  __atomic_store_n(died_.reserve(id, 0xFF), epoch, __ATOMIC_RELAXED);
  std::uint32_t* bits = dead_bits_.reserve(id >> 5);
  const std::uint32_t bit = 1U << (id & 31);
  store_release(bits, is_alive ? *bits & ~bit : *bits | bit);
  if (was_alive && !is_alive) dead_.fetch_add(1, std::memory_order_release);
  if (!was_alive && is_alive) dead_.fetch_sub(1, std::memory_order_release);
}

// One slot for each distinct row: the newest; dead ones of the same values hang behind it.
void Table::place_in(SlotArray& array, RowId id, std::uint64_t hash) {
  std::uint32_t* slots = array.slots();
  const std::size_t mask = array.mask();
  const Code* row = rows_.at(id);
  const bool versions = dead() > 0;
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    const RowId there = slots[i];
    if (there == kNoRow) {
      store_release(slots + i, id);
      ++used_slots_;
      return;
    }
    if (!versions || !same_row(there, row)) continue;
    if (there != id) {
      __atomic_store_n(earlier_.reserve(id, 0xFF), there, __ATOMIC_RELAXED);
      store_release(slots + i, id);
    }
    return;
  }
}

void Table::grow_primary(std::size_t capacity) {
  auto fresh = std::make_unique<SlotArray>(capacity);
  used_slots_ = 0;
  constexpr std::size_t kAhead = 16;
  std::uint64_t hashes[kAhead] = {};
  // The old slots go first while nobody else reads them: rows say everything.
  if (!shared_) {
    primary_.store(nullptr, std::memory_order_relaxed);
    kept_.clear();
  }
  for (std::size_t id = 0; id < std::size_t{hashed_} + kAhead; ++id) {
    if (id >= kAhead) place_in(*fresh, static_cast<RowId>(id - kAhead), hashes[id % kAhead]);
    if (id < hashed_) {
      const std::uint64_t hash = hash_row(rows_.at(static_cast<RowId>(id)), columns_);
      hashes[id % kAhead] = hash;
      __builtin_prefetch(fresh->slots() + (hash & fresh->mask()), 1);
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
  if ((used_slots_ + 1) * 2 > array->mask() + 1) {
    grow_primary((array->mask() + 1) * 2);
    array = primary_.load(std::memory_order_relaxed);
  }
  place_in(*array, id, hash);
  hashed_ = id + 1;
}

RowId Table::find(const Code* row, std::uint64_t hash, const View& view) const {
  const SlotArray* array = primary_.load(std::memory_order_acquire);
  const std::uint32_t* slots = array->slots();
  const std::size_t mask = array->mask();
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    RowId id = load_acquire(slots + i);
    if (id == kNoRow) return kNoRow;
    if (!same_row(id, row)) continue;
    // Newest first: what died before the view had died before it was replaced, too.
    while (id != kNoRow) {
      const Epoch end = died(id);
      if (end > view.epoch) {
        if (id < view.limit) return id;
      } else if (end != kAborted) {
        return kNoRow;
      }
      id = earlier(id);
    }
    return kNoRow;
  }
}

void Table::drop_primary() {
  primary_.store(nullptr, std::memory_order_relaxed);
  hashed_ = 0;
  used_slots_ = 0;
  if (!shared_) kept_.clear();
}

const std::shared_ptr<Index>& Table::index(std::span<const std::uint32_t> columns, Epoch seen) {
  for (auto& index : indexes_) {
    if (!std::ranges::equal(index->columns(), columns)) continue;
    if (index->wants_rebuild(size_, thresholds_.chained_rows)) {
      auto fresh = std::make_shared<Index>(*this, columns, size_, seen);
      index = std::move(fresh);
    } else {
      index->extend(*this, size_);
    }
    return index;
  }
  indexes_.push_back(std::make_shared<Index>(*this, columns, size_, seen));
  return indexes_.back();
}

std::size_t Table::bytes() const {
  std::size_t total =
      rows_.bytes() + heights_.bytes() + died_.bytes() + dead_bits_.bytes() + earlier_.bytes();
  for (const auto& array : kept_) total += array->bytes();
  for (const auto& index : indexes_) total += index->bytes();
  return total;
}

}  // namespace anima::datalog
