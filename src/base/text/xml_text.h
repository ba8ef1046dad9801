// Text as XML writes it, so that a reader reads back what was written.
//
// The forms are those of Canonical XML 1.1, sections 1.1 and 2.3, and they are HTML too. Pure
// functions. Complexity: O(length).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace anima {

enum class XmlPlace : std::uint8_t {
  kText,       // between tags
  kAttribute,  // a value in double quotes, where a reader would make blanks of tabs and line ends
};

// Appends the text with markup, and what a reader would change, as references.
void append_xml(std::string& out, std::string_view text, XmlPlace place);

// Characters that no XML 1.0 document can hold (section 2.2), not even as references: most
// controls, U+FFFE, U+FFFF, and bytes that are no UTF-8. Their first offset, or npos.
std::size_t no_xml_character_at(std::string_view text);
// The text with U+FFFD in place of these.
std::string with_xml_characters(std::string_view text);

}  // namespace anima
