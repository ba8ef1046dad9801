// Is this the address of a machine on the public internet? Everything else (this machine, its
// network, what is reserved, addresses that carry such a one inside) is private. Thread-safety:
// pure functions. Source: IANA IPv4 and IPv6 Special-Purpose Address Registries; RFC 6890.
#pragma once

#include <sys/socket.h>

namespace anima::tools::detail {

bool is_public_address(const sockaddr* address);

}  // namespace anima::tools::detail
