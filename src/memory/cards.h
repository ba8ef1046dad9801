// Learning cards on the SM-2 schedule, exactly as the governance specification 1.8 gives it.
//
// A new card has ease 2.5 and is due a day after its creation. A review with quality 0-2 starts it
// again tomorrow and leaves its ease; 3-5 moves the ease (never below 1.3) and the interval: 1, 6,
// then interval x new ease, halves rounded up. Arithmetic is in hundredths of ease, so that
// schedules are exact. Thread-safety: functions without state. Source: source document 004; table
// rows 68-71.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/result.h"

namespace anima::memory {

struct Card {
  std::string id;
  std::string front;
  std::string back;
  int ease_hundredths = 250;
  std::int64_t interval_days = 0;
  int repetitions = 0;
  Timestamp created, next;

  Json to_json() const;
  static Result<Card> from_json(const Json& json);
};

Card new_card(std::string id, std::string front, std::string back, Timestamp now);
// Errors: kInvalidArgument unless 0 <= quality <= 5.
Status review(Card& card, int quality, Timestamp reviewed_at);

}  // namespace anima::memory
