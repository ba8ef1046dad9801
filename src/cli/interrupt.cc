#include "cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include "cli/exit_code.h"

namespace anima::cli {
namespace {

std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "the handler may only touch lock-free state");

void on_signal(int) {
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

const std::atomic<bool>& interrupt_flag() { return flag; }

}  // namespace anima::cli
