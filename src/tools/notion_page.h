// A page of notes in the shape of Notion's block objects: what the notion tools read and write, one
// page a JSON file in a local folder.
//
// A page is {"object":"page","id":..,"properties":{..a property of type
// "title"..},"children":[block
// ..]}; a block is {"object":"block","type":T,T:{"rich_text":[..],..},"children":[..]}. Read as
// text are paragraphs, headings, lists, to-dos, quotes, call-outs, toggles, code and dividers;
// blocks of other types are named in square brackets. Thread-safety: pure functions. Errors:
// kInvalidArgument (no page). Linear in the page, nesting up to 32. Source: Notion's public block
// and page objects.
#pragma once

#include <string>
#include <string_view>

#include "base/json/json.h"
#include "base/result.h"

namespace anima::tools {

struct NotionPage {
  std::string id;
  std::string title;
  std::string text;  // one block a line, Markdown's signs for headings, lists and to-dos
  std::string edited;
};

Result<NotionPage> read_notion_page(const Json& page);
// The page as JSON: each line of `text` a block, by the same signs ("# ", "- ", "1. ", "[ ] ",
// "> ", "---", ``` for code). `now` is in the form of RFC 3339.
Json make_notion_page(std::string_view id, std::string_view title, std::string_view text,
                      std::string_view now);

}  // namespace anima::tools
