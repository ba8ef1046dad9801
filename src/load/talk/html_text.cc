#include "load/talk/html_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/text/text.h"

namespace anima::load {
namespace {

constexpr std::size_t kLongestEntity = 12;

struct Entity {
  std::string_view name;
  char32_t value;
};
constexpr std::array<Entity, 40> kEntities = {
    {{"amp", '&'},      {"lt", '<'},       {"gt", '>'},       {"quot", '"'},      {"apos", '\''},
     {"nbsp", ' '},     {"ndash", 0x2013}, {"mdash", 0x2014}, {"hellip", 0x2026}, {"lsquo", 0x2018},
     {"rsquo", 0x2019}, {"ldquo", 0x201c}, {"rdquo", 0x201d}, {"bdquo", 0x201e},  {"laquo", 0xab},
     {"raquo", 0xbb},   {"copy", 0xa9},    {"reg", 0xae},     {"euro", 0x20ac},   {"pound", 0xa3},
     {"deg", 0xb0},     {"times", 0xd7},   {"middot", 0xb7},  {"bull", 0x2022},   {"auml", 0xe4},
     {"ouml", 0xf6},    {"uuml", 0xfc},    {"Auml", 0xc4},    {"Ouml", 0xd6},     {"Uuml", 0xdc},
     {"szlig", 0xdf},   {"eacute", 0xe9},  {"egrave", 0xe8},  {"agrave", 0xe0},   {"ccedil", 0xe7},
     {"ntilde", 0xf1},  {"aacute", 0xe1},  {"iacute", 0xed},  {"oacute", 0xf3},   {"ecirc", 0xea}}};

// Elements after which a new block begins.
constexpr std::array<std::string_view, 30> kBlocks = {
    "p",      "div",   "br",  "li",   "ul",      "ol",        "tr",      "table",
    "h1",     "h2",    "h3",  "h4",   "h5",      "h6",        "pre",     "hr",
    "dl",     "dt",    "dd",  "body", "title",   "main",      "section", "header",
    "footer", "aside", "nav", "form", "article", "blockquote"};
constexpr std::array<std::string_view, 5> kHidden = {"script", "style", "noscript", "template",
                                                     "svg"};

class Stripper {
 public:
  explicit Stripper(std::string_view html) : html_(html) {}

  struct Block {
    std::string text;
    bool heading = false;
    bool menu = false;   // in <nav>
    bool plain = false;  // holds more than links
  };

  std::vector<Block> run() && {
    while (at_ < html_.size()) {
      const char c = html_[at_];
      if (c == '<' && tag()) continue;
      if (c == '&' && entity()) continue;
      append(c);
      ++at_;
    }
    return std::move(blocks_);
  }

 private:
  void append(char c) {
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f') {
      blank_ = true;
      return;
    }
    Block& block = separate();
    block.text.push_back(c);
    block.plain = block.plain || (!link_ && is_letter_or_digit(c));
  }
  void append(char32_t c) {
    if (c < 0x80) return append(static_cast<char>(c));
    Block& block = separate();
    append_utf8(block.text, c);
    block.plain = block.plain || !link_;
  }
  Block& separate() {
    if (block_ || blocks_.empty()) {
      blocks_.push_back({{}, heading_, menus_ > 0, false});
    } else if (blank_) {
      blocks_.back().text.push_back(' ');
    }
    block_ = blank_ = false;
    return blocks_.back();
  }
  // What of a byte of UTF-8 is more than punctuation.
  static bool is_letter_or_digit(char c) {
    const auto low = static_cast<char>(c | 0x20);
    return (low >= 'a' && low <= 'z') || (c >= '0' && c <= '9') || (c & 0x80) != 0;
  }
  void note(const std::string& name, bool closes) {
    if (name == "a") link_ = !closes;
    if (name == "nav") menus_ = closes ? std::max(menus_ - 1, 0) : menus_ + 1;
    const bool heading = name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6';
    if (heading) heading_ = !closes;
  }

  // False where the "<" is a character like others.
  bool tag() {
    if (html_.substr(at_).starts_with("<!--")) {
      const std::size_t end = html_.find("-->", at_ + 4);
      at_ = end == html_.npos ? html_.size() : end + 3;
      return true;
    }
    std::size_t at = at_ + 1;
    const bool closes = at < html_.size() && html_[at] == '/';
    if (closes) ++at;
    const bool named =
        at < html_.size() && ((html_[at] | 0x20) >= 'a' && (html_[at] | 0x20) <= 'z');
    if (!named && !(at < html_.size() && (html_[at] == '!' || html_[at] == '?'))) return false;
    const std::size_t name_end = html_.find_first_of(" \t\r\n/>", at);
    if (name_end == html_.npos) {
      at_ = html_.size();
      return true;
    }
    const std::string name = to_lower(html_.substr(at, name_end - at));
    const std::size_t end = end_of_tag(name_end);
    at_ = end;
    if (std::ranges::find(kBlocks, name) != kBlocks.end()) block_ = true;
    note(name, closes);
    if (!closes && std::ranges::find(kHidden, name) != kHidden.end()) skip_element(name);
    return true;
  }

  // Behind the ">" that is in no quotes.
  std::size_t end_of_tag(std::size_t at) const {
    char quote = 0;
    for (; at < html_.size(); ++at) {
      const char c = html_[at];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '>') {
        return at + 1;
      }
    }
    return html_.size();
  }

  void skip_element(const std::string& name) {
    for (std::size_t at = html_.find("</", at_); at != html_.npos; at = html_.find("</", at + 2)) {
      if (equals_ignoring_ascii_case(html_.substr(at + 2, name.size()), name)) {
        at_ = end_of_tag(at);
        return;
      }
    }
    at_ = html_.size();
  }

  bool entity() {
    const std::string_view rest = html_.substr(at_ + 1, kLongestEntity);
    const std::size_t end = rest.find(';');
    if (end == rest.npos || end == 0) return false;
    const auto value = value_of(rest.substr(0, end));
    if (!value) return false;
    append(*value);
    at_ += end + 2;
    return true;
  }

  static std::optional<char32_t> value_of(std::string_view name) {
    if (!name.starts_with('#')) {
      const auto known = std::ranges::find(kEntities, name, &Entity::name);
      return known == kEntities.end() ? std::nullopt : std::optional(known->value);
    }
    name.remove_prefix(1);
    const bool hexadecimal = name.starts_with('x') || name.starts_with('X');
    if (hexadecimal) name.remove_prefix(1);
    std::uint32_t value = 0;
    const auto [end, error] =
        std::from_chars(name.data(), name.data() + name.size(), value, hexadecimal ? 16 : 10);
    if (error != std::errc() || end != name.data() + name.size() || value == 0) return std::nullopt;
    return static_cast<char32_t>(value);
  }

  std::string_view html_;
  std::size_t at_ = 0;
  std::vector<Block> blocks_;
  bool blank_ = false, block_ = false, link_ = false, heading_ = false;
  int menus_ = 0;
};

}  // namespace

std::string html_text(std::string_view html) {
  std::string text;
  for (const Stripper::Block& block : Stripper(html).run()) {
    if (!text.empty()) text += "\n\n";
    text += block.text;
  }
  return text;
}

std::vector<HtmlBlock> html_blocks(std::string_view html) {
  std::vector<HtmlBlock> blocks;
  for (Stripper::Block& block : Stripper(html).run()) {
    // A heading that is a link leads to its own place.
    if (!block.menu && (block.plain || block.heading))
      blocks.push_back({std::move(block.text), block.heading});
  }
  return blocks;
}

std::string html_title(std::string_view html) {
  constexpr std::size_t kLookedAt = 65'536;
  std::string head(html.substr(0, kLookedAt));  // with ASCII's capitals made small, in place
  for (char& c : head) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  const std::size_t open = head.find("<title");
  const std::size_t begin = open == head.npos ? open : head.find('>', open);
  const std::size_t end = begin == head.npos ? begin : head.find("</title", begin);
  if (end == head.npos || end > html.size()) return {};
  return html_text(html.substr(begin + 1, end - begin - 1));
}

}  // namespace anima::load
