#include "cli/frame/interrupt.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "base/files/file.h"
#include "cli/frame/exit_code.h"

namespace anima::cli {
namespace {

std::atomic<bool> flag{false};
std::atomic<int> last_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free, "the handler may only touch lock-free state");
// The handler may run in any thread, so that the one which waits for input is woken by a byte in
// this pipe and not by an interrupted system call.
std::array<int, 2> wake = {-1, -1};

void on_signal(int signal) {
  const int kept_errno = errno;
  last_signal.store(signal);
  if (flag.exchange(true)) _exit(kInterrupted);
  // A full pipe wakes as well.
  [[maybe_unused]] const ssize_t written = write(wake[1], "", 1);
  errno = kept_errno;
}

// Whoever cuts a mapped file leaves pages without bytes: no answer can be given from them, and what
// was acknowledged is in the log.
void on_cut_file(int) {
  constexpr std::string_view kMessage =
      "anima: a file of the space was cut while it was mapped into memory (a base?)\n"
      "hint: run it again, which reads the log; `anima audit verify` looks at that\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage.data(), kMessage.size());
  _exit(kIntegrity);
}

std::atomic<bool> hung_up{false};
// Which of the first three descriptors are a terminal.
std::array<bool, 3> terminals{};

void on_hangup(int) { hung_up.store(true); }

bool terminal_is_gone() {
  for (int descriptor = 0; descriptor < static_cast<int>(terminals.size()); ++descriptor) {
    pollfd asked{descriptor, POLLIN, 0};
    if (terminals[static_cast<std::size_t>(descriptor)] && poll(&asked, 1, 0) > 0 &&
        (asked.revents & (POLLHUP | POLLERR)) != 0)
      return true;
  }
  return false;
}

void drain_wake() {
  std::array<char, 16> bytes;
  while (read(wake[0], bytes.data(), bytes.size()) > 0) {
  }
}

}  // namespace

void install_interrupt_handler() {
  if (pipe2(wake.data(), O_CLOEXEC | O_NONBLOCK) != 0) wake = {-1, -1};
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  // Without SA_RESTART, so that a verb which waits for input wakes up.
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = on_cut_file;
  sigaction(SIGBUS, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
  // A file beyond the limit of the account is an error of the write, like a full disk.
  sigaction(SIGXFSZ, &action, nullptr);
}

void take_hangups() {
  for (int descriptor = 0; descriptor < static_cast<int>(terminals.size()); ++descriptor)
    terminals[static_cast<std::size_t>(descriptor)] = isatty(descriptor) == 1;
  struct sigaction action {};
  action.sa_handler = on_hangup;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGHUP, &action, nullptr);
}

bool take_hangup() {
  if (!hung_up.exchange(false)) return false;
  if (!terminal_is_gone()) return true;
  on_signal(SIGTERM);
  return false;
}

bool interrupted() { return flag.load(std::memory_order_relaxed); }

bool take_interrupt() {
  if (last_signal.load() != SIGINT) return false;
  drain_wake();
  last_signal.store(0);
  flag.store(false);
  return true;
}

const std::atomic<bool>& interrupt_flag() { return flag; }

bool wait_for_input() {
  std::array<pollfd, 2> waited = {{{STDIN_FILENO, POLLIN, 0}, {wake[0], POLLIN, 0}}};
  while (!interrupted()) {
    if (poll(waited.data(), waited.size(), -1) <= 0) return false;
    if (waited[0].revents != 0) return !interrupted();
    if (!interrupted()) drain_wake();  // the byte of an interrupt that was taken before it came
  }
  return false;
}

Result<std::string> read_standard_input(std::uint64_t max_bytes) {
  constexpr std::string_view kPlace = "standard input";
  std::string text;
  std::array<char, 65'536> chunk;
  while (true) {
    if (interrupted()) return fail(ErrorCode::kCancelled, "interrupted", std::string(kPlace));
    const ssize_t got = read(STDIN_FILENO, chunk.data(), chunk.size());
    if (got == 0) return text;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(os_error(errno, "cannot read", std::string(kPlace)));
    text.append(chunk.data(), static_cast<std::size_t>(got));
    if (text.size() > max_bytes) {
      return fail(ErrorCode::kLimitExceeded, fmt::format("it is longer than {} bytes", max_bytes),
                  std::string(kPlace));
    }
  }
}

}  // namespace anima::cli
