#include "tools/sandbox/detail/seccomp_filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "tools/sandbox/detail/allowed_calls.h"

namespace anima::tools::detail {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif

constexpr long kNewNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | 0x80 /* NEWTIME */;

// What would have to be judged of these lies in memory, where a filter does not look; and files of
// memory that stand in no folder, whose pages count for no process that has not mapped them.
constexpr long kUnknown[] = {
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,  SYS_clone3,
    SYS_openat2,        SYS_memfd_create,   447 /* memfd_secret */,
};
// What came later is unknown to this program, whatever it does; from here on the numbers are the
// same on every processor.
constexpr std::uint32_t kFirstUnread = 463;
// Each with the place of its mode among the arguments. A file that runs as its owner, whoever
// starts it, would carry the owner's rights out of the sandbox.
constexpr std::pair<long, std::size_t> kModes[] = {
#if defined(__x86_64__)
    {SYS_chmod, 1},  {SYS_creat, 1},
#endif
    {SYS_fchmod, 1}, {SYS_fchmodat, 2}, {452 /* fchmodat2 */, 2},
};
// Each with the place of its flags; the mode stands behind them, and counts when a file is made.
constexpr std::pair<long, std::size_t> kOpening[] = {
#if defined(__x86_64__)
    {SYS_open, 1},
#endif
    {SYS_openat, 2},
};
constexpr std::uint32_t kSocketType = 0xF;  // beside it stand flags
constexpr unsigned kMakesFile = O_CREAT | (O_TMPFILE & ~O_DIRECTORY);
// What reaches other processes of the same user: signals, priorities, and what they share by
// number or name.
constexpr long kOthers[] = {
    SYS_kill,
    SYS_tkill,
    SYS_tgkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_pidfd_send_signal,
    SYS_setpriority,
    SYS_ioprio_set,
    SYS_sched_setscheduler,
    SYS_sched_setparam,
    SYS_sched_setattr,
    SYS_sched_setaffinity,
    SYS_shmctl,
    SYS_msgget,
    SYS_msgsnd,
    SYS_msgrcv,
    SYS_msgctl,
    SYS_semget,
    SYS_semop,
    SYS_semtimedop,
    SYS_semctl,
    SYS_mq_open,
    SYS_mq_unlink,
};
// A descriptor can send any signal to any process when there is something to read.
constexpr std::uint32_t kOwnerCommands[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG};
// Typing into somebody's terminal; then the same by requests of sockets.
constexpr std::uint32_t kTyping[] = {TIOCSTI, TIOCLINUX};
constexpr std::uint32_t kTypingAndOwners[] = {TIOCSTI, TIOCLINUX, FIOSETOWN, SIOCSPGRP};

class Program {
 public:
  void load(std::size_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  // The low half of an argument: both processors are little-endian.
  void load_argument(std::size_t index) { load(offsetof(seccomp_data, args) + 8 * index); }
  void load_high_half(std::size_t index) { load(offsetof(seccomp_data, args) + 8 * index + 4); }
  void keep_bits(std::uint32_t bits) { code_.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits)); }
  void answer(std::uint32_t action) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }
  // The next `count` instructions run only when (or unless) the loaded value is that.
  void when_equal(std::uint32_t value, std::uint8_t count) { jump(BPF_JEQ, value, 0, count); }
  void unless_equal(std::uint32_t value, std::uint8_t count) { jump(BPF_JEQ, value, count, 0); }
  void when_any_bit(std::uint32_t bits, std::uint8_t count) { jump(BPF_JSET, bits, 0, count); }
  void unless_any_bit(std::uint32_t bits, std::uint8_t count) { jump(BPF_JSET, bits, count, 0); }
  void when_at_least(std::uint32_t value, std::uint8_t count) { jump(BPF_JGE, value, 0, count); }

  // Lets the calls from `first` to `last` through, and refuses those before; the rest goes on.
  void pass_range(std::uint32_t first, std::uint32_t last) {
    jump(BPF_JGE, first, 1, 0);
    answer(SECCOMP_RET_ERRNO | EPERM);
    jump(BPF_JGT, last, 1, 0);
    answer(SECCOMP_RET_ALLOW);
  }

  void deny(long call, int error = EPERM) {
    when_equal(static_cast<std::uint32_t>(call), 1);
    answer(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
  }
  std::vector<sock_filter> take() { return std::move(code_); }

 private:
  void jump(std::uint16_t kind, std::uint32_t value, std::uint8_t if_true, std::uint8_t if_false) {
    code_.push_back(
        BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | kind | BPF_K), value, if_true, if_false));
  }
  std::vector<sock_filter> code_;
};

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;
constexpr std::uint32_t kPretend = SECCOMP_RET_ERRNO;  // 0: no error, and nothing is done
constexpr std::uint32_t kKill = SECCOMP_RET_KILL_PROCESS;

void judge_clone(Program& program, bool processes) {
  program.when_equal(SYS_clone, static_cast<std::uint8_t>(processes ? 4 : 6));
  program.load_argument(0);
  program.when_any_bit(static_cast<std::uint32_t>(kNewNamespaces), 1);
  program.answer(kRefuse);
  if (!processes) {
    program.unless_any_bit(CLONE_THREAD, 1);
    program.answer(kRefuse);
  }
  program.answer(kAllow);
}

void judge_modes(Program& program) {
  for (const auto& [call, place] : kModes) {
    program.when_equal(static_cast<std::uint32_t>(call), 4);
    program.load_argument(place);
    program.when_any_bit(S_ISUID | S_ISGID, 1);
    program.answer(kRefuse);
    program.answer(kAllow);
  }
  for (const auto& [call, place] : kOpening) {
    program.when_equal(static_cast<std::uint32_t>(call), 6);
    program.load_argument(place);
    program.when_any_bit(kMakesFile, 3);
    program.load_argument(place + 1);
    program.when_any_bit(S_ISUID | S_ISGID, 1);
    program.answer(kRefuse);
    program.answer(kAllow);
  }
}

// Refuses the call when its argument is one of the values.
template <std::size_t N>
void refuse_values(Program& program, long call, std::size_t place,
                   const std::uint32_t (&values)[N]) {
  program.when_equal(static_cast<std::uint32_t>(call), static_cast<std::uint8_t>(2 + 2 * N));
  program.load_argument(place);
  for (const std::uint32_t value : values) {
    program.when_equal(value, 1);
    program.answer(kRefuse);
  }
  program.answer(kAllow);
}

// The limit on cores stays, and without name spaces nobody else's is set. That cores are switched
// off is answered as if it were done (checked builds of programs end otherwise): there are none.
void judge_limits(Program& program, bool others) {
  program.when_equal(SYS_setrlimit, 4);
  program.load_argument(0);
  program.when_equal(RLIMIT_CORE, 1);
  program.answer(kPretend);
  program.answer(kAllow);
  program.when_equal(SYS_prlimit64, static_cast<std::uint8_t>(others ? 12 : 15));
  if (!others) {
    program.load_argument(0);
    program.unless_equal(0, 1);
    program.answer(kRefuse);
  }
  program.load_argument(1);
  program.when_equal(RLIMIT_CORE, 9);
  program.load_argument(2);
  program.when_equal(0, 3);
  program.load_high_half(2);
  program.when_equal(0, 1);
  program.answer(kAllow);  // only asked for
  program.load_argument(3);
  program.unless_equal(0, 1);
  program.answer(kRefuse);  // nobody could say what it was before
  program.answer(kPretend);
  program.answer(kAllow);
}

// The end of who started the sandbox is its end: no program takes that back.
void judge_prctl(Program& program) {
  const std::uint32_t death[] = {PR_SET_PDEATHSIG};
  refuse_values(program, SYS_prctl, 0, death);
}

// Pairs are for a program and its children; another family would be made and, for want of pairs,
// thrown away, its module loaded.
void judge_pairs(Program& program, bool pairs) {
  if (!pairs) return program.deny(SYS_socketpair);
  program.when_equal(SYS_socketpair, 4);
  program.load_argument(0);
  program.unless_equal(AF_UNIX, 1);
  program.answer(kRefuse);
  program.answer(kAllow);
}

// Of the internet families TCP and UDP, and the routing socket that the resolver asks.
void judge_socket(Program& program, bool network) {
  if (!network) return program.deny(SYS_socket);
  program.when_equal(SYS_socket, 20);
  program.load_argument(0);
  program.when_equal(AF_NETLINK, 4);
  program.load_argument(2);
  program.unless_equal(0, 1);
  program.answer(kRefuse);
  program.answer(kAllow);
  program.unless_equal(AF_INET, 2);
  program.unless_equal(AF_INET6, 1);
  program.answer(kRefuse);
  program.load_argument(2);
  program.unless_equal(0, 3);
  program.unless_equal(IPPROTO_TCP, 2);
  program.unless_equal(IPPROTO_UDP, 1);
  program.answer(kRefuse);
  program.load_argument(1);
  program.keep_bits(kSocketType);
  program.unless_equal(SOCK_STREAM, 2);
  program.unless_equal(SOCK_DGRAM, 1);
  program.answer(kRefuse);
  program.answer(kAllow);
}

}  // namespace

std::vector<sock_filter> make_filter(const FilterWishes& wishes) {
  if (kArchitecture == 0) return {};
  Program program;
  program.load(offsetof(seccomp_data, arch));
  program.unless_equal(kArchitecture, 1);
  program.answer(kKill);
  program.load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
  program.when_at_least(0x40000000, 1);  // the x32 numbers
  program.answer(kKill);
#endif
  program.when_at_least(kFirstUnread, 1);
  program.answer(SECCOMP_RET_ERRNO | ENOSYS);
  judge_clone(program, wishes.processes);
  judge_modes(program);
  for (const long call : kUnknown) program.deny(call, ENOSYS);
#if defined(__x86_64__)
  if (!wishes.processes) {
    program.deny(SYS_fork);
    program.deny(SYS_vfork);
  }
#endif
  if (wishes.others) {
    refuse_values(program, SYS_ioctl, 1, kTyping);
  } else {
    for (const long call : kOthers) program.deny(call);
    refuse_values(program, SYS_fcntl, 1, kOwnerCommands);
    refuse_values(program, SYS_ioctl, 1, kTypingAndOwners);
  }
  judge_limits(program, wishes.others);
  judge_prctl(program);
  judge_pairs(program, wishes.pairs);
  judge_socket(program, wishes.network);
  if (wishes.handed) program.deny(SYS_connect, 0);
  for (const CallRange& range : allowed_calls()) program.pass_range(range.first, range.last);
  program.answer(kRefuse);
  return program.take();
}

}  // namespace anima::tools::detail
