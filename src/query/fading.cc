#include "kip/detail/fading.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "query/values.h"

namespace anima::kip::detail {
namespace {

using store::EntityId;
using store::Snapshot;

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

class FadedConfidence final : public query::Function {
 public:
  explicit FadedConfidence(const Fading& fading) : fading_(fading) {}
  std::string name() const override { return "faded confidence"; }

  void apply(query::Values& values, std::span<const query::ColumnView> arguments, std::size_t rows,
             std::uint32_t* out) const override {
    for (std::size_t row = 0; row < rows; ++row) {
      const store::Term term{arguments[0][row]};
      out[row] = term.is_entity() ? read(values, term.as_entity()) : 0;
    }
  }

 private:
  std::uint32_t read(query::Values& values, EntityId link) const {
    const Snapshot& snapshot = values.snapshot();
    if (snapshot.kind(link) != store::EntityKind::kProposition) return 0;
    const auto assertions = snapshot.assertions(snapshot.triple_of(link));
    if (assertions.empty()) return 0;
    double confidence = assertions.front().confidence;
    if (const auto said = snapshot.metadata(link, "confidence")) {
      double number = 0;
      if (snapshot.number(*said, &number)) confidence = number;
    }
    if (is_confirmed(snapshot, link)) return values.number(confidence).code;
    Timestamp anchor{};
    for (const std::string_view key : {"created_at", "observed_at", "decay_applied_at"})
      anchor = std::max(anchor, time_in(snapshot, link, key).value_or(Timestamp{}));
    if (anchor.microseconds == 0) anchor = snapshot.entry(assertions.front().born).time;
    const std::int64_t weeks = std::max<std::int64_t>(
        0, (fading_.now.microseconds - anchor.microseconds) / kWeekMicroseconds);
    return values.number(confidence * std::pow(fading_.factor, static_cast<double>(weeks))).code;
  }

  Fading fading_;
};

}  // namespace

query::Expr faded_confidence(query::Slot link, const Fading& fading) {
  return query::Expr::call(std::make_shared<FadedConfidence>(fading), {query::Expr::of_slot(link)});
}

}  // namespace anima::kip::detail
