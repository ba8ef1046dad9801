// The broker of connections: the one process of a fetch that has the network, and does nothing with
// it but resolve names, judge addresses and connect. The process that speaks HTTP has no network of
// its own: it asks for each connection, also after a redirect, and is handed a connected socket. A
// page that takes that process over can make it ask, and no more: what the broker refuses is out of
// reach.
//
// On the channel, a pair of local sockets, a message each way: {"host","port"}; {"code":""} with
// the socket (SCM_RIGHTS), or {"code","message"} of an error. Thread-safety: one thread a channel.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace anima::tools::fetch {

// Answers until the other side is closed. `private_addresses`: those of this machine and its
// network are connected to as well.
void serve_connections(int channel, bool private_addresses);

// A connected socket, which the caller closes. Errors: kDenied (no public address), kIo (no such
// name, nobody answers there, no broker).
Result<int> ask_for_connection(int channel, const std::string& host, std::uint16_t port);

}  // namespace anima::tools::fetch
