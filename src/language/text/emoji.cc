#include "language/text/emoji.h"

#include <optional>

#include "base/text/text.h"

namespace anima::language {
namespace {

constexpr char32_t kJoiner = 0x200d, kDrawnAsPicture = 0xfe0f, kSharp = 0x266f;

bool within(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

bool is_picture(char32_t c) {
  return within(c, 0x1f300, 0x1faff) || within(c, 0x1f000, 0x1f0ff) ||
         (within(c, 0x2600, 0x27bf) && c != kSharp) || within(c, 0x2b05, 0x2b55);
}
bool is_flag_letter(char32_t c) { return within(c, 0x1f1e6, 0x1f1ff); }
bool is_skin_tone(char32_t c) { return within(c, 0x1f3fb, 0x1f3ff); }
bool is_tag(char32_t c) { return within(c, 0xe0020, 0xe007f); }

// Most texts have no byte that one may begin with.
bool may_have(std::string_view text) {
  if (text.find("\xf0\x9f") != text.npos) return true;
  for (std::size_t at = text.find('\xe2'); at != text.npos; at = text.find('\xe2', at + 1)) {
    const auto next = static_cast<unsigned char>(at + 1 < text.size() ? text[at + 1] : 0);
    if (within(next, 0x98, 0x9e) || next == 0xac || next == 0xad) return true;
  }
  return false;
}

// Reads one from where it begins.
class EmojiReader {
 public:
  EmojiReader(std::string_view text, std::size_t at) : text_(text), at_(at) { emoji_.begin = at; }

  std::optional<Emoji> run() && {
    if (is_flag_letter(next().value)) {
      take();
      if (!is_flag_letter(next().value)) return std::nullopt;
      take();
      return done();
    }
    if (!is_picture(next().value)) return std::nullopt;
    for (;;) {
      member();
      const std::size_t joiner = at_;
      if (next().value != kJoiner) break;
      at_ += next().size;
      if (!is_picture(next().value)) {
        at_ = joiner;
        break;
      }
      append_utf8(emoji_.text, kJoiner);
    }
    return done();
  }

 private:
  CodePoint next() const { return at_ < text_.size() ? decode_utf8(text_, at_) : CodePoint{}; }
  void take() {
    append_utf8(emoji_.text, next().value);
    at_ += next().size;
  }
  void member() {
    const std::size_t from = emoji_.text.size();
    take();
    emoji_.members.push_back(emoji_.text.substr(from));
    while (is_skin_tone(next().value) || is_tag(next().value) || next().value == kDrawnAsPicture) {
      if (next().value == kDrawnAsPicture) {
        at_ += next().size;
      } else {
        take();
      }
    }
  }
  std::optional<Emoji> done() {
    emoji_.end = at_;
    if (emoji_.members.size() == 1 && emoji_.members[0] == emoji_.text) emoji_.members.clear();
    return std::move(emoji_);
  }

  std::string_view text_;
  std::size_t at_;
  Emoji emoji_;
};

}  // namespace

std::vector<Emoji> emoji_in(std::string_view text) {
  std::vector<Emoji> all;
  if (!may_have(text)) return all;
  for (std::size_t at = 0; at < text.size();) {
    auto emoji =
        static_cast<unsigned char>(text[at]) < 0x80 ? std::nullopt : EmojiReader(text, at).run();
    at = emoji ? emoji->end : at + decode_utf8(text, at).size;
    if (emoji) all.push_back(*std::move(emoji));
  }
  return all;
}

}  // namespace anima::language
