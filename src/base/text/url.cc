#include "base/text/url.h"

#include <algorithm>

#include "base/text/read_number.h"
#include "base/text/text.h"

namespace anima {
namespace {

constexpr std::size_t kMaxUrl = 8192;

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}
bool is_address_character(char c) {
  return (c >= 'a' && c <= 'f') || (c >= '0' && c <= '9') || c == ':' || c == '.';
}

}  // namespace

Result<Url> read_url(std::string_view text) {
  const std::string_view whole = trim(text);
  const auto bad = [&](std::string why) {
    return fail(ErrorCode::kInvalidArgument, std::move(why),
                std::string(whole.substr(0, std::min<std::size_t>(whole.size(), 200))));
  };
  if (whole.size() > kMaxUrl) return bad("the address is longer than 8192 bytes");
  const bool plain =
      std::ranges::all_of(whole, [](char c) { return c > 0x20 && c != 0x7f && c != '\\'; });
  if (!plain) return bad("the address holds a blank, a backslash or a character beyond ASCII");
  const std::size_t colon = whole.find("://");
  if (colon == std::string_view::npos) return bad("this is no address of the web");
  Url url;
  url.scheme = to_lower(whole.substr(0, colon));
  if (url.scheme != "http" && url.scheme != "https") {
    return fail(ErrorCode::kDenied, "only http and https are allowed", url.scheme);
  }
  const std::string_view rest = whole.substr(colon + 3);
  const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
  std::string_view authority = rest.substr(0, end);
  if (authority.find('@') != std::string_view::npos) {
    return fail(ErrorCode::kDenied, "an address with a user name or password is not used");
  }
  url.target = std::string(rest.substr(end, rest.find('#') - end));
  if (!url.target.starts_with('/')) url.target.insert(0, "/");
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) return bad("the host's bracket is not closed");
    url.host = to_lower(authority.substr(1, close - 1));
    if (!std::ranges::all_of(url.host, is_address_character)) return bad("this is no address");
    port = authority.substr(close + 1);
  } else {
    const std::size_t split_at = std::min(authority.find(':'), authority.size());
    url.host = to_lower(authority.substr(0, split_at));
    if (!std::ranges::all_of(url.host, is_host_character)) return bad("this is no host");
    port = authority.substr(split_at);
  }
  if (url.host.empty()) return bad("the address names no host");
  url.port = url.scheme == "https" ? 443 : 80;
  if (!port.empty()) {
    if (port[0] != ':') return bad("this is no port");
    port.remove_prefix(1);
    url.port = read_number<std::uint16_t>(port).value_or(0);
    if (url.port == 0) return bad("this is no port");
  }
  return url;
}

}  // namespace anima
