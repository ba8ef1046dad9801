// What systemd hands over to a service and is told by it. Elsewhere, without the variables by which
// it says so, nothing is handed over and nobody is told. Thread-safety: one thread. Source:
// sd_listen_fds(3), sd_notify(3).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/config.h"
#include "base/result.h"

namespace anima::cli {

// A socket that listens already.
struct HandedSocket {
  int descriptor = -1;
  std::string path;     // in a folder; empty: it is the address
  std::string address;  // "127.0.0.1"
};
// Errors: kInvalidArgument (more than one, or no stream socket with a path or an address); kDenied
// (other accounts may open the path).
Result<std::optional<HandedSocket>> handed_socket(const Environment& environment);

// "READY=1", "STOPPING=1". What cannot be told is not.
void tell_service_manager(const Environment& environment, std::string_view state);
// "RELOADING=1" with the moment, by the monotonic clock; "READY=1" is to follow.
void tell_reloading(const Environment& environment, Clock& clock);

}  // namespace anima::cli
