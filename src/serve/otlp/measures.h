// What is measured over time, as OTLP tells it: histograms that grow with each measure, and values
// that are read when metrics are sent.
//
// Attributes have few values: routes, methods, statuses, names of models and tools. What a client
// may choose freely is no attribute; beyond 2,000 of one histogram further ones are counted
// together (otel.metric.overflow). Thread-safety: Histograms from any thread. Source:
// OpenTelemetry, data model of metrics.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"

namespace anima::serve::otlp {

// A histogram that there is. Bounds are those of the conventions.
struct HistogramKind {
  std::string_view name, unit, description;
  std::span<const double> bounds;
};

struct HistogramPoint {
  JsonObject attributes;
  std::vector<std::uint64_t> counts;  // one more than bounds; not cumulative
  std::uint64_t count = 0;
  double sum = 0, least = 0, most = 0;
};

struct HistogramState {
  const HistogramKind* kind = nullptr;
  std::vector<HistogramPoint> points;
};

class Histograms {
 public:
  // O(log points).
  void record(const HistogramKind& kind, double value, JsonObject attributes);
  std::vector<HistogramState> now() const;

 private:
  static constexpr std::size_t kMostPoints = 2000;
  mutable std::mutex mutex_;
  std::map<const HistogramKind*, std::map<std::string, HistogramPoint>> points_;
};

// A value that is read when metrics are sent.
struct Value {
  std::string_view name, unit, description;
  double value = 0;
  bool grows = false;  // a sum that never falls
  JsonObject attributes = {};
};

extern const HistogramKind kHttpServerDuration, kMcpServerDuration, kModelDuration, kModelTokens;

}  // namespace anima::serve::otlp
