// Pages in the shape of Notion's blocks: read as others write them, written and read back.
#include "tools/notion_page.h"

#include <gtest/gtest.h>

namespace anima::tools {
namespace {

TEST(NotionPage, ReadsBlocks) {
  const auto json =
      parse_json(R"({"object":"page","id":"p1","last_edited_time":"2026-01-01T00:00:00Z",
    "properties":{"Tags":{"type":"multi_select"},"Name":{"type":"title","title":[{"plain_text":"My "},{"text":{"content":"page"}}]}},
    "children":[
      {"object":"block","type":"heading_1","heading_1":{"rich_text":[{"plain_text":"Top"}]}},
      {"object":"block","type":"bulleted_list_item","bulleted_list_item":{"rich_text":[{"plain_text":"item"}],
        "children":[{"type":"to_do","to_do":{"rich_text":[{"plain_text":"done"}],"checked":true}}]}},
      {"object":"block","type":"image","image":{"type":"external"}},
      {"object":"block","type":"paragraph"},
      {"object":"block","type":"divider","divider":{}}]})");
  ASSERT_TRUE(json);
  const auto page = read_notion_page(*json);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->title, "My page");
  EXPECT_EQ(page->text, "# Top\n- item\n  [x] done\n[image]\n---\n");
  EXPECT_EQ(read_notion_page(Json::object({{"object", "database"}})).error().code,
            ErrorCode::kInvalidArgument);
}

TEST(NotionPage, WhatIsWrittenReadsBack) {
  const std::string text =
      "# Plan\n## Steps\n1. first\n- point\n[ ] open\n[x] closed\n> said\n```\ncode\n  more\n```\n"
      "---\nplain é text\n";
  const Json page = make_notion_page("id", "Title", text, "2026-01-01T00:00:00Z");
  const auto read = read_notion_page(*parse_json(page.dump()));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->title, "Title");
  EXPECT_EQ(read->text, text);
}

TEST(NotionPage, LongTextIsCutIntoRuns) {
  const Json page = make_notion_page("id", "t", std::string(5000, 'x'), "now");
  const Json& block = page.find("children")->as_array()[0];
  EXPECT_EQ(block.find("paragraph")->find("rich_text")->as_array().size(), 3U);
  EXPECT_EQ(read_notion_page(page)->text, std::string(5000, 'x') + "\n");
}

}  // namespace
}  // namespace anima::tools
