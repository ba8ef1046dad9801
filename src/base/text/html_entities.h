// Character references of HTML (13.5), as they stand in a text: "&amp;", "&#233;", "&#xE9;".
//
// By name all of them (packs/text/html_entities.txt: a name and its code points, in the order of
// the names' bytes); a reference that does not end with a semicolon is text. Thread-safety: a pure
// function. O(log names). Source: HTML Living Standard, 13.5.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace anima {

struct HtmlEntity {
  std::size_t size = 0;  // bytes of the reference, "&" and ";" included
  std::string text;      // what it stands for: one letter or two
};

// The reference that the text begins with.
std::optional<HtmlEntity> html_entity_at(std::string_view text);

}  // namespace anima
