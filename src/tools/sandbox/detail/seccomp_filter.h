// Which system calls a sandboxed program may make (allowed_calls.h), and with which arguments, as a
// classic BPF program for seccomp. Every other call fails with EPERM (ENOSYS where programs then
// fall back by themselves); a call of another architecture ends the process. Source:
// learning_and_psyche 1.14; linux/seccomp.h. Thread-safety: pure functions.
#pragma once

#include <linux/filter.h>

#include <vector>

namespace anima::tools::detail {

struct FilterWishes {
  bool network = false;  // sockets of the internet families
  // Sockets are handed to it, connected: what it wants to connect itself is said to be, and stays
  // as it was.
  bool handed = false;
  bool processes = true;  // fork and its kin
  // Signals, priorities, limits and queues that processes share: needs name spaces of its own.
  bool others = true;
  bool pairs = true;  // sockets of a program and its children
};

// Empty when this processor is not known to us: then there is no filter.
std::vector<sock_filter> make_filter(const FilterWishes& wishes);

}  // namespace anima::tools::detail
