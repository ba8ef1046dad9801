// Addresses of the web that Anima may ask: http and https, a host, no user and password in the
// address. Who judges the host's numbers does it when the connection is made, so a name that points
// elsewhere helps nobody. Thread-safety: pure functions. Source: RFC 3986, section 3.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace anima {

struct Url {
  std::string scheme;  // lower case
  std::string host;    // lower case, without brackets
  std::uint16_t port = 0;
  std::string target;  // path and query, begins with "/"
};

// Errors: kInvalidArgument, kDenied (another scheme, a password in the address).
Result<Url> read_url(std::string_view text);

}  // namespace anima
