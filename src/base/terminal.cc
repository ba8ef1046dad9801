#include "base/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

#include "base/files/file.h"
#include "base/passphrase.h"
#include "base/text/shown_text.h"

namespace anima {
namespace {

constexpr const char* kPath = "/dev/tty";
constexpr int kWaitMs = 100;
constexpr std::size_t kMostCharacters = 4096;

Unexpected<Error> terminal_error(std::string_view what) {
  return fail(os_error(errno, what, kPath));
}

// Hides what is typed, for as long as it lives.
class Hidden {
 public:
  explicit Hidden(int descriptor) : descriptor_(descriptor) {
    hides_ = tcgetattr(descriptor_, &before_) == 0;
    if (!hides_) return;
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHOE | ECHOK);
    silent.c_lflag |= ECHONL;
    hides_ = tcsetattr(descriptor_, TCSAFLUSH, &silent) == 0;
  }
  ~Hidden() {
    if (hides_) tcsetattr(descriptor_, TCSAFLUSH, &before_);
  }
  Hidden(const Hidden&) = delete;
  Hidden& operator=(const Hidden&) = delete;
  bool hides() const { return hides_; }

 private:
  int descriptor_;
  bool hides_ = false;
  termios before_{};
};

}  // namespace

Result<std::unique_ptr<Terminal>> Terminal::open(const std::atomic<bool>* stop) {
  const int descriptor = ::open(kPath, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) {
    return fail(ErrorCode::kNotFound, "there is no terminal to ask a person at", kPath,
                "run it at a terminal of your own");
  }
  return std::unique_ptr<Terminal>(new Terminal(descriptor, stop));
}

Terminal::~Terminal() { close(descriptor_); }

Status Terminal::write(std::string_view text) {
  const std::string shown = terminal_text(text);
  for (std::size_t at = 0; at < shown.size();) {
    const ssize_t written = ::write(descriptor_, shown.data() + at, shown.size() - at);
    if (written < 0 && errno != EINTR) return terminal_error("cannot write to the terminal");
    if (written > 0) at += static_cast<std::size_t>(written);
  }
  return {};
}

Result<std::string> Terminal::read_line() {
  std::string line;
  for (char next = 0;;) {
    pollfd wanted{descriptor_, POLLIN, 0};
    const int ready = poll(&wanted, 1, kWaitMs);
    if (stop_ != nullptr && stop_->load()) {
      wipe(line);
      return fail(ErrorCode::kCancelled, "the question was not answered");
    }
    if (ready <= 0) continue;
    const ssize_t got = ::read(descriptor_, &next, 1);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0 && line.empty()) return terminal_error("cannot read from the terminal");
    if (got <= 0) {
      wipe(line);
      return fail(ErrorCode::kCancelled, "the question was not answered");
    }
    if (next == '\n') return line;
    if (line.size() == kMostCharacters) {
      wipe(line);
      return fail(ErrorCode::kLimitExceeded, "an answer has at most 4,096 characters");
    }
    line += next;
  }
}

Result<std::string> Terminal::ask(std::string_view prompt) {
  tcflush(descriptor_, TCIFLUSH);
  ANIMA_TRY(write(prompt));
  return read_line();
}

Result<std::string> Terminal::ask_secretly(std::string_view prompt) {
  const Hidden hidden(descriptor_);
  if (!hidden.hides()) return terminal_error("the terminal cannot hide what is typed");
  ANIMA_TRY(write(prompt));
  return read_line();
}

Uninspected::Uninspected() : was_open_(prctl(PR_GET_DUMPABLE) == 1) { prctl(PR_SET_DUMPABLE, 0); }

Uninspected::~Uninspected() {
  if (was_open_) prctl(PR_SET_DUMPABLE, 1);
}

}  // namespace anima
