// Manual pages: one a verb, with its options, in text that man prints as it stands.
#include <gtest/gtest.h>

#include <string>

#include "base/files/file.h"
#include "cli/frame/verb.h"
#include "support/cli_run.h"

namespace anima::cli::man_pages_test {
namespace {

TEST(ManPages, EachVerbHasOne) {
  const TemporaryDirectory folder;
  const test::CliRun run =
      test::run_cli({"help", "--man", folder.file("man1")}, {{"HOME", folder.path()}});
  EXPECT_EQ(run.code, 0) << run.err;
  std::size_t verbs = 0;
  for (const Verb* verb : all_verbs()) verbs += verb->hidden ? 0U : 1U;
  const auto pages = system_files().list(folder.file("man1"));
  ASSERT_TRUE(pages);
  EXPECT_EQ(pages->size(), verbs + 1);
  const auto page = read_file(system_files(), folder.file("man1/anima-audit-verify.1"));
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->starts_with(".TH ANIMA-AUDIT-VERIFY 1")) << *page;
  EXPECT_NE(page->find("\\-\\-checkpoint"), std::string::npos) << *page;
  const auto whole = read_file(system_files(), folder.file("man1/anima.1"));
  ASSERT_TRUE(whole);
  EXPECT_NE(whole->find("audit verify"), std::string::npos);
}

TEST(ManPages, NoLineIsTakenForAnInstruction) {
  const TemporaryDirectory folder;
  ASSERT_EQ(test::run_cli({"help", "--man", folder.file("m")}, {{"HOME", folder.path()}}).code, 0);
  const auto pages = system_files().list(folder.file("m"));
  ASSERT_TRUE(pages);
  for (const DirectoryEntry& entry : *pages) {
    const auto page = read_file(system_files(), folder.file("m/" + entry.name));
    ASSERT_TRUE(page);
    std::size_t at = 0;
    while (at < page->size()) {
      const std::string line = page->substr(at, page->find('\n', at) - at);
      at += line.size() + 1;
      if (line.empty() || (line[0] != '.' && line[0] != '\'')) continue;
      const std::string word = line.substr(0, line.find(' '));
      EXPECT_TRUE(word == ".TH" || word == ".SH" || word == ".nf" || word == ".fi" ||
                  word == ".B" || word == ".BR")
          << entry.name << ": " << line;
    }
  }
}

}  // namespace
}  // namespace anima::cli::man_pages_test
