#include "load/talk/whatsapp.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "load/talk/talk_parts.h"

namespace anima::load {
namespace {

constexpr std::size_t kLinesLookedAt = 20;

// What begins a message, with the day and the month in the order of the file.
struct Stamp {
  int first = 0, second = 0, year = 0;
  bool year_first = false;  // ISO 8601: then the month is the first
  int hour = 0, minute = 0, seconds = 0;
  bool points = false;    // between the numbers of the date
  bool half_day = false;  // AM or PM
  std::string_view rest;  // behind it
};

class Reader {
 public:
  explicit Reader(std::string_view line) : line_(line) {}

  std::optional<Stamp> stamp() {
    skip_marks();
    const bool bracket = take('[');
    Stamp stamp;
    if (!date(stamp)) return std::nullopt;
    take(',');
    skip_blanks();
    if (!number(stamp.hour, 2) || !(take(':') || take('.')) || !number(stamp.minute, 2))
      return std::nullopt;
    const bool has_seconds = take(':');
    if (has_seconds && !number(stamp.seconds, 2)) return std::nullopt;
    // The program writes seconds in brackets alone; a log of another one looks like this.
    if (stamp.year_first && has_seconds && !bracket) return std::nullopt;
    half_day(stamp);
    skip_blanks();
    if (bracket ? !take(']') : !take('-')) return std::nullopt;
    skip_blanks();
    stamp.rest = line_.substr(at_);
    return stamp;
  }

 private:
  bool date(Stamp& stamp) {
    int one = 0, two = 0, three = 0;
    const std::size_t begin = at_;
    if (!number(one, 4)) return false;
    const std::size_t digits = at_ - begin;
    const char between = at_ < line_.size() ? line_[at_] : ' ';
    if (digits == 3 || (between != '.' && between != '/' && between != '-')) return false;
    stamp.year_first = digits == 4;
    if (!take(between) || !number(two, 2) || !take(between) ||
        !number(three, stamp.year_first ? 2 : 4))
      return false;
    stamp.points = between == '.';
    stamp.first = stamp.year_first ? two : one;
    stamp.second = stamp.year_first ? three : two;
    stamp.year = stamp.year_first ? one : three;
    if (stamp.year < 100) stamp.year += 2000;
    return true;
  }

  // Marks of direction, which the program writes before lines and names.
  void skip_marks() {
    while (at_ < line_.size()) {
      const CodePoint point = decode_utf8(line_, at_);
      if (point.value != 0x200e && point.value != 0x200f && point.value != 0xfeff) return;
      at_ += point.size;
    }
  }
  void skip_blanks() {
    for (;;) {
      skip_marks();
      if (at_ >= line_.size()) return;
      const CodePoint point = decode_utf8(line_, at_);
      if (point.value != ' ' && point.value != 0xa0 && point.value != 0x202f) return;
      at_ += point.size;
    }
  }
  bool take(char c) {
    if (at_ >= line_.size() || line_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool number(int& value, std::size_t digits) {
    const std::size_t begin = at_;
    value = 0;
    while (at_ < line_.size() && at_ - begin < digits && line_[at_] >= '0' && line_[at_] <= '9')
      value = value * 10 + (line_[at_++] - '0');
    return at_ > begin;
  }
  // "AM", "p.m.", "p. m."
  void half_day(Stamp& stamp) {
    skip_blanks();
    const std::size_t begin = at_;
    const bool after_noon = take('p') || take('P');
    if (!after_noon && !take('a') && !take('A')) return;
    take('.');
    skip_blanks();
    if (!take('m') && !take('M')) {
      at_ = begin;
      return;
    }
    take('.');
    stamp.half_day = true;
    stamp.hour = stamp.hour % 12 + (after_noon ? 12 : 0);
  }

  std::string_view line_;
  std::size_t at_ = 0;
};

bool is_left_out_media(std::string_view text) {
  constexpr std::string_view kForms[] = {
      "<Media omitted>",     "<Medien ausgeschlossen>", "image omitted",     "video omitted",
      "audio omitted",       "sticker omitted",         "GIF omitted",       "document omitted",
      "Bild weggelassen",    "Video weggelassen",       "Audio weggelassen", "<Médias omis>",
      "<Multimedia omitido>"};
  return std::ranges::any_of(kForms, [&](std::string_view form) { return text.ends_with(form); }) &&
         text.size() < 40;
}

struct ChatMessage {
  Stamp stamp;
  std::string speaker, text;
};

}  // namespace

bool looks_like_whatsapp(std::string_view text) {
  std::size_t looked = 0, stamps = 0, filled = 0;
  while (!text.empty() && looked++ < kLinesLookedAt) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (!trim(line).empty()) ++filled;
    if (Reader(line).stamp()) ++stamps;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return stamps > 0 && stamps * 3 >= filled;
}

Talk read_whatsapp(std::string_view text, const std::string& file) {
  std::vector<ChatMessage> messages;
  bool in_message = false;
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (const auto stamp = Reader(line).stamp()) {
      const std::size_t colon = stamp->rest.find(": ");
      // What nobody said: who joined, who left, that it is encrypted.
      in_message = colon != std::string_view::npos;
      if (!in_message) continue;
      messages.push_back({*stamp, std::string(trim(stamp->rest.substr(0, colon))),
                          std::string(stamp->rest.substr(colon + 2))});
    } else if (in_message) {
      messages.back().text += "\n" + std::string(line);
    }
  }
  bool day_first = true, sure = false;
  for (const ChatMessage& message : messages) {
    if (sure) break;
    if (message.stamp.year_first) continue;
    sure = message.stamp.points || message.stamp.half_day || message.stamp.first > 12 ||
           message.stamp.second > 12;
    day_first = message.stamp.points || message.stamp.first > 12 ||
                !(message.stamp.half_day || message.stamp.second > 12);
  }
  Talk talk;
  talk.format = TalkFormat::kWhatsApp;
  const auto is_year_first = [](const ChatMessage& message) { return message.stamp.year_first; };
  if (!sure && !std::ranges::all_of(messages, is_year_first))
    talk.notes.push_back(file + ": dates are read with the day first, as nothing says otherwise");
  const std::string session = "whatsapp " + stem_of(file);
  std::set<std::string> ids;
  for (ChatMessage& message : messages) {
    const Stamp& stamp = message.stamp;
    const std::string said(trim(message.text));
    if (said.empty() || is_left_out_media(said)) continue;
    memory::Turn turn;
    turn.session = session;
    turn.speaker = std::move(message.speaker);
    turn.text = said;
    const bool month_first = stamp.year_first || !day_first;
    turn.time = civil_time(stamp.year, month_first ? stamp.first : stamp.second,
                           month_first ? stamp.second : stamp.first, stamp.hour, stamp.minute,
                           stamp.seconds);
    const std::string time = turn.time ? format_timestamp(*turn.time) : std::string();
    turn.id = content_id({turn.speaker, turn.text, time});
    if (ids.insert(turn.id).second) talk.turns.push_back(std::move(turn));
  }
  return talk;
}

}  // namespace anima::load
