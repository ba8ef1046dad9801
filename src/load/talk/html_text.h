// The text of an HTML page: paragraphs without tags, scripts and styles, with its entities as
// characters. Lenient, as browsers are; nothing is fetched or run.
//
// Thread-safety: pure. Complexity: O(bytes). Source: HTML Living Standard, 13.1 and 13.5 (the
// entities that people use).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace anima::load {

// Blocks are apart by an empty line; white space inside them is one blank.
std::string html_text(std::string_view html);
// The same of a mail, with a block ">" in place of each mail that its program quotes below or
// between what is written: <blockquote>, and what programs name so (gmail_quote, divRplyFwdMsg).
std::string html_own_text(std::string_view html);
// Blocks of a page that is read for what it says: without menus (<nav>, and blocks of
// links alone, as a table of contents is).
struct HtmlBlock {
  std::string text;
  bool heading = false;  // <h1> .. <h6>
};
std::vector<HtmlBlock> html_blocks(std::string_view html);
// What stands in <title>, or empty.
std::string html_title(std::string_view html);

}  // namespace anima::load
