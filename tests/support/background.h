// A command line that runs beside the test, in a process group of its own.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

namespace anima::test {

class Background {
 public:
  Background() = default;
  // `command` as the shell reads it, all of it one program ("exec ..").
  explicit Background(const std::string& command) {
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setpgid(0, 0);
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
    if (pid_ > 0) ::setpgid(pid_, pid_);
  }
  ~Background() { end(SIGKILL); }
  Background(Background&& other) noexcept : pid_(other.pid_), code_(other.code_) {
    other.pid_ = -1;
  }
  Background& operator=(Background&& other) noexcept {
    end(SIGKILL);
    pid_ = other.pid_;
    code_ = other.code_;
    other.pid_ = -1;
    return *this;
  }

  bool runs() {
    if (pid_ <= 0) return false;
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) return true;
    ended(status);
    return false;
  }
  // Signals the whole group and waits for its first process.
  void end(int signal) {
    if (pid_ <= 0) return;
    ::kill(-pid_, signal);
    wait();
  }
  // Signals the whole group, which goes on.
  void signal(int number) const {
    if (pid_ > 0) ::kill(-pid_, number);
  }
  // Its exit code; -1 when a signal ended it, or it did not end in that time (it is killed then).
  int wait(int seconds = 3600) {
    const auto end_at = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    while (runs()) {
      if (std::chrono::steady_clock::now() > end_at) ::kill(-pid_, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return code_;
  }

 private:
  void ended(int status) {
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    pid_ = -1;
  }

  pid_t pid_ = -1;
  int code_ = -1;
};

}  // namespace anima::test
