// Processes that act in one space at the same time, and processes that are killed while they act:
// how many calls run at once, what is asked for, and what rules see of each other's calls.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "anima/agent.h"
#include "base/files/file.h"
#include "base/json/json.h"
#include "base/process.h"
#include "support/needs_sandbox.h"
#include "support/program_on_space.h"

namespace anima::together_test {
namespace {

class Together : public test::ProgramOnSpace {
 protected:
  ProcessResult run_tool(const std::string& tool, const Json& arguments) const {
    return anima({"tool", "run", tool, arguments.dump(), "--json"});
  }
  ProcessResult write_page(const std::string& path) const {
    return run_tool("file:write", Json::object({{"path", path}, {"content", "x"}}));
  }
  // A process whose call runs, and goes on until it is killed.
  std::unique_ptr<ChildProcess> start_long_call(const std::string& mark) const {
    const Json arguments = Json::object({{"command", "touch " + mark + " && sleep 25"}});
    auto child =
        ChildProcess::start(call({"tool", "run", "shell:execute", arguments.dump()})).value();
    for (int i = 0; i < 6000 && !is_in_a_view(mark); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_TRUE(is_in_a_view(mark)) << child->take_error_output();
    return child;
  }
  // What a command writes while it runs nobody else sees.
  bool is_in_a_view(const std::string& name) const {
    const auto views = system_files().list(space_ + "/staged");
    return views && std::ranges::any_of(*views, [&](const DirectoryEntry& view) {
             const std::string place = space_ + "/staged/" + view.name;
             return file_exists(system_files(), place + "/upper/" + name) ||
                    file_exists(system_files(), place + "/copy/" + name);
           });
  }
  static void kill(ChildProcess& child) {
    ASSERT_EQ(::kill(child.pid(), SIGKILL), 0);
    ASSERT_TRUE(child.wait(-1));
  }
};

TEST_F(Together, TenCallsRunAtOnceAndAKilledOneMakesRoom) {
  ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
  std::vector<std::unique_ptr<ChildProcess>> running;
  for (int i = 0; i < 10; ++i) running.push_back(start_long_call("mark" + std::to_string(i)));
  const ProcessResult eleventh = write_page("a.txt");
  EXPECT_EQ(eleventh.exit_code, 75) << eleventh.err;
  EXPECT_NE(eleventh.out.find("10 calls are running already, 10 of them in other processes"),
            std::string::npos)
      << eleventh.out;
  kill(*running[3]);
  EXPECT_EQ(write_page("a.txt").exit_code, 0);
}

TEST_F(Together, TheSameCallOfSeveralProcessesIsOneRequest) {
  const std::vector<std::string> removal = {"tool", "run", "file:delete", R"({"path":"a.txt"})",
                                            "--json"};
  std::vector<std::unique_ptr<ChildProcess>> asking;
  for (int i = 0; i < 6; ++i) asking.push_back(ChildProcess::start(call(removal)).value());
  for (const auto& each : asking) EXPECT_EQ(each->wait(-1)->exit_code, 4);
  const Json waiting = parse_json(anima({"approve", "list", "--json"}).out).value();
  EXPECT_EQ(waiting.find("approvals")->as_array().size(), 1u) << waiting.dump(2);
}

// Rules over earlier calls, as the owner of a space writes them.
class TogetherByRules : public Together {
 protected:
  void put_rule(const std::string& rule) {
    ASSERT_TRUE(system_files().make_directories(space_ + "/policy"));
    ASSERT_TRUE(replace_file(system_files(), space_ + "/policy/mine.mg", rule + "\n"));
  }
};

TEST_F(TogetherByRules, NothingIsWrittenAfterASecretWasReadByAnyRun) {
  put_rule(
      "deny(Call, \"nothing is written after a secret was read\") :- call(Call, \"file:write\", _, "
      "_), "
      "call(Read, \"file:read\", _, _), argument(Read, \"path\", \"secrets/key.txt\"), Read < "
      "Call.");
  EXPECT_EQ(write_page("a.txt").exit_code, 0);
  // There is no such file, but it was tried.
  EXPECT_EQ(anima({"message", "read secrets/key.txt"}).exit_code, 1);
  const ProcessResult stopped = write_page("a.txt");
  EXPECT_EQ(stopped.exit_code, 3);
  EXPECT_NE(stopped.out.find("nothing is written after a secret was read"), std::string::npos);
  EXPECT_EQ(anima({"message", "write \"y\" to b.txt"}).exit_code, 3);
  const Json asked = Json::object({{"path", "a.txt"}, {"content", "x"}});
  EXPECT_EQ(anima({"tool", "run", "file:write", asked.dump(), "--dry-run"}).exit_code, 3);
}

// Two processes that live on while a third one, the owner's editor, changes the rules.
TEST_F(TogetherByRules, ARunningProcessGoesByTheRulesThatAreThere) {
  Agent agent = Agent::open(space_, {.create = true}).value();
  const auto writes = [&] {
    return agent
        .call({.tool = "file:write",
               .arguments = Json::object({{"path", "a.txt"}, {"content", "x"}}),
               .caller = TrustLevel::kOperator,
               .label = TrustLevel::kOperator})
        .value();
  };
  EXPECT_EQ(writes().outcome, Outcome::kDone);
  ProcessOptions editor;
  const auto edit = [&](const std::string& rule) {
    editor.arguments = {"/bin/sh", "-c",
                        "mkdir -p \"$0\" && printf '%s\\n' \"$1\" > \"$0/mine.mg\"",
                        space_ + "/policy", rule};
    ASSERT_EQ(run_process(editor)->exit_code, 0);
  };
  edit("deny(Call, \"the page is closed\") :- call(Call, \"file:write\", _, _).");
  const CallResult closed = writes();
  EXPECT_EQ(closed.outcome, Outcome::kDenied);
  EXPECT_EQ(closed.reason, "the page is closed");
  EXPECT_EQ(write_page("a.txt").exit_code, 3);
  edit("deny(Call, \"the page is closed\" :- call(");
  const CallResult unread = writes();
  EXPECT_EQ(unread.outcome, Outcome::kDenied);
  EXPECT_NE(unread.reason.find("mine.mg:1:"), std::string::npos) << unread.reason;
  // What another process did since counts for rules that come later.
  edit(
      "deny(Call, \"one page only\") :- call(Call, \"file:write\", _, _), "
      "call(Earlier, \"file:write\", _, _), finished(Earlier, /done), Earlier < Call.");
  EXPECT_EQ(write_page("b.txt").exit_code, 0);
  EXPECT_EQ(writes().reason, "one page only");
  ASSERT_TRUE(system_files().remove(space_ + "/policy/mine.mg"));
  EXPECT_EQ(writes().outcome, Outcome::kDone);
}

// What was announced is there, whatever became of its process: it waits for the lock on the
// calendar when it is killed.
TEST_F(TogetherByRules, ACallOfAKilledProcessIsSeenAndHasNoEnd) {
  put_rule(
      "deny(Call, \"one event only\") :- call(Call, \"calendar:create\", _, _), "
      "call(Earlier, \"calendar:create\", _, _), Earlier < Call. "
      "deny(Call, \"after an event that was made\") :- call(Call, \"file:write\", _, _), "
      "call(Earlier, \"calendar:create\", _, _), finished(Earlier, _), Earlier < Call.");
  ASSERT_EQ(write_page("first.txt").exit_code, 0);  // makes the work folder
  const int work = ::open((space_ + "/work").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(work, LOCK_EX), 0);
  const Json event = Json::object({{"title", "tide"}, {"start", "2026-03-01"}});
  auto running =
      ChildProcess::start(call({"tool", "run", "calendar:create", event.dump()})).value();
  int denied = 0;
  for (int i = 0; i < 200 && denied != 3; ++i)
    denied = anima({"tool", "run", "calendar:create", event.dump(), "--dry-run"}).exit_code;
  EXPECT_EQ(denied, 3);
  kill(*running);
  ::close(work);
  EXPECT_EQ(run_tool("calendar:create", event).exit_code, 3);
  EXPECT_EQ(write_page("a.txt").exit_code, 3);  // those that were refused have an end
}

TEST_F(TogetherByRules, OfSeveralProcessesOneActs) {
  put_rule(
      "deny(Call, \"one page only\") :- call(Call, \"file:write\", _, _), "
      "call(Earlier, \"file:write\", _, _), finished(Earlier, /done), Earlier < Call. "
      "deny(Call, \"one page at a time\") :- call(Call, \"file:write\", _, _), "
      "call(Earlier, \"file:write\", _, _), !ended(Earlier), Earlier < Call. "
      "ended(Call) :- finished(Call, _).");
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<ChildProcess>> writing;
    const Json page = Json::object({{"path", "a.txt"}, {"content", "x"}});
    for (int i = 0; i < 6; ++i) {
      writing.push_back(
          ChildProcess::start(call({"tool", "run", "file:write", page.dump()})).value());
    }
    int done = 0;
    for (const auto& each : writing) done += each->wait(-1)->exit_code == 0 ? 1 : 0;
    EXPECT_EQ(done, round == 0 ? 1 : 0);
  }
}

}  // namespace
}  // namespace anima::together_test
