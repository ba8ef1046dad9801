#include "govern/behaviour.h"

#include <algorithm>

namespace anima::govern {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kRateWindow = 60 * kSecond;
constexpr std::int64_t kHitWindow = 300 * kSecond;
constexpr std::ptrdiff_t kRateLimit = 60;
constexpr std::ptrdiff_t kHitLimit = 5;
constexpr std::uint64_t kBaseline = 10;
constexpr std::size_t kKept = 1000;

std::ptrdiff_t within(const std::deque<Timestamp>& times, Timestamp now, std::int64_t window) {
  return std::ranges::count_if(
      times, [&](Timestamp t) { return now.microseconds - t.microseconds < window; });
}

void keep(std::deque<Timestamp>& times, Timestamp time) {
  times.push_back(time);
  if (times.size() > kKept) times.pop_front();
}

double running_mean(double mean, std::uint64_t count, double value) {
  const auto n = static_cast<double>(count);
  return (mean * n + value) / (n + 1);
}

}  // namespace

BehaviourReport Behaviour::record(std::string_view source, std::size_t length, Timestamp time) {
  History& history = sources_.try_emplace(std::string(source)).first->second;
  BehaviourReport report;
  const auto size = static_cast<double>(length);
  const bool first = history.messages.empty();
  const double interval =
      first ? 0 : static_cast<double>(time.microseconds - history.messages.back().microseconds);
  if (history.count >= kBaseline) {
    if (size > 3 * history.mean_length) report.anomaly_tenths += 4;
    if (interval < 0.1 * history.mean_interval) report.anomaly_tenths += 3;
    if (within(history.hits, time, kHitWindow) > kHitLimit) report.anomaly_tenths += 5;
    report.anomaly_tenths = std::min(report.anomaly_tenths, 10);
  }
  report.labelled = report.anomaly_tenths > 5;
  keep(history.messages, time);
  report.rate_exceeded = within(history.messages, time, kRateWindow) > kRateLimit;
  history.mean_length = running_mean(history.mean_length, history.count, size);
  if (!first)
    history.mean_interval = running_mean(history.mean_interval, history.count - 1, interval);
  ++history.count;
  return report;
}

void Behaviour::record_hit(std::string_view source, Timestamp time) {
  keep(sources_.try_emplace(std::string(source)).first->second.hits, time);
}

}  // namespace anima::govern
