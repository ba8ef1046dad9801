// Streamable HTTP: each message is a POST, whose answer is one message or a stream of events.
#include <algorithm>

#include "base/json/json_member.h"
#include "base/text/text.h"
#include "llm/sse.h"
#include "tools/mcp/detail/transport.h"

namespace anima::tools::mcp {
namespace {

constexpr std::int64_t kConnectMs = 10'000;
constexpr std::int64_t kPostMs = 5'000;
constexpr int kAccepted = 202;

class AddressTransport final : public Transport {
 public:
  AddressTransport(std::string url, llm::Secret key, llm::HttpTransport& http)
      : url_(std::move(url)), key_(std::move(key)), http_(http) {}

  Status exchange(const Json& message, const Deadline& deadline, const std::stop_token& stop,
                  const Take& take) override {
    ANIMA_ASSIGN(const bool enough, post(message, deadline.left_ms(), stop, take));
    if (enough) return {};
    return fail(ErrorCode::kIo, "the server ended its answer before it had answered");
  }

  Status send(const Json& message) override {
    return post(message, kPostMs, {}, [](const Message&) -> Result<bool> { return false; })
        .map([](bool) {});
  }

  // It speaks only when it is asked.
  Status drain(const Take&) override { return {}; }

  void speak(const std::string& version, bool stateless) override {
    version_ = version;
    stateless_ = stateless;
  }

 private:
  // What comes of one answer.
  struct Answer {
    const Take& take;
    bool stream = false;
    bool enough = false;
    std::string body = {};
    llm::SseParser events{kMaxMessageBytes};
    std::optional<Error> error = {};

    // An error ends the exchange; so does having enough.
    Status tell(std::string_view text) {
      auto message = read_message(text);
      const auto told = message ? take(*std::move(message)) : Result<bool>(fail(message.error()));
      if (!told) {
        error = told.error();
        return fail(told.error());
      }
      enough = *told;
      if (enough) return fail(ErrorCode::kCancelled, "enough");
      return {};
    }
  };

  llm::HttpRequest request_for(const Json& message, std::int64_t left_ms) const {
    llm::HttpRequest request;
    request.url = url_;
    request.body = message.dump();
    request.headers = {{"content-type", "application/json"},
                       {"accept", "application/json, text/event-stream"}};
    if (!version_.empty()) request.headers.emplace_back("mcp-protocol-version", version_);
    if (!session_.empty()) request.headers.emplace_back("mcp-session-id", session_);
    if (const std::string method = text_member(message, "method"); stateless_ && !method.empty()) {
      request.headers.emplace_back("mcp-method", method);
      const Json* params = message.find("params");
      const std::string name = params == nullptr ? "" : text_member(*params, "name");
      if (!name.empty()) request.headers.emplace_back("mcp-name", name);
    }
    if (!key_.empty()) {
      request.key = &key_;
      request.key_header = "authorization";
      request.key_prefix = "Bearer ";
    }
    request.timeouts = {.connect_ms = std::min(kConnectMs, std::max<std::int64_t>(left_ms, 1)),
                        .idle_ms = 0,
                        .total_ms = std::max<std::int64_t>(left_ms, 1)};
    request.max_bytes = 2 * kMaxMessageBytes;
    return request;
  }

  Result<bool> post(const Json& message, std::int64_t left_ms, const std::stop_token& stop,
                    const Take& take) {
    Answer answer{take};
    llm::HttpHandlers handlers;
    handlers.head = [&](const llm::HttpHead& head) -> Status {
      answer.stream =
          head.status == 200 && head.header("content-type").starts_with("text/event-stream");
      const std::string_view session = head.header("mcp-session-id");
      if (session_.empty() && is_session(session)) session_ = session;
      return {};
    };
    handlers.piece = [&](std::string_view piece) -> Status {
      if (answer.stream) {
        return answer.events.feed(piece, [&](const llm::SseEvent& event) -> Status {
          return event.data.empty() ? Status() : answer.tell(event.data);
        });
      }
      answer.body += piece;
      return {};
    };
    const llm::HttpOutcome outcome = http_.post(request_for(message, left_ms), handlers, stop);
    if (answer.enough) return true;
    if (answer.error) return fail(*answer.error);
    if (outcome.by_handler) return fail(outcome.handler_error);
    ANIMA_TRY(check(outcome, answer.body));
    if (answer.stream || outcome.head.status == kAccepted || trim(answer.body).empty())
      return false;
    if (const Status told = answer.tell(answer.body); !told && !answer.enough)
      return fail(told.error());
    return answer.enough;
  }

  // Only what a header may hold goes back to the server.
  static bool is_session(std::string_view text) {
    return !text.empty() && text.size() <= 1024 &&
           std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7f; });
  }

  Status check(const llm::HttpOutcome& outcome, const std::string& body) {
    switch (outcome.end) {
      case llm::HttpEnd::kDone:
        break;
      case llm::HttpEnd::kCancelled:
        return fail(ErrorCode::kCancelled, "the call was taken back");
      case llm::HttpEnd::kConnectTimeout:
      case llm::HttpEnd::kIdleTimeout:
      case llm::HttpEnd::kTotalTimeout:
        return fail(ErrorCode::kTimeout, "the server did not answer in time", url_);
      case llm::HttpEnd::kTooLong:
        return fail(ErrorCode::kLimitExceeded, "the server's answer is too long", url_);
      case llm::HttpEnd::kInsecure:
        return fail(ErrorCode::kDenied, "the connection is not safe: " + outcome.detail, url_,
                    "use https, or plain http to this machine");
      default:
        return fail(
            ErrorCode::kIo,
            "the server was not reached: " +
                (outcome.detail.empty() ? std::string(to_string(outcome.end)) : outcome.detail),
            url_);
    }
    const int status = outcome.head.status;
    if (status >= 200 && status < 300) return {};
    if (status == 404 && !session_.empty()) {
      session_.clear();
      return fail(ErrorCode::kConflict, "the server has forgotten the session", url_);
    }
    if (status == 401 || status == 403) {
      return fail(ErrorCode::kDenied, "the server wants a key (" + std::to_string(status) + ")",
                  url_, "name the variable that holds it with --key-env");
    }
    // An answer of JSON-RPC says more than its status.
    const auto message = read_message(body);
    if (message && message->kind == Message::Kind::kError) return fail(server_error(message->body));
    return fail(ErrorCode::kIo,
                "the server answered " + std::to_string(status) + ": " + server_text(body), url_);
  }

  std::string url_;
  llm::Secret key_;
  llm::HttpTransport& http_;
  std::string version_;
  std::string session_;
  bool stateless_ = false;
};

}  // namespace

std::unique_ptr<Transport> open_address(std::string url, llm::Secret key,
                                        llm::HttpTransport& http) {
  return std::make_unique<AddressTransport>(std::move(url), std::move(key), http);
}

}  // namespace anima::tools::mcp
