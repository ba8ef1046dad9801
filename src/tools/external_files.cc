// The external tools that read and write files: file, calendar, notes.
#include <algorithm>

#include "base/text/text.h"
#include "base/text/valid_text.h"
#include "govern/detect/text_pieces.h"
#include "tools/calendar.h"
#include "tools/detail/arguments.h"
#include "tools/detail/folder_lock.h"
#include "tools/external.h"
#include "tools/notion_page.h"

namespace anima::tools {
namespace {

using detail::bad_argument;
using detail::needed_text;
using detail::optional_text;
using detail::outside;

constexpr std::int64_t kReadBytes = 4096;
constexpr std::int64_t kMaxReadBytes = 1 << 20;
constexpr std::size_t kMaxWriteBytes = std::size_t{1} << 20;
constexpr std::uint64_t kMaxFileOfCalendar = std::uint64_t{16} << 20;
constexpr std::uint64_t kMaxPageBytes = std::uint64_t{4} << 20;
constexpr std::size_t kMaxPages = 10'000;
constexpr std::string_view kCalendarFile = "calendar.ics";
constexpr std::string_view kNotesFolder = "notion";
constexpr std::string_view kOutboxFolder = "outbox";
constexpr std::size_t kMaxMessageBytes = std::size_t{64} << 10;
constexpr std::size_t kMaxRecipients = 100;
constexpr std::size_t kLongestRecipient = 200;  // bytes

bool holds_words(std::string_view text, std::string_view words) {
  return words.empty() || to_lower(text).find(to_lower(words)) != std::string::npos;
}

// Some files do more than lie there: git runs what .git/config and .git/hooks name, and a file of
// the outbox is a message, whose recipient is judged by sms:send alone.
constexpr ClosedName kClosed[] = {
    {".git", "what git runs is configured there", "a shell command that is approved can write it"},
    {kOutboxFolder, "what lies there is sent", "sms:send puts messages there"}};

std::string_view kind_name(FileInfo::Kind kind) {
  if (kind == FileInfo::Kind::kFile) return "file";
  return kind == FileInfo::Kind::kDirectory ? "folder" : "other";
}

Json event_json(const CalendarEvent& event) {
  Json json = Json::object({{"uid", valid_text(event.uid)},
                            {"title", valid_text(event.title)},
                            {"start", valid_text(event.start)},
                            {"end", valid_text(event.end)}});
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) json.set(name, valid_text(value));
  };
  add("zone", event.zone);
  add("location", event.location);
  add("description", event.description);
  add("recurs", event.rule);
  return json;
}

Result<std::string> calendar_text(const RootedFolder& folder) {
  auto text = folder.read_all(kCalendarFile, kMaxFileOfCalendar);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::string();
  return text;
}

std::string uuid_name(std::string_view id) { return std::string(id) + ".json"; }

Result<NotionPage> load_page(const RootedFolder& folder, const std::string& name) {
  const std::string path = std::string(kNotesFolder) + "/" + name;
  ANIMA_ASSIGN(const std::string text, folder.read_all(path, kMaxPageBytes));
  auto json = parse_json(text);
  if (!json) return fail(ErrorCode::kSyntax, json.error().message, path);
  auto page = read_notion_page(*json);
  if (!page) return fail(page.error().code, page.error().message, path);
  return page;
}

// A time of the tool's clock to the second: "2026-03-01T09:30:00Z".
std::string seconds_of(Timestamp time) {
  const std::string text = format_timestamp(time);
  return text.substr(0, 19) + "Z";
}

// A carriage return within a recipient would begin a line of its own to a program that delivers,
// and what nobody sees in it would make another one of it than was approved.
bool hides_in(std::string_view text) {
  return std::ranges::any_of(to_utf32(text), hides_something);
}

// Each once.
Status add_recipients(std::string_view text, std::vector<std::string>& recipients) {
  for (const std::string_view one : govern::recipients_in(text)) {
    if (std::ranges::find(recipients, one) != recipients.end()) continue;
    if (one.size() > kLongestRecipient || recipients.size() == kMaxRecipients)
      return bad_argument("to", "at most 100 recipients of at most 200 bytes");
    if (hides_in(one)) return bad_argument("to", "recipients without hidden characters");
    recipients.push_back(valid_text(one));
  }
  return {};
}

Result<std::vector<std::string>> recipients_of(const Json& arguments) {
  const Json* to = arguments.find("to");
  std::vector<std::string> recipients;
  if (to != nullptr && to->is_array()) {
    for (const Json& each : to->as_array()) {
      if (!each.is_string()) return bad_argument("to", "a text or a list of texts");
      ANIMA_TRY(add_recipients(each.as_string(), recipients));
    }
  } else {
    ANIMA_ASSIGN(const std::string text, needed_text(arguments, "to"));
    ANIMA_TRY(add_recipients(text, recipients));
  }
  if (recipients.empty()) return bad_argument("to", "at least one recipient");
  return recipients;
}

}  // namespace

Result<Json> ExternalTools::file_read(const Json& arguments) {
  ANIMA_ASSIGN(const std::string path, needed_text(arguments, "path"));
  ANIMA_ASSIGN(const std::int64_t limit,
               detail::optional_integer(arguments, "max_bytes", kReadBytes, 1, kMaxReadBytes));
  ANIMA_ASSIGN(const RootedFolder folder, root_of(path));
  // Three more, so that a character at the limit is whole before it is cut.
  ANIMA_ASSIGN(const RootedFolder::Content content,
               folder.read(path, static_cast<std::uint64_t>(limit) + 3));
  const std::string_view kept =
      detail::cut_at_character(content.bytes, static_cast<std::size_t>(limit));
  return outside({{"path", path},
                  {"content", valid_text(kept)},
                  {"bytes", content.size},
                  {"truncated", content.size > kept.size()}});
}

Result<Json> ExternalTools::file_list(const Json& arguments) {
  ANIMA_ASSIGN(std::string path, optional_text(arguments, "path"));
  if (path.empty()) path = ".";
  ANIMA_ASSIGN(const RootedFolder folder, root_of(path));
  ANIMA_ASSIGN(const std::vector<DirectoryEntry> found, folder.list(path));
  Json entries = Json::array();
  for (const DirectoryEntry& each : found) {
    entries.push_back(
        Json::object({{"name", valid_text(each.name)}, {"kind", kind_name(each.kind)}}));
  }
  return outside({{"path", path}, {"entries", std::move(entries)}});
}

Result<Json> ExternalTools::file_write(const Json& arguments) {
  ANIMA_ASSIGN(const std::string path, needed_text(arguments, "path"));
  const Json* content = arguments.find("content");
  if (content == nullptr || !content->is_string()) return bad_argument("content", "a text");
  if (content->as_string().size() > kMaxWriteBytes) {
    return fail(ErrorCode::kLimitExceeded, "a tool writes at most 1 MiB into a file", path);
  }
  ANIMA_ASSIGN(const RootedFolder folder, work());
  ANIMA_TRY(folder.write(path, content->as_string(), kClosed));
  return outside({{"path", path}, {"bytes", content->as_string().size()}});
}

Result<Json> ExternalTools::file_delete(const Json& arguments) {
  ANIMA_ASSIGN(const std::string path, needed_text(arguments, "path"));
  ANIMA_ASSIGN(const RootedFolder folder, work());
  ANIMA_TRY(folder.remove(path));
  return outside({{"path", path}});
}

Result<Json> ExternalTools::calendar_query(const Json& arguments) {
  ANIMA_ASSIGN(std::string from, optional_text(arguments, "from"));
  ANIMA_ASSIGN(std::string to, optional_text(arguments, "to"));
  ANIMA_ASSIGN(const std::string words, optional_text(arguments, "text"));
  for (std::string* time : {&from, &to}) {
    if (time->empty()) continue;
    ANIMA_ASSIGN(*time, normal_event_time(*time));
  }
  ANIMA_ASSIGN(const RootedFolder folder, work());
  ANIMA_ASSIGN(const std::string text, calendar_text(folder));
  ANIMA_ASSIGN(std::vector<CalendarEvent> events, read_calendar(text));
  std::ranges::stable_sort(events, {}, &CalendarEvent::start);
  Json list = Json::array();
  for (const CalendarEvent& event : events) {
    // A recurring event goes on, so its begin alone says nothing about `from`.
    const std::string& last = event.end.empty() ? event.start : event.end;
    if (!from.empty() && event.rule.empty() && last < from) continue;
    if (!to.empty() && event.start >= to) continue;
    if (!holds_words(event.title + "\n" + event.location + "\n" + event.description, words))
      continue;
    list.push_back(event_json(event));
  }
  return outside({{"events", std::move(list)}});
}

Result<Json> ExternalTools::calendar_create(const Json& arguments) {
  CalendarEvent event;
  ANIMA_ASSIGN(event.title, needed_text(arguments, "title"));
  ANIMA_ASSIGN(event.start, needed_text(arguments, "start"));
  ANIMA_ASSIGN(event.end, optional_text(arguments, "end"));
  ANIMA_ASSIGN(event.location, optional_text(arguments, "location"));
  ANIMA_ASSIGN(event.description, optional_text(arguments, "description"));
  event.uid = govern::make_uuid(random_);
  ANIMA_ASSIGN(const RootedFolder folder, work());
  ANIMA_ASSIGN(const detail::FolderLock lock, detail::FolderLock::take(folder.path()));
  ANIMA_ASSIGN(const std::string text, calendar_text(folder));
  ANIMA_ASSIGN(const std::string changed, add_event(text, event, seconds_of(clock_.now())));
  ANIMA_TRY(folder.write(kCalendarFile, changed, kClosed));
  Json made = event_json(event);
  made.set("trust", "untrusted");
  return made;
}

Result<Json> ExternalTools::calendar_delete(const Json& arguments) {
  ANIMA_ASSIGN(const std::string uid, needed_text(arguments, "uid"));
  ANIMA_ASSIGN(const RootedFolder folder, work());
  ANIMA_ASSIGN(const detail::FolderLock lock, detail::FolderLock::take(folder.path()));
  ANIMA_ASSIGN(const std::string text, calendar_text(folder));
  ANIMA_ASSIGN(const std::string changed, remove_event(text, uid));
  ANIMA_TRY(folder.write(kCalendarFile, changed, kClosed));
  return outside({{"uid", uid}});
}

Result<Json> ExternalTools::notion_read(const Json& arguments) {
  ANIMA_ASSIGN(const std::string id, optional_text(arguments, "id"));
  ANIMA_ASSIGN(const std::string title, optional_text(arguments, "title"));
  ANIMA_ASSIGN(const std::string words, optional_text(arguments, "text"));
  ANIMA_ASSIGN(const RootedFolder folder, work());
  const auto entries = folder.list(kNotesFolder);
  if (!entries && entries.error().code != ErrorCode::kNotFound) return fail(entries.error());
  Json pages = Json::array();
  std::size_t seen = 0;
  for (const DirectoryEntry& each : entries ? *entries : std::vector<DirectoryEntry>()) {
    if (!each.name.ends_with(".json") || each.name.starts_with('.')) continue;
    if (++seen > kMaxPages) {
      return fail(ErrorCode::kLimitExceeded, "more than 10000 pages lie in the folder of notes");
    }
    ANIMA_ASSIGN(const NotionPage page, load_page(folder, each.name));
    if (!id.empty() && page.id != id) continue;
    if (!title.empty() && to_lower(page.title) != to_lower(title)) continue;
    if (!holds_words(page.title + "\n" + page.text, words)) continue;
    Json shown = Json::object({{"id", page.id}, {"title", page.title}, {"edited", page.edited}});
    if (!id.empty() || !title.empty()) shown.set("text", page.text);
    pages.push_back(std::move(shown));
  }
  if (pages.is_array() && pages.as_array().empty() && (!id.empty() || !title.empty())) {
    return fail(ErrorCode::kNotFound, "there is no such page", id.empty() ? title : id);
  }
  return outside({{"pages", std::move(pages)}});
}

Result<Json> ExternalTools::notion_create(const Json& arguments) {
  ANIMA_ASSIGN(const std::string title, needed_text(arguments, "title"));
  ANIMA_ASSIGN(const std::string text, optional_text(arguments, "text"));
  const std::string id = govern::make_uuid(random_);
  const Json page = make_notion_page(id, title, text, seconds_of(clock_.now()));
  ANIMA_ASSIGN(const RootedFolder folder, work());
  ANIMA_TRY(
      folder.write(std::string(kNotesFolder) + "/" + uuid_name(id), page.dump(2) + "\n", kClosed));
  return outside({{"id", id}, {"title", title}});
}

Result<Json> ExternalTools::sms_send(const Json& arguments) {
  ANIMA_ASSIGN(const std::vector<std::string> recipients, recipients_of(arguments));
  ANIMA_ASSIGN(const std::string text, needed_text(arguments, "text"));
  if (text.size() > kMaxMessageBytes) return bad_argument("text", "at most 64 KiB long");
  const std::string id = govern::make_uuid(random_);
  Json to = Json::array();
  for (const std::string& recipient : recipients) to.push_back(recipient);
  const Json message = Json::object(
      {{"id", id}, {"time", seconds_of(clock_.now())}, {"to", to}, {"text", valid_text(text)}});
  const std::string path = std::string(kOutboxFolder) + "/" + uuid_name(id);
  ANIMA_ASSIGN(const RootedFolder folder, work());
  ANIMA_TRY(folder.write(path, message.dump(2) + "\n"));
  return outside({{"id", id}, {"to", std::move(to)}, {"path", path}});
}

}  // namespace anima::tools
