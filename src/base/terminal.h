// The terminal that a process is controlled from (/dev/tty): where a person is asked what must not
// come from standard input, an argument or the environment. Thread-safety: one thread.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace anima {

class Terminal {
 public:
  // `stop`, when there is one, ends a wait for the person and outlives the terminal. Errors:
  // kNotFound (this process has no terminal), kIo.
  static Result<std::unique_ptr<Terminal>> open(const std::atomic<bool>* stop = nullptr);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // What the terminal would obey is shown, not done (base/text/shown_text.h).
  Status write(std::string_view text);
  // One line without its end; what was typed before the prompt does not count. Errors: kCancelled
  // (stopped, or the terminal is closed), kLimitExceeded (longer than 4 KiB), kIo.
  Result<std::string> ask(std::string_view prompt);
  // The same while nothing of it is shown.
  Result<std::string> ask_secretly(std::string_view prompt);

 private:
  Terminal(int descriptor, const std::atomic<bool>* stop) : descriptor_(descriptor), stop_(stop) {}
  Result<std::string> read_line();

  int descriptor_;
  const std::atomic<bool>* stop_;
};

// While it lives, no other process of this account can look into this one (ptrace, /proc), and it
// leaves no core behind. For as long as a secret is in memory.
class Uninspected {
 public:
  Uninspected();
  ~Uninspected();
  Uninspected(const Uninspected&) = delete;
  Uninspected& operator=(const Uninspected&) = delete;

 private:
  bool was_open_;
};

}  // namespace anima
