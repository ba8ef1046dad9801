#include "serve/telemetry.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/json/json.h"
#include "base/log.h"
#include "base/text/read_number.h"
#include "llm/retry.h"
#include "serve/mcp_protocol.h"
#include "serve/metrics.h"
#include "serve/otlp/payload.h"

namespace anima::serve {
namespace {

constexpr std::int64_t kNanoseconds = 1000;  // in a microsecond
constexpr int kMostAttempts = 5;
constexpr std::int64_t kFirstWaitMs = 1000, kLongestWaitMs = 30'000, kFarewellMs = 5000;
constexpr std::int64_t kConnectMs = 5000;

const Json* attribute(const SpanRecord& span, std::string_view name) {
  const auto found = std::ranges::find(span.attributes, name, &JsonMember::first);
  return found == span.attributes.end() ? nullptr : &found->second;
}

// Those of the span that have few values.
JsonObject some_of(const SpanRecord& span, std::initializer_list<std::string_view> names) {
  JsonObject some;
  for (const std::string_view name : names) {
    if (const Json* value = attribute(span, name)) some.emplace_back(name, *value);
  }
  return some;
}

double seconds_of(const SpanRecord& span) {
  return static_cast<double>(span.ended_ns - span.begun_ns) / 1e9;
}

std::size_t bytes_of(const Json& value) {
  std::size_t size = sizeof(Json) + (value.is_string() ? value.as_string().size() : 0);
  if (value.is_array()) {
    for (const Json& each : value.as_array()) size += bytes_of(each);
  }
  return size;
}

std::size_t bytes_of(const SpanRecord& span) {
  std::size_t size = sizeof(SpanRecord) + span.name.size() + span.failure.size();
  for (const JsonMember& each : span.attributes) size += each.first.size() + bytes_of(each.second);
  return size;
}

void cut(Json& value, std::size_t longest) {
  if (value.is_string() && value.as_string().size() > longest)
    value = value.as_string().substr(0, longest);
  if (!value.is_array()) return;
  for (Json& each : value.as_array()) cut(each, longest);
}

// A share of the traces, the same for every program that counts so (OpenTelemetry, TraceIdRatio).
bool is_in_ratio(const SpanContext& context, double ratio) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i < context.trace.size(); ++i) value = value << 8 | context.trace[i];
  return ratio >= 1 || static_cast<double>(value >> 1) < std::ldexp(ratio, 63);
}

// How many spans of a request the collector did not take, though it answered 200.
std::uint64_t rejected_in(const std::string& body) {
  const auto json = parse_json(body);
  const Json* partial = json ? json->find("partialSuccess") : nullptr;
  const Json* count = partial == nullptr ? nullptr : partial->find("rejectedSpans");
  if (count == nullptr) return 0;
  if (count->is_integer())
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, count->as_integer()));
  return read_number<std::uint64_t>(count->as_string()).value_or(0);
}

}  // namespace

Telemetry::Telemetry(otlp::Settings settings, std::string version, Parts parts)
    : settings_(std::move(settings)),
      version_(std::move(version)),
      parts_(parts),
      begun_ns_(parts.clock.now().microseconds * kNanoseconds),
      thread_([this] { run(); }) {}

Telemetry::~Telemetry() { stop(); }

SpanContext Telemetry::begin(const SpanContext* parent) {
  SpanContext context;
  if (parent != nullptr) {
    context.trace = parent->trace;
    context.state = parent->state;
  }
  do {
    if (parent == nullptr) parts_.random.fill(context.trace);
    parts_.random.fill(context.span);
  } while (!context.is_valid());
  if (settings_.traces.url.empty()) {
    context.sampled = parent != nullptr && parent->sampled;
  } else if (parent != nullptr && settings_.follows_parent) {
    context.sampled = parent->sampled;
  } else {
    context.sampled =
        settings_.root == otlp::Sampler::kAlways ||
        (settings_.root == otlp::Sampler::kRatio && is_in_ratio(context, settings_.ratio));
  }
  return context;
}

std::int64_t Telemetry::now_ns() { return parts_.clock.now().microseconds * kNanoseconds; }

void Telemetry::end(SpanRecord span) {
  if (!settings_.metrics.url.empty()) measure(span);
  if (!span.context.sampled || settings_.traces.url.empty()) return;
  for (JsonMember& each : span.attributes) cut(each.second, settings_.longest_value);
  const std::size_t size = bytes_of(span);
  const std::lock_guard lock(mutex_);
  if (ending_ || waiting_.size() >= settings_.most_spans || bytes_ + size > kMostBytes) {
    ++counts_.dropped;
    return;
  }
  bytes_ += size;
  waiting_.push_back(std::move(span));
  if (waiting_.size() >= settings_.most_in_batch) changed_.notify_all();
}

void Telemetry::measure(const SpanRecord& span) {
  if (const Json* method = attribute(span, "mcp.method.name")) {
    JsonObject measured = some_of(
        span, {"error.type", "gen_ai.tool.name", "gen_ai.operation.name", "gen_ai.prompt.name",
               "mcp.protocol.version", "network.transport", "rpc.response.status_code"});
    const Json* status = attribute(span, "rpc.response.status_code");
    const bool unknown =
        status != nullptr && status->as_string() == std::to_string(kMethodNotFound);
    measured.emplace_back("mcp.method.name", unknown ? Json("_OTHER") : *method);
    histograms_.record(otlp::kMcpServerDuration, seconds_of(span), std::move(measured));
    return;
  }
  if (attribute(span, "gen_ai.provider.name") == nullptr) return;
  const JsonObject model = some_of(span, {"gen_ai.operation.name", "gen_ai.provider.name",
                                          "gen_ai.request.model", "server.address", "server.port"});
  JsonObject measured = model;
  if (const Json* error = attribute(span, "error.type"))
    measured.emplace_back("error.type", *error);
  histograms_.record(otlp::kModelDuration, seconds_of(span), std::move(measured));
  for (const char* type : {"input", "output"}) {
    const Json* tokens = attribute(span, std::string("gen_ai.usage.") + type + "_tokens");
    if (tokens == nullptr) continue;
    JsonObject used = model;
    used.emplace_back("gen_ai.token.type", Json(type));
    histograms_.record(otlp::kModelTokens, tokens->as_number(), std::move(used));
  }
}

void Telemetry::count(const http::Noted& noted) {
  if (settings_.metrics.url.empty()) return;
  JsonObject attributes = {
      {"http.request.method", is_known_method(noted.method) ? noted.method : "_OTHER"},
      {"url.scheme", "http"},
      {"http.response.status_code", noted.status}};
  if (!noted.route.empty()) attributes.emplace_back("http.route", Json(noted.route));
  if (noted.status >= 500)
    attributes.emplace_back("error.type", Json(std::to_string(noted.status)));
  histograms_.record(otlp::kHttpServerDuration, static_cast<double>(noted.microseconds) / 1e6,
                     std::move(attributes));
}

void Telemetry::observe(std::function<std::vector<otlp::Value>()> read) {
  const std::lock_guard lock(reading_);
  read_ = std::move(read);
}

Telemetry::Counts Telemetry::counts() const {
  const std::lock_guard lock(mutex_);
  Counts counts = counts_;
  counts.waiting = waiting_.size();
  return counts;
}

// --- the thread that sends -----------------------------------------------------------------------

void Telemetry::run() {
  const auto now_ms = [this] { return parts_.clock.monotonic_nanoseconds() / 1'000'000; };
  std::int64_t metrics_at = now_ms() + settings_.interval_ms;
  for (;;) {
    const std::int64_t until_metrics = metrics_at - now_ms();
    bool ends = false;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock,
                        std::chrono::milliseconds(std::clamp<std::int64_t>(
                            settings_.delay_ms, 1, std::max<std::int64_t>(1, until_metrics))),
                        [this] { return ending_ || waiting_.size() >= settings_.most_in_batch; });
      ends = ending_;
    }
    send_spans();
    if (ends || now_ms() >= metrics_at) {
      send_metrics();
      metrics_at = now_ms() + settings_.interval_ms;
    }
    if (ends) return;
  }
}

std::vector<SpanRecord> Telemetry::next_batch() {
  std::vector<SpanRecord> batch;
  const std::lock_guard lock(mutex_);
  while (!waiting_.empty() && batch.size() < settings_.most_in_batch) {
    bytes_ -= std::min(bytes_, bytes_of(waiting_.front()));
    batch.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  return batch;
}

void Telemetry::send_spans() {
  for (auto batch = next_batch(); !batch.empty(); batch = next_batch()) {
    const bool sent =
        deliver(settings_.traces, otlp::traces_payload({settings_.resource, version_}, batch),
                batch.size());
    if (sent) continue;
    const std::lock_guard lock(mutex_);
    counts_.dropped += batch.size();
  }
}

void Telemetry::send_metrics() {
  if (settings_.metrics.url.empty()) return;
  std::vector<otlp::Value> values;
  {
    const std::lock_guard lock(reading_);
    if (read_) values = read_();
  }
  const auto histograms = histograms_.now();
  if (histograms.empty() && values.empty()) return;
  deliver(settings_.metrics,
          otlp::metrics_payload({settings_.resource, version_}, histograms, values, begun_ns_,
                                now_ns()),
          0);
}

bool Telemetry::deliver(const otlp::Target& target, const std::string& body, std::uint64_t spans) {
  std::int64_t wait = kFirstWaitMs;
  for (int attempt = 1;; ++attempt) {
    const Sent sent = post(target, body, spans);
    if (sent != Sent::kLater) return sent == Sent::kTaken;
    if (attempt == kMostAttempts || !wait_ms(std::max(wait, asked_ms_))) return false;
    wait = std::min(2 * wait, kLongestWaitMs);
  }
}

bool Telemetry::wait_ms(std::int64_t milliseconds) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, std::chrono::milliseconds(milliseconds),
                            [this] { return ending_; });
}

Telemetry::Sent Telemetry::post(const otlp::Target& target, const std::string& body,
                                std::uint64_t spans) {
  llm::HttpRequest request;
  request.url = target.url;
  request.headers = target.headers;
  request.headers.emplace_back("content-type", "application/json");
  request.body = body;
  request.allow_http = settings_.allow_http;
  request.timeouts = {std::min(kConnectMs, target.timeout_ms), target.timeout_ms,
                      target.timeout_ms};
  request.max_bytes = std::size_t{1} << 20;
  std::string answer;
  llm::HttpHandlers handlers;
  handlers.piece = [&answer](std::string_view bytes) -> Status {
    answer += bytes;
    return {};
  };
  const llm::HttpOutcome outcome = parts_.transport.post(request, handlers, given_up_.get_token());
  const bool answered = outcome.end == llm::HttpEnd::kDone;
  const bool taken = answered && outcome.head.status / 100 == 2;
  asked_ms_ = answered ? std::min(llm::asked_wait_ms(outcome.head, parts_.clock.now()).value_or(0),
                                  kLongestWaitMs)
                       : 0;
  tell_of(taken, outcome);
  const std::lock_guard lock(mutex_);
  if (taken) {
    const std::uint64_t rejected = std::min(rejected_in(answer), spans);
    counts_.sent += spans - rejected;
    counts_.dropped += rejected;
    return Sent::kTaken;
  }
  ++counts_.failed;
  const bool again = answered ? llm::may_retry(outcome.head) : llm::may_retry(outcome.end);
  return again ? Sent::kLater : Sent::kRefused;
}

// Once when the collector begins to fail, and once when it takes again.
void Telemetry::tell_of(bool taken, const llm::HttpOutcome& outcome) {
  if (taken != troubled_) return;
  troubled_ = !taken;
  if (taken) return log_info("telemetry", "the collector takes spans and metrics again");
  const bool answered = outcome.end == llm::HttpEnd::kDone;
  log_warning("telemetry", "the collector does not take them: " +
                               (answered ? "it answers " + std::to_string(outcome.head.status)
                                         : std::string(llm::to_string(outcome.end))));
}

void Telemetry::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (ending_) return;
    ending_ = true;
  }
  changed_.notify_all();
  // A collector that takes nothing does not keep the program.
  std::jthread patience([this](const std::stop_token& done) {
    std::mutex waiting;
    std::condition_variable_any told;
    std::unique_lock lock(waiting);
    told.wait_for(lock, done, std::chrono::milliseconds(kFarewellMs), [] { return false; });
    if (!done.stop_requested()) given_up_.request_stop();
  });
  thread_.join();
}

}  // namespace anima::serve
