// anima agent repl and anima replay as a person and a script meet them: piped input, a terminal (a
// pty), exit codes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "base/files/file.h"
#include "base/json/json.h"
#include "support/command.h"

namespace anima::stepping_test {
namespace {

const std::string kProgram = std::string(ANIMA_BINARY_DIR) + "/anima";

class Stepping : public ::testing::Test {
 protected:
  void SetUp() override {
    test::init_space(folder_);
    ASSERT_EQ(shell("compartment load " + std::string(ANIMA_SOURCE_DIR) +
                    "/examples/astronomy --activate"),
              0);
  }
  // The exit code; the output in out_.
  int shell(const std::string& arguments, const std::string& input = {}) {
    EXPECT_TRUE(replace_file(system_files(), folder_.file("input"), input).has_value());
    const std::string command = "ANIMA_SPACE=" + folder_.file("space") + " " + kProgram + " " +
                                arguments + " <" + folder_.file("input") + " >" +
                                folder_.file("output") + " 2>&1";
    const int status = std::system(command.c_str());
    out_ = read_file(system_files(), folder_.file("output")).value_or("");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  bool said(std::string_view text) const { return out_.find(text) != std::string::npos; }

  TemporaryDirectory folder_{"anima-stepping"};
  std::string out_;
};

// A program on a terminal of its own.
class Terminal {
 public:
  Terminal(const std::string& space, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "anima");
    std::vector<char*> words;
    for (std::string& each : arguments) words.push_back(each.data());
    words.push_back(nullptr);
    master_ = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0) return;
    const std::string name = ::ptsname(master_);
    child_ = ::fork();
    if (child_ != 0) return;
    ::setsid();
    const int slave = ::open(name.c_str(), O_RDWR);
    ::ioctl(slave, TIOCSCTTY, 0);
    for (int i = 0; i < 3; ++i) ::dup2(slave, i);
    ::close(master_);
    ::setenv("ANIMA_SPACE", space.c_str(), 1);
    ::setenv("TERM", "dumb", 1);
    ::execv(kProgram.c_str(), words.data());
    ::_exit(127);
  }
  ~Terminal() {
    if (master_ >= 0) ::close(master_);
    if (child_ > 0) ::waitpid(child_, nullptr, 0);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void type(const std::string& line) {
    const std::string text = line + "\n";
    EXPECT_EQ(::write(master_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  // Reads until the text appears after what was seen before; false when it does not in 20 s.
  bool shows(const std::string& text) {
    for (int waits = 0; waits < 200;) {
      const std::size_t found = seen_.find(text, at_);
      if (found != std::string::npos) {
        at_ = found + text.size();
        return true;
      }
      pollfd ready{master_, POLLIN, 0};
      if (::poll(&ready, 1, 100) == 0) {
        ++waits;
        continue;
      }
      char buffer[4096];
      const ssize_t got = ::read(master_, buffer, sizeof buffer);
      if (got <= 0) return seen_.find(text, at_) != std::string::npos;
      seen_.append(buffer, static_cast<std::size_t>(got));
    }
    return false;
  }
  int exit_code() {
    int status = 0;
    if (::waitpid(child_, &status, 0) != child_) return -1;
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  const std::string& seen() const { return seen_; }

 private:
  int master_ = -1;
  pid_t child_ = -1;
  std::string seen_;
  std::size_t at_ = 0;
};

TEST_F(Stepping, PipedCommands) {
  const std::string input =
      "goal find out about Mars\n"
      "goals\n"
      "candidates\n"
      "step\n"
      "why\n"
      "plan\n"
      "set sage 0.9\n"
      "run 2\n"
      "quit\n"
      "step\n";
  ASSERT_EQ(shell("agent repl", input), 0) << out_;
  EXPECT_TRUE(said("goal:find out about Mars")) << out_;
  EXPECT_TRUE(said("1. kg_query")) << out_;
  EXPECT_TRUE(said("[score=0.98: base=0.80")) << out_;
  EXPECT_TRUE(said("Cycle 1")) << out_;
  EXPECT_TRUE(said("Next: ")) << out_;
  EXPECT_TRUE(said("Attempt 1: ")) << out_;
  EXPECT_TRUE(said("sage 0.90")) << out_;
  EXPECT_TRUE(said("Cycle 2")) << out_;
  EXPECT_FALSE(said("Cycle 5")) << out_;
}

TEST_F(Stepping, AVetoedCandidateDoesNotComeBack) {
  ASSERT_EQ(shell("agent repl --goal 'find out about Mars'", "veto 1\ncandidates\nstep\n"), 0);
  EXPECT_TRUE(said("kg_query with this input is not offered again")) << out_;
  EXPECT_FALSE(said("1. kg_query")) << out_;
  ASSERT_EQ(shell("agent repl", "veto gap_analysis\nstep\npsyche\n"), 0);
  EXPECT_TRUE(said("veto person: gap_analysis: gap_analysis")) << out_;
}

TEST_F(Stepping, WrongCommandsFailAPipeAndTheRestIsDone) {
  EXPECT_EQ(shell("agent repl", "fly\nset sage 7\nrun many\nveto 99\npsyche\n"), 1);
  EXPECT_TRUE(said("there is no command \"fly\"")) << out_;
  EXPECT_TRUE(said("Scholar")) << out_;
}

TEST_F(Stepping, OnATerminal) {
  {
    Terminal terminal(folder_.file("space"), {"agent", "repl"});
    ASSERT_TRUE(terminal.shows("agent 0> ")) << terminal.seen();
    terminal.type("goal find out about Mars");
    ASSERT_TRUE(terminal.shows("goal:find out about Mars\r\n")) << terminal.seen();
    terminal.type("");
    ASSERT_TRUE(terminal.shows("Cycle 1")) << terminal.seen();
    ASSERT_TRUE(terminal.shows("agent 1> ")) << terminal.seen();
    terminal.type("nonsense");
    ASSERT_TRUE(terminal.shows("there is no command")) << terminal.seen();
    terminal.type("quit");
    EXPECT_EQ(terminal.exit_code(), 0);
  }
  ASSERT_EQ(shell("replay last --json"), 0) << out_;
  EXPECT_TRUE(parse_json(out_)->find("identical")->as_bool());
}

// The goal's words are those of user_interact; its answer meets the criteria.
const std::string kAsking =
    "run -v --max-cycles 4 --criteria sailing --goal 'ask the user a question to confirm a "
    "preference'";

TEST_F(Stepping, ThePersonAnswersFromAPipeAndTheReplayAsksNobody) {
  ASSERT_EQ(shell(kAsking, "sailing\n"), 0) << out_;
  EXPECT_TRUE(said("act:     user_interact")) << out_;
  EXPECT_TRUE(said("the person said: sailing")) << out_;
  ASSERT_EQ(shell("replay last", "walking\n"), 0) << out_;
  EXPECT_TRUE(said("bit for bit the same")) << out_;
}

TEST_F(Stepping, TheEndOfTheInputIsNoInput) {
  EXPECT_EQ(shell(kAsking + " --json"), 7) << out_;
  EXPECT_TRUE(said("no input")) << out_;
}

// The pipe stays open for far longer than the run may take.
TEST_F(Stepping, ASilentPipeDoesNotHoldUpARun) {
  const std::string command =
      "bash -c '" + std::string("exec 3< <(exec sleep 20 >/dev/null 2>&1); ANIMA_SPACE=") +
      folder_.file("space") + " timeout 15 " + kProgram +
      " run -v --max-cycles 4 --goal \"ask the user a question to confirm a "
      "preference\" <&3 >" +
      folder_.file("output") + " 2>&1'";
  const int status = std::system(command.c_str());
  out_ = read_file(system_files(), folder_.file("output")).value_or("");
  EXPECT_EQ(WEXITSTATUS(status), 7) << out_;
  EXPECT_TRUE(said("no input")) << out_;
}

TEST_F(Stepping, AtATerminalTheQuestionIsPutAndWaitedFor) {
  Terminal terminal(folder_.file("space"),
                    {"run", "--criteria", "sailing", "ask the user a question to confirm it"});
  ASSERT_TRUE(terminal.shows("ask the user a question to confirm it\r\n")) << terminal.seen();
  terminal.type("sailing");
  EXPECT_TRUE(terminal.shows("the person said: sailing")) << terminal.seen();
  EXPECT_EQ(terminal.exit_code(), 0);
}

TEST_F(Stepping, InTheReplTheNextLineIsTheAnswer) {
  ASSERT_EQ(shell("agent repl --goal 'ask the user a question to confirm a preference'",
                  "step\nstep\nsailing\ngoals\n"),
            0)
      << out_;
  EXPECT_TRUE(said("user_interact")) << out_;
  EXPECT_FALSE(said("there is no command")) << out_;
}

TEST_F(Stepping, APageAboutASymbol) {
  ASSERT_EQ(shell("agent document earth"), 0) << out_;
  EXPECT_TRUE(said("# Earth\n")) << out_;
  EXPECT_TRUE(said("- Earth orbits Sun (confidence ")) << out_;
  EXPECT_TRUE(said("## Where it comes from")) << out_;
  ASSERT_EQ(shell("agent document Earth --json"), 0);
  EXPECT_EQ(parse_json(out_)->find("label")->as_string(), "Earth");
  EXPECT_EQ(shell("agent document Vulcan"), 6);
  EXPECT_EQ(shell("agent document Earth --format pdf"), 2);
  ASSERT_EQ(shell("tool info doc_gen"), 0);
  ASSERT_EQ(shell("tool info user_interact"), 0);
}

TEST_F(Stepping, RunsAreListedAndRepeated) {
  ASSERT_EQ(shell("run --max-cycles 6 find out about Mars and Earth"), 7) << out_;  // turns
  ASSERT_EQ(shell("replay --json"), 0);
  const Json runs = *parse_json(out_);
  ASSERT_EQ(runs.as_array().size(), 1U) << out_;
  const std::string run = std::to_string(runs.as_array()[0].find("run")->as_integer());
  ASSERT_EQ(shell("replay " + run), 0) << out_;
  EXPECT_TRUE(said("bit for bit the same")) << out_;
  EXPECT_EQ(shell("replay 1"), 6);
  EXPECT_EQ(shell("replay soon"), 6);
}

}  // namespace
}  // namespace anima::stepping_test
