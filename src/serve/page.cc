#include "serve/page.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/packs.h"
#include "serve/http/server.h"

namespace anima::serve {
namespace {

using http::Request;
using http::Response;

struct PageFile {
  std::string_view path, file, type;
};
constexpr PageFile kFiles[] = {
    {"/", "web/dist/index.html", "text/html; charset=utf-8"},
    {"/page.js", "web/dist/page.js", "text/javascript; charset=utf-8"},
    {"/page.css", "web/dist/page.css", "text/css; charset=utf-8"},
    {"/icon.svg", "web/dist/icon.svg", "image/svg+xml"},
};

// Text becomes markup nowhere: the browser refuses to make it (Trusted Types).
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

// "localhost:7411" of "http://localhost:7411/..".
std::string_view host_of(const Request& request) {
  constexpr std::string_view kScheme = "http://";
  const std::string_view address = std::string_view(request.address).substr(kScheme.size());
  return address.substr(0, address.find('/'));
}

// "7411" of "[::1]:7411"; of a host without a port the usual one.
std::string_view port_of(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  const bool none = colon == std::string_view::npos || host.ends_with(']');
  return none ? std::string_view("80") : host.substr(colon + 1);
}

// For a browser that asked by another name than the one by which the server listens: a page of that
// origin would not be let in at /v1.
Response elsewhere(const Request& request) {
  const std::string address = "http://" + request.authority + request.path;
  if (port_of(host_of(request)) != port_of(request.authority))
    return http::problem(403, "the page is at " + address,
                         "a tunnel has the same port at both its ends");
  Response response;
  response.status = 302;
  response.headers.emplace_back("Location", address);
  return response;
}

}  // namespace

std::optional<Response> page_file(const Request& request) {
  const auto* const file = std::ranges::find(kFiles, request.path, &PageFile::path);
  if (file == std::end(kFiles) || request.authority.empty()) return std::nullopt;
  Response answer;
  if (request.method != "GET" && request.method != "HEAD") {
    answer = http::problem(405, "this is only read", "one of GET, HEAD");
    answer.headers.emplace_back("Allow", "GET, HEAD");
  } else if (host_of(request) != request.authority) {
    answer = elsewhere(request);
  } else if (const auto body = pack_file(file->file)) {
    answer = {200, std::string(file->type), std::string(*body)};
    answer.headers = {{"Content-Security-Policy", std::string(kPolicy)},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cross-Origin-Opener-Policy", "same-origin"},
                      {"Cross-Origin-Resource-Policy", "same-origin"},
                      {"Cache-Control", "no-cache"}};
  } else {
    answer = http::problem(500, "the program was built without its page");
  }
  answer.route = file->path;
  return answer;
}

}  // namespace anima::serve
