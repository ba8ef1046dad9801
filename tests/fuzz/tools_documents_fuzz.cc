// Any bytes as what the external tools read: an address of the web, a calendar, a page of notes, a
// table, sentences, source code. Readers end and stay inside; what is written reads back.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/text/url.h"
#include "tools/calendar.h"
#include "tools/detail/extract.h"
#include "tools/notion_page.h"

namespace {

using namespace anima;
using namespace anima::tools;

void calendar(const std::string& text) {
  const auto events = read_calendar(text);
  if (!events) return;
  for (const CalendarEvent& event : *events) {
    if (event.offset + event.size > text.size()) std::abort();
  }
  CalendarEvent event;
  event.uid = "fuzz-event";
  event.title = text.substr(0, 300);
  event.start = "2026-03-01T09:00:00Z";
  const auto with = add_event(text, event, "2026-01-01T00:00:00Z");
  if (!with) std::abort();
  const auto again = read_calendar(*with);
  if (!again || again->size() < events->size()) std::abort();
}

void page(const std::string& text) {
  if (const auto json = parse_json(text)) {
    if (const auto read = read_notion_page(*json)) {
      (void)make_notion_page(read->id, read->title, read->text, "now").dump();
    }
  }
  const Json made = make_notion_page("id", text, text, "now");
  const auto read = read_notion_page(made);
  if (!read) std::abort();
  // Writing what was read changes nothing any more.
  const auto twice = read_notion_page(make_notion_page("id", read->title, read->text, "now"));
  if (!twice || twice->title != read->title) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 6) {
    case 0:
      if (const auto url = read_url(text); url && (url->host.empty() || url->port == 0)) {
        std::abort();
      }
      break;
    case 1:
      calendar(text);
      break;
    case 2:
      page(text);
      break;
    case 3:
      (void)detail::statements_of_csv(text, size % 2 == 0 ? "spo" : "entity", ',');
      break;
    case 4:
      if (detail::statements_of_text(text, 50).size() > 50) std::abort();
      break;
    default:
      (void)detail::statements_of_code("a.cc", text);
      (void)detail::statements_of_code("a.go", text);
      break;
  }
  return 0;
}
