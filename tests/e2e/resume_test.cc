// A message whose plan waits or is interrupted, as the user of the program meets it: other
// processes answer and go on, and processes are killed at any point of the work.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/json/json_member.h"
#include "base/process.h"
#include "base/random.h"
#include "base/text/text.h"
#include "support/needs_sandbox.h"
#include "support/program_on_space.h"

namespace anima::resume_test {
namespace {

class Resume : public test::ProgramOnSpace {
 protected:
  Json json(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const ProcessResult ran = anima(arguments);
    const auto parsed = parse_json(ran.out);
    EXPECT_TRUE(parsed) << ran.out << ran.err;
    return parsed.value_or(Json());
  }
  // By the shell tool, for the account that its programs run as.
  void put(const std::string& name, const std::string& text) const {
    const Json arguments = Json::object({{"command", "echo " + text + " > " + name}});
    ASSERT_EQ(anima({"tool", "run", "shell:execute", arguments.dump()}).exit_code, 0);
  }
  std::string work(const std::string& name) const {
    return read_file(system_files(), space_ + "/work/" + name).value_or(std::string());
  }
};

constexpr const char* kMessage =
    "run `echo one >> log.txt`; create page Ideas with \"two\"; delete old.txt; "
    "run `echo three >> log.txt`; read log.txt";

TEST_F(Resume, TheSameMessageGoesOnAfterTheGrant) {
  ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
  put("old.txt", "x");
  const ProcessResult first = anima({"message", kMessage});
  EXPECT_EQ(first.exit_code, 4);
  EXPECT_NE(first.err.find("then   anima plan continue"), std::string::npos) << first.err;
  const Json waits = json({"approve", "list"}).find("approvals")->as_array().at(0);
  const std::string approval = text_member(waits, "id");
  const Json step = waits.find("plans")->as_array().at(0);
  EXPECT_EQ(text_member(step, "step"), "3");
  EXPECT_EQ(step.find("done")->as_integer(), 2);
  EXPECT_EQ(step.find("steps")->as_integer(), 5);
  const std::string id = text_member(step, "id");
  EXPECT_NE(anima({"approve", "show", approval}).out.find("step 3 of the plan " + id.substr(0, 8)),
            std::string::npos);
  const Json plan = json({"plan", "show", approval});
  EXPECT_EQ(text_member(plan, "id"), id);
  EXPECT_EQ(text_member(plan, "state"), "waiting");
  EXPECT_EQ(text_member(plan.find("steps")->as_array().at(2), "approval"), approval);
  EXPECT_EQ(anima({"message", kMessage}).exit_code, 4);
  const ProcessResult granted = anima({"approve", "grant", approval.substr(0, 8)});
  EXPECT_NE(granted.err.find("anima plan continue " + id.substr(0, 8)), std::string::npos)
      << granted.err;
  const ProcessResult rest = anima({"message", kMessage});
  EXPECT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_EQ(rest.out, "one\nthree\n\n");
  EXPECT_NE(rest.err.find("2 of 5 steps were done before"), std::string::npos) << rest.err;
  EXPECT_EQ(work("log.txt"), "one\nthree\n");
  EXPECT_TRUE(json({"plan", "list"}).find("plans")->as_array().empty());
  EXPECT_EQ(json({"plan", "list", "--all"}).find("plans")->as_array().size(), 1u);
  EXPECT_EQ(anima({"audit", "verify"}).exit_code, 0);
}

TEST_F(Resume, ARefusalEndsItAndSaysWhereItBelongs) {
  ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
  put("old.txt", "x");
  const std::string approval = text_member(json({"message", kMessage}), "approvalId");
  EXPECT_EQ(anima({"approve", "deny", approval, "--reason", "keep it"}).exit_code, 0);
  const Json plan = json({"plan", "show", approval});
  EXPECT_EQ(text_member(plan, "state"), "refused");
  const Json entries = json({"audit", "log", "--action", "approval_rejected"});
  const Json& decision =
      entries.find("entries")->as_array().at(0).find("decisions")->as_array().at(0);
  const Json why = json({"why-denied", text_member(decision, "id")});
  ASSERT_NE(why.find("plan"), nullptr) << why.dump(2);
  EXPECT_EQ(text_member(*why.find("plan"), "id"), text_member(plan, "id"));
  const ProcessResult told = anima({"plan", "continue", approval});
  EXPECT_EQ(told.exit_code, 3);
  EXPECT_NE(told.out.find("keep it"), std::string::npos) << told.out;
  EXPECT_EQ(anima({"plan", "continue", approval}).exit_code, 75);
  EXPECT_EQ(anima({"plan", "continue", "nothing"}).exit_code, 6);
  EXPECT_EQ(work("old.txt"), "x\n");
}

TEST_F(Resume, AnEmergencyStopHoldsItUpAndADeniedStepNamesItsPlan) {
  ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
  put("old.txt", "x");
  const Json first = json({"message", kMessage});
  EXPECT_EQ(anima({"approve", "grant", text_member(first, "approvalId")}).exit_code, 0);
  EXPECT_EQ(anima({"guard", "halt", "--reason", "a look"}).exit_code, 0);
  EXPECT_EQ(anima({"message", kMessage}).exit_code, 3);
  EXPECT_EQ(anima({"guard", "resume"}).exit_code, 0);
  ASSERT_TRUE(system_files().make_directories(space_ + "/policy"));
  ASSERT_TRUE(replace_file(system_files(), space_ + "/policy/mine.mg",
                           "deny(Call, \"no more\") :- call(Call, \"file:delete\", _, _).\n"));
  const Json denied = json({"message", kMessage});
  EXPECT_EQ(text_member(denied, "outcome"), "denied");
  const ProcessResult why = anima({"why-denied", text_member(denied, "auditId")});
  EXPECT_NE(why.out.find("step 3 of the plan " + text_member(first, "planId").substr(0, 8)),
            std::string::npos)
      << why.out;
  EXPECT_EQ(work("old.txt"), "x\n");
  EXPECT_EQ(work("log.txt"), "one\n");
}

TEST_F(Resume, OfSeveralProcessesOneGoesOn) {
  ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
  put("old.txt", "x");
  const Json first = json({"message", kMessage});
  EXPECT_EQ(anima({"approve", "grant", text_member(first, "approvalId")}).exit_code, 0);
  std::vector<std::unique_ptr<ChildProcess>> going;
  for (int i = 0; i < 6; ++i)
    going.push_back(
        ChildProcess::start(call({"plan", "continue", text_member(first, "planId")})).value());
  int went_on = 0;
  for (const auto& each : going) {
    const int code = each->wait(-1)->exit_code;
    const std::string told = each->take_error_output();
    EXPECT_TRUE(code == 0 || code == 75) << code << told;
    // Who comes before the first has told its answer gets the same, and does nothing.
    if (code == 0 && told.find("5 of 5 steps were done before") == std::string::npos) ++went_on;
  }
  EXPECT_EQ(went_on, 1);
  EXPECT_EQ(work("log.txt"), "one\nthree\n");
}

TEST_F(Resume, ACopyOfTheSpaceGoesOnWhereItWas) {
  ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
  put("old.txt", "x");
  const Json first = json({"message", kMessage});
  EXPECT_EQ(anima({"approve", "grant", text_member(first, "approvalId")}).exit_code, 0);
  const std::string copy = folder_.file("copy.db");
  for (const bool keys : {false, true}) {
    ASSERT_EQ(anima(keys ? std::vector<std::string>{"backup", copy, "--with-keys"}
                         : std::vector<std::string>{"backup", copy})
                  .exit_code,
              0);
    const std::string other = folder_.file(keys ? "with" : "without");
    ProcessOptions restore;
    restore.arguments = {std::string(ANIMA_BINARY_DIR) + "/anima", "--space", other, "restore",
                         copy};
    ASSERT_EQ(run_process(restore)->exit_code, 0);
    ProcessOptions list;
    list.arguments = {std::string(ANIMA_BINARY_DIR) + "/anima",
                      "--space",
                      other,
                      "plan",
                      "show",
                      text_member(first, "planId"),
                      "--json"};
    const Json plan = parse_json(run_process(list)->out).value();
    EXPECT_EQ(text_member(plan, "state"), keys ? "ready" : "over") << plan.dump(2);
    std::filesystem::remove(copy);
  }
}

// --- killed processes
// -----------------------------------------------------------------------------

class Killed : public Resume {
 protected:
  // Runs the program and kills it after so long, if it still runs. What it printed before counts.
  ProcessResult run_or_kill(const std::vector<std::string>& arguments,
                            std::chrono::microseconds after) const {
    const auto child = ChildProcess::start(call(arguments)).value();
    std::this_thread::sleep_for(after);
    (void)::kill(child->pid(), SIGKILL);
    const auto ended = child->wait(-1);
    while (is_anything_left_of(mark_)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ProcessResult result = ended.value();
    for (auto more = child->read(-1); more && !more->empty(); more = child->read(-1))
      result.out += *more;
    result.err = child->take_error_output();
    return result;
  }
  // What the sandbox ran for it ends with it, a moment later.
  static bool is_anything_left_of(const std::string& mark) {
    std::error_code problem;
    for (const auto& process : std::filesystem::directory_iterator("/proc", problem)) {
      std::ifstream file(process.path() / "cmdline", std::ios::binary);
      std::stringstream line;
      line << file.rdbuf();
      if (line.str().find(mark) != std::string::npos) return true;
    }
    return false;
  }
  std::size_t pages(const std::string& title) const {
    std::size_t count = 0;
    std::error_code problem;
    for (const auto& file : std::filesystem::directory_iterator(space_ + "/work/notion", problem)) {
      const std::string page = read_file(system_files(), file.path().string()).value_or("");
      if (page.find("\"plain_text\": \"" + title + "\"") != std::string::npos) ++count;
    }
    return count;
  }
  std::ptrdiff_t lines(const std::string& log, std::string_view line) const {
    const std::string text = work(log);
    return std::ranges::count(split(text, '\n'), line);
  }
  std::string mark_;
};

// Whatever is killed when: what is not asked about is done once, and what is asked about is in
// doubt.
TEST_F(Killed, NothingIsDoneTwiceAndNothingIsLeftOut) {
  ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
  const bool full = std::getenv("ANIMA_TEST_FULL") != nullptr;
  SeededRandom random(17);
  int asked = 0, gone_on = 0;
  for (int round = 0; round < (full ? 60 : 6); ++round) {
    const std::string name = "r" + std::to_string(round);
    mark_ = name + "log";
    const std::string log = mark_ + ".txt";
    const std::string message = "run `echo 1 >> " + log + "`; create page " + name +
                                " with \"two\"; run `rm -f gate.txt && echo 3 >> " + log +
                                "`; write \"4\" to " + name + "four.txt; run `echo 5 >> " + log +
                                "`";
    std::vector<std::string> next = {"message", message, "--sender", name, "--json"};
    bool done = false;
    for (int attempt = 0; attempt < 60 && !done; ++attempt) {
      const ProcessResult ran =
          attempt < 12 ? run_or_kill(next, std::chrono::microseconds(random.next() % 250'000))
                       : anima(next);
      next = {"message", message, "--sender", name, "--json"};
      const auto printed = parse_json(ran.out);
      if (!printed && ran.signal != 0) continue;
      const Json reply = printed.value_or(Json());
      const std::string outcome = text_member(reply, "outcome");
      done = outcome == "answered";
      gone_on += ran.out.find("\"earlier\":true") != std::string::npos ? 1 : 0;
      if (outcome == "waiting") {
        (void)anima({"approve", "grant", text_member(reply, "approvalId")});
      } else if (outcome == "clarify") {
        ++asked;
        const std::string id = text_member(reply, "planId");
        const Json plan = json({"plan", "show", id});
        const JsonArray& steps = plan.find("steps")->as_array();
        const auto doubtful = std::ranges::find_if(
            steps, [](const Json& step) { return text_member(step, "status") == "unknown"; });
        ASSERT_NE(doubtful, steps.end());
        const std::string step = text_member(*doubtful, "id");
        const bool was_done = step == "2"   ? pages(name) > 0
                              : step == "4" ? !work(name + "four.txt").empty()
                                            : lines(log, step) > 0;
        next = {"plan", "continue", id, "--step", was_done ? "done" : "again", "--json"};
      } else {
        ASSERT_TRUE(done || ran.exit_code == 75 || ran.signal != 0) << ran.out << ran.err;
      }
    }
    ASSERT_TRUE(done);
    EXPECT_EQ(work(log), "1\n3\n5\n") << message;
    EXPECT_EQ(pages(name), 1u);
    EXPECT_EQ(work(name + "four.txt"), "4");
  }
  EXPECT_EQ(anima({"audit", "verify"}).exit_code, 0);
  RecordProperty("asked", asked);
  RecordProperty("gone_on", gone_on);
}

}  // namespace
}  // namespace anima::resume_test
