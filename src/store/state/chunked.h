// ChunkedArray: an append-only array whose elements never move.
//
// One thread appends; any number of threads read the elements below a count that was handed to them
// with release / acquire order (the snapshot's). Chunks double in size, so an element is two loads
// away. Elements are created when their chunk is (value-initialised) and destroyed with the array.
// Rolling back is forgetting the count.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/large_memory.h"

namespace anima::store::detail {

template <typename T, unsigned kFirstBits = 6>
class ChunkedArray {
 public:
  ChunkedArray() = default;
  ChunkedArray(const ChunkedArray&) = delete;
  ChunkedArray& operator=(const ChunkedArray&) = delete;
  ~ChunkedArray() {
    for (unsigned k = 0; k < kChunks; ++k) {
      T* const chunk = chunks_[k].load(std::memory_order_relaxed);
      if (chunk != nullptr) std::destroy_n(chunk, length_of(k));
    }
  }

  std::uint32_t size() const { return size_; }  // the writer's
  T& operator[](std::uint32_t index) { return *place(index); }
  const T& operator[](std::uint32_t index) const { return *place(index); }

  // The next element, as it was value-initialised or left behind by truncate().
  T& append() {
    ensure(chunk_of(size_));
    return *place(size_++);
  }
  // `count` neighbouring elements; gives the index of the first.
  std::uint32_t append_run(std::uint32_t count) {
    unsigned chunk = chunk_of(size_);
    while (first_of(chunk) + length_of(chunk) - size_ < count) size_ = first_of(++chunk);
    ensure(chunk);
    const std::uint32_t first = size_;
    size_ += count;
    return first;
  }
  void truncate(std::uint32_t size) { size_ = size; }
  std::size_t heap_bytes() const {
    std::size_t bytes = 0;
    for (unsigned k = 0; k < kChunks; ++k) {
      if (chunks_[k].load(std::memory_order_relaxed) != nullptr) bytes += length_of(k) * sizeof(T);
    }
    return bytes;
  }

 private:
  static constexpr unsigned kChunks = 32 - kFirstBits;
  static unsigned chunk_of(std::uint32_t index) {
    const std::uint64_t shifted = std::uint64_t{index} + (1u << kFirstBits);
    return static_cast<unsigned>(std::bit_width(shifted)) - 1 - kFirstBits;
  }
  static std::uint32_t first_of(unsigned chunk) {
    return static_cast<std::uint32_t>((std::uint64_t{1} << (kFirstBits + chunk)) -
                                      (1u << kFirstBits));
  }
  static std::uint32_t length_of(unsigned chunk) { return 1u << (kFirstBits + chunk); }
  T* place(std::uint32_t index) const {
    const unsigned chunk = chunk_of(index);
    return chunks_[chunk].load(std::memory_order_acquire) + (index - first_of(chunk));
  }
  void ensure(unsigned chunk) {
    if (chunks_[chunk].load(std::memory_order_relaxed) == nullptr) {
      memory_[chunk] = LargeMemory(length_of(chunk) * sizeof(T));
      T* const first = static_cast<T*>(memory_[chunk].data());
      std::uninitialized_value_construct_n(first, length_of(chunk));
      chunks_[chunk].store(first, std::memory_order_release);
    }
  }

  std::array<std::atomic<T*>, kChunks> chunks_{};
  std::array<LargeMemory, kChunks> memory_;
  std::uint32_t size_ = 0;
};

}  // namespace anima::store::detail
