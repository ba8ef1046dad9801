// The words of normal text (pattern_set.h): maximal runs of a-z, 0-9, '_' and bytes beyond ASCII.
//
// 64 bytes at a time become a mask of which are word bytes, eight bytes an instruction; the edges
// of the mask are the words. So no branch hangs on the length of a word, which nobody can predict.
// Pure functions, linear.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace anima::govern::detail {

static_assert(std::endian::native == std::endian::little, "the masks count bytes from the lowest");

// Words of eight bytes, for arithmetic on all of them at once.
inline constexpr std::uint64_t kEachByte = 0x0101010101010101ull;
inline constexpr std::uint64_t kHighBits = 0x80 * kEachByte;

inline std::uint64_t load_eight(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}
// The high bit of each byte that lies in first..last; only for bytes below 0x80.
inline std::uint64_t bytes_between(std::uint64_t ascii, unsigned first, unsigned last) {
  return (ascii + (0x80 - first) * kEachByte) & ~(ascii + (0x7f - last) * kEachByte) & kHighBits;
}

inline bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// One bit a byte, the first byte lowest.
inline std::uint64_t word_mask_of_eight(const char* bytes) {
  const std::uint64_t word = load_eight(bytes);
  const std::uint64_t ascii = word & ~kHighBits;
  const std::uint64_t high = word & kHighBits;
  const std::uint64_t found = high | bytes_between(ascii, 'a', 'z') |
                              bytes_between(ascii, '0', '9') | bytes_between(ascii, '_', '_');
  return ((found >> 7) * 0x0102040810204080ull) >> 56;
}

inline std::uint64_t word_mask(const char* bytes) {
  std::uint64_t mask = 0;
  for (unsigned i = 0; i < 8; ++i) mask |= word_mask_of_eight(bytes + 8 * i) << (8 * i);
  return mask;
}

// visit(begin, end) for each word, in order.
template <typename Visit>
void for_each_word(std::string_view normal, Visit&& visit) {
  constexpr std::size_t kBlock = 64;
  std::size_t begin = 0;
  bool inside = false;
  std::uint64_t before = 0;  // was the last byte of the block before a word byte?
  for (std::size_t base = 0; base < normal.size(); base += kBlock) {
    std::uint64_t mask = 0;
    if (base + kBlock <= normal.size()) {
      mask = word_mask(normal.data() + base);
    } else {
      char rest[kBlock] = {};
      std::memcpy(rest, normal.data() + base, normal.size() - base);
      mask = word_mask(rest);
    }
    std::uint64_t edges = mask ^ (mask << 1 | before);
    before = mask >> 63;
    for (; edges != 0; edges &= edges - 1) {
      const std::size_t at = base + static_cast<std::size_t>(std::countr_zero(edges));
      if (inside) {
        visit(begin, at);
      } else {
        begin = at;
      }
      inside = !inside;
    }
  }
  if (inside) visit(begin, normal.size());
}

}  // namespace anima::govern::detail
