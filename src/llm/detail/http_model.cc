// A model over HTTP: encodes, sends, reads, judges what came, and tries again where that may help.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <tuple>

#include "base/text/text.h"
#include "base/text/valid_text.h"
#include "llm/detail/codec.h"
#include "llm/detail/model_span.h"
#include "llm/model.h"
#include "llm/rate_limiter.h"
#include "llm/sse.h"

namespace anima::llm::detail {
namespace {

constexpr std::size_t kShownText = 300;  // of what a server says, in an error
constexpr std::int64_t kSecondMs = 1000;

bool is_good(int status) { return status >= 200 && status < 300; }

std::string_view media_type(const HttpHead& head) {
  const std::string_view type = head.header("content-type");
  return trim(type.substr(0, type.find(';')));
}

// What a server wrote, for an error: short, in one line, without keys.
std::string shown(std::string_view text, const Secret* key) {
  const std::string clean = visible_text(valid_text(scrub_key_shapes(scrub(text, key))));
  const std::string_view cut = beginning_of(clean, kShownText);
  return std::string(cut) + (cut.size() < clean.size() ? ".." : "");
}

// The outcome of one attempt.
struct Verdict {
  Result<Reply> reply;
  bool retry = false;
  std::optional<std::int64_t> asked_ms;
};

Verdict bad(ErrorCode code, std::string message, bool retry, std::string hint = {}) {
  return {fail(code, std::move(message), {}, std::move(hint)), retry, std::nullopt};
}

ErrorCode code_of_status(const HttpHead& head, const ServerFault& fault) {
  if (fault.type == "context_length_exceeded" || head.status == 413)
    return ErrorCode::kLimitExceeded;
  switch (head.status) {
    case 401:
    case 402:
    case 403:
      return ErrorCode::kDenied;
    case 404:
      return ErrorCode::kNotFound;
    case 408:
    case 425:
    case 429:
      return ErrorCode::kBusy;
    default:
      return head.status >= 500 ? ErrorCode::kBusy : ErrorCode::kInvalidArgument;
  }
}

// One POST: takes the answer in as it comes, and judges it at its end.
class Attempt {
 public:
  Attempt(const Codec& codec, const Request& request, const StreamSink& sink, const Secret* key)
      : codec_(codec), request_(request), sink_(sink), key_(key), scrubber_(key) {}

  Status take_head(const HttpHead& head) {
    streamed_ = sink_ && is_good(head.status) && media_type(head) == "text/event-stream";
    if (streamed_) reader_ = codec_.reader(request_);
    return {};
  }

  Status take_piece(std::string_view bytes) {
    if (!streamed_) {
      body_ += bytes;
      return {};
    }
    const Status status = parser_.feed(bytes, [&](const SseEvent& event) {
      return reader_->take(event, [&](const StreamEvent& told) { tell(told); });
    });
    if (!status) fault_ = status.error();
    return status;
  }

  // True when the listener heard something that a repetition must take back.
  bool told() const { return told_; }

  Verdict judge(const HttpOutcome& outcome, Timestamp now) {
    if (fault_) {
      const bool passes = fault_->code == ErrorCode::kBusy || fault_->code == ErrorCode::kIo;
      fault_->message = shown(fault_->message, key_);
      fault_->where.clear();
      return {fail(*fault_), passes, asked_wait_ms(outcome.head, now)};
    }
    if (outcome.by_handler) return {fail(outcome.handler_error), false, std::nullopt};
    // A connection that breaks behind the end of a stream took nothing away.
    const bool whole = streamed_ && reader_->whole();
    if (whole && (outcome.end == HttpEnd::kDone || outcome.end == HttpEnd::kBroken)) {
      flush();
      return {reader_->reply(), false, std::nullopt};
    }
    if (outcome.end != HttpEnd::kDone) return judge_end(outcome);
    if (streamed_) return bad(ErrorCode::kBusy, "the stream was cut before its end", true);
    return is_good(outcome.head.status) ? judge_body(outcome.head)
                                        : judge_refusal(outcome.head, now);
  }

 private:
  void tell(const StreamEvent& event) {
    StreamEvent clean = event;
    if (event.kind == StreamEvent::Kind::kText) clean.text = scrubber_.feed(event.text);
    if (event.kind == StreamEvent::Kind::kRestart) (void)scrubber_.finish();
    if (event.kind != StreamEvent::Kind::kRestart && clean.text.empty()) return;
    told_ = true;
    sink_(clean);
  }
  void flush() {
    const std::string rest = scrubber_.finish();
    if (!rest.empty()) sink_({StreamEvent::Kind::kText, rest});
  }

  Verdict judge_end(const HttpOutcome& outcome) const {
    const bool retry = may_retry(outcome.end);
    switch (outcome.end) {
      case HttpEnd::kUnreachable:
        return bad(ErrorCode::kBusy, "there is no connection: " + outcome.detail, retry,
                   "check the url and that the server runs");
      case HttpEnd::kConnectTimeout:
        return bad(ErrorCode::kTimeout, "the connection took too long", retry);
      case HttpEnd::kIdleTimeout:
        return bad(ErrorCode::kTimeout, "the server was silent for too long", retry);
      case HttpEnd::kTotalTimeout:
        return bad(ErrorCode::kTimeout, "the call took too long", retry);
      case HttpEnd::kTooLong:
        return bad(ErrorCode::kLimitExceeded, "the server's answer is too long", retry);
      case HttpEnd::kInsecure:
        return bad(ErrorCode::kDenied, "the connection is not safe: " + outcome.detail, retry);
      case HttpEnd::kCancelled:
        return bad(ErrorCode::kCancelled, "the call was stopped", retry);
      case HttpEnd::kUnavailable:
        return bad(ErrorCode::kUnsupported, "this machine cannot call models: " + outcome.detail,
                   retry, "install libcurl4");
      case HttpEnd::kDone:
      case HttpEnd::kBroken:
        break;
    }
    return bad(ErrorCode::kBusy, "the connection broke: " + outcome.detail, retry);
  }

  Verdict judge_body(const HttpHead& head) {
    const auto json = parse_json(body_);
    const std::string_view type = media_type(head);
    if (!json && type.find("json") == std::string_view::npos && type != "text/event-stream") {
      return bad(
          ErrorCode::kIo,
          fmt::format("the server answers with {}, not with JSON: {}",
                      type.empty() ? "bytes of no type" : shown(type, key_), shown(body_, key_)),
          false, "check the url");
    }
    if (!json) return bad(ErrorCode::kIo, "the server's answer cannot be read as JSON", true);
    auto reply = codec_.decode(*json, request_);
    if (!reply) {
      Error error = reply.error();
      const bool passes = error.code == ErrorCode::kBusy || error.code == ErrorCode::kIo;
      error.message = shown(error.message, key_);
      error.where.clear();
      return {fail(error), passes, std::nullopt};
    }
    // A server that does not stream gives all of it at once.
    if (sink_) {
      tell({StreamEvent::Kind::kText, text_of(reply->message)});
      flush();
      for (const ToolCall& call : calls_of(reply->message))
        tell({StreamEvent::Kind::kToolCall, call.name});
    }
    return {std::move(reply), false, std::nullopt};
  }

  Verdict judge_refusal(const HttpHead& head, Timestamp now) const {
    if (head.status >= 300 && head.status < 400) {
      return bad(ErrorCode::kDenied,
                 fmt::format("the server sends the call elsewhere ({}), and a call with a key is "
                             "not sent on",
                             shown(head.header("location"), key_)),
                 false, "put the right address into url");
    }
    const auto json = parse_json(body_);
    const ServerFault fault = json ? fault_of(*json) : ServerFault{};
    const std::string said = shown(fault.message.empty() ? body_ : fault.message, key_);
    Verdict verdict = bad(code_of_status(head, fault),
                          fmt::format("the model's server answers {}{}{}", head.status,
                                      said.empty() ? "" : ": ", said),
                          may_retry(head) && fault.type != "insufficient_quota");
    verdict.asked_ms = asked_wait_ms(head, now);
    return verdict;
  }

  const Codec& codec_;
  const Request& request_;
  const StreamSink& sink_;
  const Secret* key_;
  KeyScrubber scrubber_;
  SseParser parser_;
  std::unique_ptr<StreamReader> reader_;
  std::string body_;
  std::optional<Error> fault_;
  bool streamed_ = false;
  bool told_ = false;
};

void scrub_json(Json& json, const Secret* key) {
  if (json.is_string()) {
    json = scrub(json.as_string(), key);
  } else if (json.is_array()) {
    for (Json& item : json.as_array()) scrub_json(item, key);
  } else if (json.is_object()) {
    for (auto& [name, value] : json.as_object()) {
      name = scrub(name, key);
      scrub_json(value, key);
    }
  }
}

// A server may have spelled the key so that only the decoded answer shows it.
void scrub_reply(Reply& reply, const Secret* key) {
  if (key == nullptr || key->empty()) return;
  reply.id = scrub(reply.id, key);
  reply.model = scrub(reply.model, key);
  for (Part& part : reply.message.parts) {
    if (auto* text = std::get_if<std::string>(&part)) *text = scrub(*text, key);
    if (auto* opaque = std::get_if<Opaque>(&part)) scrub_json(opaque->content, key);
    if (auto* call = std::get_if<ToolCall>(&part)) {
      call->id = scrub(call->id, key);
      call->name = scrub(call->name, key);
      call->unreadable = scrub(call->unreadable, key);
      scrub_json(call->arguments, key);
    }
  }
}

class HttpModel final : public Model {
 public:
  HttpModel(ModelConfig config, ModelParts parts)
      : config_(std::move(config)),
        parts_(std::move(parts)),
        codec_(codec_of(config_.provider)),
        limiter_(config_.requests_per_minute, config_.tokens_per_minute) {}

  const ModelConfig& config() const override { return config_; }

  Result<Reply> complete(const Request& request, const CallOptions& options) override {
    Span span = span_of_call(config_, request);
    const TraceScope scope(span);
    Result<Reply> reply = answer(request, options);
    tell_reply(span, reply);
    return reply;
  }

 private:
  Result<Reply> answer(const Request& request, const CallOptions& options) {
    ANIMA_TRY(check(request));
    ANIMA_ASSIGN(const Secret* key, ready_key());
    ANIMA_ASSIGN(HttpRequest http, encode(request, static_cast<bool>(options.sink), key));
    const std::int64_t deadline = now_ms() + config_.timeout_seconds * kSecondMs;
    const std::int64_t tokens =
        estimate_tokens(request) + request.max_tokens.value_or(config_.max_tokens);
    for (std::int64_t attempt = 1;; ++attempt) {
      ANIMA_TRY(wait_for_turn(tokens, deadline, options.stop));
      http.timeouts.total_ms = std::max<std::int64_t>(1, deadline - now_ms());
      Attempt one(codec_, request, options.sink, key);
      Verdict verdict = one.judge(post(http, one, options.stop), parts_.clock.now());
      if (verdict.reply) {
        scrub_reply(*verdict.reply, key);
        verdict.reply->attempts = attempt;
        return std::move(verdict.reply);
      }
      ANIMA_TRY(wait_for_next(verdict, attempt, deadline, options.stop));
      if (one.told()) options.sink({StreamEvent::Kind::kRestart, {}});
    }
  }

  std::int64_t now_ms() { return parts_.clock.monotonic_nanoseconds() / 1'000'000; }

  Result<const Secret*> ready_key() {
    const std::lock_guard lock(mutex_);
    if (!key_read_ && parts_.key) {
      ANIMA_ASSIGN(key_, parts_.key(config_.key));
      key_read_ = true;
    }
    return &key_;
  }

  Result<HttpRequest> encode(const Request& request, bool stream, const Secret* key) const {
    ANIMA_ASSIGN(EncodedRequest encoded, codec_.encode(config_, request, stream));
    HttpRequest http;
    http.url = config_.url + encoded.path;
    http.headers = std::move(encoded.headers);
    http.headers.emplace_back("content-type", "application/json");
    http.headers.emplace_back("accept", stream ? "text/event-stream" : "application/json");
    http.body = valid_text(encoded.body.dump());
    if (key->is_in(http.body)) {
      return fail(ErrorCode::kDenied, "the messages hold the key of the model: they are not sent",
                  config_.name, "take the key out of what is asked");
    }
    std::tie(http.key_header, http.key_prefix) = codec_.key_header();
    http.key = key;
    http.allow_http = config_.allow_http;
    http.timeouts.connect_ms = config_.connect_seconds * kSecondMs;
    http.timeouts.idle_ms = config_.idle_seconds * kSecondMs;
    return http;
  }

  HttpOutcome post(const HttpRequest& http, Attempt& attempt, const std::stop_token& stop) {
    HttpHandlers handlers;
    handlers.head = [&](const HttpHead& head) { return attempt.take_head(head); };
    handlers.piece = [&](std::string_view bytes) { return attempt.take_piece(bytes); };
    return parts_.transport.post(http, handlers, stop);
  }

  // Until the rates of the model allow a call. Time that was waited has passed, also where neither
  // waiter nor clock are real.
  Status wait_for_turn(std::int64_t tokens, std::int64_t deadline, const std::stop_token& stop) {
    Timestamp now = parts_.clock.now();
    for (;;) {
      const std::int64_t wait = limiter_.take(now, tokens);
      if (wait == 0) return {};
      if (now_ms() + wait > deadline)
        return fail(ErrorCode::kBusy, "the model's rate leaves the call no time", config_.name);
      ANIMA_TRY(parts_.waiter.wait_ms(wait, stop));
      now = {std::max(parts_.clock.now().microseconds, now.microseconds + wait * 1000)};
    }
  }

  // Most servers of this interface have it below /v1.
  bool lacks_version() const {
    return config_.provider == Provider::kOpenAiChat &&
           config_.url.find("/v1") == std::string::npos;
  }

  // Before the next attempt; the error of this one when there is none.
  Status wait_for_next(const Verdict& verdict, std::int64_t attempt, std::int64_t deadline,
                       const std::stop_token& stop) {
    Error error = verdict.reply.error();
    if (error.where.empty()) error.where = config_.name;
    if (error.code == ErrorCode::kNotFound && error.hint.empty() && lacks_version())
      error.hint = "the model may be there under " + config_.url + "/v1: set url to it";
    if (!verdict.retry) return fail(std::move(error));
    if (attempt > 1) error.message += fmt::format(" (attempt {})", attempt);
    if (attempt >= config_.attempts) return fail(std::move(error));
    const std::int64_t asked = verdict.asked_ms.value_or(0);
    if (asked > parts_.back_off.longest_asked_ms || now_ms() + asked > deadline) {
      error.hint = fmt::format("the server asks to wait {} s", (asked + 999) / 1000);
      return fail(std::move(error));
    }
    std::int64_t wait = 0;
    {
      const std::lock_guard lock(mutex_);
      wait = std::max(asked, back_off_ms(parts_.back_off, attempt, parts_.random));
    }
    if (now_ms() + wait > deadline) return fail(std::move(error));
    if (asked > 0) limiter_.not_before({parts_.clock.now().microseconds + asked * 1000});
    return parts_.waiter.wait_ms(wait, stop);
  }

  const ModelConfig config_;
  ModelParts parts_;
  const Codec& codec_;
  RateLimiter limiter_;
  std::mutex mutex_;
  Secret key_;
  bool key_read_ = false;
};

}  // namespace
}  // namespace anima::llm::detail

namespace anima::llm {

std::unique_ptr<Model> make_model(ModelConfig config, ModelParts parts) {
  return std::make_unique<detail::HttpModel>(std::move(config), std::move(parts));
}

}  // namespace anima::llm
