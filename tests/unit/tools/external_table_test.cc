// The tools of the agent's table before a real executor: what runs, what is refused, what waits,
// and how far what was read is trusted.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "govern/decide/executor.h"
#include "store/space.h"
#include "support/bench.h"
#include "support/needs_sandbox.h"
#include "tools/external.h"
#include "tools/workbench.h"

namespace anima::tools {
namespace {

class ExternalTableTest : public ::testing::Test {
 protected:
  ExternalTableTest() {
    chmod(folder_.path().c_str(), 0755);
    govern::PermissionTable permissions = govern::PermissionTable::of_the_source();
    add_external_policies(permissions);
    executor_ = std::make_unique<govern::Executor>(std::move(permissions), tools_, audit_, line_,
                                                   events_, clock_, random_);
    add_external_tools(table_,
                       [this](const govern::CallRequest& call) { return executor_->execute(call); },
                       {.agent = "main", .trust = govern::Trust::kStandard});
  }
  ToolOutput run(std::string_view tool, const ToolInput& input) {
    test::Bench bench(space_->snapshot().value());
    const auto output = table_.run(tool, input, bench);
    EXPECT_TRUE(output.has_value());
    proposals_ = std::move(bench.proposals);
    return output ? *output : ToolOutput{};
  }
  void write(const std::string& path, const std::string& content) {
    const ToolOutput output =
        run("file_io", {{"action", "write"}, {"path", path}, {"content", content}});
    EXPECT_TRUE(output.success) << output.result;
  }

  TemporaryDirectory folder_;
  std::shared_ptr<store::Space> space_ = *store::Space::in_memory();
  ManualClock clock_{Timestamp{1'767'225'600'000'000}};
  SeededRandom random_{1};
  ExternalTools tools_{clock_, random_, {.work_folder = folder_.file("work")}};
  govern::AuditChain audit_{clock_, random_};
  govern::StopSwitch line_;
  bus::EventBus events_;
  std::unique_ptr<govern::Executor> executor_;
  ToolTable table_;
  std::vector<Proposal> proposals_;
};

TEST_F(ExternalTableTest, DangersOfTheTable) {
  EXPECT_EQ(table_.find("file_io")->info().danger, Danger::kDangerous);
  EXPECT_EQ(table_.find("http_fetch")->info().danger, Danger::kCautious);
  EXPECT_EQ(table_.find("shell_exec")->info().danger, Danger::kCritical);
  for (const char* name : {"csv_ingest", "text_ingest", "code_ingest"}) {
    EXPECT_EQ(table_.find(name)->info().danger, Danger::kCautious) << name;
  }
}

TEST_F(ExternalTableTest, FilesPassTheExecutor) {
  write("a.txt", "hello");
  EXPECT_EQ(run("file_io", {{"action", "read"}, {"path", "a.txt"}}).result, "hello");
  EXPECT_EQ(audit_.entries().size(), 2U);
  EXPECT_FALSE(run("file_io", {{"action", "read"}, {"path", "../../etc/passwd"}}).success);
  EXPECT_FALSE(run("file_io", {{"action", "chmod"}, {"path", "a.txt"}}).success);
  EXPECT_FALSE(run("file_io", {{"path", "a.txt"}}).success);
  ASSERT_TRUE(line_.halt("operator"));
  EXPECT_FALSE(run("file_io", {{"action", "read"}, {"path", "a.txt"}}).success);
}

TEST_F(ExternalTableTest, AShellWaitsForItsApproval) {
  ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
  const ToolOutput waiting = run("shell_exec", {{"command", "rm -rf important"}});
  EXPECT_FALSE(waiting.success);
  EXPECT_NE(waiting.result.find("waits for approval"), std::string::npos) << waiting.result;
  ASSERT_EQ(executor_->approvals().size(), 1U);
  EXPECT_FALSE(run("shell_exec", {{"command", "ls"}, {"timeout", "soon"}}).success);
}

TEST_F(ExternalTableTest, WhatIsLearntIsTrustedNoFurtherThanTheFile) {
  write("table.csv", "Earth,orbits,Sun\nMoon,orbits,Earth,0.5\n");
  ASSERT_TRUE(run("csv_ingest", {{"path", "table.csv"}}).success);
  ASSERT_EQ(proposals_.size(), 2U);
  EXPECT_EQ(proposals_[1].subject, "Moon");
  EXPECT_EQ(proposals_[1].confidence, 0.5);
  for (const Proposal& each : proposals_) EXPECT_EQ(each.trust, store::Trust::kUntrusted);
  write("note.txt", "A cat is a mammal.");
  ASSERT_TRUE(run("text_ingest", {{"text", "file:note.txt"}}).success);
  ASSERT_EQ(proposals_.size(), 1U);
  EXPECT_EQ(proposals_[0].trust, store::Trust::kUntrusted);
  ASSERT_TRUE(run("text_ingest", {{"text", "A dog is a mammal."}}).success);
  EXPECT_EQ(proposals_[0].trust, store::Trust::kStandard);
  EXPECT_FALSE(run("csv_ingest", {{"path", "note.txt"}}).success);
  EXPECT_TRUE(proposals_.empty());
}

TEST_F(ExternalTableTest, SourceFoldersAreRead) {
  write("src/a.py", "import os\n");
  write("src/deep/b.rs", "pub fn go() {}\n");
  write("src/notes.txt", "import nothing\n");
  ASSERT_TRUE(run("code_ingest", {{"path", "src"}}).success);
  ASSERT_EQ(proposals_.size(), 2U);
  EXPECT_EQ(proposals_[0].subject, "src/a.py");
  EXPECT_EQ(proposals_[1].subject, "src/deep/b.rs");
  ASSERT_TRUE(run("code_ingest", {{"path", "src"}, {"recursive", "false"}}).success);
  EXPECT_EQ(proposals_.size(), 1U);
  ASSERT_TRUE(run("code_ingest", {{"path", "src"}, {"max_files", "1"}}).success);
  EXPECT_EQ(proposals_.size(), 1U);
}

}  // namespace
}  // namespace anima::tools
