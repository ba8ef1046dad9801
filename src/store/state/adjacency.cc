#include "store/state/adjacency.h"

#include <algorithm>

namespace anima::store::detail {

Adjacency::Spot Adjacency::find_spot(const Below& edges, std::uint64_t edge) {
  Spot spot;
  while (spot.at < edges.size && pair_key(edges.predicates[spot.at], edges.others[spot.at]) < edge)
    ++spot.at;
  spot.had =
      spot.at < edges.size && pair_key(edges.predicates[spot.at], edges.others[spot.at]) == edge;
  return spot;
}

void Adjacency::change_in_place(List& list, Spot spot, std::uint64_t edge, bool there) {
  const auto change = [&](std::uint32_t* column, std::uint32_t value) {
    std::uint32_t* const at = column + spot.at;
    std::uint32_t* const end = column + list.size_;
    if (there) {
      std::copy_backward(at, end, end + 1);
      *at = value;
    } else {
      std::copy(at + 1, end, at);
    }
  };
  change(list.words(), static_cast<std::uint32_t>(edge >> 32));
  change(list.words() + list.room_, static_cast<std::uint32_t>(edge));
  list.size_ = there ? list.size_ + 1 : list.size_ - 1;
}

Adjacency::List* Adjacency::make_changed(const Below& edges, Spot spot, std::uint64_t edge,
                                         bool there) {
  // Room for what the same entry is likely to add.
  const std::uint32_t size = there ? edges.size + 1 : edges.size - 1;
  List* const list = make_list(size <= 4 ? 4 : size + size / 2);
  const std::uint32_t rest = spot.had ? spot.at + 1 : spot.at;
  const auto copy = [&](const std::uint32_t* from, std::uint32_t value, std::uint32_t* to) {
    to = std::copy(from, from + spot.at, to);
    if (there) *to++ = value;
    std::copy(from + rest, from + edges.size, to);
  };
  copy(edges.predicates, static_cast<std::uint32_t>(edge >> 32), list->words());
  copy(edges.others, static_cast<std::uint32_t>(edge), list->words() + list->room_);
  list->size_ = size;
  return list;
}

void Adjacency::change(std::uint32_t key, std::uint64_t edge, bool there, std::uint64_t sequence,
                       const Below& below) {
  reserve();
  Bucket& bucket = tables_.back()->slot(key);
  List* const before = bucket.list.load(std::memory_order_relaxed);
  const bool late = before != nullptr && before->sequence_ > sequence;
  if (before != nullptr && before->many() && !late) return;
  const bool own = before != nullptr && before->sequence_ == sequence;
  List* list = nullptr;
  if (late) {
    // Out of order (a delta that is made again): for every sequence the chains must tell.
    list = make_list(0);
    list->size_ = List::kManySize;
    sequence = 0;
  } else {
    const Below edges =
        before == nullptr ? below
                          : Below{before->words(), before->words() + before->room_, before->size_};
    if (edges.size >= kMost) {
      list = make_list(0);
      list->size_ = List::kManySize;
    } else {
      const Spot spot = find_spot(edges, edge);
      if (spot.had == there) return;
      if (own && (!there || before->size_ < before->room_)) {
        change_in_place(*before, spot, edge, there);
        return;
      }
      list = make_changed(edges, spot, edge, there);
    }
    list->before_ = own ? before->before_ : before;
  }
  list->sequence_ = sequence;
  if (bucket.key.load(std::memory_order_relaxed) == 0) ++used_;
  bucket.list.store(list, std::memory_order_release);
  bucket.key.store(key, std::memory_order_release);
  if (!own) journal_.push_back(key);
}

void Adjacency::rollback(std::size_t changes) {
  while (journal_.size() > changes) {
    Bucket& bucket = tables_.back()->slot(journal_.back());
    journal_.pop_back();
    bucket.list.store(bucket.list.load(std::memory_order_relaxed)->before_,
                      std::memory_order_release);
  }
}

namespace {

// Small at first, then large enough for huge pages.
std::size_t block_size(std::size_t so_far) {
  constexpr std::size_t kSmall = std::size_t{64} << 10;
  return so_far < 2 * LargeMemory::kHugeBytes ? kSmall : LargeMemory::kHugeBytes;
}

}  // namespace

Adjacency::List* Adjacency::make_list(std::uint32_t room) {
  const std::size_t bytes = sizeof(List) + std::size_t{room} * 8;
  if (bytes > left_) {
    const std::size_t size = blocks_.empty() ? 2048 : block_size(block_bytes_);
    next_ = static_cast<std::byte*>(blocks_.emplace_back(size).data());
    left_ = size;
    block_bytes_ += size;
  }
  List* list = new (next_) List;
  list->room_ = room;
  next_ += bytes;
  left_ -= bytes;
  return list;
}

void Adjacency::reserve() {
  if (!tables_.empty() &&
      std::uint64_t{used_ + 1} * 3 <= (std::uint64_t{tables_.back()->mask} + 1) * 2) {
    return;
  }
  const std::uint32_t size = tables_.empty() ? 64 : (tables_.back()->mask + 1) * 2;
  auto next = std::make_unique<Table>(size);
  if (!tables_.empty()) {
    const Table& old = *tables_.back();
    for (std::uint32_t i = 0; i <= old.mask; ++i) {
      const std::uint32_t key = old.buckets[i].key.load(std::memory_order_relaxed);
      if (key == 0) continue;
      Bucket& to = next->slot(key);
      to.list.store(old.buckets[i].list.load(std::memory_order_relaxed), std::memory_order_relaxed);
      to.key.store(key, std::memory_order_relaxed);
    }
  }
  tables_.push_back(std::move(next));
  current_.store(tables_.back().get(), std::memory_order_release);
}

std::size_t Adjacency::heap_bytes() const {
  std::size_t bytes = block_bytes_ + journal_.capacity() * sizeof(std::uint32_t);
  for (const auto& table : tables_) bytes += (std::size_t{table->mask} + 1) * sizeof(Bucket);
  return bytes;
}

}  // namespace anima::store::detail
