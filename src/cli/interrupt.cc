#include "cli/interrupt.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/file.h"
#include "cli/exit_code.h"

namespace anima::cli {
namespace {

std::atomic<bool> flag{false};
std::atomic<int> last_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free, "the handler may only touch lock-free state");

void on_signal(int signal) {
  last_signal.store(signal);
  if (flag.exchange(true)) _exit(kInterrupted);
}

}  // namespace

void install_interrupt_handler() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  // Without SA_RESTART, so that a verb which waits for input wakes up.
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
}

bool interrupted() { return flag.load(std::memory_order_relaxed); }

bool take_interrupt() {
  if (last_signal.load() != SIGINT) return false;
  last_signal.store(0);
  flag.store(false);
  return true;
}

const std::atomic<bool>& interrupt_flag() { return flag; }

bool wait_for_input() {
  sigset_t held, before;
  sigemptyset(&held);
  sigaddset(&held, SIGINT);
  sigaddset(&held, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &held, &before);
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  const bool ready = !interrupted() && ppoll(&input, 1, nullptr, &before) > 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return ready;
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
