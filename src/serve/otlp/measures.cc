#include "serve/otlp/measures.h"

#include <algorithm>
#include <array>
#include <utility>

namespace anima::serve::otlp {
namespace {

constexpr std::array kHttpBounds{0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25,
                                 0.5,   0.75, 1.0,   2.5,  5.0,   7.5, 10.0};
constexpr std::array kMcpBounds{0.01, 0.02, 0.05, 0.1,  0.2,  0.5,   1.0,
                                2.0,  5.0,  10.0, 30.0, 60.0, 120.0, 300.0};
constexpr std::array kModelBounds{0.01, 0.02, 0.04, 0.08,  0.16,  0.32,  0.64,
                                  1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92};
constexpr std::array kTokenBounds{1.0,       4.0,       16.0,       64.0,      256.0,
                                  1024.0,    4096.0,    16384.0,    65536.0,   262144.0,
                                  1048576.0, 4194304.0, 16777216.0, 67108864.0};

}  // namespace

const HistogramKind kHttpServerDuration{"http.server.request.duration", "s",
                                        "Duration of HTTP server requests.", kHttpBounds};
const HistogramKind kMcpServerDuration{
    "mcp.server.operation.duration", "s",
    "MCP request duration as observed on the receiver until the result is sent.", kMcpBounds};
const HistogramKind kModelDuration{"gen_ai.client.operation.duration", "s",
                                   "GenAI operation duration.", kModelBounds};
const HistogramKind kModelTokens{"gen_ai.client.token.usage", "{token}",
                                 "Number of input and output tokens used.", kTokenBounds};

void Histograms::record(const HistogramKind& kind, double value, JsonObject attributes) {
  std::string key = Json(attributes).dump();
  const std::lock_guard lock(mutex_);
  std::map<std::string, HistogramPoint>& points = points_[&kind];
  if (points.size() >= kMostPoints && !points.contains(key)) {
    attributes = {{"otel.metric.overflow", true}};
    key.clear();
  }
  HistogramPoint& point = points[key];
  if (point.count == 0) {
    point.attributes = std::move(attributes);
    point.counts.resize(kind.bounds.size() + 1);
    point.least = point.most = value;
  }
  const auto bound = std::ranges::lower_bound(kind.bounds, value);
  ++point.counts[static_cast<std::size_t>(bound - kind.bounds.begin())];
  ++point.count;
  point.sum += value;
  point.least = std::min(point.least, value);
  point.most = std::max(point.most, value);
}

std::vector<HistogramState> Histograms::now() const {
  std::vector<HistogramState> all;
  const std::lock_guard lock(mutex_);
  for (const auto& [kind, points] : points_) {
    HistogramState state{kind, {}};
    for (const auto& [key, point] : points) state.points.push_back(point);
    all.push_back(std::move(state));
  }
  std::ranges::sort(all, {}, [](const HistogramState& each) { return each.kind->name; });
  return all;
}

}  // namespace anima::serve::otlp
