// anima-fetch: gets one web page for the tool http:fetch. Runs in the sandbox, with the network and
// without anything else: one JSON object on standard input, one on standard output.
//   in   {"url","timeout_ms","max_bytes","private_addresses"}
//   out  {"status","url","content_type","body","bytes","truncated"} or {"error","code"}
// The addresses of every connection, also those after a redirect, are judged when they are made.
#include <curl/curl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>

#include "base/json.h"
#include "base/text.h"
#include "base/url.h"
#include "base/valid_text.h"
#include "base/version.h"
#include "tools/detail/address.h"

namespace {

using anima::Json;
using anima::valid_text;

constexpr long kMaxRedirects = 5;
constexpr std::size_t kMaxRequest = 65'536;

struct Transfer {
  std::size_t max_bytes = 0;
  bool private_addresses = false;
  bool refused_address = false;
  bool truncated = false;
  std::string body;
};

std::size_t take_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::size_t bytes = size * count;
  const std::size_t room = transfer.max_bytes - transfer.body.size();
  transfer.body.append(data, std::min(bytes, room));
  transfer.truncated = bytes > room;
  return transfer.truncated ? 0 : bytes;  // less than was given ends the transfer
}

curl_socket_t open_socket(void* user, curlsocktype, curl_sockaddr* address) {
  auto& transfer = *static_cast<Transfer*>(user);
  if (!transfer.private_addresses && !anima::tools::detail::is_public_address(&address->addr)) {
    transfer.refused_address = true;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

Json error(std::string_view code, std::string message) {
  return Json::object({{"error", std::move(message)}, {"code", code}});
}

void set_limits(CURL* handle, Transfer& transfer, const std::string& url, long timeout) {
  static const std::string kAgent = "anima/" + std::string(anima::version());
  curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(handle, CURLOPT_MAXREDIRS, kMaxRedirects);
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, timeout);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_PROXY, "");
  curl_easy_setopt(handle, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  curl_easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(handle, CURLOPT_USERAGENT, kAgent.c_str());
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, &transfer);
}

Json fetch(const std::string& url, long timeout, Transfer& transfer) {
  const std::unique_ptr<CURL, void (*)(CURL*)> handle(curl_easy_init(), curl_easy_cleanup);
  if (handle == nullptr) return error("io", "libcurl could not be started");
  set_limits(handle.get(), transfer, url, timeout);
  const CURLcode code = curl_easy_perform(handle.get());
  if (transfer.refused_address) {
    return error("denied", "the address leads to this machine or its network");
  }
  if (code == CURLE_OPERATION_TIMEDOUT)
    return error("timeout", "the server did not answer in time");
  if (code != CURLE_OK && !(code == CURLE_WRITE_ERROR && transfer.truncated)) {
    return error("io", curl_easy_strerror(code));
  }
  long status = 0;
  char* type = nullptr;
  char* last = nullptr;
  curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(handle.get(), CURLINFO_CONTENT_TYPE, &type);
  curl_easy_getinfo(handle.get(), CURLINFO_EFFECTIVE_URL, &last);
  return Json::object({{"status", static_cast<std::int64_t>(status)},
                       {"url", valid_text(last == nullptr ? url : last)},
                       {"content_type", valid_text(type == nullptr ? "" : type)},
                       {"body", valid_text(transfer.body)},
                       {"bytes", static_cast<std::uint64_t>(transfer.body.size())},
                       {"truncated", transfer.truncated}});
}

std::int64_t integer(const Json& request, std::string_view name, std::int64_t otherwise) {
  const Json* value = request.find(name);
  return value != nullptr && value->is_integer() ? value->as_integer() : otherwise;
}

Json answer(const std::string& text) {
  const auto request = anima::parse_json(text);
  const Json* url = request ? request->find("url") : nullptr;
  if (url == nullptr || !url->is_string()) return error("invalid_argument", "no url was given");
  const auto checked = anima::read_url(url->as_string());
  if (!checked) return error(anima::to_string(checked.error().code), checked.error().describe());
  Transfer transfer;
  transfer.max_bytes = static_cast<std::size_t>(integer(*request, "max_bytes", 262'144));
  const Json* inside = request->find("private_addresses");
  transfer.private_addresses = inside != nullptr && inside->is_bool() && inside->as_bool();
  return fetch(std::string(anima::trim(url->as_string())),
               static_cast<long>(integer(*request, "timeout_ms", 10'000)), transfer);
}

}  // namespace

int main() {
  std::string text;
  std::array<char, 4096> buffer;
  for (std::size_t got = 0; text.size() < kMaxRequest &&
                            (got = std::fread(buffer.data(), 1, buffer.size(), stdin)) > 0;) {
    text.append(buffer.data(), got);
  }
  const std::string out = answer(text).dump() + "\n";
  std::fwrite(out.data(), 1, out.size(), stdout);
  return 0;
}
