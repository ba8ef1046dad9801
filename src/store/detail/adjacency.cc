#include "store/detail/adjacency.h"

#include <algorithm>
#include <new>

namespace anima::store::detail {

void Adjacency::change(std::uint32_t key, std::uint64_t edge, bool there, std::uint64_t sequence,
                       const Below& below) {
  reserve();
  Bucket& bucket = tables_.back()->slot(key);
  const List* before = bucket.list.load(std::memory_order_relaxed);
  const bool late = before != nullptr && before->sequence_ > sequence;
  if (before != nullptr && before->many() && !late) return;
  const std::uint32_t* predicates = before != nullptr ? before->words() : below.predicates;
  const std::uint32_t* others = before != nullptr ? before->words() + before->size_ : below.others;
  const std::uint32_t size = before != nullptr ? before->size_ : below.size;
  List* list = nullptr;
  if (late) {
    // Out of order (a delta that is made again): for every sequence the chains must tell.
    list = make_list(0);
    list->size_ = List::kManySize;
    sequence = 0;
    before = nullptr;
  } else if (size >= kMost) {
    list = make_list(0);
    list->size_ = List::kManySize;
  } else {
    std::uint32_t at = 0;
    while (at < size && pair_key(predicates[at], others[at]) < edge) ++at;
    const bool had = at < size && pair_key(predicates[at], others[at]) == edge;
    if (had == there) return;
    const std::uint32_t rest = had ? at + 1 : at;
    list = make_list(there ? size + 1 : size - 1);
    const auto copy = [&](const std::uint32_t* from, std::uint32_t value, std::uint32_t* to) {
      to = std::copy(from, from + at, to);
      if (there) *to++ = value;
      std::copy(from + rest, from + size, to);
    };
    copy(predicates, static_cast<std::uint32_t>(edge >> 32), list->words());
    copy(others, static_cast<std::uint32_t>(edge), list->words() + list->size_);
  }
  list->before_ = before;
  list->sequence_ = sequence;
  if (bucket.key.load(std::memory_order_relaxed) == 0) ++used_;
  bucket.list.store(list, std::memory_order_release);
  bucket.key.store(key, std::memory_order_release);
  journal_.push_back(key);
}

void Adjacency::rollback(std::size_t changes) {
  while (journal_.size() > changes) {
    Bucket& bucket = tables_.back()->slot(journal_.back());
    journal_.pop_back();
    bucket.list.store(bucket.list.load(std::memory_order_relaxed)->before_,
                      std::memory_order_release);
  }
}

Adjacency::List* Adjacency::make_list(std::uint32_t edges) {
  constexpr std::size_t kBlock = std::size_t{64} << 10;
  const std::size_t bytes = sizeof(List) + (std::size_t{edges} * 8 + 7) / 8 * 8;
  if (bytes > left_) {
    const std::size_t size = blocks_.empty() ? 2048 : kBlock;
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
    next_ = blocks_.back().get();
    left_ = size;
    block_bytes_ += size;
  }
  List* list = new (next_) List;
  list->size_ = edges;
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
