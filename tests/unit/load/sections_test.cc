#include "load/read/sections.h"

#include <gtest/gtest.h>

#include "load/sniff/file_kind.h"

namespace anima::load {
namespace {

TEST(LoadSections, CutsAtHeadings) {
  const auto sections = sections_of(
      "---\ntitle: x\n---\nBefore.\n\n# Storage\n\n## Disks ##\nTwo.\n```\n# no heading\n```\n"
      "## Tapes\n\n# Network\nFast.\r\n",
      true);
  ASSERT_EQ(sections.size(), 3u);
  EXPECT_EQ(sections[0].title, "");
  EXPECT_EQ(sections[0].text, "Before.");
  EXPECT_EQ(sections[1].title, "Storage \xe2\x80\xba Disks");
  EXPECT_EQ(sections[1].text, "Two.\n```\n# no heading\n```");
  EXPECT_EQ(sections[2].title, "Network");
  EXPECT_EQ(sections_of("# not\na heading", false).size(), 1u);
  EXPECT_TRUE(sections_of(" \n", true).empty());
}

TEST(LoadFileKind, KnowsFilesByContentAndName) {
  EXPECT_EQ(file_kind("a.csv", "x,y\n"), FileKind::kTable);
  EXPECT_EQ(file_kind("-", "[{\"a\": 1}]"), FileKind::kJson);
  EXPECT_EQ(file_kind("-", "{\"a\": 1}\n{\"a\": 2}\n"), FileKind::kJsonLines);
  EXPECT_EQ(file_kind("a.json", "{\"a\":\n 1}\n"), FileKind::kJson);
  EXPECT_EQ(file_kind("a.json", "[{\"subject\":\"a\",\"predicate\":\"b\",\"object\":\"c\"}]"),
            FileKind::kTriplesJson);
  EXPECT_EQ(file_kind("a.jsonl", "{\"type\":\"entity\",\"entityType\":\"x\"}\n"),
            FileKind::kMcpMemory);
  EXPECT_EQ(file_kind("a.md", "[link](x)"), FileKind::kMarkdown);
  EXPECT_EQ(file_kind("a.txt", "a\tb\nc\td\n"), FileKind::kTable);
  EXPECT_EQ(file_kind("a.txt", "Dear Bob,\nhello\n"), FileKind::kText);
  EXPECT_EQ(file_kind("a.bin", std::string_view("SQLite format 3\0", 16)), FileKind::kSqlite);
}

}  // namespace
}  // namespace anima::load
