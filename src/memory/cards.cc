#include "memory/cards.h"

#include <algorithm>

namespace anima::memory {
namespace {

constexpr std::int64_t kDay = 86'400LL * 1'000'000;
constexpr int kLowestEase = 130;

Timestamp after_days(Timestamp time, std::int64_t days) {
  return {time.microseconds + days * kDay};
}

}  // namespace

Card new_card(std::string id, std::string front, std::string back, Timestamp now) {
  Card card;
  card.id = std::move(id);
  card.front = std::move(front);
  card.back = std::move(back);
  card.created = now;
  card.next = after_days(now, 1);
  return card;
}

Status review(Card& card, int quality, Timestamp reviewed_at) {
  if (quality < 0 || quality > 5) {
    return fail(ErrorCode::kInvalidArgument,
                "the quality of an answer is 0 to 5, not " + std::to_string(quality));
  }
  if (quality < 3) {
    card.interval_days = 1;
    card.repetitions = 0;
  } else {
    const int short_of = 5 - quality;
    card.ease_hundredths =
        std::max(kLowestEase, card.ease_hundredths + 10 - short_of * (8 + short_of * 2));
    card.interval_days = card.repetitions == 0 ? 1
                         : card.repetitions == 1
                             ? 6
                             : (card.interval_days * card.ease_hundredths + 50) / 100;
    ++card.repetitions;
  }
  card.next = after_days(reviewed_at, card.interval_days);
  return {};
}

Json Card::to_json() const {
  return Json::object({{"id", id},
                       {"front", front},
                       {"back", back},
                       {"ease", static_cast<double>(ease_hundredths) / 100},
                       {"interval", interval_days},
                       {"repetitions", repetitions},
                       {"created", format_timestamp(created)},
                       {"next", format_timestamp(next)}});
}

Result<Card> Card::from_json(const Json& json) {
  const auto corrupt = [](std::string_view key) {
    return fail(ErrorCode::kCorrupt, "a stored card has no good '" + std::string(key) + "'");
  };
  for (const std::string_view key : {"id", "front", "back", "created", "next"}) {
    if (json.find(key) == nullptr || !json.find(key)->is_string()) return corrupt(key);
  }
  for (const std::string_view key : {"ease", "interval", "repetitions"}) {
    if (json.find(key) == nullptr || !json.find(key)->is_number()) return corrupt(key);
  }
  Card card;
  card.id = json.find("id")->as_string();
  card.front = json.find("front")->as_string();
  card.back = json.find("back")->as_string();
  card.ease_hundredths = static_cast<int>(json.find("ease")->as_number() * 100 + 0.5);
  card.interval_days = static_cast<std::int64_t>(json.find("interval")->as_number());
  card.repetitions = static_cast<int>(json.find("repetitions")->as_number());
  ANIMA_ASSIGN(card.created, parse_timestamp(json.find("created")->as_string()));
  ANIMA_ASSIGN(card.next, parse_timestamp(json.find("next")->as_string()));
  if (card.ease_hundredths < kLowestEase || card.interval_days < 0 || card.repetitions < 0)
    return corrupt("schedule");
  return card;
}

}  // namespace anima::memory
