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

// What begins a message, with its numbers in the order of the file.
struct Stamp {
  int first = 0, second = 0, year = 0;
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
    if (!number(stamp.first, 2)) return std::nullopt;
    const char between = at_ < line_.size() ? line_[at_] : ' ';
    if (between != '.' && between != '/' && between != '-') return std::nullopt;
    stamp.points = between == '.';
    if (!take(between) || !number(stamp.second, 2) || !take(between) || !number(stamp.year, 4))
      return std::nullopt;
    if (stamp.year < 100) stamp.year += 2000;
    take(',');
    skip_blanks();
    if (!number(stamp.hour, 2) || !(take(':') || take('.')) || !number(stamp.minute, 2))
      return std::nullopt;
    if (take(':') && !number(stamp.seconds, 2)) return std::nullopt;
    half_day(stamp);
    skip_blanks();
    if (bracket ? !take(']') : !take('-')) return std::nullopt;
    skip_blanks();
    stamp.rest = line_.substr(at_);
    return stamp;
  }

 private:
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
  void half_day(Stamp& stamp) {
    skip_blanks();
    const std::string_view rest = line_.substr(at_);
    const auto is = [&](std::string_view word) {
      return rest.size() >= 2 && equals_ignoring_ascii_case(rest.substr(0, 2), word);
    };
    if (!is("am") && !is("pm")) return;
    stamp.half_day = true;
    stamp.hour = stamp.hour % 12 + (is("pm") ? 12 : 0);
    at_ += 2;
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
    sure = message.stamp.points || message.stamp.half_day || message.stamp.first > 12 ||
           message.stamp.second > 12;
    day_first = message.stamp.points || message.stamp.first > 12 ||
                !(message.stamp.half_day || message.stamp.second > 12);
  }
  Talk talk;
  talk.format = TalkFormat::kWhatsApp;
  if (!sure && !messages.empty())
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
    turn.time =
        civil_time(stamp.year, day_first ? stamp.second : stamp.first,
                   day_first ? stamp.first : stamp.second, stamp.hour, stamp.minute, stamp.seconds);
    const std::string time = turn.time ? format_timestamp(*turn.time) : std::string();
    turn.id = content_id({turn.speaker, turn.text, time});
    if (ids.insert(turn.id).second) talk.turns.push_back(std::move(turn));
  }
  return talk;
}

}  // namespace anima::load
