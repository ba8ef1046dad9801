// Is this this machine itself? By name for what a user wrote, by number for what a connection is
// made to. Thread-safety: pure functions. Sources: RFC 1122, 3.2.1.3; RFC 4291, 2.5.3; RFC 6761,
// 6.3.
#pragma once

#include <sys/socket.h>

#include <string_view>

namespace anima::llm {

bool is_loopback_host(std::string_view host);
bool is_loopback_address(const sockaddr* address);

}  // namespace anima::llm
