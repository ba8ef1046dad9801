#include "govern/detect/behaviour.h"

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
constexpr std::size_t kSources = 4096;

// Times of the future say nothing: the clock was set back.
std::ptrdiff_t within(const std::deque<Timestamp>& times, Timestamp now, std::int64_t window) {
  return std::ranges::count_if(times, [&](Timestamp t) {
    const std::int64_t ago = now.microseconds - t.microseconds;
    return ago < window && ago > -window;
  });
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

BehaviourReport Behaviour::look(std::string_view source, std::size_t length, Timestamp time) const {
  BehaviourReport report;
  const auto found = sources_.find(source);
  if (found == sources_.end()) return report;
  const History& history = found->second;
  if (history.count >= kBaseline) {
    const std::int64_t interval = time.microseconds - history.messages.back().microseconds;
    if (static_cast<double>(length) > 3 * history.mean_length) report.anomaly_tenths += 4;
    if (interval > -kRateWindow && static_cast<double>(interval) < 0.1 * history.mean_interval)
      report.anomaly_tenths += 3;
    if (within(history.hits, time, kHitWindow) > kHitLimit) report.anomaly_tenths += 5;
    report.anomaly_tenths = std::min(report.anomaly_tenths, 10);
  }
  report.labelled = report.anomaly_tenths > 5;
  report.rate_exceeded = within(history.messages, time, kRateWindow) + 1 > kRateLimit;
  return report;
}

void Behaviour::add(std::string_view source, std::size_t length, Timestamp time, bool hit) {
  History& history = sources_.try_emplace(std::string(source)).first->second;
  if (!history.messages.empty()) {
    const std::int64_t interval = time.microseconds - history.messages.back().microseconds;
    history.mean_interval = running_mean(history.mean_interval, history.count - 1,
                                         static_cast<double>(std::max<std::int64_t>(interval, 0)));
  }
  history.mean_length =
      running_mean(history.mean_length, history.count, static_cast<double>(length));
  ++history.count;
  keep(history.messages, time);
  if (hit) keep(history.hits, time);
  if (sources_.size() > kSources) forget_the_longest_silent();
}

void Behaviour::forget_the_longest_silent() {
  sources_.erase(std::ranges::min_element(
      sources_, {}, [](const auto& source) { return source.second.messages.back().microseconds; }));
}

}  // namespace anima::govern
