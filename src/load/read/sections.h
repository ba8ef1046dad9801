// A Markdown or text file as sections: what stands below each heading, with the headings above it.
// A text without headings is one section; fenced code holds no headings; front matter (--- lines at
// the top) is left out. Thread-safety: pure. O(bytes).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace anima::load {

struct TextSection {
  std::string title;  // "Storage › Disks"; of what comes before the first heading: empty
  std::string text;   // trimmed, never empty
};

std::vector<TextSection> sections_of(std::string_view text, bool markdown);

}  // namespace anima::load
