// An append-only array that never moves: segments that double in size. Element i stays where it is,
// so readers hold addresses while the one writer appends. Reading an element that was written
// before a synchronising publication needs no further synchronisation. Memory that was never
// touched costs no physical pages.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace anima::datalog {

// `T` is trivial. Each element has `stride` values of T; elements are addressed by their number.
template <typename T>
class Segmented {
 public:
  static constexpr unsigned kFirstBits = 6;
  static constexpr unsigned kSegments = 27;

  explicit Segmented(std::uint32_t stride = 1) : stride_(stride == 0 ? 1 : stride) {}
  ~Segmented() {
    for (auto& segment : segments_) std::free(segment.load(std::memory_order_relaxed));
  }
  Segmented(const Segmented&) = delete;
  Segmented& operator=(const Segmented&) = delete;

  T* at(std::uint32_t index) const {
    const Place p = place(index);
    return segments_[p.segment].load(std::memory_order_relaxed) + std::size_t{p.offset} * stride_;
  }
  // Null when nothing of the element's segment was ever reserved.
  T* at_if_present(std::uint32_t index) const {
    const Place p = place(index);
    T* segment = segments_[p.segment].load(std::memory_order_acquire);
    return segment == nullptr ? nullptr : segment + std::size_t{p.offset} * stride_;
  }
  // Elements from `index` on that lie one after the other (the end of a segment, not of what is
  // written).
  std::uint32_t contiguous(std::uint32_t index) const {
    const Place p = place(index);
    return (1U << (p.segment + kFirstBits)) - p.offset;
  }
  // Makes room for the element; new segments are filled with bytes of `fill`. Throws nothing:
  // without memory the program ends, as with any allocation.
  T* reserve(std::uint32_t index, int fill = 0) {
    const Place p = place(index);
    T* segment = segments_[p.segment].load(std::memory_order_relaxed);
    if (segment == nullptr) segment = add_segment(p.segment, fill);
    return segment + std::size_t{p.offset} * stride_;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Place {
    std::uint32_t segment;
    std::uint32_t offset;
  };
  static Place place(std::uint32_t index) {
    const std::uint64_t shifted = std::uint64_t{index} + (1U << kFirstBits);
    const auto top = static_cast<std::uint32_t>(std::bit_width(shifted)) - 1;
    return {top - kFirstBits, static_cast<std::uint32_t>(shifted - (std::uint64_t{1} << top))};
  }
  T* add_segment(std::uint32_t number, int fill) {
    const std::size_t count = (std::size_t{1} << (number + kFirstBits)) * stride_;
    void* memory = fill == 0 ? std::calloc(count, sizeof(T)) : std::malloc(count * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    if (fill != 0) {
      auto* bytes = static_cast<unsigned char*>(memory);
      for (std::size_t i = 0; i < count * sizeof(T); ++i)
        bytes[i] = static_cast<unsigned char>(fill);
    }
    bytes_ += count * sizeof(T);
    auto* segment = static_cast<T*>(memory);
    segments_[number].store(segment, std::memory_order_release);
    return segment;
  }

  std::uint32_t stride_;
  std::size_t bytes_ = 0;
  std::array<std::atomic<T*>, kSegments> segments_ = {};
};

}  // namespace anima::datalog
