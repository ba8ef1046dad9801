#include "govern/detect/detail/decoding.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "base/text/text.h"
#include "govern/detect/detail/word_runs.h"

namespace anima::govern::detail {
namespace {

constexpr std::size_t kShortestRun = 24;

struct LookAlike {
  char32_t from;
  char to;
};

// Cyrillic and Greek letters that are drawn like Latin ones (our own table, by eye), sorted.
constexpr std::array kLookAlikes = std::to_array<LookAlike>({
    {0x0391, 'A'}, {0x0392, 'B'}, {0x0395, 'E'}, {0x0396, 'Z'}, {0x0397, 'H'}, {0x0399, 'I'},
    {0x039A, 'K'}, {0x039C, 'M'}, {0x039D, 'N'}, {0x039F, 'O'}, {0x03A1, 'P'}, {0x03A4, 'T'},
    {0x03A5, 'Y'}, {0x03A7, 'X'}, {0x03B1, 'a'}, {0x03B5, 'e'}, {0x03B9, 'i'}, {0x03BA, 'k'},
    {0x03BD, 'v'}, {0x03BF, 'o'}, {0x03C1, 'p'}, {0x03C4, 't'}, {0x03C5, 'u'}, {0x03C7, 'x'},
    {0x03F2, 'c'}, {0x0405, 'S'}, {0x0406, 'I'}, {0x0408, 'J'}, {0x0410, 'A'}, {0x0412, 'B'},
    {0x0415, 'E'}, {0x041A, 'K'}, {0x041C, 'M'}, {0x041D, 'H'}, {0x041E, 'O'}, {0x0420, 'P'},
    {0x0421, 'C'}, {0x0422, 'T'}, {0x0423, 'Y'}, {0x0425, 'X'}, {0x0430, 'a'}, {0x0435, 'e'},
    {0x043A, 'k'}, {0x043C, 'm'}, {0x043D, 'h'}, {0x043E, 'o'}, {0x0440, 'p'}, {0x0441, 'c'},
    {0x0442, 't'}, {0x0443, 'y'}, {0x0445, 'x'}, {0x0455, 's'}, {0x0456, 'i'}, {0x0458, 'j'},
    {0x0501, 'd'}, {0x051B, 'q'}, {0x051D, 'w'}, {0x0261, 'g'}, {0x026F, 'm'}, {0x0131, 'i'},
});

// By code point, from the table above; 0: none.
constexpr char32_t kLookAlikesEnd = 0x0520;
constexpr auto kLatinFor = [] {
  std::array<char, kLookAlikesEnd> latin = {};
  for (const LookAlike& entry : kLookAlikes) latin[entry.from] = entry.to;
  return latin;
}();

// All of them take two bytes of UTF-8.
char look_alike(char32_t code_point) {
  return code_point < kLookAlikesEnd ? kLatinFor[code_point] : '\0';
}

bool is_invisible(char32_t c) {
  if (c < 0x061C) return c == 0x00AD || c == 0x034F;
  return c == 0x061C || c == 0x115F || c == 0x1160 || c == 0x17B4 || c == 0x17B5 ||
         (c >= 0x180B && c <= 0x180E) || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x2069) || c == 0x2800 ||
         (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF || (c >= 0xE0000 && c <= 0xE01EF);
}

// A second alphabet that nobody sees and models read.
char tagged(char32_t c) {
  return c >= 0xE0020 && c <= 0xE007E ? static_cast<char>(c - 0xE0000) : '\0';
}

bool is_latin(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::size_t count_latin(std::string_view text) {
  std::size_t count = 0;
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    const std::uint64_t word = load_eight(text.data() + at);
    const std::uint64_t lower = (word | 0x20 * kEachByte) & ~kHighBits;
    count += static_cast<std::size_t>(
        std::popcount(bytes_between(lower, 'a', 'z') & ~(word & kHighBits)));
  }
  for (; at < text.size(); ++at) count += is_latin(static_cast<unsigned char>(text[at])) ? 1 : 0;
  return count;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::uint32_t> hex_number(std::string_view digits) {
  std::uint32_t value = 0;
  if (digits.empty() || digits.size() > 6) return std::nullopt;
  for (const char c : digits) {
    if (hex_digit(c) < 0) return std::nullopt;
    value = value * 16 + static_cast<std::uint32_t>(hex_digit(c));
  }
  return value;
}

struct Escape {
  std::size_t size = 0;  // characters taken; 0 = no escape here
  std::uint32_t value = 0;
  bool is_byte = false;  // a byte of UTF-8 rather than a code point
};

Escape html_escape(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 6> kNamed = {{{"&lt;", '<'},
                                                                        {"&gt;", '>'},
                                                                        {"&amp;", '&'},
                                                                        {"&quot;", '"'},
                                                                        {"&apos;", '\''},
                                                                        {"&nbsp;", ' '}}};
  for (const auto& [name, character] : kNamed) {
    if (text.starts_with(name)) return {name.size(), static_cast<std::uint32_t>(character), false};
  }
  if (!text.starts_with("&#")) return {};
  const std::size_t end = text.substr(0, 10).find(';');
  if (end == std::string_view::npos) return {};
  const std::string_view body = text.substr(2, end - 2);
  if (!body.empty() && (body[0] == 'x' || body[0] == 'X')) {
    const auto value = hex_number(body.substr(1));
    return value ? Escape{end + 1, *value, false} : Escape{};
  }
  std::uint32_t value = 0;
  if (body.empty() || body.size() > 7) return {};
  for (const char c : body) {
    if (c < '0' || c > '9') return {};
    value = value * 10 + static_cast<std::uint32_t>(c - '0');
  }
  return {end + 1, value, false};
}

// The escape that begins at text[0].
Escape escape_at(std::string_view text) {
  if (text[0] == '%' && text.size() >= 3) {
    const auto value = hex_number(text.substr(1, 2));
    return value ? Escape{3, *value, true} : Escape{};
  }
  if (text[0] == '&') return html_escape(text);
  if (text[0] != '\\' || text.size() < 4) return {};
  if (text[1] == 'x') {
    const auto value = hex_number(text.substr(2, 2));
    return value ? Escape{4, *value, true} : Escape{};
  }
  if (text[1] == 'u' && text.size() >= 6) {
    const auto value = hex_number(text.substr(2, 4));
    return value ? Escape{6, *value, false} : Escape{};
  }
  return {};
}

constexpr auto kBase64 = [] {
  std::array<bool, 256> in = {};
  for (unsigned c = 0; c < in.size(); ++c) {
    in[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
            c == '+' || c == '/' || c == '-' || c == '_';
  }
  return in;
}();
bool is_base64(char c) { return kBase64[static_cast<unsigned char>(c)]; }

std::optional<std::string> decode_base64(std::string_view run) {
  while (!run.empty() && run.back() == '=') run.remove_suffix(1);
  if (run.size() % 4 == 1) return std::nullopt;
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : run) {
    std::uint32_t value = 0;
    if (c >= 'A' && c <= 'Z')
      value = static_cast<std::uint32_t>(c - 'A');
    else if (c >= 'a' && c <= 'z')
      value = static_cast<std::uint32_t>(c - 'a' + 26);
    else if (c >= '0' && c <= '9')
      value = static_cast<std::uint32_t>(c - '0' + 52);
    else
      value = c == '+' || c == '-' ? 62 : 63;
    bits = bits << 6 | value;
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<char>(bits >> count & 0xFF));
    }
  }
  return out;
}

bool is_plain_text(std::string_view bytes) {
  if (bytes.empty() || !is_valid_utf8(bytes)) return false;
  return std::ranges::none_of(bytes, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\r' && c != '\t') || byte == 0x7F;
  });
}

// Hashes, identifiers, paths and words are no hidden text: one kind of letter, or parts of a name.
bool is_ordinary_name(std::string_view run) {
  const bool hex = std::ranges::all_of(run, [](char c) { return hex_digit(c) >= 0 || c == '-'; });
  const auto upper = std::ranges::count_if(run, [](char c) { return c >= 'A' && c <= 'Z'; });
  const auto lower = std::ranges::count_if(run, [](char c) { return c >= 'a' && c <= 'z'; });
  const auto parts =
      std::ranges::count_if(run, [](char c) { return c == '/' || c == '_' || c == '-'; });
  if (hex || upper == 0 || lower == 0) return true;
  const bool digits = std::ranges::any_of(run, [](char c) { return c >= '0' && c <= '9'; });
  const auto size = static_cast<std::ptrdiff_t>(run.size());
  return upper * 4 <= size && (!digits || parts * 12 >= size);
}

struct Run {
  std::size_t begin = 0, end = 0;
};

// The first run of at least kShortestRun characters of base64 in text[at..end), which is whole:
// what stands before and behind is none. Such a run covers a place that is a multiple of
// kShortestRun away, so only those are looked at. Empty at `end`: there is none.
Run long_run(std::string_view text, std::size_t at, std::size_t end) {
  for (std::size_t probe = at + kShortestRun - 1; probe < end; probe += kShortestRun) {
    if (!is_base64(text[probe])) continue;
    Run run{probe, probe + 1};
    while (run.begin > at && is_base64(text[run.begin - 1])) --run.begin;
    while (run.end < end && is_base64(text[run.end])) ++run.end;
    if (run.end - run.begin >= kShortestRun) return run;
    probe = run.end - 1;
  }
  return {end, end};
}

// Places of '%', '&' and '\\', where escapes begin, in rising order.
class EscapeStarts {
 public:
  explicit EscapeStarts(std::string_view text) : text_(text) {
    for (std::size_t i = 0; i < kStarts.size(); ++i) next_[i] = text_.find(kStarts[i]);
  }
  // The first at `at` or behind it; the end of the text when there is none. `at` only grows.
  std::size_t from(std::size_t at) {
    std::size_t first = text_.size();
    for (std::size_t i = 0; i < kStarts.size(); ++i) {
      if (next_[i] < at) next_[i] = text_.find(kStarts[i], at);
      first = std::min(first, next_[i]);
    }
    return first;
  }

 private:
  static constexpr std::string_view kStarts = "%&\\";
  std::string_view text_;
  std::array<std::size_t, kStarts.size()> next_ = {};
};

std::string_view base64_run(std::string_view text, std::size_t at, std::size_t end) {
  std::size_t padded = end;
  while (padded < text.size() && padded < end + 2 && text[padded] == '=') ++padded;
  return text.substr(at, padded - at);
}

}  // namespace

Folded fold_look_alikes(std::string_view text) {
  Folded result;
  if (is_ascii(text)) {
    result.text = text;
    return result;
  }
  const std::string compatible = to_nfkc(text);
  // What is folded never grows.
  result.text.resize(compatible.size());
  char* out = result.text.data();
  bool latin_before = false;
  for (std::size_t at = 0; at < compatible.size();) {
    if (static_cast<unsigned char>(compatible[at]) < 0x80) {
      latin_before = is_latin(static_cast<unsigned char>(compatible[at]));
      *out++ = compatible[at++];
      continue;
    }
    const CodePoint point = decode_utf8(compatible, at);
    const char* bytes = compatible.data() + at;
    at += point.size;
    const bool latin_after =
        at < compatible.size() && is_latin(static_cast<unsigned char>(compatible[at]));
    if (const char letter = tagged(point.value); letter != 0) {
      *out++ = letter;
      continue;
    }
    // A byte that is no text stands as U+FFFD; a word is read across it.
    if (point.value == 0xFFFD && latin_before && latin_after) {
      result.split = true;
      continue;
    }
    if (is_invisible(point.value)) {
      result.hidden_in_word |= latin_before && latin_after;
      continue;
    }
    // No branch: about every second letter of Cyrillic looks like a Latin one.
    const char latin = look_alike(point.value);
    const bool folds = latin != 0;
    result.hidden_in_word |= folds & (latin_before | latin_after);
    latin_before &= folds;
    if (point.size == 2) {
      out[0] = folds ? latin : bytes[0];
      out[1] = bytes[1];
      out += folds ? 1 : 2;
      continue;
    }
    out = std::copy_n(bytes, point.size, out);
  }
  result.text.resize(static_cast<std::size_t>(out - result.text.data()));
  result.changed = result.text != text;
  result.disguised = count_latin(result.text) > count_latin(text);
  result.split |= std::ranges::count(result.text, ' ') > std::ranges::count(text, ' ');
  return result;
}

namespace {

// What lies between escapes: its long runs are decoded when they hold something, all else is kept.
void decode_runs(std::string_view text, std::size_t at, std::size_t end, Decoded& result) {
  while (at < end) {
    const Run found = long_run(text, at, end);
    result.text.append(text.substr(at, found.begin - at));
    at = found.begin;
    if (at == end) return;
    if (is_ordinary_name(text.substr(at, found.end - at))) {
      result.text.append(text.substr(at, found.end - at));
      at = found.end;
      continue;
    }
    const std::string_view run = base64_run(text, at, found.end);
    const auto bytes = decode_base64(run);
    const bool plain = bytes && is_plain_text(*bytes);
    result.text.append(plain ? std::string_view(*bytes) : run);
    result.changed = true;
    result.explained &= plain;
    at += run.size();
  }
}

}  // namespace

Decoded decode_once(std::string_view text) {
  Decoded result;
  EscapeStarts escapes(text);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = escapes.from(at);
    decode_runs(text, at, start, result);
    at = start;
    if (at == text.size()) break;
    const Escape escape = escape_at(text.substr(at));
    if (escape.size == 0) {
      result.text.push_back(text[at++]);
      continue;
    }
    if (escape.is_byte)
      result.text.push_back(static_cast<char>(escape.value));
    else
      append_utf8(result.text, escape.value);
    result.changed = true;
    at += escape.size;
  }
  if (result.changed && !is_valid_utf8(result.text)) result.explained = false;
  return result;
}

bool has_encoded_run(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Run run = long_run(text, at, text.size());
    if (run.begin == text.size()) return false;
    if (!is_ordinary_name(text.substr(run.begin, run.end - run.begin))) return true;
    at = run.end;
  }
  return false;
}

bool has_escapes(std::string_view text) {
  EscapeStarts escapes(text);
  int percent = 0;
  int others = 0;
  for (std::size_t at = escapes.from(0); at < text.size(); at = escapes.from(at + 1)) {
    if (escape_at(text.substr(at)).size == 0) continue;
    ++(text[at] == '%' ? percent : others);
    if (percent >= 3 || others >= 2) return true;
  }
  return false;
}

}  // namespace anima::govern::detail
