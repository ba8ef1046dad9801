#include "load/talk/mail.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "base/text/valid_text.h"
#include "load/sniff/encoding.h"
#include "load/talk/html_text.h"
#include "load/talk/own_words.h"
#include "load/talk/talk_parts.h"

namespace anima::load {
namespace {

constexpr int kDeepestPart = 8;
constexpr std::size_t kMostParts = 64;
constexpr std::size_t kMostHeaders = 1'000;

using Header = std::pair<std::string, std::string>;  // name in lower case, value unfolded

struct Message {
  std::vector<Header> headers;
  std::string_view body;
};

std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return lower;
}

// A line without its end; `text` goes on behind it.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

Message split_message(std::string_view text) {
  Message message;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.empty()) break;
    const bool folded = line[0] == ' ' || line[0] == '\t';
    if (folded && !message.headers.empty()) {
      message.headers.back().second += " " + std::string(trim(line));
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == line.npos || message.headers.size() >= kMostHeaders) continue;
    message.headers.emplace_back(ascii_lower(trim(line.substr(0, colon))),
                                 trim(line.substr(colon + 1)));
  }
  message.body = text;
  return message;
}

std::string header(const Message& message, std::string_view name) {
  const auto found = std::ranges::find(message.headers, name, &Header::first);
  return found == message.headers.end() ? std::string() : found->second;
}

// The parameter of a structured header: boundary of "multipart/mixed; boundary=x".
std::string parameter(std::string_view value, std::string_view name) {
  for (std::size_t at = value.find(';'); at != value.npos; at = value.find(';', at)) {
    ++at;
    const std::size_t equals = value.find('=', at);
    if (equals == value.npos) return {};
    if (!equals_ignoring_ascii_case(trim(value.substr(at, equals - at)), name)) continue;
    std::string_view rest = trim(value.substr(equals + 1));
    if (rest.starts_with('"')) return std::string(rest.substr(1, rest.find('"', 1) - 1));
    return std::string(trim(rest.substr(0, rest.find(';'))));
  }
  return {};
}

// --- encodings

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// `underscores`: those of a header are blanks.
std::string quoted_printable(std::string_view text, bool underscores) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '_' && underscores) {
      out.push_back(' ');
    } else if (c != '=') {
      out.push_back(c);
    } else if (at + 1 < text.size() && text[at + 1] == '\n') {
      ++at;
    } else if (at + 2 < text.size() && text[at + 1] == '\r' && text[at + 2] == '\n') {
      at += 2;
    } else if (at + 2 < text.size() && hex_digit(text[at + 1]) >= 0 &&
               hex_digit(text[at + 2]) >= 0) {
      out.push_back(static_cast<char>(hex_digit(text[at + 1]) * 16 + hex_digit(text[at + 2])));
      at += 2;
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::string base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    const std::size_t digit = kDigits.find(c);
    if (digit == kDigits.npos) continue;
    bits = (bits << 6 | static_cast<std::uint32_t>(digit)) & 0xffffff;
    if ((count += 6) < 8) continue;
    count -= 8;
    out.push_back(static_cast<char>(bits >> count & 0xff));
  }
  return out;
}

// Bytes that are no UTF-8 are Windows-1252, whatever they are called.
std::string as_utf8(const std::string& bytes) {
  DecodedText decoded;
  if (!decode_text(bytes, {}, decoded)) return valid_text(bytes);
  return std::string(decoded.text);
}

// "=?utf-8?Q?Gr=C3=BC=C3=9Fe?=" and its neighbours.
std::string decoded_header(std::string_view value) {
  std::string out;
  bool after_word = false;
  while (!value.empty()) {
    const std::size_t begin = value.find("=?");
    const std::size_t charset = begin == value.npos ? begin : value.find('?', begin + 2);
    const std::size_t kind = charset == value.npos ? charset : value.find('?', charset + 1);
    const std::size_t end = kind == value.npos ? kind : value.find("?=", kind + 1);
    if (end == value.npos) break;
    const std::string_view before = value.substr(0, begin);
    // Blanks between two encoded words belong to neither.
    if (!after_word || !trim(before).empty()) out += before;
    const std::string_view text = value.substr(kind + 1, end - kind - 1);
    const bool quoted = value[charset + 1] == 'Q' || value[charset + 1] == 'q';
    out += as_utf8(quoted ? quoted_printable(text, true) : base64(text));
    value.remove_prefix(end + 2);
    after_word = true;
  }
  return valid_text(out + std::string(value));
}

// --- times and names

int month_number(std::string_view name) {
  constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                        "jul", "aug", "sep", "oct", "nov", "dec"};
  const auto found = std::ranges::find(kMonths, ascii_lower(name.substr(0, 3)));
  return found == kMonths.end() ? 0 : static_cast<int>(found - kMonths.begin()) + 1;
}

int number(std::string_view text) {
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? value : -1;
}

// "Mon, 8 May 2023 13:56:03 +0200 (CEST)".
struct MailTime {
  Timestamp time;
  std::int64_t offset_seconds = 0;
};

// "+0130" is 5400; 0 for the name of a zone.
std::int64_t zone_seconds(std::string_view zone) {
  if (zone.size() != 5 || (zone[0] != '+' && zone[0] != '-')) return 0;
  const std::int64_t minutes = number(zone.substr(1, 2)) * 60 + number(zone.substr(3, 2));
  return zone[0] == '+' ? minutes * 60 : -minutes * 60;
}

std::optional<MailTime> mail_time(std::string_view text) {
  if (const std::size_t comma = text.find(','); comma != text.npos) text.remove_prefix(comma + 1);
  std::vector<std::string_view> parts;
  for (const std::string_view part : split(text, ' ')) {
    if (!part.empty()) parts.push_back(part);
  }
  if (parts.size() < 4) return std::nullopt;
  const auto clock = split(parts[3], ':');
  if (clock.size() < 2) return std::nullopt;
  int year = number(parts[2]);
  if (year >= 0 && year < 100) year += year < 50 ? 2000 : 1900;
  auto time = civil_time(year, month_number(parts[1]), number(parts[0]), number(clock[0]),
                         number(clock[1]), clock.size() > 2 ? number(clock[2]) : 0);
  if (!time) return std::nullopt;
  MailTime mail{*time, parts.size() > 4 ? zone_seconds(parts[4]) : 0};
  mail.time.microseconds -= mail.offset_seconds * kMicrosecondsPerSecond;
  return mail;
}

// "Ada Lovelace" of `"Ada Lovelace" <ada@example.org>`, else the address.
std::string name_of(std::string_view from) {
  const std::size_t open = from.find('<');
  std::string_view name = trim(from.substr(0, open));
  if (name.size() >= 2 && name.starts_with('"') && name.ends_with('"'))
    name = trim(name.substr(1, name.size() - 2));
  if (!name.empty() || open == from.npos) return std::string(name);
  return std::string(trim(from.substr(open + 1, from.find('>', open) - open - 1)));
}

// The first "<id>" of a list.
std::string first_id(std::string_view list) {
  const std::size_t open = list.find('<');
  if (open == list.npos) return {};
  const std::size_t close = list.find('>', open);
  return std::string(list.substr(open + 1, close == list.npos ? close : close - open - 1));
}

// --- bodies

struct Found {
  std::string plain, html, attachments;
  std::size_t parts = 0;
};

std::string decoded_body(const Message& part) {
  const std::string encoding = ascii_lower(header(part, "content-transfer-encoding"));
  if (encoding == "quoted-printable") return as_utf8(quoted_printable(part.body, false));
  if (encoding == "base64") return as_utf8(base64(part.body));
  return as_utf8(std::string(part.body));
}

void read_part(const Message& part, int depth, Found& found);

void read_parts(std::string_view body, const std::string& boundary, int depth, Found& found) {
  const std::string line = "--" + boundary;
  std::optional<std::size_t> begin;
  for (std::size_t at = body.find(line); at != body.npos; at = body.find(line, at + line.size())) {
    if (at != 0 && body[at - 1] != '\n') continue;
    if (begin) read_part(split_message(body.substr(*begin, at - *begin)), depth + 1, found);
    if (body.substr(at + line.size()).starts_with("--")) return;
    const std::size_t end = body.find('\n', at);
    if (end == body.npos) return;
    begin = end + 1;
  }
  if (begin) read_part(split_message(body.substr(*begin)), depth + 1, found);
}

void read_part(const Message& part, int depth, Found& found) {
  if (depth > kDeepestPart || ++found.parts > kMostParts) return;
  const std::string type = header(part, "content-type");
  const std::string lower = ascii_lower(type);
  if (lower.starts_with("multipart/")) {
    const std::string boundary = parameter(type, "boundary");
    if (!boundary.empty()) read_parts(part.body, boundary, depth, found);
    return;
  }
  const std::string disposition = header(part, "content-disposition");
  std::string name = parameter(disposition, "filename");
  if (name.empty()) name = parameter(type, "name");
  if (!name.empty() || ascii_lower(disposition).starts_with("attachment")) {
    if (!name.empty())
      found.attachments += (found.attachments.empty() ? "" : ", ") + decoded_header(name);
  } else if (lower.empty() || lower.starts_with("text/plain")) {
    if (found.plain.empty()) found.plain = decoded_body(part);
  } else if (lower.starts_with("text/html") && found.html.empty()) {
    found.html = html_own_text(decoded_body(part));
  }
}

memory::Turn turn_of(std::string_view text) {
  const Message message = split_message(text);
  Found found;
  read_part(message, 0, found);
  memory::Turn turn;
  turn.speaker = name_of(decoded_header(header(message, "from")));
  if (const auto sent = mail_time(header(message, "date"))) {
    turn.time = sent->time;
    turn.offset_seconds = sent->offset_seconds;
  }
  turn.text = own_words(found.plain.empty() ? found.html : found.plain);
  turn.attachment = found.attachments;
  const std::string subject = decoded_header(header(message, "subject"));
  if (!subject.empty()) turn.text = turn.text.empty() ? subject : subject + "\n" + turn.text;
  turn.id = valid_text(first_id(header(message, "message-id")));
  if (turn.id.empty()) turn.id = content_id({turn.speaker, turn.text, header(message, "date")});
  std::string thread = first_id(header(message, "references"));
  if (thread.empty()) thread = first_id(header(message, "in-reply-to"));
  turn.session = "mail " + (thread.empty() ? turn.id : valid_text(thread));
  return turn;
}

bool is_header_line(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t colon = line.find(':');
  return colon != line.npos && colon > 0 && line.find_first_of(" \t") > colon;
}

// "From ada@x.example Mon May  8 13:56:00 2023" above a header: what begins a message of a box.
// A sentence may begin with "From", too. `rest` is what stands below the line.
bool begins_message(std::string_view line, std::string_view rest) {
  if (!line.starts_with("From ") || !is_header_line(rest)) return false;
  bool clock = false, year = false;
  std::size_t words = 0;
  for (const std::string_view word : split(line.substr(5), ' ')) {
    if (word.empty()) continue;
    const bool digits = word.find_first_not_of("0123456789:") == word.npos;
    clock = clock || (digits && word.size() >= 5 && word.find(':') == 2);
    year = year || (digits && word.size() == 4);
    ++words;
  }
  return (clock && year) || (words == 1 && looks_like_mail(rest));
}

}  // namespace

bool looks_like_mail(std::string_view text) {
  const Message message = split_message(text.substr(0, 65'536));
  return !header(message, "from").empty() &&
         (!header(message, "date").empty() || !header(message, "message-id").empty());
}

bool looks_like_mbox(std::string_view text) {
  if (!text.starts_with("From ")) return false;
  take_line(text);
  return looks_like_mail(text);
}

Talk read_mail(std::string_view text, const std::string&) {
  Talk talk;
  talk.format = TalkFormat::kMail;
  talk.turns.push_back(turn_of(text));
  return talk;
}

Talk read_mbox(std::string_view text, const std::string&) {
  Talk talk;
  talk.format = TalkFormat::kMbox;
  std::string message;
  bool in_message = false, after_blank = true;
  const auto finish = [&] {
    if (in_message && !trim(message).empty()) talk.turns.push_back(turn_of(message));
    message.clear();
  };
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (after_blank && (in_message ? begins_message(line, text) : line.starts_with("From "))) {
      finish();
      in_message = true;
      after_blank = false;
      continue;
    }
    after_blank = line.empty();
    // ">From" is "From", ">>From" is ">From".
    const std::size_t marks = std::min(line.find_first_not_of('>'), line.size());
    if (marks > 0 && line.substr(marks).starts_with("From ")) line.remove_prefix(1);
    if (in_message) message += std::string(line) + "\n";
  }
  finish();
  // A thread in the order in which it was written, whatever the order of the box.
  std::ranges::stable_sort(talk.turns, {}, [](const memory::Turn& turn) {
    return std::pair(turn.session, turn.time.value_or(Timestamp{}));
  });
  return talk;
}

}  // namespace anima::load
