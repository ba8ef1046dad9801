#include "store/fading.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace anima::store {
namespace {

constexpr std::int64_t kWeekMicroseconds = std::int64_t{7} * 24 * 3'600 * 1'000'000;

std::optional<Timestamp> time_in(const Snapshot& snapshot, EntityId link, std::string_view key) {
  const auto term = snapshot.metadata(link, key);
  if (!term) return std::nullopt;
  const auto time = parse_timestamp(snapshot.value(*term).text);
  if (!time) return std::nullopt;
  return *time;
}

bool is_confirmed(const Snapshot& snapshot, EntityId link) {
  for (const std::string_view key : {"reviewed_at", "verified_at", "reviewed_by", "verified_by"}) {
    if (snapshot.metadata(link, key)) return true;
  }
  return false;
}

}  // namespace

std::optional<double> faded_confidence(const Snapshot& snapshot, EntityId link,
                                       const Fading& fading) {
  if (snapshot.kind(link) != EntityKind::kProposition) return std::nullopt;
  const auto assertions = snapshot.assertions(snapshot.triple_of(link));
  if (assertions.empty()) return std::nullopt;
  double confidence = assertions.front().confidence;
  if (const auto said = snapshot.metadata(link, "confidence")) {
    double number = 0;
    if (snapshot.number(*said, &number)) confidence = number;
  }
  if (is_confirmed(snapshot, link)) return confidence;
  Timestamp anchor{};
  for (const std::string_view key : {"created_at", "observed_at", "decay_applied_at"})
    anchor = std::max(anchor, time_in(snapshot, link, key).value_or(Timestamp{}));
  if (anchor.microseconds == 0) anchor = snapshot.entry(assertions.front().born).time;
  const std::int64_t weeks = std::max<std::int64_t>(
      0, (fading.now.microseconds - anchor.microseconds) / kWeekMicroseconds);
  return confidence * std::pow(fading.factor, static_cast<double>(weeks));
}

}  // namespace anima::store
