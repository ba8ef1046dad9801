// The text of an HTML page: paragraphs without tags, scripts and styles, with its entities as
// characters. Lenient, as browsers are; nothing is fetched or run.
//
// Thread-safety: pure. Complexity: O(bytes). Source: HTML Living Standard, 13.1 and 13.5 (the
// entities that people use).
#pragma once

#include <string>
#include <string_view>

namespace anima::load {

// Blocks are apart by an empty line; white space inside them is one blank.
std::string html_text(std::string_view html);
// What stands in <title>, or empty.
std::string html_title(std::string_view html);

}  // namespace anima::load
