#include "serve/metrics.h"

#include <fmt/format.h>

#include <algorithm>

namespace anima::serve {
namespace {

double seconds(std::int64_t microseconds) { return static_cast<double>(microseconds) / 1e6; }

void head_of(std::string& text, std::string_view name, std::string_view type,
             std::string_view help) {
  text += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

}  // namespace

bool is_known_method(std::string_view method) {
  constexpr std::string_view kKnown[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};
  return std::ranges::find(kKnown, method) != std::end(kKnown);
}

std::vector<Gauge> gauge_rows(const Gauges& now) {
  const auto lag =
      static_cast<std::uint64_t>(now.head) - static_cast<std::uint64_t>(now.space.base_sequence);
  return {
      {"anima_http_connections", "anima.http.connections", "{connection}", now.connections,
       "Open connections."},
      {"anima_http_streams", "anima.http.streams", "{stream}", now.streams, "Answers that go on."},
      {"anima_mcp_sessions", "anima.mcp.sessions", "{session}", now.sessions, "Sessions of MCP."},
      {"anima_approvals_waiting", "anima.approvals.waiting", "{call}", now.approvals,
       "Calls that wait for the owner."},
      {"anima_log_entries", "anima.log.entries", "{entry}", now.space.entries,
       "Entries of the log."},
      {"anima_log_bytes", "anima.log.size", "By", now.space.log_bytes, "Size of the log."},
      {"anima_base_bytes", "anima.base.size", "By", now.space.base_bytes, "Size of the base."},
      {"anima_base_lag_entries", "anima.base.lag", "{entry}", lag,
       "Entries that the base does not hold yet."},
      {"anima_heap_bytes", "anima.heap.size", "By", now.space.heap_bytes,
       "Memory of what is newer than the base."},
      {"anima_concepts", "anima.concepts", "{concept}", now.space.concepts, "Concepts."},
      {"anima_propositions", "anima.propositions", "{link}", now.space.propositions,
       "Links between concepts."},
      {"anima_assertions", "anima.assertions", "{statement}", now.space.assertions,
       "Statements, each as often as stated."},
  };
}

void Metrics::count(const http::Noted& noted) {
  const std::string route = noted.route.empty() ? "other" : noted.route;
  const std::lock_guard lock(mutex_);
  ++answers_[{route, is_known_method(noted.method) ? noted.method : "other", noted.status}];
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
  for (const Gauge& each : gauge_rows(now)) {
    head_of(text, each.name, "gauge", each.help);
    text += fmt::format("{} {}\n", each.name, each.value);
  }
  if (!now.spans) return text;
  head_of(text, "anima_telemetry_spans_total", "counter", "Spans that were sent, or dropped.");
  text += fmt::format(
      "anima_telemetry_spans_total{{outcome=\"sent\"}} {}\n"
      "anima_telemetry_spans_total{{outcome=\"dropped\"}} {}\n",
      now.spans->sent, now.spans->dropped);
  head_of(text, "anima_telemetry_failures_total", "counter",
          "Requests that the collector did not take.");
  text += fmt::format("anima_telemetry_failures_total {}\n", now.spans->failed);
  head_of(text, "anima_telemetry_waiting", "gauge", "Spans that wait to be sent.");
  text += fmt::format("anima_telemetry_waiting {}\n", now.spans->waiting);
  return text;
}

}  // namespace anima::serve
