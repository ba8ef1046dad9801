// Which addresses of the web a tool may ask for: http and https, a host, no user and password in
// the address. The host's numbers are judged when the connection is made (address.h), so a name
// that points inwards helps nobody. Thread-safety: pure functions. Source: RFC 3986, section 3.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace anima::tools::detail {

struct Url {
  std::string scheme;  // lower case
  std::string host;    // lower case, without brackets
  std::uint16_t port = 0;
  std::string target;  // path and query, begins with "/"
};

// Errors: kInvalidArgument, kDenied (another scheme, a password in the address).
Result<Url> read_url(std::string_view text);

}  // namespace anima::tools::detail
