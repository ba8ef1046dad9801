// Calendars as other programs write them, and what is written by ours.
#include "tools/calendar.h"

#include <gtest/gtest.h>

namespace anima::tools {
namespace {

constexpr std::string_view kForeign =
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nX-OWNER:somebody\r\n"
    "BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\nEND:VTIMEZONE\r\n"
    "BEGIN:VEVENT\r\nUID:1@example\r\nDTSTART;TZID=Europe/Berlin:20260301T090000\r\n"
    "DTEND;TZID=Europe/Berlin:20260301T100000\r\nSUMMARY:Planning\\, part\r\n  one\\nsecond "
    "line\r\n"
    "RRULE:FREQ=WEEKLY\r\nBEGIN:VALARM\r\nTRIGGER:-PT5M\r\nDESCRIPTION:ring\r\nEND:VALARM\r\n"
    "END:VEVENT\r\n"
    "BEGIN:VEVENT\r\nUID:2@example\r\nDTSTART;VALUE=DATE:20260401\r\nSUMMARY:Day off\r\n"
    "LOCATION;ALTREP=\"http://x:1/\":Home\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

TEST(Calendar, ReadsEvents) {
  const auto events = read_calendar(kForeign);
  ASSERT_TRUE(events) << events.error().describe();
  ASSERT_EQ(events->size(), 2U);
  EXPECT_EQ((*events)[0].uid, "1@example");
  EXPECT_EQ((*events)[0].title, "Planning, part one\nsecond line");
  EXPECT_EQ((*events)[0].start, "2026-03-01T09:00:00");
  EXPECT_EQ((*events)[0].end, "2026-03-01T10:00:00");
  EXPECT_EQ((*events)[0].zone, "Europe/Berlin");
  EXPECT_EQ((*events)[0].rule, "FREQ=WEEKLY");
  EXPECT_EQ((*events)[0].description, "");  // the alarm's is not the event's
  EXPECT_EQ((*events)[1].start, "2026-04-01");
  EXPECT_EQ((*events)[1].location, "Home");
}

TEST(Calendar, AddingAndRemovingLeavesTheRestAsItWas) {
  CalendarEvent event;
  event.uid = "3";
  event.title = "Ümlaut; comma, back\\slash\nnew line " + std::string(100, 'x') + "é";
  event.start = "2026-05-01T12:30";
  event.end = "2026-05-01T13:00:00Z";
  const auto with = add_event(kForeign, event, "2026-01-01T00:00:00Z");
  ASSERT_TRUE(with) << with.error().describe();
  const auto events = read_calendar(*with);
  ASSERT_TRUE(events);
  ASSERT_EQ(events->size(), 3U);
  EXPECT_EQ((*events)[2].title, event.title);
  EXPECT_EQ((*events)[2].start, "2026-05-01T12:30:00");
  EXPECT_EQ((*events)[2].end, "2026-05-01T13:00:00Z");
  for (std::size_t at = 0; at < with->size();) {  // RFC 5545, 3.1: lines of at most 75 octets
    const std::size_t end = with->find("\r\n", at);
    EXPECT_LE(end - at, 75U);
    at = end + 2;
  }
  EXPECT_EQ(*remove_event(*with, "3"), kForeign);
  EXPECT_EQ(read_calendar(*remove_event(kForeign, "1@example"))->size(), 1U);
  EXPECT_EQ(remove_event(kForeign, "9").error().code, ErrorCode::kNotFound);
}

TEST(Calendar, BeginsEmpty) {
  EXPECT_TRUE(read_calendar("")->empty());
  CalendarEvent event;
  event.uid = "1";
  event.title = "Party";
  event.start = "2026-05-01";
  const auto text = add_event("", event, "2026-01-01T00:00:00Z");
  ASSERT_TRUE(text);
  EXPECT_EQ(*text,
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Anima//calendar//EN\r\nBEGIN:VEVENT\r\n"
            "UID:1\r\nDTSTAMP:20260101T000000Z\r\nDTSTART;VALUE=DATE:20260501\r\nSUMMARY:Party\r\n"
            "END:VEVENT\r\nEND:VCALENDAR\r\n");
}

TEST(Calendar, ATitleCannotAddLines) {
  CalendarEvent event;
  event.uid = "1";
  event.title = "x\r\nEND:VEVENT\r\nATTENDEE:evil";
  event.start = "2026-05-01";
  const auto text = add_event("", event, "2026-01-01T00:00:00Z");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->find("\r\nATTENDEE"), std::string::npos);
  EXPECT_EQ(read_calendar(*text)->size(), 1U);
}

TEST(Calendar, ErrorsNameTheLine) {
  EXPECT_EQ(read_calendar("hello\n").error().where, "1:1");
  EXPECT_EQ(read_calendar("BEGIN:VCALENDAR\nEND:VEVENT\n").error().where, "2:1");
  EXPECT_EQ(read_calendar("BEGIN:VCALENDAR\nBEGIN:VEVENT\n").error().code, ErrorCode::kSyntax);
  for (const char* bad : {"", "tomorrow", "2026-13-01", "2026-01-01T25:00", "2026-01-01T10",
                          "2026-01-01T10:00:", "2026-01-01T10:00:99", "2026-01-01T10:00+01:00"}) {
    EXPECT_FALSE(normal_event_time(bad).has_value()) << bad;
  }
  EXPECT_EQ(*normal_event_time(" 2026-01-01 10:05 "), "2026-01-01T10:05:00");
}

}  // namespace
}  // namespace anima::tools
