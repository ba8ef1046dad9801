// Approvals signed by a key that who acts cannot use, as a user and a coding agent with a shell of
// its own under the same account meet them.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/json/json_member.h"
#include "support/command.h"
#include "support/terminal.h"

namespace anima::approver_test {
namespace {

constexpr std::string_view kAda = "four words that ada keeps";
constexpr std::string_view kGrace = "four words of grace alone";

// A shell's command line with a terminal of its own, and a person who waits for what it asks.
class AtTerminal : public test::PseudoTerminal {
 public:
  explicit AtTerminal(const std::string& command)
      : PseudoTerminal([&] { execl("/bin/sh", "sh", "-c", command.c_str(), nullptr); }) {}

  // Once it has asked so, behind what was asked before.
  void answer(const std::string& question, std::string_view line) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    std::size_t found = screen_.find(question, seen_);
    while (found == std::string::npos && std::chrono::steady_clock::now() < deadline && read_some())
      found = screen_.find(question, seen_);
    ASSERT_NE(found, std::string::npos) << "no \"" << question << "\" in:\n" << screen_;
    seen_ = found + question.size();
    send(std::string(line) + "\n");
  }
  void interrupt() { kill(pid(), SIGTERM); }

 private:
  std::size_t seen_ = 0;
};

class ApproverVerb : public ::testing::Test {
 protected:
  void SetUp() override {
    test::init_space(folder_);
    ASSERT_EQ(anima(R"(tool run file:write '{"path":"a","content":"x"}')").code, 0);
  }
  // With the user's data below the test's folder.
  std::string line(const std::string& arguments) const {
    return "XDG_DATA_HOME=" + folder_.file("data") + " XDG_STATE_HOME=" + folder_.file(state_) +
           " XDG_RUNTIME_DIR=" + folder_.file("run") + " ANIMA_SPACE=" + folder_.file("space") +
           " " + ANIMA_BINARY_DIR + "/anima " + arguments;
  }
  // As a program runs it: without a terminal.
  test::Ran anima(const std::string& arguments) const {
    return test::run_command("setsid -w env " + line(arguments) + " 2>/dev/null </dev/null");
  }
  // The exit code of a line that asks a person.
  int person(const std::string& arguments,
             const std::vector<std::pair<std::string, std::string_view>>& answers) {
    AtTerminal terminal("exec env " + line(arguments));
    for (const auto& [question, said] : answers) terminal.answer(question, said);
    const int code = terminal.wait();
    screen_ = terminal.screen();
    return code;
  }
  int register_ada() {
    return person("approver init ada", {{"New passphrase of ada: ", kAda}, {"Once more: ", kAda}});
  }
  std::string waiting_call() {
    const test::Ran ran = anima(R"(tool run file:delete '{"path":"a"}' --json)");
    EXPECT_EQ(ran.code, 4) << ran.out;
    return text_member(ran.json(), "approval");
  }
  std::string status(const std::string& id) {
    return text_member(anima("approve show " + id + " --json").json(), "status");
  }

  TemporaryDirectory folder_{"anima-approver"};
  std::string state_ = "state";  // what the account remembers
  std::string screen_;
};

TEST_F(ApproverVerb, ACodingAgentCannotApproveItsOwnCall) {
  ASSERT_EQ(register_ada(), 0) << screen_;
  EXPECT_EQ(screen_.find(kAda), std::string::npos);  // it is not shown
  const std::string id = waiting_call();
  // A role, standard input, settings: nothing of it is a signature.
  EXPECT_EQ(anima("approve grant " + id).code, 3);
  for (const char* role : {"operator", "arbiter", "overseer"})
    EXPECT_NE(anima("approve grant " + id + " --as " + role).code, 0) << role;
  EXPECT_EQ(test::run_command("echo '" + std::string(kAda) + "' | setsid -w env " +
                              line("approve grant " + id) + " 2>/dev/null")
                .code,
            3);
  EXPECT_NE(anima("approve grant " + id + " --set approvals.need=role").code, 0);
  // It makes itself a terminal and guesses; it has a key of its own, which nobody registered.
  EXPECT_EQ(person("approve grant " + id, {{"Passphrase of ada (empty: no): ", "12345678"},
                                           {"Passphrase of ada (empty: no): ", "password"},
                                           {"Passphrase of ada (empty: no): ", "ada"}}),
            3);
  EXPECT_EQ(person("approver init eve", {{"New passphrase of eve: ", "the agent knows it"},
                                         {"Once more: ", "the agent knows it"},
                                         {"Passphrase of ada (empty: no): ", ""}}),
            3);
  EXPECT_NE(anima("approve grant " + id + " --by eve").code, 0);
  EXPECT_NE(anima("approver remove ada --by eve").code, 0);
  // The key file is there to be read; the key is not.
  const auto key = read_file(system_files(), folder_.file("data/anima/approvers/ada.key"));
  ASSERT_TRUE(key);
  EXPECT_EQ(system_files().info(folder_.file("data/anima/approvers/ada.key"))->permissions, 0600U);
  EXPECT_EQ(key->find("seed"), std::string::npos);

  EXPECT_EQ(status(id), "pending");
  EXPECT_EQ(anima(R"(tool run file:delete '{"path":"a"}')").code, 4);
  ASSERT_EQ(person("approve grant " + id, {{"Passphrase of ada (empty: no): ", kAda}}), 0)
      << screen_;
  EXPECT_NE(screen_.find("file:delete"), std::string::npos);  // what is signed is shown there
  EXPECT_EQ(text_member(anima("approve show " + id + " --json").json(), "approver"), "ada");
  EXPECT_EQ(anima(R"(tool run file:delete '{"path":"a"}')").code, 0);
  EXPECT_EQ(anima("audit verify").code, 0);
}

TEST_F(ApproverVerb, AProcessWithTheKeyAsksItsPerson) {
  ASSERT_EQ(register_ada(), 0) << screen_;
  const std::string id = waiting_call();
  const std::string socket = folder_.file("approver.sock");
  AtTerminal approver("exec env " + line("approver serve ada --socket " + socket));
  approver.answer("Passphrase of ada (empty: no): ", kAda);
  const auto asked = [&](std::string_view said) {
    int code = -1;
    std::thread agent([&] {
      for (int i = 0; i < 300 && !file_exists(system_files(), socket); ++i) usleep(100'000);
      code = anima("approve grant " + id + " --socket " + socket).code;
    });
    approver.answer("sign it? [y/N] ", said);
    agent.join();
    return code;
  };
  EXPECT_EQ(asked("n"), 3);
  EXPECT_EQ(status(id), "pending");
  EXPECT_EQ(asked("y"), 0);
  EXPECT_EQ(status(id), "approved");
  EXPECT_NE(approver.screen().find("file:delete"), std::string::npos);
  approver.interrupt();
  EXPECT_EQ(approver.wait(), 130);
  EXPECT_FALSE(file_exists(system_files(), socket));
  EXPECT_EQ(anima("approve grant " + id + " --socket " + socket).code, 6);
}

TEST_F(ApproverVerb, TwoPersonsAreTwoKeys) {
  ASSERT_EQ(register_ada(), 0) << screen_;
  // Grace makes her key elsewhere; ada lets her in.
  ASSERT_EQ(person("approver init grace --role arbiter --key-only > " + folder_.file("card"),
                   {{"New passphrase of grace: ", kGrace}, {"Once more: ", kGrace}}),
            0);
  EXPECT_EQ(anima("approver add " + folder_.file("card")).code, 3);
  ASSERT_EQ(person("approver add " + folder_.file("card") + " --by ada",
                   {{"Passphrase of ada (empty: no): ", kAda}}),
            0)
      << screen_;
  EXPECT_EQ(anima("approver list --json").json().find("approvers")->as_array().size(), 2U);

  ASSERT_EQ(anima("guard halt --emergency --reason smoke").code, 0);
  EXPECT_EQ(anima("guard resume").code, 3);
  EXPECT_EQ(anima("guard resume --as arbiter").code, 3);
  ASSERT_EQ(person("guard resume", {{"Passphrase of ada (empty: no): ", kAda}}), 0) << screen_;
  EXPECT_EQ(person("guard resume --as arbiter --by ada", {}), 3);
  EXPECT_TRUE(anima("guard line --json").json().find("halted")->as_bool());
  ASSERT_EQ(person("guard resume --as arbiter", {{"Passphrase of grace (empty: no): ", kGrace}}), 0)
      << screen_;
  EXPECT_FALSE(anima("guard line --json").json().find("halted")->as_bool());

  ASSERT_EQ(
      person("approver remove grace --by grace", {{"Passphrase of grace (empty: no): ", kGrace}}),
      0);
  ASSERT_EQ(person("approver remove ada", {{"Passphrase of ada (empty: no): ", kAda}}), 0);
  EXPECT_EQ(anima("approve grant " + waiting_call()).code, 0);
}

// Somebody puts another space in its place, whose approver is their own.
TEST_F(ApproverVerb, AReplacedListOfApproversIsNoticed) {
  ASSERT_EQ(register_ada(), 0) << screen_;
  const test::Ran kept = anima("approver pin");
  EXPECT_EQ(kept.code, 0);
  EXPECT_EQ(kept.out.find("nothing yet"), std::string::npos) << kept.out;
  state_ = "newcomer";
  const test::Ran unknown = anima("approver pin");
  EXPECT_EQ(unknown.code, 0);
  EXPECT_NE(unknown.out.find("nothing yet"), std::string::npos)
      << "what was known, not what is now";
  state_ = "elsewhere";
  ASSERT_EQ(test::run_command("mv " + folder_.file("space") + " " + folder_.file("kept") +
                              " && env " + line("init") + " 2>/dev/null")
                .code,
            0);
  ASSERT_EQ(
      person("approver init eve", {{"New passphrase of eve: ", kGrace}, {"Once more: ", kGrace}}),
      0)
      << screen_;
  ASSERT_EQ(anima(R"(tool run file:write '{"path":"a","content":"x"}')").code, 0);
  const std::string id = waiting_call();
  state_ = "state";
  EXPECT_EQ(anima("approve grant " + id + " --by eve").code, 3);
  EXPECT_EQ(anima(R"(tool run file:write '{"path":"b","content":"x"}')").code, 3);
  const test::Ran pin = anima("approver pin --json");
  EXPECT_EQ(pin.code, 3);
  EXPECT_FALSE(pin.json().find("same")->as_bool());
  EXPECT_EQ(text_member(pin.json().find("known")->as_array()[0], "name"), "ada");
  EXPECT_EQ(text_member(pin.json().find("space")->as_array()[0], "name"), "eve");
  EXPECT_EQ(anima(R"(tool generate --need '{"name":"text_words","purpose":"count words"}')").code,
            3);
  EXPECT_NE(anima("approver list 2>&1 </dev/null #").out.find("not those"), std::string::npos);
  // Stopping stays free. Without a terminal nothing is believed.
  EXPECT_EQ(anima("guard halt").code, 0);
  EXPECT_EQ(anima("approver pin --renew").code, 3);
  EXPECT_EQ(person("approver pin --renew", {{"are these right? [y/N] ", "no"}}), 3);
  EXPECT_EQ(person("approver pin --renew", {{"are these right? [y/N] ", "y"}}), 0) << screen_;
  EXPECT_EQ(anima("approver pin").code, 0);
}

}  // namespace
}  // namespace anima::approver_test
