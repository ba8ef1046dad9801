// What terminals obey, and what readers mistake.
#include "base/text/shown_text.h"

#include <gtest/gtest.h>

namespace anima {
namespace {

TEST(ShownText, TerminalsGetTextAndOurColoursOnly) {
  EXPECT_EQ(terminal_text("plain\n\ttext \u00e9 \U0001f468\u200d\U0001f469"),
            "plain\n\ttext \u00e9 \U0001f468\u200d\U0001f469");
  EXPECT_EQ(terminal_text("\x1b[31mred\x1b[0m"), "\x1b[31mred\x1b[0m");
  EXPECT_EQ(terminal_text("\x1b[8m"), "\\u{1b}[8m");
  EXPECT_EQ(terminal_text("\x1b]0;title\x07"), "\\u{1b}]0;title\\u{7}");
  EXPECT_EQ(terminal_text("a\rb\bc\u009bd\u202ee\u2066f\u2028g"),
            "a\\u{d}b\\u{8}c\\u{9b}d\\u{202e}e\\u{2066}f\\u{2028}g");
  EXPECT_EQ(terminal_text("a\x9b\xff"), "a\ufffd\ufffd");
  EXPECT_EQ(terminal_text(""), "");
}

TEST(ShownText, NamesWhatLooksLikeAnother) {
  using List = std::vector<char32_t>;
  EXPECT_EQ(look_alikes("rm p\u0430ypal.txt p\u0430l"), (List{0x430}));  // Cyrillic a
  EXPECT_EQ(look_alikes("\u0440\u0430\u0443"), (List{0x440, 0x430, 0x443}));
  EXPECT_EQ(look_alikes("\uff0fetc a\u2215b \U0001d41a"), (List{0xff0f, 0x2215, 0x1d41a}));
  EXPECT_EQ(look_alikes("cafe\u0301"), (List{0x301}));
  EXPECT_EQ(look_alikes("caf\u00e9 na\u00efve Stra\u00dfe"), List{});
  EXPECT_EQ(look_alikes("\u043f\u0440\u0438\u0432\u0435\u0442 \u0441 \u0430"), List{});
  EXPECT_EQ(look_alikes("\u4f60\u597d iPhone\u7248"), List{});
  EXPECT_EQ(look_alikes("rm -rf /tmp/x-1_y"), List{});
}

}  // namespace
}  // namespace anima
