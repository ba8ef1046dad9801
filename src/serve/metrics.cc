#include "serve/metrics.h"

#include <fmt/format.h>

#include <algorithm>

namespace anima::serve {
namespace {

double seconds(std::int64_t microseconds) { return static_cast<double>(microseconds) / 1e6; }

std::string known_method(const std::string& method) {
  constexpr std::string_view kKnown[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};
  return std::ranges::find(kKnown, method) == std::end(kKnown) ? "other" : method;
}

void head_of(std::string& text, std::string_view name, std::string_view type,
             std::string_view help) {
  text += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

void gauge(std::string& text, std::string_view name, std::uint64_t value, std::string_view help) {
  head_of(text, name, "gauge", help);
  text += fmt::format("{} {}\n", name, value);
}

}  // namespace

void Metrics::count(const http::Noted& noted) {
  const std::string route = noted.route.empty() ? "other" : noted.route;
  const std::lock_guard lock(mutex_);
  ++answers_[{route, known_method(noted.method), noted.status}];
  bytes_ += noted.bytes;
  Times& times = times_[route];
  const auto* const bound = std::ranges::lower_bound(kBounds, noted.microseconds);
  if (bound != kBounds.end()) ++times.within[static_cast<std::size_t>(bound - kBounds.begin())];
  ++times.count;
  times.sum += noted.microseconds;
}

std::string Metrics::text(const Gauges& now) const {
  std::string text;
  {
    const std::lock_guard lock(mutex_);
    head_of(text, "anima_http_requests_total", "counter", "Requests that were answered.");
    for (const auto& [key, count] : answers_) {
      const auto& [route, method, status] = key;
      text +=
          fmt::format("anima_http_requests_total{{route=\"{}\",method=\"{}\",status=\"{}\"}} {}\n",
                      route, method, status, count);
    }
    head_of(text, "anima_http_answer_bytes_total", "counter", "Bytes of answers' bodies.");
    text += fmt::format("anima_http_answer_bytes_total {}\n", bytes_);
    head_of(text, "anima_http_request_seconds", "histogram",
            "From a request's header to its answer; of a stream to its end.");
    for (const auto& [route, times] : times_) {
      std::uint64_t within = 0;
      for (std::size_t i = 0; i < kBounds.size(); ++i) {
        within += times.within[i];
        text += fmt::format("anima_http_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n",
                            route, seconds(kBounds[i]), within);
      }
      text += fmt::format(
          "anima_http_request_seconds_bucket{{route=\"{0}\",le=\"+Inf\"}} {1}\n"
          "anima_http_request_seconds_sum{{route=\"{0}\"}} {2}\n"
          "anima_http_request_seconds_count{{route=\"{0}\"}} {1}\n",
          route, times.count, seconds(times.sum));
    }
  }
  gauge(text, "anima_http_connections", now.connections, "Open connections.");
  gauge(text, "anima_http_streams", now.streams, "Answers that go on.");
  gauge(text, "anima_mcp_sessions", now.sessions, "Sessions of MCP.");
  gauge(text, "anima_approvals_waiting", now.approvals, "Calls that wait for the owner.");
  gauge(text, "anima_log_entries", now.space.entries, "Entries of the log.");
  gauge(text, "anima_log_bytes", now.space.log_bytes, "Size of the log.");
  gauge(text, "anima_base_bytes", now.space.base_bytes, "Size of the base.");
  gauge(text, "anima_base_lag_entries",
        static_cast<std::uint64_t>(now.head) - static_cast<std::uint64_t>(now.space.base_sequence),
        "Entries that the base does not hold yet.");
  gauge(text, "anima_heap_bytes", now.space.heap_bytes, "Memory of what is newer than the base.");
  gauge(text, "anima_concepts", now.space.concepts, "Concepts.");
  gauge(text, "anima_propositions", now.space.propositions, "Links between concepts.");
  gauge(text, "anima_assertions", now.space.assertions, "Statements, each as often as stated.");
  return text;
}

}  // namespace anima::serve
