// One POST with libcurl: watched in short steps, so that a stop and a silent server are noticed
// within a twentieth of a second.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "base/text/text.h"
#include "base/text/url.h"
#include "base/trace/trace.h"
#include "base/version.h"
#include "llm/detail/curl_library.h"
#include "llm/http.h"
#include "llm/loopback.h"

namespace anima::llm::detail {
namespace {

constexpr int kStepMs = 50;
constexpr std::size_t kMaxHeaderBytes = std::size_t{256} << 10;

struct CurlTransfer {
  CurlTransfer(const HttpRequest& of, const HttpHandlers& to)
      : request(of), handlers(to), scrubber(of.key) {}
  const HttpRequest& request;
  const HttpHandlers& handlers;
  KeyScrubber scrubber;
  HttpOutcome outcome;
  bool loopback_only = false;
  bool refused_address = false;
  bool head_told = false;
  std::size_t header_bytes = 0;
  std::size_t bytes = 0;
  std::uint64_t moves = 0;  // grows with whatever comes from the server

  bool stop_by(const Status& status) {
    if (status) return false;
    outcome.end = HttpEnd::kCancelled;
    outcome.handler_error = status.error();
    outcome.by_handler = true;
    return true;
  }
  bool tell_head() {
    if (head_told) return true;
    head_told = true;
    return !handlers.head || !stop_by(handlers.head(outcome.head));
  }
  bool tell(const std::string& piece) {
    if (!tell_head()) return false;
    return piece.empty() || !handlers.piece || !stop_by(handlers.piece(piece));
  }
};

std::size_t take_header(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<CurlTransfer*>(user);
  const std::string_view line = trim(std::string_view(data, size * count));
  ++transfer.moves;
  transfer.header_bytes += size * count;
  if (transfer.header_bytes > kMaxHeaderBytes) {
    transfer.outcome.end = HttpEnd::kTooLong;
    return 0;
  }
  if (line.starts_with("HTTP/")) {
    // An interim answer (100) goes before the one that counts.
    transfer.outcome.head = {};
    const std::size_t blank = line.find(' ');
    if (blank != std::string_view::npos)
      transfer.outcome.head.status = std::atoi(std::string(line.substr(blank + 1)).c_str());
  } else if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
    transfer.outcome.head.headers.emplace_back(
        to_lower(line.substr(0, colon)), scrub(trim(line.substr(colon + 1)), transfer.request.key));
  }
  return size * count;
}

std::size_t take_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<CurlTransfer*>(user);
  ++transfer.moves;
  transfer.bytes += size * count;
  if (transfer.bytes > transfer.request.max_bytes) {
    transfer.outcome.end = HttpEnd::kTooLong;
    return 0;
  }
  return transfer.tell(transfer.scrubber.feed({data, size * count})) ? size * count : 0;
}

curl_socket_t open_socket(void* user, curlsocktype, curl_sockaddr* address) {
  auto& transfer = *static_cast<CurlTransfer*>(user);
  if (transfer.loopback_only && !is_loopback_address(&address->addr)) {
    transfer.refused_address = true;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

class CurlTransport final : public HttpTransport {
 public:
  explicit CurlTransport(Clock& clock) : clock_(clock) {}

  HttpOutcome post(const HttpRequest& request, const HttpHandlers& handlers,
                   const std::stop_token& stop) override {
    const CurlLibrary& curl = curl_library();
    CurlTransfer transfer(request, handlers);
    if (!curl.problem.empty()) return ended(transfer, HttpEnd::kUnavailable, curl.problem);
    if (stop.stop_requested()) return ended(transfer, HttpEnd::kCancelled, {});
    const auto url = read_url(request.url);
    if (!url) return ended(transfer, HttpEnd::kUnreachable, url.error().message);
    const bool plain = url->scheme == "http";
    transfer.loopback_only = plain && !request.allow_http;
    if (transfer.loopback_only && !is_loopback_host(url->host))
      return ended(transfer, HttpEnd::kInsecure, "plain http leads to another machine");

    const std::unique_ptr<CURL, decltype(curl.easy_cleanup)> easy(curl.easy_init(),
                                                                  curl.easy_cleanup);
    const std::unique_ptr<CURLM, decltype(curl.multi_cleanup)> multi(curl.multi_init(),
                                                                     curl.multi_cleanup);
    std::unique_ptr<curl_slist, decltype(curl.slist_free_all)> headers(nullptr,
                                                                       curl.slist_free_all);
    if (easy == nullptr || multi == nullptr)
      return ended(transfer, HttpEnd::kUnavailable, "libcurl could not be started");
    const auto add = [&](const std::string& line) {
      headers.reset(curl.slist_append(headers.release(), line.c_str()));
    };
    for (const auto& [name, value] : request.headers) add(name + ": " + value);
    if (request.key != nullptr && !request.key->empty())
      add(request.key_header + ": " + request.key_prefix + request.key->reveal());
    if (const auto trace = TraceScope::current()) {
      add("traceparent: " + traceparent_of(*trace));
      if (!trace->state.empty()) add("tracestate: " + trace->state);
    }
    add("Expect:");
    set_options(curl, easy.get(), transfer, plain || is_loopback_host(url->host));
    curl.easy_setopt(easy.get(), CURLOPT_HTTPHEADER, headers.get());
    curl.multi_add_handle(multi.get(), easy.get());
    run(curl, multi.get(), transfer, stop);
    curl.multi_remove_handle(multi.get(), easy.get());
    return std::move(transfer.outcome);
  }

 private:
  static HttpOutcome ended(CurlTransfer& transfer, HttpEnd end, std::string detail) {
    transfer.outcome.end = end;
    transfer.outcome.detail = std::move(detail);
    return std::move(transfer.outcome);
  }

  static void set_options(const CurlLibrary& curl, CURL* easy, CurlTransfer& transfer,
                          bool without_proxy) {
    static const std::string kAgent = "anima/" + std::string(version());
    const HttpRequest& request = transfer.request;
    curl.easy_setopt(easy, CURLOPT_URL, request.url.c_str());
    curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl.easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl.easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl.easy_setopt(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl.easy_setopt(easy, CURLOPT_USERAGENT, kAgent.c_str());
    curl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                     static_cast<long>(request.timeouts.connect_ms));
    curl.easy_setopt(easy, CURLOPT_POST, 1L);
    curl.easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
    curl.easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body.size()));
    curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    curl.easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
    curl.easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
    curl.easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
    curl.easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl.easy_setopt(easy, CURLOPT_OPENSOCKETDATA, &transfer);
    // A proxy would read what plain http carries, and this machine needs none to reach itself.
    if (without_proxy) curl.easy_setopt(easy, CURLOPT_PROXY, "");
  }

  // Until the transfer ends by itself, is stopped, or takes too long.
  void run(const CurlLibrary& curl, CURLM* multi, CurlTransfer& transfer,
           const std::stop_token& stop) {
    const HttpTimeouts& limits = transfer.request.timeouts;
    const std::int64_t start = clock_.monotonic_nanoseconds();
    std::int64_t moved = start;
    std::uint64_t moves = 0;
    const auto since_ms = [&](std::int64_t then) {
      return (clock_.monotonic_nanoseconds() - then) / 1'000'000;
    };
    for (;;) {
      int running = 0;
      if (curl.multi_perform(multi, &running) != CURLM_OK) {
        transfer.outcome.end = HttpEnd::kBroken;
        return;
      }
      if (running == 0) break;
      if (transfer.moves != moves) {
        moves = transfer.moves;
        moved = clock_.monotonic_nanoseconds();
      }
      if (stop.stop_requested()) {
        transfer.outcome.end = HttpEnd::kCancelled;
        return;
      }
      if (limits.total_ms > 0 && since_ms(start) >= limits.total_ms) {
        transfer.outcome.end = HttpEnd::kTotalTimeout;
        return;
      }
      if (limits.idle_ms > 0 && since_ms(moved) >= limits.idle_ms) {
        transfer.outcome.end = HttpEnd::kIdleTimeout;
        return;
      }
      curl.multi_poll(multi, nullptr, 0, kStepMs, nullptr);
    }
    int left = 0;
    if (const CURLMsg* message = curl.multi_info_read(multi, &left); message != nullptr)
      finish(curl, message->data.result, transfer);
  }

  static void finish(const CurlLibrary& curl, CURLcode code, CurlTransfer& transfer) {
    HttpOutcome& outcome = transfer.outcome;
    if (outcome.end != HttpEnd::kDone) return;  // we ended it
    if (code == CURLE_OK) {
      transfer.tell(transfer.scrubber.finish());
      return;
    }
    // What came before the end is told, too: it belongs to the record.
    if (transfer.bytes > 0) transfer.tell(transfer.scrubber.finish());
    if (outcome.end != HttpEnd::kDone) return;
    outcome.detail = curl.easy_strerror(code);
    switch (code) {
      case CURLE_COULDNT_RESOLVE_HOST:
      case CURLE_COULDNT_RESOLVE_PROXY:
      case CURLE_COULDNT_CONNECT:
        outcome.end = transfer.refused_address ? HttpEnd::kInsecure : HttpEnd::kUnreachable;
        if (transfer.refused_address) outcome.detail = "plain http leads to another machine";
        return;
      case CURLE_OPERATION_TIMEDOUT:
        outcome.end = HttpEnd::kConnectTimeout;  // the only limit that libcurl was given
        return;
      case CURLE_SSL_CONNECT_ERROR:
      case CURLE_PEER_FAILED_VERIFICATION:
      case CURLE_SSL_CERTPROBLEM:
      case CURLE_SSL_CIPHER:
      case CURLE_SSL_CACERT_BADFILE:
      case CURLE_SSL_ISSUER_ERROR:
        outcome.end = HttpEnd::kInsecure;
        return;
      default:
        outcome.end = HttpEnd::kBroken;
        return;
    }
  }

  Clock& clock_;
};

}  // namespace
}  // namespace anima::llm::detail

namespace anima::llm {

Status http_is_there() {
  const std::string& problem = detail::curl_library().problem;
  if (problem.empty()) return {};
  return fail(ErrorCode::kUnsupported, problem, {}, "install the package libcurl4");
}

std::unique_ptr<HttpTransport> make_http_transport(Clock& clock) {
  return std::make_unique<detail::CurlTransport>(clock);
}

}  // namespace anima::llm
