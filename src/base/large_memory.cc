#include "base/large_memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace anima {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kCacheLine = 64;

// More than asked for is mapped, and what lies outside the aligned part given back.
void* map_aligned(std::size_t bytes) {
  void* const mapped =
      mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const first = static_cast<std::byte*>(mapped);
  const std::size_t before =
      (kHugePage - reinterpret_cast<std::uintptr_t>(mapped) % kHugePage) % kHugePage;
  if (before != 0) munmap(first, before);
  munmap(first + before + bytes, kHugePage - before);
  madvise(first + before, bytes, MADV_HUGEPAGE);
  return first + before;
}

std::size_t rounded(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

LargeMemory::LargeMemory(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  if (bytes >= kHugeBytes) {
    data_ = map_aligned(rounded(bytes, kHugePage));
    return;
  }
  data_ = std::aligned_alloc(kCacheLine, rounded(bytes, kCacheLine));
  if (data_ == nullptr) throw std::bad_alloc();
  std::memset(data_, 0, bytes);
}

LargeMemory::~LargeMemory() {
  if (data_ == nullptr) return;
  if (bytes_ >= kHugeBytes) {
    munmap(data_, rounded(bytes_, kHugePage));
  } else {
    std::free(data_);
  }
}

}  // namespace anima
