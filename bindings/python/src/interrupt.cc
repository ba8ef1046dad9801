#include "interrupt.h"

#include <semaphore.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <thread>
#include <vector>

namespace anima::python {
namespace {

// Never ended: a signal may come at any time, also while the process ends.
struct Listening {
  sem_t woken;
  std::mutex mutex;
  std::vector<std::stop_source> calls;  // of the main thread, the innermost last; under `mutex`
};

Listening* listening = nullptr;  // of `listening_process`; a child that was forked makes its own
pid_t listening_process = 0;
struct sigaction before = {};  // what SIGINT did before it was ours

// Async-signal-safe.
void on_interrupt(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  sem_post(&listening->woken);
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else {
    before.sa_handler(signal);
  }
  errno = error;
}

void listen(Listening& heard) {
  while (true) {
    while (sem_wait(&heard.woken) != 0) {
    }
    std::vector<std::stop_source> calls;
    {
      const std::lock_guard lock(heard.mutex);
      calls = heard.calls;
    }
    for (std::stop_source& call : calls) call.request_stop();
  }
}

// By the main thread alone. The thread takes no signals: they are for those of the program.
Listening& listener() {
  if (listening != nullptr && listening_process == getpid()) return *listening;
  auto* made = new Listening();
  sem_init(&made->woken, 0, 0);
  sigset_t all, held;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &held);
  std::thread(listen, std::ref(*made)).detach();
  pthread_sigmask(SIG_SETMASK, &held, nullptr);
  listening = made;
  listening_process = getpid();
  return *made;
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_interrupt;
}

}  // namespace

Interruptible::Interruptible(const std::stop_source& stop) {
  if (gettid() != getpid()) return;
  struct sigaction now = {};
  if (sigaction(SIGINT, nullptr, &now) != 0) return;
  if ((now.sa_flags & SA_SIGINFO) == 0 && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN))
    return;
  Listening& heard = listener();
  {
    const std::lock_guard lock(heard.mutex);
    heard.calls.push_back(stop);
  }
  listed_ = true;
  if (is_ours(now)) return;
  before = now;
  struct sigaction ours = {};
  ours.sa_flags = now.sa_flags | SA_SIGINFO;
  ours.sa_mask = now.sa_mask;
  ours.sa_sigaction = on_interrupt;
  installed_ = sigaction(SIGINT, &ours, nullptr) == 0;
}

Interruptible::~Interruptible() {
  if (!listed_) return;
  if (installed_) {
    // A tool in Python may have changed the handler meanwhile; then it stays.
    struct sigaction now = {};
    if (sigaction(SIGINT, nullptr, &now) == 0 && is_ours(now)) sigaction(SIGINT, &before, nullptr);
  }
  const std::lock_guard lock(listening->mutex);
  listening->calls.pop_back();
}

}  // namespace anima::python
