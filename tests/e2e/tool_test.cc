// anima tool as a user meets it: exit codes of every way a call can end.
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/json/json.h"
#include "support/command.h"
#include "support/needs_sandbox.h"
#include "tools/sandbox/sandbox.h"

namespace anima::tool_test {
namespace {

class ToolVerb : public ::testing::Test {
 protected:
  test::Ran anima(const std::string& arguments) const {
    return test::run_anima(folder_, arguments, "2>&1 </dev/null");
  }
  void SetUp() override {
    ASSERT_EQ(::system(("chmod 755 " + folder_.path()).c_str()), 0);
    ASSERT_EQ(anima("init").code, 0);
  }

  TemporaryDirectory folder_{"anima-tool"};
};

TEST_F(ToolVerb, FilesRunAndAreAudited) {
  EXPECT_EQ(anima(R"(tool run file:write '{"path":"a.txt","content":"hello"}')").code, 0);
  const test::Ran read = anima(R"(tool run file_io '{"action":"read","path":"a.txt"}' --json)");
  EXPECT_EQ(read.code, 0) << read.out;
  EXPECT_EQ(read.json().find("result")->find("content")->as_string(), "hello");
  EXPECT_EQ(anima(R"(tool run file:read '{"path":"/etc/passwd"}')").code, 3);
  EXPECT_EQ(anima(R"(tool run file:read '{"path":"none"}')").code, 6);
  EXPECT_EQ(anima("tool run nothing").code, 6);
  EXPECT_NE(anima("tool run shell").out.find("did you mean \"shell:execute\"?"), std::string::npos);
  EXPECT_EQ(anima("tool run config:modify '{}'").code, 3);  // nobody is asked: there is none
  EXPECT_EQ(anima("tool run file:read '[]'").code, 2);
  EXPECT_NE(anima("audit log").out.find("tool_executed"), std::string::npos);
}

TEST_F(ToolVerb, DeniedAndWaiting) {
  // Written by somebody who is not trusted: a refusal that can be explained.
  const test::Ran denied =
      anima(R"(tool run file:write '{"path":"a","content":"x"}' --trust untrusted --json)");
  EXPECT_EQ(denied.code, 3) << denied.out;
  EXPECT_EQ(anima("why-denied " + denied.json().find("audit")->as_string()).code, 0);
  ASSERT_EQ(anima(R"(tool run file:write '{"path":"a","content":"x"}')").code, 0);
  const test::Ran waiting = anima(R"(tool run file:delete '{"path":"a"}' --json)");
  EXPECT_EQ(waiting.code, 4) << waiting.out;
  const std::string id = waiting.json().find("approval")->as_string();
  EXPECT_EQ(anima("approve grant " + id).code, 0);
  EXPECT_EQ(anima(R"(tool run file:delete '{"path":"a"}')").code, 0);
  EXPECT_EQ(anima(R"(tool run file:delete '{"path":"a"}')").code, 4);  // once
  EXPECT_EQ(anima(R"(tool run file:delete '{"path":"a"}' --dry-run)").code, 4);
}

TEST_F(ToolVerb, ShellAndItsTimeLimit) {
  if (tools::machine_sandbox().containment() != tools::Containment::kFull) {
    EXPECT_EQ(anima(R"(tool run shell:execute '{"command":"ls"}')").code, 126);
    return;
  }
  const test::Ran listed = anima(R"(tool run shell_exec '{"command":"pwd; ls"}' --json)");
  EXPECT_EQ(listed.code, 0) << listed.out;
  EXPECT_EQ(listed.json().find("result")->find("stdout")->as_string(),
            folder_.file("space") + "/work\n");
  const std::string slow = R"(tool run shell:execute '{"command":"sleep 20","timeout":1}')";
  test::Ran ran = anima(slow + " --json");
  if (ran.code == 4) {
    ASSERT_EQ(anima("approve grant " + ran.json().find("approval")->as_string()).code, 0);
    ran = anima(slow);
  }
  EXPECT_EQ(ran.code, 124) << ran.out;
}

TEST_F(ToolVerb, ACommandIsJudgedByWhatItChanges) {
  ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
  const auto shell = [&](const std::string& command, const std::string& options = "") {
    return anima("tool run shell:execute '{\"command\":\"" + command + "\"}' " + options);
  };
  const auto there = [&](const std::string& name) {
    return file_exists(system_files(), folder_.file("space/work/" + name));
  };
  // What adds and edits needs no question, whatever its text says.
  EXPECT_EQ(shell("mkdir d; for i in 1 2 3; do echo $i > d/$i; done; python3 -c 1").code, 0);
  EXPECT_EQ(shell("echo rm d/1 > clean.sh; rm -f no-such-file").code, 0);
  EXPECT_TRUE(there("d/3"));
  // What deletes waits, and shows what.
  const test::Ran dry = shell("sh clean.sh", "--dry-run --json");
  EXPECT_EQ(dry.code, 4) << dry.out;
  const test::Ran waits = shell("sh clean.sh", "--json");
  EXPECT_EQ(waits.code, 4) << waits.out;
  const std::string id = waits.json().find("approval")->as_string();
  EXPECT_NE(anima("approve show " + id).out.find("deleted  d/1 (2 bytes)"), std::string::npos)
      << anima("approve show " + id).out;
  EXPECT_TRUE(there("d/1"));
  // The script is another one by the time of the answer; what was shown is what is done.
  EXPECT_EQ(shell("echo rm -r d > clean.sh").code, 0);
  ASSERT_EQ(anima("approve grant " + id).code, 0);
  EXPECT_EQ(shell("sh clean.sh").code, 0);
  EXPECT_FALSE(there("d/1"));
  EXPECT_TRUE(there("d/2"));
  // It can be undone, once.
  EXPECT_NE(anima("tool undo --list").out.find("1 deleted"), std::string::npos);
  const test::Ran undone = anima("tool undo");
  EXPECT_EQ(undone.code, 0) << undone.out;
  EXPECT_TRUE(there("d/1"));
  EXPECT_EQ(anima("audit verify").code, 0);
  EXPECT_EQ(anima("tool undo 00000000").code, 6);
}

TEST_F(ToolVerb, ListAndDoctor) {
  const test::Ran list = anima("tool list --json");
  EXPECT_EQ(list.code, 0);
  EXPECT_GT(list.json().find("tools")->as_array().size(), 15U);
  EXPECT_EQ(anima("tool info shell:execute").code, 0);
  EXPECT_EQ(anima("tool info none").code, 6);
  const test::Ran doctor = anima("doctor");
  EXPECT_EQ(doctor.code, 0) << doctor.out;
  for (const char* layer : {"name spaces", "Landlock", "seccomp", "sandbox", "anima-fetch"}) {
    EXPECT_NE(doctor.out.find(layer), std::string::npos) << layer;
  }
}

// An agent reaches files through the executor: the goal names one.
TEST_F(ToolVerb, RunReadsAFileThatTheGoalNames) {
  ASSERT_EQ(
      anima(R"(tool run file:write '{"path":"notes.txt","content":"remember the milk"}')").code, 0);
  const test::Ran ran =
      anima("run 'read the file ./notes.txt' --max-cycles 3 --output-format stream-json");
  EXPECT_NE(ran.out.find("file_io"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("remember the milk"), std::string::npos) << ran.out;
}

// What a command printed is kept in the run: when the files that it read are gone, the replay still
// is bit for bit the same, because it runs nothing.
TEST_F(ToolVerb, RunUsesTheShellAndRepeatsWithoutIt) {
  ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
  ASSERT_EQ(
      anima(R"(tool run file:write '{"path":"notes.txt","content":"remember the milk"}')").code, 0);
  const std::string shell =
      "run -v 'execute the shell command `cat notes.txt`' --criteria 'remember milk' --max-cycles "
      "3 "
      "--fresh";
  const test::Ran waiting = anima(shell);
  EXPECT_NE(waiting.out.find("waits for approval"), std::string::npos) << waiting.out;
  const Json approvals = anima("approve list --json").json();
  ASSERT_EQ(approvals.find("approvals")->as_array().size(), 1U);
  ASSERT_EQ(
      anima("approve grant " + approvals.find("approvals")->as_array()[0].find("id")->as_string())
          .code,
      0);
  const test::Ran ran = anima(shell);
  EXPECT_NE(ran.out.find("act:     shell_exec command=\"cat notes.txt\""), std::string::npos)
      << ran.out;
  const bool sandbox = tools::machine_sandbox().containment() == tools::Containment::kFull;
  EXPECT_EQ(ran.out.find("remember the milk") != std::string::npos, sandbox) << ran.out;
  EXPECT_TRUE(!sandbox || ran.code == 0) << ran.out;
  const test::Ran file = anima("run 'read the file ./notes.txt' --max-cycles 3");
  EXPECT_NE(file.out.find("remember the milk"), std::string::npos) << file.out;
  ASSERT_EQ(::system(("rm -r " + folder_.file("space") + "/work").c_str()), 0);
  const Json runs = anima("replay --json").json();
  ASSERT_EQ(runs.as_array().size(), 3U);
  for (const Json& run : runs.as_array()) {
    const test::Ran again = anima("replay " + run.find("run")->dump());
    EXPECT_EQ(again.code, 0) << again.out;
    EXPECT_NE(again.out.find("bit for bit the same"), std::string::npos) << again.out;
  }
}

// What a file says is learnt in an entry that is trusted no further than the file, and the run
// repeats from the log.
TEST_F(ToolVerb, RunLearnsFromATableAndRepeats) {
  ASSERT_EQ(anima(R"(tool run file:write '{"path":"t.csv","content":"Rex,is-a,dog\n"}')").code, 0);
  const test::Ran ran = anima("run -v 'ingest csv table ./t.csv' --max-cycles 4");
  EXPECT_NE(ran.out.find("csv_ingest path="), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("+ \"Rex\" -> is-a -> \"dog\""), std::string::npos) << ran.out;
  const Json log = anima("audit log --limit 50 --author local --json").json();
  int untrusted = 0;
  for (const Json& entry : log.find("entries")->as_array()) {
    untrusted += entry.find("trust")->as_string() == "untrusted" ? 1 : 0;
  }
  EXPECT_EQ(untrusted, 1);
  EXPECT_EQ(anima("replay last").code, 0);
}

}  // namespace
}  // namespace anima::tool_test
