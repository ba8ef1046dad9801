// A program on a pseudo-terminal of its own: keys in, screen out.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>

namespace anima::test {

inline constexpr const char* kEscape = "\x1b";
inline constexpr const char* kControlC = "\x03";
inline constexpr const char* kControlD = "\x04";

// A process on a pseudo-terminal: bytes out, bytes in, its end.
class PseudoTerminal {
 public:
  // `command` replaces the process on the terminal; when it returns, the process ends with 127.
  template <typename Command>
  explicit PseudoTerminal(const Command& command) {
    pid_ = forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (pid_ != 0) return;
    command();
    _exit(127);
  }
  ~PseudoTerminal() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(terminal_);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

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
  const std::string& screen() const { return screen_; }

 protected:
  void send(const std::string& keys) {
    ASSERT_EQ(write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  // False when nothing came for a minute, or the program has ended.
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
  std::string screen_;

 private:
  pid_t pid_ = -1;
};

// An editor of the program, with its prompts.
class Terminal : public PseudoTerminal {
 public:
  // `anima VERB` over the space below `folder`; its prompts are `prompt` and, within a text,
  // `more`.
  Terminal(const std::string& program, const std::string& verb, const std::string& folder,
           std::string prompt, std::string more)
      : PseudoTerminal([&] {
          setenv("TERM", "xterm", 1);
          setenv("NO_COLOR", "1", 1);
          setenv("XDG_STATE_HOME", (folder + "/state").c_str(), 1);
          setenv("XDG_CONFIG_HOME", (folder + "/config").c_str(), 1);
          execl(program.c_str(), "anima", verb.c_str(), "--space", (folder + "/space").c_str(),
                nullptr);
        }),
        prompt_(std::move(prompt)),
        more_(std::move(more)) {}

  void type(const std::string& keys) {
    screen_.clear();
    send(keys);
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
    if (text.ends_with(prompt_) || text.ends_with(more_)) wait_for_editor();
    return screen_;
  }
  // Types a whole line and waits for the prompt behind its answer.
  std::string run(const std::string& line) { return run(line, prompt_); }
  std::string run(const std::string& line, const std::string& prompt) {
    type(line + "\r");
    return until("\n" + prompt);
  }

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
  const std::string prompt_, more_;
};

}  // namespace anima::test
