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

// --- quotations of mail

enum class Quotation : std::uint8_t {
  kNone,
  kElement,   // all of it
  kUnquoted,  // all of it, unless a <blockquote> in it says what is quoted
  kRest,      // it, and all behind it
};
struct QuotationMark {
  std::string_view name;  // an id or class of the element
  Quotation what;
};
constexpr QuotationMark kQuotationMarks[] = {
    {"divrplyfwdmsg", Quotation::kRest},  // Outlook
    {"appendonsend", Quotation::kRest},
    {"stopspelling", Quotation::kRest},
    {"mail-editor-reference-message-container", Quotation::kElement},
    {"yahoo_quoted", Quotation::kElement},
    {"moz-forward-container", Quotation::kElement},
    {"gmail_quote", Quotation::kUnquoted},
    {"protonmail_quote", Quotation::kUnquoted},
    {"tutanota_quote", Quotation::kUnquoted},
};

// The value of an attribute, of what stands between a tag's name and its ">"; in lower case.
std::string attribute_of(std::string_view attributes, std::string_view name) {
  const std::string lower = to_lower(attributes);
  for (std::size_t at = lower.find(name); at != lower.npos; at = lower.find(name, at + 1)) {
    if (at == 0 || std::string_view(" \t\r\n\"'").find(lower[at - 1]) == std::string_view::npos)
      continue;
    std::string_view rest = trim(std::string_view(lower).substr(at + name.size()));
    if (!rest.starts_with('=')) continue;
    rest = trim(rest.substr(1));
    if (rest.empty()) return {};
    const bool quoted = rest[0] == '"' || rest[0] == '\'';
    return std::string(quoted ? rest.substr(1, rest.find(rest[0], 1) - 1)
                              : rest.substr(0, rest.find_first_of(" \t\r\n>")));
  }
  return {};
}

Quotation quotation_of(const std::string& name, std::string_view attributes) {
  if (name == "blockquote") return Quotation::kElement;
  for (const std::string_view attribute : {"id", "class"}) {
    const std::string value = attribute_of(attributes, attribute);
    for (std::string_view one : split(value, ' ')) {
      if (one.starts_with("x_")) one.remove_prefix(2);  // of a mail that was shown before
      const auto mark = std::ranges::find(kQuotationMarks, one, &QuotationMark::name);
      if (mark != std::end(kQuotationMarks)) return mark->what;
    }
  }
  // The line that Outlook draws above the mail that is answered.
  const std::string style = attribute_of(attributes, "style");
  const bool drawn =
      style.find("border-top:solid") != style.npos && style.find("padding:3.0pt 0") != style.npos;
  return drawn ? Quotation::kRest : Quotation::kNone;
}

class Stripper {
 public:
  explicit Stripper(std::string_view html, bool own = false) : html_(html), own_(own) {}

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
    const std::string_view whole = html_.substr(at_, tag->size);
    at_ += tag->size;
    const std::string name = to_lower(tag->name);
    if (own_ && !tag->closes) {
      const auto name_end = static_cast<std::size_t>(tag->name.end() - whole.begin());
      if (leave_quotation(name, whole.substr(name_end))) return true;
    }
    if (std::ranges::find(kBlocks, name) != kBlocks.end()) block_ = true;
    note(name, tag->closes);
    if (!tag->closes && std::ranges::find(kHidden, name) != kHidden.end()) skip_element(name);
    return true;
  }

  // Puts ">" in place of a quotation that this tag begins.
  bool leave_quotation(const std::string& name, std::string_view attributes) {
    const Quotation what = quotation_of(name, attributes);
    if (what == Quotation::kNone) return false;
    const std::size_t end = what == Quotation::kRest ? html_.size() : end_of_element(name);
    const std::string inside = to_lower(html_.substr(at_, end - at_));
    if (what == Quotation::kUnquoted && inside.find("<blockquote") != inside.npos) return false;
    at_ = end;
    block_ = true;
    append('>');
    block_ = true;
    return true;
  }

  // Behind the tag that closes an element of this name, from within it.
  std::size_t end_of_element(const std::string& name) const {
    std::size_t depth = 1;
    for (std::size_t at = html_.find('<', at_); at != html_.npos; at = html_.find('<', at + 1)) {
      const bool closes = html_.substr(at + 1).starts_with('/');
      const std::string_view rest = html_.substr(at + (closes ? 2 : 1));
      if (!equals_ignoring_ascii_case(rest.substr(0, name.size()), name)) continue;
      if (rest.size() > name.size() &&
          std::string_view(" \t\r\n/>").find(rest[name.size()]) == std::string_view::npos)
        continue;
      depth = closes ? depth - 1 : depth + 1;
      if (depth > 0) continue;
      const auto tag = html_tag_at(html_.substr(at));
      return tag ? at + tag->size : html_.size();
    }
    return html_.size();
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
  bool own_;  // without quotations
  std::size_t at_ = 0;
  std::vector<Block> blocks_;
  bool blank_ = false, block_ = false, link_ = false, heading_ = false;
  int menus_ = 0;
};

}  // namespace

namespace {

std::string joined_blocks(Stripper&& stripper) {
  std::string text;
  for (const Stripper::Block& block : std::move(stripper).run()) {
    if (!text.empty()) text += "\n\n";
    text += block.text;
  }
  return text;
}

}  // namespace

std::string html_text(std::string_view html) { return joined_blocks(Stripper(html)); }

std::string html_own_text(std::string_view html) { return joined_blocks(Stripper(html, true)); }

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
