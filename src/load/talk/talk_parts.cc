#include "load/talk/talk_parts.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "base/bytes.h"
#include "base/json/json_member.h"
#include "base/text/read_number.h"
#include "base/text/text.h"
#include "language/times/times.h"

namespace anima::load {
namespace {

constexpr double kLatestSeconds = 1e11;  // what is larger are milliseconds
constexpr std::size_t kIdDigits = 12;
constexpr int kDeepestList = 8;  // lists in lists

std::optional<Timestamp> time_of_number(double number) {
  if (!(number > 0)) return std::nullopt;
  const double seconds = number > kLatestSeconds ? number / 1000 : number;
  if (seconds > kLatestSeconds) return std::nullopt;
  return Timestamp{static_cast<std::int64_t>(std::llround(seconds * 1e6))};
}

std::string words_in(const Json* value, int depth) {
  if (value == nullptr || depth > kDeepestList) return {};
  if (value->is_string()) return value->as_string();
  if (value->is_number()) return value->dump();
  if (value->is_array()) {
    std::string words;
    for (const Json& part : value->as_array()) {
      const std::string one = words_in(&part, depth + 1);
      if (!one.empty()) words += (words.empty() ? "" : "\n") + one;
    }
    return words;
  }
  return value->is_object() ? words_in(member_of(*value, {"text", "content", "parts"}), depth + 1)
                            : std::string();
}

}  // namespace

std::string stem_of(std::string_view file) {
  if (const std::size_t slash = file.rfind('/'); slash != file.npos) file.remove_prefix(slash + 1);
  const std::size_t dot = file.rfind('.');
  return std::string(dot == file.npos || dot == 0 ? file : file.substr(0, dot));
}

std::string folder_of(std::string_view file) {
  const std::size_t slash = file.rfind('/');
  return slash == file.npos || slash == 0 ? std::string()
                                          : stem_of(std::string(file.substr(0, slash)) + ".d");
}

std::string content_id(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (const std::string_view part : parts) {
    all += part;
    all.push_back('\0');
  }
  std::uint64_t hash = checksum64(all);
  std::string id;
  for (std::size_t i = 0; i < kIdDigits; ++i, hash >>= 4) id += "0123456789abcdef"[hash & 15];
  return id;
}

const Json* member_of(const Json& object, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const Json* value = object.find(name);
    if (value != nullptr && !value->is_null()) return value;
  }
  return nullptr;
}

std::string words_in(const Json* value) { return words_in(value, 0); }

std::string said_in(const Json* value) {
  if (value == nullptr || !value->is_array()) return words_in(value);
  std::string words;
  for (const Json& part : value->as_array()) {
    const std::string type = text_member(part, "type");
    if (part.is_object() && !type.empty() && type != "text") continue;
    const std::string one = words_in(&part);
    if (!one.empty()) words += (words.empty() ? "" : "\n") + one;
  }
  return words;
}

std::string names_of_files(const Json* files) {
  std::string names;
  if (files == nullptr) return names;
  for (const Json& file : files->as_array()) {
    const std::string name = words_in(member_of(file, {"file_name", "fileName", "title", "name"}));
    if (!name.empty()) names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

std::string speaker_of_role(const std::string& role) { return role == "human" ? "user" : role; }

void add_turn(Talk& talk, memory::Turn turn) {
  if (!trim(turn.text).empty() || !trim(turn.attachment).empty())
    talk.turns.push_back(std::move(turn));
}

std::optional<Timestamp> time_in(const Json* value) {
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) return time_of_number(value->as_number());
  return value->is_string() ? time_in_text(value->as_string()) : std::nullopt;
}

void set_time(memory::Turn& turn, const Json* value) {
  turn.time = time_in(value);
  if (value != nullptr) turn.offset_seconds = language::offset_of(value->as_string());
}

std::optional<Timestamp> time_in_text(std::string_view text) {
  text = trim(text);
  if (const auto time = parse_timestamp(text)) return *time;
  if (const auto number = read_number<double>(text)) return time_of_number(*number);
  // A blank for the T, and no offset: as UTC.
  if (text.size() < 16 || text[4] != '-' || (text[10] != ' ' && text[10] != 'T'))
    return std::nullopt;
  std::string rest(text.substr(11));
  if (rest.size() == 5) rest += ":00";
  if (const std::size_t blank = rest.find(' '); blank != rest.npos) rest.resize(blank);
  for (const std::string_view offset : {"", "Z"}) {
    const auto time =
        parse_timestamp(std::string(text.substr(0, 10)) + "T" + rest + std::string(offset));
    if (time) return *time;
  }
  return std::nullopt;
}

std::optional<Timestamp> civil_time(int year, int month, int day, int hour, int minute,
                                    int second) {
  namespace chrono = std::chrono;
  if (month < 1 || day < 1 || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 ||
      second > 60 || year < 1 || year > 9999)
    return std::nullopt;
  const chrono::year_month_day date(chrono::year(year), chrono::month(static_cast<unsigned>(month)),
                                    chrono::day(static_cast<unsigned>(day)));
  if (!date.ok()) return std::nullopt;
  const std::int64_t days = chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = days * 86'400 + hour * 3600 + minute * 60 + second;
  return Timestamp{seconds * kMicrosecondsPerSecond};
}

}  // namespace anima::load
