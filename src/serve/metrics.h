// What a server counts of its requests, and what Prometheus reads of it and of the space.
//
// Labels are few: the routes of the server, their methods, the statuses. Thread-safety: every
// function from any thread. Complexity: count() O(log routes). Source: the text format of
// Prometheus, version 0.0.4.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "serve/http/server.h"
#include "store/space.h"

namespace anima::serve {

// Of telemetry that is sent (telemetry.h).
struct SpanCounts {
  std::uint64_t sent = 0, dropped = 0, failed = 0;
  std::size_t waiting = 0;
};

struct Gauges {
  store::SpaceStats space;
  store::Sequence head = store::Sequence::kNone;
  std::size_t connections = 0, streams = 0, sessions = 0, approvals = 0;
  std::optional<SpanCounts> spans;  // nullopt: none is sent
};

// Whether it may be a label: a client may write any other.
bool is_known_method(std::string_view method);

// One of them, as Prometheus and OTLP call it.
struct Gauge {
  std::string_view name, otlp, unit;
  std::uint64_t value = 0;
  std::string_view help;
};
std::vector<Gauge> gauge_rows(const Gauges& now);

class Metrics {
 public:
  void count(const http::Noted& noted);
  std::string text(const Gauges& now) const;

 private:
  static constexpr std::array<std::int64_t, 8> kBounds = {
      1'000, 5'000, 20'000, 100'000, 500'000, 2'000'000, 5'000'000, 30'000'000};
  struct Times {
    std::array<std::uint64_t, kBounds.size()> within{};  // microseconds; not cumulative
    std::uint64_t count = 0;
    std::int64_t sum = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::tuple<std::string, std::string, unsigned>, std::uint64_t> answers_;
  std::map<std::string, Times> times_;  // by route
  std::uint64_t bytes_ = 0;
};

}  // namespace anima::serve
