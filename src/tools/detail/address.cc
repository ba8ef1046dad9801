#include "tools/detail/address.h"

#include <netinet/in.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace anima::tools::detail {
namespace {

struct Block {
  std::uint32_t first;
  int bits;
};
constexpr std::array<Block, 16> kPrivate = {{{0x00000000, 8},     // this network
                                             {0x0a000000, 8},     // private
                                             {0x64400000, 10},    // shared by carriers
                                             {0x7f000000, 8},     // loopback
                                             {0xa9fe0000, 16},    // link-local, cloud metadata
                                             {0xac100000, 12},    // private
                                             {0xc0000000, 24},    // protocol assignments
                                             {0xc0000200, 24},    // documentation
                                             {0xc0586300, 24},    // 6to4 relays
                                             {0xc0a80000, 16},    // private
                                             {0xc6120000, 15},    // benchmarks
                                             {0xc6336400, 24},    // documentation
                                             {0xcb007100, 24},    // documentation
                                             {0xe0000000, 4},     // multicast
                                             {0xf0000000, 4},     // reserved, broadcast
                                             {0xffffffff, 32}}};  // broadcast

bool is_public_v4(std::uint32_t address) {
  for (const Block& block : kPrivate) {
    const std::uint32_t mask = ~std::uint32_t{0} << (32 - block.bits);
    if ((address & mask) == block.first) return false;
  }
  return true;
}

std::uint32_t v4_at(const std::uint8_t* bytes) {
  return (std::uint32_t{bytes[0]} << 24) | (std::uint32_t{bytes[1]} << 16) |
         (std::uint32_t{bytes[2]} << 8) | bytes[3];
}

bool is_public_v6(const std::uint8_t* bytes) {
  constexpr std::uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  constexpr std::uint8_t kTranslated[12] = {0, 0x64, 0xff, 0x9b};
  if (std::memcmp(bytes, kMapped, 12) == 0 || std::memcmp(bytes, kTranslated, 12) == 0) {
    return is_public_v4(v4_at(bytes + 12));
  }
  if (bytes[0] == 0x20 && bytes[1] == 0x02) return is_public_v4(v4_at(bytes + 2));  // 6to4
  if (bytes[0] == 0x20 && bytes[1] == 0x01 && bytes[2] < 0x02) return false;        // 2001::/23
  if (bytes[0] == 0x20 && bytes[1] == 0x01 && bytes[2] == 0x0d && bytes[3] == 0xb8) return false;
  return (bytes[0] & 0xe0) == 0x20;  // 2000::/3, all that is given out
}

}  // namespace

bool is_public_address(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, address, sizeof v4);
    return is_public_v4(ntohl(v4.sin_addr.s_addr));
  }
  if (address->sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, address, sizeof v6);
    return is_public_v6(v6.sin6_addr.s6_addr);
  }
  return false;
}

}  // namespace anima::tools::detail
