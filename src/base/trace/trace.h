// Traces as W3C Trace Context and OpenTelemetry have them: what is done within what, for whom. A
// room that does something worth a span opens one; who makes spans and where they go is behind the
// interface Tracer, which the server's telemetry implements.
//
//   Span span("chat gpt-4", SpanKind::kClient);   // within what this thread does
//   const TraceScope scope(span);                 // what follows is within it
//   span.set("gen_ai.request.model", "gpt-4");
//
// What a thread does is within the scope that it opened last. Without a tracer no span is made, and
// the context of a caller is handed on as it came. Thread-safety: scopes and the span of a scope
// belong to the thread that made them; a Tracer is used from any thread, and outlives its spans.
// Sources: W3C Trace Context level 1; OpenTelemetry specification, trace API.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/json.h"

namespace anima {

struct SpanContext {
  std::array<std::uint8_t, 16> trace{};
  std::array<std::uint8_t, 8> span{};
  bool sampled = false;
  std::string state = {};  // "tracestate", as it came

  bool is_valid() const;         // neither id is zero
  std::string trace_id() const;  // 32 hexadecimal digits
};

// The context that a `traceparent` says, with the `tracestate` beside it; nullopt when it is none.
std::optional<SpanContext> read_traceparent(std::string_view parent, std::string_view state = {});
// "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".
std::string traceparent_of(const SpanContext& context);

// The numbers of OTLP.
enum class SpanKind : std::uint8_t { kInternal = 1, kServer = 2, kClient = 3 };

struct SpanRecord {
  SpanContext context;
  std::optional<SpanContext> parent, link;
  std::string name;
  SpanKind kind = SpanKind::kInternal;
  std::int64_t begun_ns = 0, ended_ns = 0;  // since 1970
  JsonObject attributes = {};               // texts, numbers, truths and lists of texts
  bool failed = false;
  std::string failure = {};
};

class Tracer {
 public:
  virtual ~Tracer() = default;
  // A new context, within `parent` where there is one; whether it is sampled is decided here.
  virtual SpanContext begin(const SpanContext* parent) = 0;
  virtual std::int64_t now_ns() = 0;  // since 1970
  // Of a span that ended, sampled or not. Quick, and never fails.
  virtual void end(SpanRecord span) = 0;
  // Whether spans may hold what was said: messages, arguments, results.
  virtual bool keeps_contents() const = 0;
  // Whether spans are made within those of callers.
  virtual bool takes_parents() const = 0;
};

class Span {
 public:
  // `remote`: the caller's context, where he sent one; the scope around is linked then.
  Span(std::string name, SpanKind kind, const std::optional<SpanContext>& remote = std::nullopt);
  ~Span();  // ends it
  Span(Span&& other) noexcept;
  Span& operator=(Span&&) = delete;

  bool is_recorded() const { return tracer_ != nullptr; }
  bool keeps_contents() const { return tracer_ != nullptr && tracer_->keeps_contents(); }
  void rename(std::string name);
  void set(std::string_view attribute, Json value);
  // `error.type` of the conventions, and what is said of it.
  void fail(std::string_view type, std::string_view message = {});
  void end();

 private:
  friend class TraceScope;
  Tracer* tracer_ = nullptr;  // null: nobody makes spans here
  SpanRecord record_;
};

class TraceScope {
 public:
  explicit TraceScope(const Span& span);
  // What this thread does is traced by `tracer` (null: nobody), within no span yet.
  explicit TraceScope(Tracer* tracer);
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

  // Of the scope that this thread opened last; nullopt: there is none, or it has no context.
  static std::optional<SpanContext> current();
  // read_traceparent(), where the tracer of this thread takes what callers send, or there is none.
  static std::optional<SpanContext> of_caller(std::string_view parent, std::string_view state);

 private:
  friend class Span;
  Tracer* tracer_;
  SpanContext context_;
  TraceScope* around_;
};

// The name of the request that this thread works for, as its line of the log has it: the audit
// notes it beside what was refused or done.
class RequestScope {
 public:
  explicit RequestScope(std::string id);
  ~RequestScope();
  RequestScope(const RequestScope&) = delete;
  RequestScope& operator=(const RequestScope&) = delete;

  static std::string current();  // empty: none

 private:
  const std::string id_;
  RequestScope* const around_;
};

}  // namespace anima
