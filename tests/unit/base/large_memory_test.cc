// Memory that is zeroed, aligned, and moves with its owner.
#include "base/large_memory.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace anima {
namespace {

bool is_zero(const LargeMemory& memory) {
  const auto* bytes = static_cast<const unsigned char*>(memory.data());
  for (std::size_t i = 0; i < memory.bytes(); ++i) {
    if (bytes[i] != 0) return false;
  }
  return true;
}

TEST(LargeMemory, IsZeroAndAlignedAtEverySize) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{100}, LargeMemory::kHugeBytes - 1,
                                  LargeMemory::kHugeBytes, LargeMemory::kHugeBytes + 4097}) {
    const LargeMemory memory(bytes);
    EXPECT_EQ(memory.bytes(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 64, 0u);
    EXPECT_TRUE(is_zero(memory)) << bytes;
  }
  EXPECT_EQ(LargeMemory(0).data(), nullptr);
}

TEST(LargeMemory, MovesWithoutCopying) {
  LargeMemory first(LargeMemory::kHugeBytes);
  static_cast<char*>(first.data())[LargeMemory::kHugeBytes - 1] = 'x';
  void* const place = first.data();
  LargeMemory second(std::move(first));
  EXPECT_EQ(second.data(), place);
  EXPECT_EQ(first.data(), nullptr);  // NOLINT: what was moved from is empty
  LargeMemory third(10);
  third = std::move(second);
  EXPECT_EQ(third.data(), place);
  EXPECT_EQ(static_cast<const char*>(third.data())[LargeMemory::kHugeBytes - 1], 'x');
}

TEST(LargeMemory, ArraysAreWritable) {
  LargeArray<std::uint64_t> array(std::size_t{1} << 20);
  for (std::size_t i = 0; i < (std::size_t{1} << 20); i += 4096) array[i] = i;
  for (std::size_t i = 0; i < (std::size_t{1} << 20); i += 4096) ASSERT_EQ(array[i], i);
}

}  // namespace
}  // namespace anima
