// The prompt of `anima kip` on a terminal: a pseudo-terminal, keys in, screen out.
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>

#include "base/file.h"
#include "support/command.h"

namespace anima::repl_test {
namespace {

// One program on a terminal of its own.
class Terminal {
 public:
  explicit Terminal(const std::string& folder) {
    pid_ = forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (pid_ != 0) return;
    setenv("TERM", "xterm", 1);
    setenv("NO_COLOR", "1", 1);
    setenv("XDG_STATE_HOME", (folder + "/state").c_str(), 1);
    setenv("XDG_CONFIG_HOME", (folder + "/config").c_str(), 1);
    const std::string program = ANIMA_BINARY_DIR "/anima";
    execl(program.c_str(), "anima", "kip", "--space", (folder + "/space").c_str(), nullptr);
    _exit(127);
  }
  ~Terminal() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(terminal_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void type(const std::string& keys) {
    screen_.clear();
    ASSERT_EQ(write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  // What appeared since the last keys, as soon as it holds `text`; fails after a minute without it.
  std::string until(const std::string& text) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (screen_.find(text) == std::string::npos) {
      if (std::chrono::steady_clock::now() > deadline || !read_some()) {
        ADD_FAILURE() << "no \"" << text << "\" in:\n" << screen_;
        break;
      }
    }
    if (text.ends_with("kip> ") || text.ends_with(" ... ")) wait_for_editor();
    return screen_;
  }
  // Types a whole line and waits for the prompt behind its answer.
  std::string run(const std::string& line, const std::string& prompt = "kip> ") {
    type(line + "\r");
    return until("\n" + prompt);
  }
  // The exit code, once the program has ended.
  int wait() {
    while (read_some()) {
    }
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  pid_t pid() const { return pid_; }

 private:
  // The editor takes the terminal over just after it has printed the prompt; keys that come between
  // the two may be lost.
  void wait_for_editor() {
    termios mode{};
    for (int i = 0; i < 6000; ++i) {
      if (tcgetattr(terminal_, &mode) == 0 && (mode.c_lflag & ICANON) == 0) return;
      usleep(10'000);
    }
    ADD_FAILURE() << "the editor never read from the terminal";
  }
  bool read_some() {
    pollfd wanted{terminal_, POLLIN, 0};
    if (poll(&wanted, 1, 60'000) <= 0) return false;
    char buffer[4096];
    const ssize_t got = read(terminal_, buffer, sizeof buffer);
    if (got <= 0) return false;
    screen_.append(buffer, static_cast<std::size_t>(got));
    return true;
  }
  int terminal_ = -1;
  pid_t pid_ = -1;
  std::string screen_;
};

constexpr const char* kEscape = "\x1b";
constexpr const char* kControlC = "\x03";
constexpr const char* kControlD = "\x04";

TEST(Repl, AnswersOneLineAndSeveral) {
  const TemporaryDirectory folder;
  test::init_space(folder);
  Terminal terminal(folder.path());
  terminal.until("kip> ");
  const std::string table =
      terminal.run("FIND(?d.name) WHERE { ?d {type: \"Domain\"} } ORDER BY ?d.name ASC");
  EXPECT_NE(table.find("?d.name\r\nArchived\r\nCoreSchema\r\nUnsorted\r\n3 rows\r\n"),
            std::string::npos)
      << table;
  terminal.run("FIND(COUNT(?d))  // how many", " ... ");
  terminal.run("WHERE { ?d {type: \"Domain\"} }", " ... ");
  EXPECT_NE(terminal.run("").find("3"), std::string::npos);
  terminal.run("FIND(?d.name)", " ... ");
  EXPECT_NE(terminal.run("WHERE { ?d {type: \"Domain\"} } LIMIT 1;").find("1 row\r"),
            std::string::npos);
  EXPECT_NE(terminal.run("FIND(?d) WHERE { ?d {typ: \"Domain\"} }").find("KIP_1001 at 1:"),
            std::string::npos);
  terminal.type(kControlD);
  EXPECT_EQ(terminal.wait(), 0);
}

TEST(Repl, CompletesKeywordsTypesPredicatesAndFields) {
  const TemporaryDirectory folder;
  test::init_space(folder);
  Terminal terminal(folder.path());
  terminal.until("kip> ");
  terminal.type("DESCRI\t DOM\t\r");
  terminal.until("CoreSchema");
  terminal.until("\nkip> ");
  terminal.type("DESCRIBE CONCEPT TYPE \"SleepT\t\r");
  terminal.until("requested_action");
  terminal.until("\nkip> ");
  terminal.type("DESCRIBE PROPOSITION TYPE \"belongs\t\r");
  terminal.until("The subject belongs to the domain");
  terminal.until("\nkip> ");
  terminal.type("FIND(?d.na\t) WHERE { ?d {type: \"Domain\"} } LIMIT 1\r");
  terminal.until("?d.name\r\n");
  terminal.until("\nkip> ");
  // Two ways to go on are shown, and the line stays.
  terminal.type("DESC\t");
  terminal.until("DESC  DESCRIBE");
  terminal.type("RIBE DOMAINS\r");
  terminal.until("CoreSchema");
  terminal.until("\nkip> ");
  terminal.type(std::string("exit\r"));
  EXPECT_EQ(terminal.wait(), 0);
}

TEST(Repl, RemembersCommandsWhole) {
  const TemporaryDirectory folder;
  test::init_space(folder);
  {
    Terminal terminal(folder.path());
    terminal.until("kip> ");
    terminal.run("FIND(COUNT(?d)) // all of them", " ... ");
    terminal.run("WHERE { ?d {type: \"Domain\"} };");
    terminal.type(std::string(kEscape) + "[A\r");
    EXPECT_NE(terminal.until("\nkip> ").find("3"), std::string::npos);
    terminal.type(kControlD);
    EXPECT_EQ(terminal.wait(), 0);
  }
  Terminal terminal(folder.path());
  terminal.until("kip> ");
  terminal.type(std::string(kEscape) + "[A");
  const std::string recalled = terminal.until("\"Domain\"");
  EXPECT_NE(recalled.find("FIND(COUNT(?d))"), std::string::npos) << recalled;
  EXPECT_EQ(recalled.find("all of them"), std::string::npos) << recalled;
  terminal.type("\r");
  terminal.until("\nkip> ");
}

TEST(Repl, ControlCDropsWhatWasTypedAndStopsWhatRuns) {
  const TemporaryDirectory folder;
  test::init_space(folder);
  Terminal terminal(folder.path());
  terminal.until("kip> ");
  terminal.type("FIND(?x");
  terminal.until("FIND(?x");
  terminal.type(kControlC);
  terminal.until("\nkip> ");
  terminal.run("FIND(?d.name)", " ... ");
  terminal.type(kControlC);
  terminal.until("\nkip> ");
  EXPECT_NE(terminal.run("DESCRIBE DOMAINS").find("CoreSchema"), std::string::npos);
  // A product of ten million million rows, of which the interrupt leaves most untouched.
  terminal.type(
      "FIND(COUNT(?a)) WHERE { ?a {} ?b {} ?c {} ?d {} ?e {} ?f {} ?g {} ?h {} ?i {} ?j {} "
      "FILTER(?a.name == ?j.name && ?b.name != ?i.name && ?c.name != ?h.name) }\r");
  terminal.until("}\r\n");
  usleep(300'000);
  terminal.type(kControlC);
  EXPECT_NE(terminal.until("\nkip> ").find("KIP_400"), std::string::npos);
  EXPECT_NE(terminal.run("DESCRIBE DOMAINS").find("CoreSchema"), std::string::npos);
  kill(terminal.pid(), SIGTERM);
  EXPECT_EQ(terminal.wait(), 130);
}

}  // namespace
}  // namespace anima::repl_test
