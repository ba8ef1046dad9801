#include "tools/calendar.h"

#include <algorithm>

#include "base/text/text.h"

namespace anima::tools {
namespace {

constexpr std::size_t kMaxCalendarBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxEvents = 100'000;
constexpr std::size_t kFold = 73;  // octets of a line before the fold; the standard allows 75

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool all_digits(std::string_view text) { return std::ranges::all_of(text, is_digit); }

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

// One content line, unfolded.
struct Line {
  std::string name;  // upper case, without parameters
  std::string parameters;
  std::string value;
  std::size_t number = 0;  // of its first physical line
  std::size_t offset = 0;  // of that line in the text
  std::size_t end = 0;     // behind its last line break
};

class LineReader {
 public:
  explicit LineReader(std::string_view text) : text_(text) {}

  // False at the end. Empty lines are skipped.
  bool next(Line& line) {
    std::string whole;
    while (whole.empty()) {
      if (at_ >= text_.size()) return false;
      line.offset = at_;
      line.number = ++number_;
      whole = physical();
      while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) {
        ++at_;
        ++number_;
        whole += physical();
      }
    }
    line.end = at_;
    take_apart(whole, line);
    return true;
  }

 private:
  std::string_view physical() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  // A colon inside quotes belongs to a parameter.
  static void take_apart(std::string_view whole, Line& line) {
    bool quoted = false;
    std::size_t colon = 0;
    while (colon < whole.size() && (quoted || whole[colon] != ':')) {
      if (whole[colon] == '"') quoted = !quoted;
      ++colon;
    }
    const std::string_view head = whole.substr(0, colon);
    const std::size_t semicolon = std::min(head.find(';'), head.size());
    line.name = upper(head.substr(0, semicolon));
    line.parameters = std::string(head.substr(semicolon));
    line.value = std::string(colon < whole.size() ? whole.substr(colon + 1) : std::string_view());
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t number_ = 0;
};

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char next = text[++i];
    out += next == 'n' || next == 'N' ? '\n' : next;
  }
  return out;
}

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == ';' || c == ',') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) >= 0x20 || c == '\t') {
      out += c;
    }
  }
  return out;
}

// Folded between code points.
void append_line(std::string& out, std::string_view line) {
  std::size_t room = kFold;
  while (line.size() > room) {
    std::size_t cut = room;
    while (cut > 1 && (static_cast<unsigned char>(line[cut]) & 0xc0) == 0x80) --cut;
    out += std::string(line.substr(0, cut)) + "\r\n ";
    line.remove_prefix(cut);
  }
  out += std::string(line) + "\r\n";
}

// "20260301T090000Z" -> "2026-03-01T09:00:00Z"; what has another form stays as it is.
std::string readable_time(std::string_view text) {
  const bool date = text.size() == 8 && all_digits(text);
  const bool time = (text.size() == 15 || (text.size() == 16 && text[15] == 'Z')) &&
                    text[8] == 'T' && all_digits(text.substr(0, 8)) &&
                    all_digits(text.substr(9, 6));
  if (!date && !time) return std::string(text);
  std::string out = std::string(text.substr(0, 4)) + "-" + std::string(text.substr(4, 2)) + "-" +
                    std::string(text.substr(6, 2));
  if (!time) return out;
  out += "T" + std::string(text.substr(9, 2)) + ":" + std::string(text.substr(11, 2)) + ":" +
         std::string(text.substr(13, 2));
  if (text.size() == 16) out += "Z";
  return out;
}

std::string compact_time(std::string_view text) {
  std::string out;
  std::ranges::copy_if(text, std::back_inserter(out), [](char c) { return c != '-' && c != ':'; });
  return out;
}

std::string zone_of(std::string_view parameters) {
  const std::size_t found = upper(parameters).find(";TZID=");
  if (found == std::string::npos) return {};
  const std::string_view rest = parameters.substr(found + 6);
  return std::string(rest.substr(0, rest.find(';')));
}

void take(CalendarEvent& event, const Line& line) {
  if (line.name == "UID") event.uid = line.value;
  if (line.name == "SUMMARY") event.title = unescape(line.value);
  if (line.name == "LOCATION") event.location = unescape(line.value);
  if (line.name == "DESCRIPTION") event.description = unescape(line.value);
  if (line.name == "RRULE") event.rule = line.value;
  if (line.name == "DTEND") event.end = readable_time(line.value);
  if (line.name == "DTSTART") {
    event.start = readable_time(line.value);
    event.zone = zone_of(line.parameters);
  }
}

Unexpected<Error> at_line(const Line& line, std::string message) {
  return fail(ErrorCode::kSyntax, std::move(message), std::to_string(line.number) + ":1");
}

int number_of(std::string_view digits) {
  int value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  return value;
}

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-' || !all_digits(text.substr(0, 4)) ||
      !all_digits(text.substr(5, 2)) || !all_digits(text.substr(8, 2))) {
    return false;
  }
  const int month = number_of(text.substr(5, 2)), day = number_of(text.substr(8, 2));
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

}  // namespace

Result<std::vector<CalendarEvent>> read_calendar(std::string_view text) {
  if (text.size() > kMaxCalendarBytes) {
    return fail(ErrorCode::kLimitExceeded, "a calendar has at most 16 MiB");
  }
  std::vector<CalendarEvent> events;
  std::vector<std::string> open;
  CalendarEvent event;
  LineReader reader(text);
  Line line;
  while (reader.next(line)) {
    if (line.name == "BEGIN") {
      open.push_back(upper(line.value));
      if (open.back() == "VEVENT") {
        event = {};
        event.offset = line.offset;
      }
      if (open.size() > 16) return at_line(line, "the calendar nests deeper than 16 parts");
    } else if (line.name == "END") {
      if (open.empty() || open.back() != upper(line.value)) {
        return at_line(line, "END:" + line.value + " has no BEGIN");
      }
      if (open.back() == "VEVENT") {
        event.size = line.end - event.offset;
        events.push_back(std::move(event));
        if (events.size() > kMaxEvents) {
          return fail(ErrorCode::kLimitExceeded, "a calendar has at most 100000 events");
        }
      }
      open.pop_back();
    } else if (open.empty()) {
      return at_line(line, "this is no iCalendar file: it does not begin with BEGIN:VCALENDAR");
    } else if (open.back() == "VEVENT") {
      take(event, line);
    }
  }
  if (!open.empty()) return at_line(line, "BEGIN:" + open.back() + " has no END");
  return events;
}

Result<std::string> normal_event_time(std::string_view text) {
  const std::string_view given = trim(text);
  const auto bad = [&] {
    return fail(ErrorCode::kInvalidArgument, "this is no time of an event", std::string(given),
                "like 2026-03-01, 2026-03-01T09:30 or 2026-03-01T09:30:00Z");
  };
  if (!is_date(given.substr(0, 10))) return bad();
  std::string_view rest = given.substr(10);
  if (rest.empty()) return std::string(given);
  const bool utc = rest.ends_with('Z');
  if (utc) rest.remove_suffix(1);
  const bool seconds = rest.size() == 9;
  if ((rest.size() != 6 && !seconds) || (rest[0] != 'T' && rest[0] != ' ') || rest[3] != ':' ||
      !all_digits(rest.substr(1, 2)) || !all_digits(rest.substr(4, 2)) ||
      number_of(rest.substr(1, 2)) > 23 || number_of(rest.substr(4, 2)) > 59) {
    return bad();
  }
  if (seconds &&
      (rest[6] != ':' || !all_digits(rest.substr(7)) || number_of(rest.substr(7)) > 59)) {
    return bad();
  }
  return std::string(given.substr(0, 10)) + "T" + std::string(rest.substr(1, 5)) +
         (seconds ? std::string(rest.substr(6)) : ":00") + (utc ? "Z" : "");
}

Result<std::string> add_event(std::string_view text, const CalendarEvent& event,
                              std::string_view stamp) {
  ANIMA_ASSIGN(const std::string start, normal_event_time(event.start));
  ANIMA_ASSIGN(const std::string now, normal_event_time(stamp));
  std::string block = "BEGIN:VEVENT\r\n";
  append_line(block, "UID:" + escape(event.uid));
  append_line(block, "DTSTAMP:" + compact_time(now));
  const auto time = [&](std::string_view name, const std::string& value) {
    const bool date = value.size() == 10;
    append_line(block, std::string(name) + (date ? ";VALUE=DATE:" : ":") + compact_time(value));
  };
  time("DTSTART", start);
  if (!event.end.empty()) {
    ANIMA_ASSIGN(const std::string end, normal_event_time(event.end));
    if (end < start) {
      return fail(ErrorCode::kInvalidArgument, "the event ends before it begins", event.end);
    }
    time("DTEND", end);
  }
  append_line(block, "SUMMARY:" + escape(event.title));
  if (!event.location.empty()) append_line(block, "LOCATION:" + escape(event.location));
  if (!event.description.empty()) append_line(block, "DESCRIPTION:" + escape(event.description));
  block += "END:VEVENT\r\n";
  if (trim(text).empty()) {
    return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Anima//calendar//EN\r\n" + block +
           "END:VCALENDAR\r\n";
  }
  // Before the end of the calendar.
  ANIMA_TRY(read_calendar(text).map([](const auto&) {}));
  LineReader reader(text);
  Line line;
  std::size_t place = text.size();
  while (reader.next(line)) {
    if (line.name == "END" && upper(line.value) == "VCALENDAR") place = line.offset;
  }
  std::string out(text.substr(0, place));
  if (!out.empty() && !out.ends_with('\n')) out += "\r\n";
  return out + block + std::string(text.substr(place));
}

Result<std::string> remove_event(std::string_view text, std::string_view uid) {
  ANIMA_ASSIGN(const std::vector<CalendarEvent> events, read_calendar(text));
  const auto found = std::ranges::find(events, uid, &CalendarEvent::uid);
  if (found == events.end()) {
    return fail(ErrorCode::kNotFound, "the calendar has no event with this uid", std::string(uid));
  }
  std::string out(text.substr(0, found->offset));
  return out + std::string(text.substr(found->offset + found->size));
}

}  // namespace anima::tools
