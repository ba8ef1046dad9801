// Learning: one thing that was learnt, and how sure it still is.
//
// Confidence fades by a law of age alone: a seventh day multiplies it by the decay factor, and
// after the horizon it is forgotten. What a store has multiplied in already is counted in
// decay_steps, so that the law gives the same however often it is written down.
//
//   windows   = whole weeks between learned_at and now, never less than 0
//   effective = confidence * factor ^ (windows - decay_steps)
//   visible   = effective > 0.3;   forgotten = effective < 0.1, or older than the horizon
//
// Thread-safety: plain values and pure functions. Source: learning_and_psyche 1.5, 1.7; source
// document 003, parts 4 and 5.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/result.h"
#include "store/ids.h"

namespace anima::learn {

inline constexpr std::int64_t kDecayWindow = 7 * kMicrosecondsPerDay;
inline constexpr double kVisibleAbove = 0.3;
inline constexpr double kForgottenBelow = 0.1;
inline constexpr double kReinforcement = 0.1;  // absolute: 0.5 becomes 0.6

struct DecayLaw {
  double factor = 0.9;             // a week; 0 < factor <= 1
  std::int64_t horizon_days = 60;  // 0: none
};
// Errors: kInvalidArgument.
Status check_factor(double factor);

struct Learning {
  std::int64_t id = 0;
  std::string shard;
  std::string predicate;
  Json arguments;           // canonical: an array
  Timestamp learned_at;     // last learnt or reinforced, whole seconds
  std::string campaign;     // that taught it; may be empty
  double confidence = 1.0;  // as stored: after decay_steps windows
  std::int64_t decay_steps = 0;
  std::int64_t reinforcements = 0;
  Timestamp created_at;
  store::Trust trust = store::Trust::kUntrusted;  // of what taught it
};

std::int64_t windows_between(Timestamp learned_at, Timestamp now);
// Never more than the stored confidence, also when the clock was set back.
double effective_confidence(const Learning& learning, const DecayLaw& law, Timestamp now);
bool is_forgotten(const Learning& learning, const DecayLaw& law, Timestamp now);

// `avoid_pattern("unwrap")`, with what hides something made visible.
std::string describe(std::string_view predicate, const Json& arguments);

// "2026-11-23 17:05:00", UTC: the form in which SQLite compares times. Fractions are cut off.
std::string sql_time(Timestamp time);
Result<Timestamp> parse_sql_time(std::string_view text);

}  // namespace anima::learn
