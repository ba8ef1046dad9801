// kill -9 at any moment of a message and of a conversation: the message is whole or not there once
// somebody writes to the space again, saying it again gives the state that saying it once gives,
// and nothing that was answered in a conversation is lost.
//
// ANIMA_TEST_FULL=1: 100 kills; otherwise a few.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/random.h"
#include "support/command.h"

namespace anima::message_kill_test {
namespace {

using Clock = std::chrono::steady_clock;

// One step, and several: each is whole or not there.
constexpr const char* kMessages[] = {
    "remember that the phone of Tom Berger is 556",
    "Lena Brandt works at Initech. Lena Brandt lives in Oslo. Tom Berger lives in Bergen."};

int kills() { return std::getenv("ANIMA_TEST_FULL") != nullptr ? 100 : 8; }

class MessageKilled : public testing::Test {
 protected:
  void SetUp() override {
    test::init_space(folder_);
    ASSERT_EQ(anima("kip 'UPSERT { CONCEPT ?t { {type: \"$ConceptType\", name: \"Person\"} } } "
                    "UPSERT { CONCEPT ?p { {type: \"Person\", name: \"Tom Berger\"} "
                    "SET ATTRIBUTES { phone: \"112\" } } }'")
                  .code,
              0);
    ASSERT_EQ(anima("checkpoint").code, 0);
    ASSERT_EQ(copy("space", "first").code, 0);
  }
  test::Ran anima(const std::string& arguments) { return test::run_anima(folder_, arguments); }
  test::Ran copy(const std::string& from, const std::string& to) {
    return test::run_command("rm -rf " + folder_.file(to) + " && cp -a " + folder_.file(from) +
                             " " + folder_.file(to));
  }
  // What was told and what is remembered, without ids and times.
  std::string state() {
    std::vector<std::string> lines;
    const auto shown = parse_json(anima("--json memory show --limit 1000").out);
    const Json* items = shown ? shown->find("items") : nullptr;
    if (items != nullptr) {
      for (const Json& item : items->as_array()) {
        const Json* content = item.find("content");
        if (content != nullptr) lines.push_back(content->as_string());
      }
    }
    std::sort(lines.begin(), lines.end());
    std::string text =
        anima("kip 'FIND(?p.attributes.phone) WHERE { ?p {name: \"Tom Berger\"} }'").out;
    for (const char* question : {"Where does Lena Brandt work?", "Where does Lena Brandt live?",
                                 "Where does Tom Berger live?"})
      text += anima("ask --json '" + std::string(question) + "'").json().find("rows")->dump();
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }
  // Starts the program with the lines as its input, which stays open.
  pid_t start(const std::vector<std::string>& arguments, const std::string& input) {
    int ends[2] = {-1, -1};
    ::unlink(folder_.file("out").c_str());  // so that what stands there is this one's
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    EXPECT_EQ(::write(ends[1], input.data(), input.size()), static_cast<ssize_t>(input.size()));
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(ends[0], 0);
      const int out = ::open(folder_.file("out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      for (const int stream : {1, 2}) ::dup2(out, stream);
      ::setenv("ANIMA_SPACE", folder_.file("space").c_str(), 1);
      const std::string program = std::string(ANIMA_BINARY_DIR) + "/anima";
      std::vector<char*> words{const_cast<char*>(program.c_str())};
      for (const std::string& each : arguments) words.push_back(const_cast<char*>(each.c_str()));
      words.push_back(nullptr);
      ::execv(program.c_str(), words.data());
      ::_exit(127);
    }
    ::close(ends[0]);
    input_ = ends[1];
    return child;
  }
  void end(pid_t child, int signal) {
    if (signal != 0) ::kill(child, signal);
    ::close(input_);
    int status = 0;
    ::waitpid(child, &status, 0);
  }

  TemporaryDirectory folder_{"anima-message-kill"};
  int input_ = -1;
};

class MessageKilledAt : public MessageKilled, public testing::WithParamInterface<const char*> {};

TEST_P(MessageKilledAt, IsWholeOrNotThere) {
  const std::string message = GetParam();
  const std::string before = state();
  const auto began = Clock::now();
  ASSERT_EQ(anima("message '" + message + "'").code, 0);
  const auto took = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began).count());
  const std::string after = state();
  ASSERT_NE(after, before);
  SeededRandom random(20261128);
  int cut = 0, whole = 0;
  for (int i = 0; i < kills(); ++i) {
    ASSERT_EQ(copy("first", "space").code, 0);
    // Every other one late, where the message writes.
    const std::uint64_t wait =
        i % 2 == 0 ? random.below(took) : took / 2 + random.below(took - took / 2);
    const pid_t child = start({"message", message}, "");
    std::this_thread::sleep_for(std::chrono::microseconds(wait));
    end(child, SIGKILL);
    ASSERT_EQ(anima("checkpoint").code, 0);  // opens the space for writing
    const std::string now = state();
    EXPECT_TRUE(now == before || now == after) << wait << " us\n" << now;
    (now == after ? whole : cut) += 1;
    EXPECT_EQ(anima("audit verify --views").code, 0);
    ASSERT_EQ(anima("message '" + message + "'").code, 0);
    if (now == before) {
      EXPECT_EQ(state(), after) << "said again, after " << wait << " us";
    }
  }
  RecordProperty("cut", cut);
  RecordProperty("whole", whole);
}
INSTANTIATE_TEST_SUITE_P(Messages, MessageKilledAt, testing::ValuesIn(kMessages));

TEST_F(MessageKilled, WhatWasAnsweredInAConversationIsLearntAtTheNextStart) {
  for (const int signal : {SIGKILL, SIGTERM, SIGINT, SIGHUP}) {
    ASSERT_EQ(copy("first", "space").code, 0);
    const pid_t child = start({"chat"}, "The phone of Tom Berger is 556.\n");
    const auto until = Clock::now() + std::chrono::seconds(120);
    std::string shown;
    while (shown.empty() && Clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      shown = read_file(system_files(), folder_.file("out")).value_or("");
    }
    ASSERT_FALSE(shown.empty()) << "the line was not answered";
    end(child, signal);
    ASSERT_EQ(anima("message 'list files'").code, 0);
    const test::Ran asked = anima("ask 'What is the phone of Tom Berger?'");
    EXPECT_NE(asked.out.find("556"), std::string::npos) << signal << ": " << asked.out;
  }
}

}  // namespace
}  // namespace anima::message_kill_test
