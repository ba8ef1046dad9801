#include "learn/learning.h"

#include <algorithm>
#include <cmath>

#include "base/text/text.h"

namespace anima::learn {
namespace {

// Below it nothing is told apart; old rows end the loop early.
constexpr double kNothing = 1e-12;

}  // namespace

Status check_factor(double factor) {
  if (std::isfinite(factor) && factor > 0 && factor <= 1) return {};
  return fail(ErrorCode::kInvalidArgument, "a decay factor is more than 0 and at most 1");
}

std::int64_t windows_between(Timestamp learned_at, Timestamp now) {
  return std::max<std::int64_t>(0, (now.microseconds - learned_at.microseconds) / kDecayWindow);
}

double effective_confidence(const Learning& learning, const DecayLaw& law, Timestamp now) {
  double confidence = learning.confidence;
  const std::int64_t windows = windows_between(learning.learned_at, now);
  // One multiplication a window, so that many small steps give the very same number as one large.
  for (std::int64_t i = learning.decay_steps; i < windows && confidence > kNothing; ++i)
    confidence *= law.factor;
  return confidence;
}

bool is_forgotten(const Learning& learning, const DecayLaw& law, Timestamp now) {
  const std::int64_t age = now.microseconds - learning.learned_at.microseconds;
  const bool too_old = law.horizon_days > 0 && age > law.horizon_days * kMicrosecondsPerDay;
  return too_old || effective_confidence(learning, law, now) < kForgottenBelow;
}

std::string describe(std::string_view predicate, const Json& arguments) {
  std::string text(predicate);
  text += "(";
  for (const Json& each : arguments.as_array()) {
    if (text.back() != '(') text += ", ";
    text += each.dump();
  }
  return visible_text(text + ")");
}

std::string sql_time(Timestamp time) {
  std::int64_t whole = time.microseconds - time.microseconds % kMicrosecondsPerSecond;
  if (whole > time.microseconds) whole -= kMicrosecondsPerSecond;
  std::string text = format_timestamp({whole});
  if (!text.empty() && text.back() == 'Z') text.pop_back();
  return replace_all(text, "T", " ");
}

Result<Timestamp> parse_sql_time(std::string_view text) {
  if (text.size() == 19 && text[10] == ' ')
    return parse_timestamp(std::string(text.substr(0, 10)) + "T" + std::string(text.substr(11)) +
                           "Z");
  return fail(ErrorCode::kSyntax,
              "'" + visible_text(text) + "' is no time of the form 2026-11-23 17:05:00");
}

}  // namespace anima::learn
