#include "datalog/tables/row_set.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace anima::datalog {

SlotArray::SlotArray(std::size_t capacity)
    : mask_(capacity - 1),
      slots_(static_cast<std::uint32_t*>(std::malloc(capacity * sizeof(std::uint32_t)))) {
  if (slots_ == nullptr) throw std::bad_alloc();
  std::memset(slots_, 0xFF, capacity * sizeof(std::uint32_t));
}

SlotArray::~SlotArray() { std::free(slots_); }

DenseSet::DenseSet(const Window& window)
    : window_(window), bits_((std::size_t{window.width[0]} * window.width[1] + 63) / 64) {}

}  // namespace anima::datalog
