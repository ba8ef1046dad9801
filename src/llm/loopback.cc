#include "llm/loopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>
#include <string>

namespace anima::llm {
namespace {

constexpr std::uint32_t kLoopbackNet = 127;

bool is_loopback_number(const in6_addr& number) {
  if (IN6_IS_ADDR_LOOPBACK(&number)) return true;
  return IN6_IS_ADDR_V4MAPPED(&number) && number.s6_addr[12] == kLoopbackNet;
}

}  // namespace

bool is_loopback_host(std::string_view host) {
  if (host == "localhost" || host.ends_with(".localhost")) return true;
  const std::string text(host);
  in_addr four{};
  if (inet_pton(AF_INET, text.c_str(), &four) == 1)
    return (ntohl(four.s_addr) >> 24U) == kLoopbackNet;
  in6_addr six{};
  return inet_pton(AF_INET6, text.c_str(), &six) == 1 && is_loopback_number(six);
}

bool is_loopback_address(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    const auto* four = reinterpret_cast<const sockaddr_in*>(address);
    return (ntohl(four->sin_addr.s_addr) >> 24U) == kLoopbackNet;
  }
  if (address->sa_family == AF_INET6)
    return is_loopback_number(reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
  return false;
}

}  // namespace anima::llm
