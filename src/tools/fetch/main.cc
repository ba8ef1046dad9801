// anima-fetch: gets one web page for the tool http:fetch. Runs in the sandbox, without a network
// and without anything else: one JSON object on standard input, one on standard output.
//   in   {"url","timeout_ms","max_bytes","redirects"}
//   out  {"status","url","content_type","body","bytes","truncated","redirect"?} or {"error","code"}
// With 0 redirects the redirection itself is the page.
// Each connection, also after a redirect, is asked for over the channel of the sandbox. Another
// process of this program answers there, in a sandbox of its own with the network:
//   anima-fetch --broker [--private]
#include <curl/curl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "base/json/json.h"
#include "base/text/text.h"
#include "base/text/url.h"
#include "base/text/valid_text.h"
#include "base/version.h"
#include "tools/fetch/broker.h"
#include "tools/sandbox/sandbox.h"

namespace {

using anima::Json;
using anima::valid_text;

constexpr std::int64_t kMaxRedirects = 5;
constexpr std::size_t kMaxRequest = 65'536;

struct Transfer {
  std::size_t max_bytes = 0;
  anima::Url place;                           // of the page that is got now
  std::optional<anima::Error> no_connection;  // why the broker gave none
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

// Whatever address the library has in mind: the broker knows the right one.
curl_socket_t open_socket(void* user, curlsocktype, curl_sockaddr*) {
  auto& transfer = *static_cast<Transfer*>(user);
  const auto connection = anima::tools::fetch::ask_for_connection(
      anima::tools::kSandboxChannel, transfer.place.host, transfer.place.port);
  if (connection) return *connection;
  transfer.no_connection = connection.error();
  return CURL_SOCKET_BAD;
}

int is_connected(void*, curl_socket_t, curlsocktype) { return CURL_SOCKOPT_ALREADY_CONNECTED; }

Json error(std::string_view code, std::string message) {
  return Json::object({{"error", std::move(message)}, {"code", code}});
}

void set_limits(CURL* handle, Transfer& transfer) {
  static const std::string kAgent = "anima/" + std::string(anima::version());
  // No name is resolved here: all of them lead to one address for documents (RFC 5737), which is
  // never connected to.
  static curl_slist* const kNowhere = curl_slist_append(nullptr, "::192.0.2.1:");
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_CONNECT_TO, kNowhere);
  curl_easy_setopt(handle, CURLOPT_FRESH_CONNECT, 1L);
  curl_easy_setopt(handle, CURLOPT_FORBID_REUSE, 1L);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_PROXY, "");
  curl_easy_setopt(handle, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  curl_easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(handle, CURLOPT_USERAGENT, kAgent.c_str());
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, is_connected);
}

Json page(CURL* handle, const Transfer& transfer, const std::string& url) {
  long status = 0;
  char* type = nullptr;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(handle, CURLINFO_CONTENT_TYPE, &type);
  return Json::object({{"status", static_cast<std::int64_t>(status)},
                       {"url", valid_text(url)},
                       {"content_type", valid_text(type == nullptr ? "" : type)},
                       {"body", valid_text(transfer.body)},
                       {"bytes", static_cast<std::uint64_t>(transfer.body.size())},
                       {"truncated", transfer.truncated}});
}

// Where the page says that it is instead; empty: it is here.
std::string redirection(CURL* handle) {
  char* other = nullptr;
  curl_easy_getinfo(handle, CURLINFO_REDIRECT_URL, &other);
  return other == nullptr ? std::string() : std::string(other);
}

Json fetch(std::string url, std::int64_t timeout, std::int64_t most, Transfer& transfer) {
  const std::unique_ptr<CURL, void (*)(CURL*)> handle(curl_easy_init(), curl_easy_cleanup);
  if (handle == nullptr) return error("io", "libcurl could not be started");
  set_limits(handle.get(), transfer);
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout);
  for (std::int64_t redirects = 0;; ++redirects) {
    const auto place = anima::read_url(url);
    // What somebody else's page names is a failure of that page.
    if (!place) {
      return error(redirects == 0 ? anima::to_string(place.error().code) : "io",
                   place.error().describe());
    }
    transfer.place = *place;
    transfer.body.clear();
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return error("timeout", "the server did not answer in time");
    curl_easy_setopt(handle.get(), CURLOPT_URL, url.c_str());
    curl_easy_setopt(handle.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(left.count()));
    const CURLcode code = curl_easy_perform(handle.get());
    if (transfer.no_connection) {
      return error(anima::to_string(transfer.no_connection->code), transfer.no_connection->message);
    }
    if (code == CURLE_OPERATION_TIMEDOUT)
      return error("timeout", "the server did not answer in time");
    if (code != CURLE_OK && !(code == CURLE_WRITE_ERROR && transfer.truncated))
      return error("io", curl_easy_strerror(code));
    std::string next = redirection(handle.get());
    if (next.empty() || most == 0) {
      Json got = page(handle.get(), transfer, url);
      if (!next.empty()) got.set("redirect", valid_text(next));
      return got;
    }
    if (redirects >= most) return error("io", "it redirects too often");
    transfer.truncated = false;
    url = std::move(next);
  }
}

std::int64_t integer(const Json& request, std::string_view name, std::int64_t otherwise) {
  const Json* value = request.find(name);
  return value != nullptr && value->is_integer() ? value->as_integer() : otherwise;
}

Json answer(const std::string& text) {
  const auto request = anima::parse_json(text);
  const Json* url = request ? request->find("url") : nullptr;
  if (url == nullptr || !url->is_string()) return error("invalid_argument", "no url was given");
  Transfer transfer;
  transfer.max_bytes = static_cast<std::size_t>(integer(*request, "max_bytes", 262'144));
  return fetch(std::string(anima::trim(url->as_string())), integer(*request, "timeout_ms", 10'000),
               integer(*request, "redirects", kMaxRedirects), transfer);
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1 && std::strcmp(arguments[1], "--broker") == 0) {
    const bool inside = count > 2 && std::strcmp(arguments[2], "--private") == 0;
    anima::tools::fetch::serve_connections(anima::tools::kSandboxChannel, inside);
    return 0;
  }
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
