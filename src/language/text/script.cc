#include "language/text/script.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"

namespace anima::language {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, kScripts> kNames = {
    "other", "latin", "greek", "cyrillic", "armenian", "hebrew", "arabic", "devanagari",
    "tamil", "thai",  "lao",   "myanmar",  "khmer",    "hangul", "kana",   "han"};

struct Block {
  char32_t first, last;
  Script script;
};
// In order.
constexpr std::array<Block, 42> kBlocks = {{{'A', 'Z', Script::kLatin},
                                            {'a', 'z', Script::kLatin},
                                            {0x00aa, 0x00aa, Script::kLatin},
                                            {0x00ba, 0x00ba, Script::kLatin},
                                            {0x00c0, 0x00d6, Script::kLatin},
                                            {0x00d8, 0x00f6, Script::kLatin},
                                            {0x00f8, 0x02af, Script::kLatin},
                                            {0x0370, 0x03ff, Script::kGreek},
                                            {0x0400, 0x052f, Script::kCyrillic},
                                            {0x0531, 0x058f, Script::kArmenian},
                                            {0x0591, 0x05f4, Script::kHebrew},
                                            {0x0600, 0x06ff, Script::kArabic},
                                            {0x0750, 0x077f, Script::kArabic},
                                            {0x08a0, 0x08ff, Script::kArabic},
                                            {0x0900, 0x097f, Script::kDevanagari},
                                            {0x0b80, 0x0bff, Script::kTamil},
                                            {0x0e01, 0x0e5b, Script::kThai},
                                            {0x0e81, 0x0eff, Script::kLao},
                                            {0x1000, 0x109f, Script::kMyanmar},
                                            {0x1100, 0x11ff, Script::kHangul},
                                            {0x1780, 0x17ff, Script::kKhmer},
                                            {0x1c80, 0x1c8f, Script::kCyrillic},
                                            {0x1e00, 0x1eff, Script::kLatin},
                                            {0x1f00, 0x1fff, Script::kGreek},
                                            {0x2e80, 0x2fdf, Script::kHan},
                                            {0x3005, 0x3007, Script::kHan},
                                            {0x3041, 0x30ff, Script::kKana},
                                            {0x3131, 0x318e, Script::kHangul},
                                            {0x31f0, 0x31ff, Script::kKana},
                                            {0x3400, 0x4dbf, Script::kHan},
                                            {0x4e00, 0x9fff, Script::kHan},
                                            {0xa640, 0xa69f, Script::kCyrillic},
                                            {0xa8e0, 0xa8ff, Script::kDevanagari},
                                            {0xac00, 0xd7ff, Script::kHangul},
                                            {0xf900, 0xfaff, Script::kHan},
                                            {0xfb00, 0xfb06, Script::kLatin},
                                            {0xfb1d, 0xfb4f, Script::kHebrew},
                                            {0xfb50, 0xfefc, Script::kArabic},
                                            {0xff21, 0xff3a, Script::kLatin},
                                            {0xff41, 0xff5a, Script::kLatin},
                                            {0xff66, 0xff9f, Script::kKana},
                                            {0x20000, 0x323af, Script::kHan}}};

}  // namespace

std::string_view to_string(Script script) { return kNames[static_cast<std::size_t>(script)]; }

std::optional<Script> script_of_name(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Script>(found - kNames.begin());
}

Script script_of(char32_t letter) {
  const auto after = std::ranges::upper_bound(kBlocks, letter, {}, &Block::first);
  if (after == kBlocks.begin()) return Script::kOther;
  const Block& block = *(after - 1);
  return letter <= block.last ? block.script : Script::kOther;
}

Script script_of(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (const Script script = script_of(point.value); script != Script::kOther) return script;
    at += point.size;
  }
  return Script::kOther;
}

}  // namespace anima::language
