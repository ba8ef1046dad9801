// The emoji of a text, each whole: with its skin tone, a flag of two letters, a family that joiners
// hold together. Thread-safety: pure. Complexity: O(text), where one may be at all. Source: Unicode
// Technical Standard #51, ED-17.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace anima::language {

struct Emoji {
  std::size_t begin = 0, end = 0;  // bytes of the text
  std::string text;                // without what only says how it is drawn
  // Those that it is made of, without skin tones; empty where that is itself.
  std::vector<std::string> members = {};
};
std::vector<Emoji> emoji_in(std::string_view text);

}  // namespace anima::language
