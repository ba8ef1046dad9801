// A tag of HTML, a comment or a declaration, as it stands in a text: "<br/>", "<!-- note -->".
// Thread-safety: a pure function. O(bytes of the tag). Source: HTML Living Standard, 13.1.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace anima {

struct HtmlTag {
  std::size_t size = 0;   // bytes, from "<" to ">"; to the end of the text where nothing ends it
  std::string_view name;  // as it is written; of a comment "!--"
  bool closes = false;    // "</b>"
  bool ended = false;     // a ">" that is in no quotes stands behind it
};

// The tag that the text begins with; nothing where the "<" is a sign like others.
std::optional<HtmlTag> html_tag_at(std::string_view text);

}  // namespace anima
