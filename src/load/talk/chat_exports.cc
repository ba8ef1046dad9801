#include "load/talk/chat_exports.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "base/json/json_member.h"
#include "base/text/text.h"
#include "load/talk/assistant_exports.h"
#include "load/talk/talk_parts.h"

namespace anima::load {
namespace {

using memory::Turn;

Unexpected<Error> wrong(const std::string& file, std::string_view what) {
  return fail(ErrorCode::kInvalidArgument, std::string(what), file,
              "--format says what the file is");
}

Unexpected<Error> no_turns(const std::string& file, TalkFormat format) {
  return fail(ErrorCode::kInvalidArgument,
              "nobody says anything in it, read as " + std::string(to_string(format)), file,
              "--format says what the file is; tables are for `anima load`");
}

// --- turns -------------------------------------------------------------------------------------

const std::initializer_list<std::string_view> kText = {"text", "content", "message", "body"};
const std::initializer_list<std::string_view> kSpeaker = {"speaker", "from",     "author", "sender",
                                                          "user",    "username", "role",   "name"};
const std::initializer_list<std::string_view> kTime = {
    "time", "timestamp", "date", "created_at", "createdAt", "datetime", "ts"};
const std::initializer_list<std::string_view> kSession = {
    "session", "session_id", "conversation", "conversation_id", "thread", "channel"};

std::string speaker_in(const Json& object) {
  const Json* value = member_of(object, kSpeaker);
  if (value != nullptr && value->is_object()) value = member_of(*value, {"name", "role", "id"});
  return speaker_of_role(words_in(value));
}

void read_turn(const Json& object, const std::string& session, Talk& talk) {
  Turn turn;
  turn.text = words_in(member_of(object, kText));
  turn.speaker = speaker_in(object);
  if (turn.speaker == "system" || turn.speaker == "tool") return;
  set_time(turn, member_of(object, kTime));
  turn.attachment = words_in(member_of(object, {"attachment", "caption", "blip_caption"}));
  const std::string own = words_in(member_of(object, kSession));
  turn.session = own.empty() ? session : own;
  turn.id = words_in(member_of(object, {"id", "uuid", "message_id", "dia_id"}));
  if (turn.id.empty()) {
    const std::string time = turn.time ? format_timestamp(*turn.time) : std::string();
    turn.id = content_id({turn.speaker, turn.text, time});
  }
  add_turn(talk, std::move(turn));
}

// A list of turns, of conversations with "messages", or one of these.
void add_any(const Json& json, const std::string& session, Talk& talk) {
  const Json* messages = member_of(json, {"messages", "turns", "conversation"});
  if (messages != nullptr && messages->is_array()) {
    const std::string own = words_in(member_of(json, {"id", "session", "name", "title"}));
    for (const Json& each : messages->as_array())
      read_turn(each, own.empty() ? session : own, talk);
  } else if (json.is_object()) {
    read_turn(json, session, talk);
  }
}

void read_turns(const Json& json, const std::string& file, Talk& talk) {
  const std::string session = stem_of(file);
  if (!json.is_array()) return add_any(json, session, talk);
  std::size_t number = 0;
  for (const Json& each : json.as_array()) {
    const bool nested = member_of(each, {"messages", "turns"}) != nullptr;
    ++number;
    add_any(each, nested ? session + " " + std::to_string(number) : session, talk);
  }
}

// --- Slack -------------------------------------------------------------------------------------

// "&lt;", "<@U1>", "<https://x|the page>" as people read them.
std::string slack_text(std::string_view text, const std::map<std::string, std::string>& people) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t close = text[at] == '<' ? text.find('>', at) : text.npos;
    if (close == text.npos) {
      out += text[at++];
      continue;
    }
    const std::string_view inside = text.substr(at + 1, close - at - 1);
    const std::size_t bar = inside.find('|');
    const std::string_view target = inside.substr(0, bar);
    const std::string_view label = bar == inside.npos ? std::string_view() : inside.substr(bar + 1);
    if (target.starts_with('@')) {
      const auto known = people.find(std::string(target.substr(1)));
      out += known != people.end() ? known->second
                                   : std::string(label.empty() ? target.substr(1) : label);
    } else if (target.starts_with('#') || target.starts_with('!')) {
      out += label.empty() ? target.substr(1) : label;
    } else {
      out += label.empty() ? std::string(target) : std::string(label) + " " + std::string(target);
    }
    at = close + 1;
  }
  out = replace_all(replace_all(out, "&lt;", "<"), "&gt;", ">");
  return replace_all(out, "&amp;", "&");
}

std::string slack_name(const Json& message, const std::map<std::string, std::string>& people) {
  const std::string id = words_in(member_of(message, {"user", "bot_id"}));
  const auto known = people.find(id);
  if (known != people.end()) return known->second;
  const Json* profile = message.find("user_profile");
  if (profile != nullptr) {
    const std::string name = words_in(member_of(*profile, {"real_name", "display_name", "name"}));
    if (!name.empty()) return name;
  }
  const std::string name = text_member(message, "username");
  return name.empty() ? id : name;
}

void read_slack(const Json& json, const std::string& file, const TalkOptions& options, Talk& talk) {
  const std::string folder = folder_of(file);
  const std::string channel = "slack " + (folder.empty() ? stem_of(file) : folder);
  for (const Json& message : json.as_array()) {
    const std::string subtype = text_member(message, "subtype");
    const bool said = subtype.empty() || subtype == "bot_message" ||
                      subtype == "thread_broadcast" || subtype == "file_share" ||
                      subtype == "me_message";
    if (text_member(message, "type") != "message" || !said) continue;
    Turn turn;
    turn.session = channel;
    const std::string thread = words_in(message.find("thread_ts"));
    if (!thread.empty()) turn.session += " thread " + thread;
    turn.id = words_in(message.find("ts"));
    turn.speaker = slack_name(message, options.people);
    turn.text = slack_text(text_member(message, "text"), options.people);
    set_time(turn, message.find("ts"));
    turn.attachment = names_of_files(message.find("files"));
    if (turn.id.empty()) turn.id = content_id({turn.speaker, turn.text});
    add_turn(talk, std::move(turn));
  }
}

// --- Discord -----------------------------------------------------------------------------------

void read_discord(const Json& json, Talk& talk) {
  const Json* channel = json.find("channel");
  const std::string name =
      channel == nullptr ? std::string() : words_in(member_of(*channel, {"id", "name"}));
  const Json* messages = json.find("messages");
  if (messages == nullptr) return;
  for (const Json& message : messages->as_array()) {
    const std::string type = text_member(message, "type");
    if (!type.empty() && type != "Default" && type != "Reply") continue;
    const Json* author = message.find("author");
    Turn turn;
    turn.session = "discord " + name;
    turn.id = words_in(message.find("id"));
    if (author != nullptr) turn.speaker = words_in(member_of(*author, {"nickname", "name", "id"}));
    turn.text = text_member(message, "content");
    set_time(turn, message.find("timestamp"));
    turn.attachment = names_of_files(message.find("attachments"));
    if (turn.id.empty()) turn.id = content_id({turn.speaker, turn.text});
    add_turn(talk, std::move(turn));
  }
}

// --- Telegram ----------------------------------------------------------------------------------

// Parts of one text, which stand in a row: not one a line.
std::string telegram_text(const Json* value) {
  if (value == nullptr || !value->is_array()) return words_in(value);
  std::string text;
  for (const Json& part : value->as_array())
    text += part.is_string() ? part.as_string() : text_member(part, "text");
  return text;
}

void read_telegram_chat(const Json& chat, Talk& talk) {
  const std::string id = words_in(member_of(chat, {"id", "name"}));
  const Json* messages = chat.find("messages");
  if (messages == nullptr) return;
  for (const Json& message : messages->as_array()) {
    if (text_member(message, "type") != "message") continue;
    Turn turn;
    turn.session = "telegram " + id;
    turn.id = words_in(message.find("id"));
    turn.speaker = words_in(member_of(message, {"from", "actor"}));
    turn.text = telegram_text(message.find("text"));
    set_time(turn, member_of(message, {"date_unixtime", "date"}));
    turn.attachment = words_in(member_of(message, {"file_name", "media_type"}));
    if (turn.id.empty()) turn.id = content_id({turn.speaker, turn.text});
    add_turn(talk, std::move(turn));
  }
}

void read_telegram(const Json& json, Talk& talk) {
  const Json* chats = json.find("chats");
  const Json* list = chats == nullptr ? nullptr : chats->find("list");
  if (list == nullptr) return read_telegram_chat(json, talk);
  for (const Json& chat : list->as_array()) read_telegram_chat(chat, talk);
}

// Who reads a format.
struct FormatReader {
  TalkFormat format;
  void (*read)(const Json&, const std::string& file, const TalkOptions&, Talk&);
};
// One conversation, or a list of them.
template <void (*Each)(const Json&, Talk&)>
void read_each(const Json& json, const std::string&, const TalkOptions&, Talk& talk) {
  if (!json.is_array()) return Each(json, talk);
  for (const Json& element : json.as_array()) Each(element, talk);
}
template <void (*Whole)(const Json&, Talk&)>
void read_whole(const Json& json, const std::string&, const TalkOptions&, Talk& talk) {
  Whole(json, talk);
}
constexpr FormatReader kReaders[] = {
    {TalkFormat::kTurns, [](const Json& json, const std::string& file, const TalkOptions&,
                            Talk& talk) { read_turns(json, file, talk); }},
    {TalkFormat::kChatGpt, read_each<read_chatgpt>},
    {TalkFormat::kClaude, read_each<read_claude>},
    {TalkFormat::kGemini, read_each<read_gemini>},
    {TalkFormat::kOpenWebUi, read_each<read_open_webui>},
    {TalkFormat::kLibreChat, read_each<read_librechat>},
    {TalkFormat::kSlack, read_slack},
    {TalkFormat::kDiscord, read_whole<read_discord>},
    {TalkFormat::kTelegram, read_whole<read_telegram>},
};

}  // namespace

std::optional<TalkFormat> json_talk_format(const Json& json) {
  if (const auto assistant = assistant_format(json)) return assistant;
  if (json.is_object()) {
    if (json.find("chats") != nullptr) return TalkFormat::kTelegram;
    const Json* messages = json.find("messages");
    if (messages != nullptr && json.find("channel") != nullptr) return TalkFormat::kDiscord;
    if (messages != nullptr && json.find("type") != nullptr && json.find("id") != nullptr)
      return TalkFormat::kTelegram;
    return TalkFormat::kTurns;
  }
  if (!json.is_array() || json.as_array().empty()) return std::nullopt;
  const Json& first = json.as_array()[0];
  if (!first.is_object()) return std::nullopt;
  if (first.find("ts") != nullptr && text_member(first, "type") == "message")
    return TalkFormat::kSlack;
  return TalkFormat::kTurns;
}

Result<Talk> read_json_talk(const Json& json, TalkFormat format, const std::string& file,
                            const TalkOptions& options) {
  Talk talk;
  talk.format = format;
  const auto reader = std::ranges::find(kReaders, format, &FormatReader::format);
  if (reader == std::end(kReaders)) {
    return wrong(file, std::string(to_string(format)) + " is no format of JSON");
  }
  reader->read(json, file, options, talk);
  if (talk.turns.empty()) return no_turns(file, format);
  return talk;
}

namespace {

// The unit of UTF-16 that an escape writes: "\\u00e9".
std::optional<unsigned> escaped_unit(std::string_view text, std::size_t at) {
  constexpr std::size_t kSize = 6;
  if (text.size() < at + kSize || text.substr(at, 2) != "\\u") return std::nullopt;
  unsigned unit = 0;
  const char* const end = text.data() + at + kSize;
  const auto read = std::from_chars(text.data() + at + 2, end, unit, 16);
  return read.ec == std::errc() && read.ptr == end ? std::optional(unit) : std::nullopt;
}

// Programs that cut texts by units of UTF-16 leave half a letter behind: "\\ud83d" alone. It
// becomes U+FFFD. The same text where there is none.
std::string without_half_letters(std::string_view json) {
  const auto leads = [](unsigned unit) { return unit >= 0xd800 && unit < 0xdc00; };
  const auto trails = [](unsigned unit) { return unit >= 0xdc00 && unit < 0xe000; };
  std::string whole;
  for (std::size_t at = 0; at < json.size();) {
    if (json[at] != '\\') {
      whole += json[at++];
      continue;
    }
    const auto unit = escaped_unit(json, at);
    const auto next = unit && leads(*unit) ? escaped_unit(json, at + 6) : std::nullopt;
    const bool pair = next && trails(*next);
    const bool half = unit && !pair && (leads(*unit) || trails(*unit));
    const std::size_t size = pair ? 12 : unit ? 6 : 2;
    whole += half ? std::string_view("\\ufffd") : json.substr(at, size);
    at += size;
  }
  return whole;
}

// One line of `file`; a half letter in it is told.
Result<Json> parse_line(std::string_view line, const std::string& place, Talk& talk) {
  auto json = parse_json(line);
  if (!json) {
    if (auto mended = parse_json(without_half_letters(line))) {
      talk.notes.push_back(place + ": half a letter is read as U+FFFD");
      return mended;
    }
    return fail(json.error().code, json.error().message, place,
                "each line is to be one JSON object");
  }
  return json;
}

}  // namespace

Result<Talk> read_json_lines(std::string_view text, const std::string& file,
                             std::optional<TalkFormat> format) {
  Talk talk;
  talk.format = format.value_or(TalkFormat::kTurns);
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    ANIMA_ASSIGN(const Json json, parse_line(line, file + ":" + std::to_string(number), talk));
    if (!format && is_claude_code(json)) talk.format = TalkFormat::kClaudeCode;
    if (talk.format == TalkFormat::kClaudeCode) {
      read_claude_code(json, talk);
      continue;
    }
    const bool nested = member_of(json, {"messages", "turns"}) != nullptr;
    add_any(json, nested ? stem_of(file) + " " + std::to_string(number) : stem_of(file), talk);
  }
  if (talk.turns.empty()) return no_turns(file, talk.format);
  return talk;
}

std::map<std::string, std::string> slack_people(std::string_view bytes) {
  std::map<std::string, std::string> people;
  const auto json = parse_json(bytes);
  if (!json || !json->is_array()) return people;
  for (const Json& user : json->as_array()) {
    const std::string id = text_member(user, "id");
    std::string name = words_in(member_of(user, {"real_name", "name"}));
    if (!id.empty() && !name.empty()) people.emplace(id, std::move(name));
  }
  return people;
}

}  // namespace anima::load
