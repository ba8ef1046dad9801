// Memory::load: files into a memory, and questions over them.
#include <gtest/gtest.h>

#include "anima/memory.h"
#include "base/files/file.h"

namespace anima {
namespace {

TEST(MemoryLoad, LoadsFilesAndAnswersQuestions) {
  const TemporaryDirectory folder("anima-memory-load");
  const std::string hosts = folder.file("hosts.csv"), services = folder.file("services.json");
  ASSERT_TRUE(replace_file(system_files(), hosts, "name,ram_gb\nborea,64\natlas,8\n"));
  ASSERT_TRUE(
      replace_file(system_files(), services,
                   R"([{"name":"db","runs_on":"borea"},{"name":"web","runs_on":"atlas"}])"));
  Memory memory = Memory::in_memory().value();
  Author author;
  author.trust = TrustLevel::kStandard;
  const auto report = memory.load({.files = {hosts, services}}, author);
  ASSERT_TRUE(report.has_value()) << report.error().describe();
  EXPECT_EQ(report->tables.size(), 2u);
  EXPECT_EQ(report->tables[1].type, "Service");
  EXPECT_TRUE(report->changed);
  EXPECT_EQ(report->entry, memory.newest_entry().value());
  const auto again = memory.load({.files = {hosts, services}, .mapping = report->mapping});
  ASSERT_TRUE(again.has_value()) << again.error().describe();
  EXPECT_FALSE(again->changed);
  EXPECT_EQ(memory.ask("Which services run on borea?")->text, "db");

  EXPECT_EQ(memory.load({.files = {folder.file("none.csv")}}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(memory.load({.files = {hosts}, .links = {"ram"}}).error().code,
            ErrorCode::kInvalidArgument);
  ASSERT_TRUE(replace_file(system_files(), folder.file("n.md"), "# A\n\nb\n"));
  EXPECT_EQ(memory.load({.files = {folder.file("n.md")}}).error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace anima
