#include "base/trace/trace.h"

#include <algorithm>
#include <utility>

#include "base/crypto.h"
#include "base/text/text.h"

namespace anima {
namespace {

constexpr std::size_t kLength = 55;  // of a traceparent of version 00
constexpr std::size_t kLongestState = 512;
constexpr std::uint8_t kSampled = 1;

thread_local TraceScope* running = nullptr;
thread_local RequestScope* working_for = nullptr;

template <std::size_t N>
bool is_zero(const std::array<std::uint8_t, N>& id) {
  return std::ranges::all_of(id, [](std::uint8_t byte) { return byte == 0; });
}

// Lower-case digits alone are valid (W3C Trace Context, 3.2.2).
bool is_lower_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

template <std::size_t N>
void read_id(std::string_view digits, std::array<std::uint8_t, N>& id) {
  const std::string bytes = from_hex(digits).value_or(std::string(N, '\0'));
  std::copy(bytes.begin(), bytes.end(), id.begin());
}

}  // namespace

bool SpanContext::is_valid() const { return !is_zero(trace) && !is_zero(span); }
std::string SpanContext::trace_id() const { return to_hex(trace); }

std::optional<SpanContext> read_traceparent(std::string_view parent, std::string_view state) {
  parent = trim(parent);
  if (parent.size() < kLength || parent[2] != '-' || parent[35] != '-' || parent[52] != '-')
    return std::nullopt;
  const std::string_view version = parent.substr(0, 2), trace = parent.substr(3, 32),
                         span = parent.substr(36, 16), flags = parent.substr(53, 2);
  if (!is_lower_hex(version) || !is_lower_hex(trace) || !is_lower_hex(span) || !is_lower_hex(flags))
    return std::nullopt;
  // A later version may say more behind a further dash.
  if (version == "ff" || (parent.size() > kLength && (version == "00" || parent[kLength] != '-')))
    return std::nullopt;
  SpanContext context;
  read_id(trace, context.trace);
  read_id(span, context.span);
  std::array<std::uint8_t, 1> flag{};
  read_id(flags, flag);
  context.sampled = (flag[0] & kSampled) != 0;
  const bool plain = std::ranges::all_of(state, [](char c) { return c >= ' ' && c < 0x7f; });
  if (plain && state.size() <= kLongestState) context.state = trim(state);
  if (!context.is_valid()) return std::nullopt;
  return context;
}

std::string traceparent_of(const SpanContext& context) {
  return "00-" + to_hex(context.trace) + "-" + to_hex(context.span) +
         (context.sampled ? "-01" : "-00");
}

Span::Span(std::string name, SpanKind kind, const std::optional<SpanContext>& remote) {
  tracer_ = running == nullptr ? nullptr : running->tracer_;
  const std::optional<SpanContext> around = TraceScope::current();
  record_.parent = remote ? remote : around;
  if (tracer_ == nullptr) {
    if (record_.parent) record_.context = *record_.parent;
    return;
  }
  if (remote) record_.link = around;
  record_.context = tracer_->begin(record_.parent ? &*record_.parent : nullptr);
  record_.name = std::move(name);
  record_.kind = kind;
  record_.begun_ns = tracer_->now_ns();
}

Span::Span(Span&& other) noexcept
    : tracer_(std::exchange(other.tracer_, nullptr)), record_(std::move(other.record_)) {}

Span::~Span() { end(); }

void Span::rename(std::string name) { record_.name = std::move(name); }

void Span::set(std::string_view attribute, Json value) {
  if (tracer_ != nullptr) record_.attributes.emplace_back(attribute, std::move(value));
}

void Span::fail(std::string_view type, std::string_view message) {
  if (tracer_ == nullptr) return;
  set("error.type", type);
  record_.failed = true;
  record_.failure = message;
}

void Span::end() {
  Tracer* const tracer = std::exchange(tracer_, nullptr);
  if (tracer == nullptr) return;
  record_.ended_ns = std::max(tracer->now_ns(), record_.begun_ns);
  tracer->end(std::move(record_));
}

TraceScope::TraceScope(const Span& span)
    : tracer_(span.tracer_), context_(span.record_.context), around_(running) {
  running = this;
}

TraceScope::TraceScope(Tracer* tracer) : tracer_(tracer), around_(running) { running = this; }

TraceScope::~TraceScope() { running = around_; }

std::optional<SpanContext> TraceScope::of_caller(std::string_view parent, std::string_view state) {
  const Tracer* const tracer = running == nullptr ? nullptr : running->tracer_;
  if (tracer != nullptr && !tracer->takes_parents()) return std::nullopt;
  return read_traceparent(parent, state);
}

std::optional<SpanContext> TraceScope::current() {
  if (running == nullptr || !running->context_.is_valid()) return std::nullopt;
  return running->context_;
}

RequestScope::RequestScope(std::string id) : id_(std::move(id)), around_(working_for) {
  working_for = this;
}

RequestScope::~RequestScope() { working_for = around_; }

std::string RequestScope::current() {
  return working_for == nullptr ? std::string() : working_for->id_;
}

}  // namespace anima
