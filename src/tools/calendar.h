// A calendar in one iCalendar file: what the calendar tools read and write.
//
// Reading knows events (VEVENT) with their time, title, place and text; everything else in the file
// stays as it is when an event is added or removed. Recurring events are told with their rule and
// not unrolled. Thread-safety: pure functions. Errors: kSyntax with the line, kLimitExceeded (16
// MiB, 100,000 events). Linear in the text. Source: RFC 5545, sections 3.1 (lines), 3.3.11 (text),
// 3.6.1 (events).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace anima::tools {

struct CalendarEvent {
  std::string uid;
  std::string title;
  std::string start;  // "2026-03-01", "2026-03-01T09:00:00" (local) or "2026-03-01T09:00:00Z"
  std::string end;    // the same; may be empty
  std::string zone;   // TZID of the start, when it names one
  std::string location;
  std::string description;
  std::string rule;        // RRULE, when the event recurs
  std::size_t offset = 0;  // of BEGIN:VEVENT in the text
  std::size_t size = 0;    // up to and with the end of END:VEVENT's line
};

Result<std::vector<CalendarEvent>> read_calendar(std::string_view text);
// The text with the event (or of a new calendar, when it is empty). `stamp` is the time of writing,
// in the form of `start` in UTC. Errors: kInvalidArgument for a time of another form.
Result<std::string> add_event(std::string_view text, const CalendarEvent& event,
                              std::string_view stamp);
// The text without the event. Errors: kNotFound.
Result<std::string> remove_event(std::string_view text, std::string_view uid);

// A time as a person or JSON gives it ("2026-03-01T09:00", with or without seconds, Z, or a date
// alone) in the form of CalendarEvent::start. Errors: kInvalidArgument.
Result<std::string> normal_event_time(std::string_view text);

}  // namespace anima::tools
