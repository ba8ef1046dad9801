#include "load/talk/html_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/html_entities.h"
#include "base/text/html_tag.h"
#include "base/text/text.h"
#include "base/text/white_space.h"

namespace anima::load {
namespace {

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
    const auto tag = html_tag_at(html_.substr(at_));
    if (!tag) return false;
    at_ += tag->size;
    const std::string name = to_lower(tag->name);
    if (std::ranges::find(kBlocks, name) != kBlocks.end()) block_ = true;
    note(name, tag->closes);
    if (!tag->closes && std::ranges::find(kHidden, name) != kHidden.end()) skip_element(name);
    return true;
  }

  void skip_element(const std::string& name) {
    for (std::size_t at = html_.find("</", at_); at != html_.npos; at = html_.find("</", at + 2)) {
      if (equals_ignoring_ascii_case(html_.substr(at + 2, name.size()), name)) {
        at_ = at + html_tag_at(html_.substr(at))->size;
        return;
      }
    }
    at_ = html_.size();
  }

  bool entity() {
    const auto found = html_entity_at(html_.substr(at_));
    if (!found) return false;
    for (std::size_t at = 0; at < found->text.size();) {
      const CodePoint point = decode_utf8(found->text, at);
      append(is_white_space(point.value) ? U' ' : point.value);
      at += point.size;
    }
    at_ += found->size;
    return true;
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
