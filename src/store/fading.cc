#include "store/fading.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace anima::store {
namespace {

constexpr std::int64_t kWeekMicroseconds = std::int64_t{7} * 24 * 3'600 * 1'000'000;

std::string_view text_of(const Snapshot& snapshot, const std::optional<Term>& term) {
  return term ? snapshot.value(*term).text : std::string_view();
}

}  // namespace

bool is_reviewed(const Snapshot& snapshot, EntityId entity) {
  const bool is_concept = snapshot.kind(entity) == EntityKind::kConcept;
  for (const std::string_view key : {"reviewed_at", "verified_at", "reviewed_by", "verified_by"}) {
    if (!text_of(snapshot, snapshot.metadata(entity, key)).empty()) return true;
    if (is_concept && !text_of(snapshot, snapshot.attribute(entity, key)).empty()) return true;
  }
  const std::string_view status =
      text_of(snapshot, is_concept ? snapshot.attribute(entity, "status")
                                   : snapshot.metadata(entity, "status"));
  if (status == "reviewed" || status == "verified" || status == "pinned") return true;
  const auto flag = snapshot.metadata(entity, "reviewed");
  return flag && snapshot.value(*flag).kind == ValueKind::kBoolean &&
         snapshot.value(*flag).integer != 0;
}

bool may_fade(std::span<const Assertion> assertions) {
  return assertions.size() == 1 && assertions[0].graph == GraphId::kDefault;
}

Timestamp fading_anchor(const Snapshot& snapshot, EntityId link) {
  Timestamp anchor{};
  for (const std::string_view key : {"created_at", "observed_at", "decay_applied_at"}) {
    const std::string_view said = text_of(snapshot, snapshot.metadata(link, key));
    if (const auto time = parse_timestamp(said); time) anchor = std::max(anchor, *time);
  }
  if (anchor.microseconds != 0) return anchor;
  const auto assertions = snapshot.assertions(snapshot.triple_of(link));
  return snapshot.entry(assertions.front().born).time;
}

double stated_confidence(const Snapshot& snapshot, EntityId link) {
  double said = 0;
  const auto term = snapshot.metadata(link, "confidence");
  if (term && snapshot.number(*term, &said) && said >= 0 && said <= 1) return said;
  return snapshot.assertions(snapshot.triple_of(link)).front().confidence;
}

std::optional<double> faded_confidence(const Snapshot& snapshot, EntityId link,
                                       const Fading& fading) {
  if (snapshot.kind(link) != EntityKind::kProposition) return std::nullopt;
  const auto assertions = snapshot.assertions(snapshot.triple_of(link));
  if (assertions.empty()) return std::nullopt;
  const double confidence = stated_confidence(snapshot, link);
  if (!may_fade(assertions) || is_reviewed(snapshot, link)) return confidence;
  const std::int64_t age = fading.now.microseconds - fading_anchor(snapshot, link).microseconds;
  const std::int64_t weeks = std::max<std::int64_t>(0, age / kWeekMicroseconds);
  return confidence * std::pow(fading.factor, static_cast<double>(weeks));
}

}  // namespace anima::store
