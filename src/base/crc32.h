// CRC-32/IEEE (ISO 3309, as in zlib and PNG): against accidents only. Thread-safety: a function
// without state. O(bytes).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace anima {

inline std::uint32_t crc32(std::string_view bytes) {
  static constexpr auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit)
        value = (value & 1) != 0 ? value >> 1 ^ 0xEDB88320U : value >> 1;
      table[i] = value;
    }
    return table;
  }();
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char c : bytes) crc = kTable[(crc ^ static_cast<std::uint8_t>(c)) & 0xff] ^ crc >> 8;
  return crc ^ 0xFFFFFFFFU;
}

}  // namespace anima
