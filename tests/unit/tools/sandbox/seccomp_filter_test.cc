// The filter of system calls, by what it answers: a list of what is allowed, and nothing else.
#include "tools/sandbox/detail/seccomp_filter.h"

#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "tools/sandbox/detail/allowed_calls.h"

namespace anima::tools::seccomp_filter_test {
namespace {

constexpr std::uint32_t kAllowed = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;
constexpr std::uint32_t kNotThere = SECCOMP_RET_ERRNO | ENOSYS;

// What the kernel would make of the call: classic BPF over its data.
std::uint32_t answer(const detail::FilterWishes& wishes, long call,
                     std::initializer_list<std::uint64_t> arguments = {}) {
  const std::vector<sock_filter> program = detail::make_filter(wishes);
  seccomp_data data{};
  data.nr = static_cast<int>(call);
#if defined(__x86_64__)
  data.arch = AUDIT_ARCH_X86_64;
#else
  data.arch = AUDIT_ARCH_AARCH64;
#endif
  std::size_t count = 0;
  for (const std::uint64_t each : arguments) data.args[count++] = each;
  std::uint32_t loaded = 0;
  for (std::size_t at = 0; at < program.size(); ++at) {
    const sock_filter& step = program[at];
    const auto jump = [&](bool yes) { at += yes ? step.jt : step.jf; };
    switch (step.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        std::memcpy(&loaded, reinterpret_cast<const char*>(&data) + step.k, sizeof loaded);
        break;
      case BPF_ALU | BPF_AND | BPF_K:
        loaded &= step.k;
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
        jump(loaded == step.k);
        break;
      case BPF_JMP | BPF_JGE | BPF_K:
        jump(loaded >= step.k);
        break;
      case BPF_JMP | BPF_JGT | BPF_K:
        jump(loaded > step.k);
        break;
      case BPF_JMP | BPF_JSET | BPF_K:
        jump((loaded & step.k) != 0);
        break;
      case BPF_RET | BPF_K:
        return step.k;
      default:
        ADD_FAILURE() << "an instruction that the test does not know: " << step.code;
        return 0;
    }
  }
  ADD_FAILURE() << "the program has no end";
  return 0;
}

TEST(SeccompFilter, LetsThroughWhatToolsNeed) {
  for (const long call : {SYS_read, SYS_openat, SYS_execve, SYS_futex, SYS_newfstatat, SYS_wait4,
                          SYS_pipe2, SYS_getrandom, SYS_epoll_pwait, SYS_prlimit64, SYS_kill})
    EXPECT_EQ(answer({}, call), kAllowed) << call;
}

TEST(SeccompFilter, RefusesWhatIsOnNoList) {
  for (const long call :
       {SYS_ptrace, SYS_mount, SYS_keyctl, SYS_bpf, SYS_unshare, SYS_setns, SYS_listen, SYS_accept4,
        SYS_io_setup, SYS_perf_event_open, SYS_init_module, SYS_personality, SYS_mknodat,
        SYS_fanotify_mark, SYS_process_vm_readv, SYS_quotactl, SYS_shmget, 457, 461})
    EXPECT_EQ(answer({.network = true}, call), kRefused) << call;
  for (const long call : {SYS_io_uring_setup, SYS_clone3, SYS_memfd_create, 463, 4000})
    EXPECT_EQ(answer({}, call), kNotThere) << call;
}

TEST(SeccompFilter, JudgesArguments) {
  EXPECT_EQ(answer({}, SYS_fchmod, {3, 0644}), kAllowed);
  EXPECT_EQ(answer({}, SYS_fchmod, {3, S_ISUID | 0755}), kRefused);
  EXPECT_EQ(answer({}, SYS_clone, {CLONE_NEWUSER}), kRefused);
  EXPECT_EQ(answer({}, SYS_clone, {0}), kAllowed);
  EXPECT_EQ(answer({.processes = false}, SYS_clone, {0}), kRefused);
  EXPECT_EQ(answer({.processes = false}, SYS_clone, {CLONE_THREAD}), kAllowed);
  EXPECT_EQ(answer({}, SYS_socket, {AF_INET, SOCK_STREAM, 0}), kRefused);
  EXPECT_EQ(answer({.network = true}, SYS_socket, {AF_INET, SOCK_STREAM, 0}), kAllowed);
  EXPECT_EQ(answer({.network = true}, SYS_socket, {AF_PACKET, SOCK_RAW, 0}), kRefused);
  EXPECT_EQ(answer({.others = false}, SYS_kill), kRefused);
  EXPECT_EQ(answer({.handed = true}, SYS_connect), SECCOMP_RET_ERRNO);  // 0, and nothing is done
}

TEST(SeccompFilter, TheListIsInOrder) {
  const std::vector<detail::CallRange> ranges = detail::allowed_calls();
  ASSERT_FALSE(ranges.empty());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_LE(ranges[i].first, ranges[i].last);
    if (i == 0) continue;
    EXPECT_GT(ranges[i].first, ranges[i - 1].last + 1);
  }
}

}  // namespace
}  // namespace anima::tools::seccomp_filter_test
