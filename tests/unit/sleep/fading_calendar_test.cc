// The calendar of what fades: nothing that is due is missed, and what is kept stays small.
#include "sleep/fading_calendar.h"

#include <gtest/gtest.h>

namespace anima::sleep::fading_calendar_test {
namespace {

using store::EntityId;

Timestamp day(std::int64_t number) { return {number * kMicrosecondsPerDay + 5}; }

bool holds(const std::vector<FadingCalendar::Range>& ranges, std::uint32_t id) {
  for (const auto& [first, last] : ranges)
    if (first <= EntityId{id} && EntityId{id} <= last) return true;
  return false;
}

TEST(FadingCalendar, GivesWhatIsDueAndKeepsTheRest) {
  FadingCalendar calendar(0.3);
  for (const std::uint32_t id : {10u, 11u, 12u, 500u}) calendar.add(EntityId{id}, day(20'000));
  calendar.add(EntityId{200}, day(20'001));
  calendar.settle();
  EXPECT_TRUE(FadingCalendar(calendar).take_due(day(19'999)).empty());
  const auto due = calendar.take_due(day(20'000));
  EXPECT_EQ(due.size(), 2u);
  EXPECT_TRUE(holds(due, 10) && holds(due, 12) && holds(due, 500));
  EXPECT_FALSE(holds(due, 200));
  EXPECT_TRUE(holds(calendar.take_due(day(20'009)), 200));
  EXPECT_EQ(calendar, FadingCalendar(0.3));
}

TEST(FadingCalendar, AMillionFactsOfAWeekAreAFewRanges) {
  FadingCalendar calendar(0.3);
  for (std::uint32_t id = 1; id <= 1'000'000; ++id)
    calendar.add(EntityId{id * 2}, day(20'000 + id / 150'000));
  calendar.settle();
  EXPECT_LT(calendar.to_json().dump().size(), 400u);
  EXPECT_LE(calendar.take_due(day(20'010)).size(), 7u);
}

TEST(FadingCalendar, WhatIsScatteredIsJoinedAndNothingIsLost) {
  FadingCalendar calendar(0.3);
  for (std::uint32_t i = 0; i < 20'000; ++i)
    calendar.add(EntityId{1 + i * 40 + i % 7}, day(20'000 + i % 2));
  calendar.settle();
  const Json json = calendar.to_json();
  FadingCalendar copy = FadingCalendar::from_json(&json);
  EXPECT_EQ(copy, calendar);
  const auto first = copy.take_due(day(20'000)), second = copy.take_due(day(20'001));
  EXPECT_LE(first.size() + second.size(), FadingCalendar::kMostRanges);
  for (std::uint32_t i = 0; i < 20'000; ++i)
    EXPECT_TRUE(holds(i % 2 == 0 ? first : second, 1 + i * 40 + i % 7)) << i;
}

TEST(FadingCalendar, NotesTwiceAreNotesOnce) {
  FadingCalendar once(0.3);
  for (std::uint32_t id = 1; id < 1000; id += 100) once.add(EntityId{id}, day(20'000));
  once.settle();
  FadingCalendar twice = once;
  for (std::uint32_t id = 901; id < 1000; id -= 100) twice.add(EntityId{id}, day(20'000));
  twice.settle();
  EXPECT_EQ(once, twice);
}

TEST(FadingCalendar, KnowsNothingWithoutARecord) {
  const Json wrong = parse_json(R"({"floor": 0.3, "days": [[20000, 1]]})").value();
  EXPECT_EQ(FadingCalendar::from_json(nullptr), FadingCalendar());
  EXPECT_EQ(FadingCalendar::from_json(&wrong), FadingCalendar());
  EXPECT_TRUE(FadingCalendar().to_json().is_null());
  EXPECT_FALSE(FadingCalendar().is_known_for(0));
  EXPECT_TRUE(FadingCalendar(0.3).is_known_for(0.3));
  EXPECT_FALSE(FadingCalendar(0.3).is_known_for(0.2));
}

}  // namespace
}  // namespace anima::sleep::fading_calendar_test
