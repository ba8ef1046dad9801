// Character references of HTML (13.5), as they stand in a text: "&amp;", "&#233;", "&#xE9;".
//
// By name those of markup, of punctuation and of Latin letters; a reference that is none of these,
// or does not end with a semicolon, is text. Thread-safety: a pure function. O(names).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace anima {

struct HtmlEntity {
  std::size_t size = 0;  // bytes of the reference, "&" and ";" included
  char32_t value = 0;
};

// The reference that the text begins with.
std::optional<HtmlEntity> html_entity_at(std::string_view text);

}  // namespace anima
