#include "language/text/plain_reading.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/text/html_entities.h"
#include "base/text/html_tag.h"
#include "base/text/text.h"
#include "base/text/white_space.h"
#include "language/text/detail/fold_table.h"

namespace anima::language {
namespace {

constexpr int kMostLayers = 4;
constexpr std::size_t kLongestMarkup = 2048;  // bytes of a tag, or of a link

using Origin = PlainReading::Origin;

// A text that is made of another one.
struct Made {
  std::string text;
  std::vector<Origin> origins;

  void add(std::string_view piece, Origin origin) {
    text += piece;
    origins.insert(origins.end(), piece.size(), origin);
  }
  // A part of another text, as it is there.
  void copy(const Made& from, std::size_t begin, std::size_t size) {
    text.append(from.text, begin, size);
    const auto first = from.origins.begin() + static_cast<std::ptrdiff_t>(begin);
    origins.insert(origins.end(), first, first + static_cast<std::ptrdiff_t>(size));
  }
  Origin over(std::size_t begin, std::size_t size) const {
    return {origins[begin].begin, origins[begin + size - 1].end};
  }
};

// --- escapes ------------------------------------------------------------------------------------

// Whether a backslash begins an escape before one of "ntrbf" and a letter, and before the number of
// a plain letter.
enum class Backslashes : std::uint8_t { kEscape, kPartPaths };

struct Escape {
  std::size_t size = 0;  // bytes taken
  std::string meant;
  bool doubtful = false;  // a backslash that may part a path
};

std::optional<std::uint32_t> hexadecimal(std::string_view text, std::size_t at, std::size_t count) {
  if (text.size() < at + count) return std::nullopt;
  std::uint32_t value = 0;
  const char* const last = text.data() + at + count;
  const auto [end, error] = std::from_chars(text.data() + at, last, value, 16);
  return error == std::errc() && end == last ? std::optional(value) : std::nullopt;
}

// One letter, of as many escapes as it has bytes: "%C3%A9", "\xc3\xa9".
std::optional<Escape> byte_escape(std::string_view text, std::string_view mark) {
  Escape escape;
  std::size_t bytes = 1;
  for (std::size_t i = 0; i < bytes; ++i) {
    if (!text.substr(escape.size).starts_with(mark)) return std::nullopt;
    const auto byte = hexadecimal(text, escape.size + mark.size(), 2);
    if (!byte || *byte == 0) return std::nullopt;
    if (i == 0) bytes = *byte < 0x80 ? 1 : *byte < 0xe0 ? 2 : *byte < 0xf0 ? 3 : 4;
    escape.meant += static_cast<char>(*byte);
    escape.size += mark.size() + 2;
  }
  return is_valid_utf8(escape.meant) ? std::optional(std::move(escape)) : std::nullopt;
}

// \uXXXX, two of them for what lies beyond 16 bits.
std::optional<Escape> unicode_escape(std::string_view text) {
  const auto first = hexadecimal(text, 2, 4);
  if (!first || *first == 0) return std::nullopt;
  Escape escape{6, {}};
  char32_t value = static_cast<char32_t>(*first);
  const bool pair = value >= 0xd800 && value < 0xdc00 && text.substr(6).starts_with("\\u");
  const auto second = pair ? hexadecimal(text, 8, 4) : std::nullopt;
  if (second && *second >= 0xdc00 && *second < 0xe000) {
    value = 0x10000 + ((value - 0xd800) << 10) + (static_cast<char32_t>(*second) - 0xdc00);
    escape.size = 12;
  }
  append_utf8(escape.meant, value);
  return escape;
}

bool is_ascii_sign(char c) {
  return c > ' ' && c < '\x7f' && letter_kind(static_cast<unsigned char>(c)) == LetterKind::kNone;
}

// A sign of JSON or of Markdown, a letter that stands for a blank, or a number of a letter.
std::optional<Escape> backslash_escape(std::string_view text, Backslashes backslashes) {
  constexpr std::string_view kLetters = "ntrbf";
  if (text.size() < 2) return std::nullopt;
  if (is_ascii_sign(text[1])) return Escape{2, std::string(1, text[1])};
  if (text[1] == 'x' || text[1] == 'u') {
    auto escape = text[1] == 'x' ? byte_escape(text, "\\x") : unicode_escape(text);
    // Nobody escapes a plain letter or digit: "C:\\data\\x64".
    const bool plain = escape && escape->meant.size() == 1 && !is_ascii_sign(escape->meant[0]) &&
                       escape->meant[0] > ' ';
    if (plain && backslashes == Backslashes::kPartPaths) return std::nullopt;
    if (plain) escape->doubtful = true;
    return escape;
  }
  if (kLetters.find(text[1]) == kLetters.npos) return std::nullopt;
  const bool doubtful =
      text.size() > 2 && letter_kind(decode_utf8(text, 2).value) != LetterKind::kNone;
  if (doubtful && backslashes == Backslashes::kPartPaths) return std::nullopt;
  return Escape{2, " ", doubtful};
}

std::optional<Escape> escape_at(std::string_view text, Backslashes backslashes) {
  switch (text.front()) {
    case '%':
      return byte_escape(text, "%");
    case '&': {
      auto entity = html_entity_at(text);
      if (!entity) return std::nullopt;
      return Escape{entity->size, std::move(entity->text)};
    }
    case '\\':
      return backslash_escape(text, backslashes);
    default:
      return std::nullopt;
  }
}

// One layer taken off; nothing where there is none.
std::optional<Made> unescaped(const Made& written, Backslashes backslashes, bool& doubtful) {
  constexpr std::string_view kMarks = "%&\\";
  const std::string_view text = written.text;
  Made meant;
  bool any = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t mark = std::min(text.find_first_of(kMarks, at), text.size());
    meant.copy(written, at, mark - at);
    at = mark;
    if (at == text.size()) break;
    const auto escape = escape_at(text.substr(at), backslashes);
    if (escape) {
      meant.add(escape->meant, written.over(at, escape->size));
      doubtful = doubtful || escape->doubtful;
      any = true;
    } else {
      meant.copy(written, at, 1);
    }
    at += escape ? escape->size : 1;
  }
  return any ? std::optional(std::move(meant)) : std::nullopt;
}

Made without_escapes(Made text, Backslashes backslashes, bool& doubtful) {
  for (int layer = 0; layer < kMostLayers; ++layer) {
    auto meant = unescaped(text, backslashes, doubtful);
    if (!meant) break;
    text = std::move(*meant);
  }
  return text;
}

// --- markup -------------------------------------------------------------------------------------

// Elements of HTML that part no words, and the others (HTML Living Standard, 4).
constexpr auto kInline = std::to_array<std::string_view>(
    {"a",    "abbr",  "b",    "bdi",    "bdo",    "big",  "cite", "code", "data", "del",
     "dfn",  "em",    "font", "i",      "ins",    "kbd",  "mark", "nobr", "q",    "s",
     "samp", "small", "span", "strike", "strong", "time", "tt",   "u",    "var",  "wbr"});
constexpr auto kOthers = std::to_array<std::string_view>(
    {"address",  "area",     "article",  "aside",    "audio",      "base",   "blockquote",
     "body",     "br",       "button",   "canvas",   "caption",    "center", "col",
     "colgroup", "datalist", "dd",       "details",  "dialog",     "dir",    "div",
     "dl",       "dt",       "embed",    "fieldset", "figcaption", "figure", "footer",
     "form",     "frame",    "frameset", "h1",       "h2",         "h3",     "h4",
     "h5",       "h6",       "head",     "header",   "hgroup",     "hr",     "html",
     "iframe",   "img",      "input",    "label",    "legend",     "li",     "link",
     "main",     "map",      "menu",     "meta",     "meter",      "nav",    "noscript",
     "object",   "ol",       "optgroup", "option",   "output",     "p",      "param",
     "picture",  "pre",      "progress", "rp",       "rt",         "ruby",   "script",
     "search",   "section",  "select",   "slot",     "source",     "style",  "sub",
     "summary",  "sup",      "svg",      "table",    "tbody",      "td",     "template",
     "textarea", "tfoot",    "th",       "thead",    "title",      "tr",     "track",
     "ul",       "video",    "!--",      "!doctype"});

// "<Mark>" is somebody; "<mark>" and "<MARK>" are tags.
bool is_one_case(std::string_view name) {
  return std::ranges::none_of(name, [](char c) { return c >= 'A' && c <= 'Z'; }) ||
         std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
}

class MarkupReader {
 public:
  explicit MarkupReader(const Made& written) : written_(written), text_(written.text) {}

  Made run() && {
    while (at_ < text_.size()) {
      if (at_ >= label_end_) end_label();
      const std::size_t mark = next_mark();
      read_.copy(written_, at_, mark - at_);
      at_ = mark;
      if (at_ == text_.size() || at_ >= label_end_ || tag() || link()) continue;
      read_.copy(written_, at_, 1);
      ++at_;
    }
    for (const auto& [begin, size] : asides_) {
      read_.add(std::string_view(&PlainReading::kAside, 1), {});
      read_.copy(written_, begin, size);
    }
    return std::move(read_);
  }

 private:
  std::size_t next_mark() const {
    return std::min({text_.find_first_of("<[!", at_), label_end_, text_.size()});
  }

  // Leaves what nobody sees of it for the end.
  void skip(std::size_t size, std::size_t aside, std::size_t aside_size) {
    if (aside_size > 0) asides_.emplace_back(aside, aside_size);
    at_ += size;
  }

  // A tag may have taken it away.
  void end_label() {
    if (at_ == label_end_) skip(label_tail_, label_end_ + 2, label_tail_ - 3);
    label_end_ = kNowhere;
  }

  bool tag() {
    const auto tag = html_tag_at(text_.substr(at_, kLongestMarkup));
    if (!tag || !tag->ended || !is_one_case(tag->name)) return false;
    const std::string name = to_lower(tag->name);
    const bool parts = std::ranges::find(kInline, name) == kInline.end();
    if (parts && std::ranges::find(kOthers, name) == kOthers.end()) return false;
    if (parts && name != "!--") read_.add(" ", written_.over(at_, tag->size));
    const std::size_t inside = (tag->closes ? 2 : 1) + tag->name.size();
    skip(tag->size, at_ + inside, tag->size - inside - 1);
    return true;
  }

  // "[label](target)", "![label](target)" and "[label][reference]".
  bool link() {
    const std::size_t open = text_[at_] == '!' ? at_ + 1 : at_;
    if (open >= text_.size() || text_[open] != '[' || label_end_ != kNowhere) return false;
    const std::string_view near = text_.substr(0, open + kLongestMarkup);
    const std::size_t end = near.find_first_of("[]\n", open + 1);
    if (end == near.npos || near[end] != ']' || end + 1 >= near.size()) return false;
    const char closes = near[end + 1] == '(' ? ')' : near[end + 1] == '[' ? ']' : '\0';
    if (closes == '\0') return false;
    const std::size_t close = near.find_first_of(closes == ')' ? ")\n" : "]\n", end + 2);
    if (close == near.npos || near[close] != closes) return false;
    at_ = open + 1;
    label_end_ = end;
    label_tail_ = close + 1 - end;
    return true;
  }

  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  const Made& written_;
  std::string_view text_;
  Made read_;
  std::size_t at_ = 0;
  std::size_t label_end_ = kNowhere, label_tail_ = 0;        // of a link: "](target)"
  std::vector<std::pair<std::size_t, std::size_t>> asides_;  // begin and size in text_
};

// --- letters ------------------------------------------------------------------------------------

// What is written above the line, 0 for what is not.
char raised_digit(char32_t c) {
  if (c == 0xb9) return '1';
  if (c == 0xb2 || c == 0xb3) return static_cast<char>('2' + (c - 0xb2));
  return c == 0x2070 || (c >= 0x2074 && c <= 0x2079) ? static_cast<char>('0' + (c - 0x2070)) : 0;
}

// A sign of ASCII for its full-width form and the like, 0 for others.
char plain_sign(char32_t c) {
  constexpr char32_t kFullWidth = 0xfee0, kSharp = 0x266f;
  if (c == kSharp) return '#';
  if (c < 0xff01 || c > 0xff5e || letter_kind(c) != LetterKind::kNone) return 0;
  return static_cast<char>(c - kFullWidth);
}

bool is_invisible(char32_t c) {
  const detail::FoldedLetter& folded = detail::folded_letter(c, FoldStrength::kCase);
  return folded.kind == LetterKind::kNone && folded.size == 0;
}

Made with_plain_letters(const Made& written) {
  Made read;
  const std::string_view text = written.text;
  bool behind_sign = false, behind_raised = false;  // or behind a word
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    const Origin origin = written.over(at, point.size);
    const char raised = raised_digit(point.value), sign = plain_sign(point.value);
    if (point.value < 0x80) {
      read.copy(written, at, 1);
    } else if (raised != 0 && (behind_sign || behind_raised)) {
      if (!behind_raised) read.add("^", origin);
      read.add(std::string_view(&raised, 1), origin);
    } else if (is_white_space(point.value)) {
      read.add(" ", origin);
    } else if (sign != 0) {
      read.add(std::string_view(&sign, 1), origin);
    } else if (!is_invisible(point.value)) {
      read.copy(written, at, point.size);
    }
    behind_raised = raised != 0 && (behind_sign || behind_raised);
    behind_sign = raised == 0 && !is_white_space(point.value);
    at += point.size;
  }
  return read;
}

// ------------------------------------------------------------------------------------------------

// The first bytes of signs, blanks, raised digits and invisible marks; letters of most scripts have
// others.
bool may_have_signs(std::string_view text) {
  constexpr std::string_view kFirst = "\xc2\xd8\xe1\xe2\xe3\xef\xf3";
  return text.find_first_of(kFirst) != text.npos;
}

Made read_plainly(Made text, Backslashes backslashes, bool& doubtful) {
  text = without_escapes(std::move(text), backslashes, doubtful);
  if (text.text.find_first_of("<[") != std::string::npos) text = MarkupReader(text).run();
  if (may_have_signs(text.text)) text = with_plain_letters(text);
  return text;
}

}  // namespace

PlainReading::PlainReading(std::string_view written) : written_(written) {
  if (written.find_first_of("%&\\<[") == written.npos && !may_have_signs(written)) return;
  Made as_written;
  as_written.text = written;
  as_written.origins.reserve(written.size());
  for (std::size_t at = 0; at < written.size(); ++at) as_written.origins.push_back({at, at + 1});
  bool doubtful = false;
  Made read = read_plainly(as_written, Backslashes::kEscape, doubtful);
  if (doubtful) {
    const Made other = read_plainly(std::move(as_written), Backslashes::kPartPaths, doubtful);
    read.add(std::string_view(&kAside, 1), {});
    read.copy(other, 0, other.text.size());
  }
  same_ = false;
  text_ = std::move(read.text);
  origins_ = std::move(read.origins);
}

}  // namespace anima::language
