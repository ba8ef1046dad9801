// Memory for large arrays that are read all over: zeroed, and in huge pages where the kernel has
// them.
//
// With pages of 4 KiB a look-up in a table of many megabytes misses the processor's table of pages
// before it misses the cache. From kHugeBytes on the memory is aligned for huge pages and the
// kernel is asked for them; it may refuse without harm. Memory that nobody touched costs nothing.
// Ownership: the object owns it. Thread-safety: a plain value; what lies in the memory is its
// user's matter. Errors: std::bad_alloc, as from new.
#pragma once

#include <cstddef>
#include <utility>

namespace anima {

class LargeMemory {
 public:
  static constexpr std::size_t kHugeBytes = std::size_t{4} << 20;

  LargeMemory() = default;
  explicit LargeMemory(std::size_t bytes);  // all zero, aligned for every type
  LargeMemory(LargeMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  LargeMemory& operator=(LargeMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  LargeMemory(const LargeMemory&) = delete;
  LargeMemory& operator=(const LargeMemory&) = delete;
  ~LargeMemory();

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// A fixed number of elements whose value at the start is zero bytes.
template <typename T>
class LargeArray {
 public:
  LargeArray() = default;
  explicit LargeArray(std::size_t count) : memory_(count * sizeof(T)) {}
  T& operator[](std::size_t index) const { return static_cast<T*>(memory_.data())[index]; }
  T* data() const { return static_cast<T*>(memory_.data()); }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  LargeMemory memory_;
};

}  // namespace anima
