#include "tools/sandbox/detail/allowed_calls.h"

#include <sys/syscall.h>

#include <algorithm>
#include <iterator>

namespace anima::tools::detail {
namespace {

// Contents, names, attributes and states of files; where programs look for them.
constexpr long kFiles[] = {
    SYS_read,
    SYS_write,
    SYS_close,
    SYS_lseek,
    SYS_pread64,
    SYS_pwrite64,
    SYS_readv,
    SYS_writev,
    SYS_preadv,
    SYS_pwritev,
    SYS_preadv2,
    SYS_pwritev2,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_statfs,
    SYS_fstatfs,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_getdents64,
    SYS_getcwd,
    SYS_chdir,
    SYS_fchdir,
    SYS_mkdirat,
    SYS_unlinkat,
    SYS_renameat,
    SYS_renameat2,
    SYS_linkat,
    SYS_symlinkat,
    SYS_readlinkat,
    SYS_fchown,
    SYS_fchownat,
    SYS_utimensat,
    SYS_umask,
    SYS_truncate,
    SYS_ftruncate,
    SYS_fallocate,
    SYS_fadvise64,
    SYS_readahead,
    SYS_copy_file_range,
    SYS_sendfile,
    SYS_splice,
    SYS_tee,
    SYS_vmsplice,
    SYS_fsync,
    SYS_fdatasync,
    SYS_sync,
    SYS_syncfs,
    SYS_sync_file_range,
    SYS_flock,
    SYS_fcntl,
    SYS_dup,
    SYS_dup3,
    SYS_pipe2,
    SYS_close_range,
    SYS_getxattr,
    SYS_lgetxattr,
    SYS_fgetxattr,
    SYS_listxattr,
    SYS_llistxattr,
    SYS_flistxattr,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    SYS_inotify_init1,
    SYS_inotify_add_watch,
    SYS_inotify_rm_watch,
    451,  // cachestat
#if defined(__x86_64__)
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_getdents,
    SYS_mkdir,
    SYS_rmdir,
    SYS_rename,
    SYS_link,
    SYS_unlink,
    SYS_symlink,
    SYS_readlink,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
    SYS_dup2,
    SYS_pipe,
    SYS_inotify_init,
#endif
};

// Memory of its own, threads, and how they wait for each other.
constexpr long kMemoryAndThreads[] = {
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_msync,
    SYS_mincore,
    SYS_madvise,
    SYS_mlock,
    SYS_mlock2,
    SYS_munlock,
    SYS_mlockall,
    SYS_munlockall,
    SYS_brk,
    SYS_shmctl,
    SYS_shmdt,
    SYS_pkey_mprotect,
    SYS_pkey_alloc,
    SYS_pkey_free,
    SYS_get_mempolicy,
    SYS_futex,
    SYS_futex_waitv,
    454,  // futex_wake
    455,  // futex_wait
    456,  // futex_requeue
    462,  // mseal
    SYS_set_robust_list,
    SYS_get_robust_list,
    SYS_set_tid_address,
    SYS_gettid,
    SYS_membarrier,
    SYS_rseq,
    SYS_getcpu,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_sched_setaffinity,
    SYS_sched_getparam,
    SYS_sched_setparam,
    SYS_sched_getscheduler,
    SYS_sched_setscheduler,
    SYS_sched_getattr,
    SYS_sched_setattr,
    SYS_sched_get_priority_max,
    SYS_sched_get_priority_min,
    SYS_sched_rr_get_interval,
#if defined(__x86_64__)
    SYS_arch_prctl,
#endif
};

// Programs that it starts, their ends, their signals; who it is, which changes nothing without
// privileges.
constexpr long kProcesses[] = {
    SYS_execve,
    SYS_execveat,
    SYS_exit,
    SYS_exit_group,
    SYS_wait4,
    SYS_waitid,
    SYS_pidfd_open,
    SYS_pidfd_send_signal,
    SYS_kill,
    SYS_tkill,
    SYS_tgkill,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigpending,
    SYS_rt_sigtimedwait,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_rt_sigsuspend,
    SYS_sigaltstack,
    SYS_restart_syscall,
    SYS_signalfd4,
    SYS_getpid,
    SYS_getppid,
    SYS_getpgid,
    SYS_setpgid,
    SYS_getsid,
    SYS_setsid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getresuid,
    SYS_getresgid,
    SYS_getgroups,
    SYS_setuid,
    SYS_setgid,
    SYS_setreuid,
    SYS_setregid,
    SYS_setresuid,
    SYS_setresgid,
    SYS_setfsuid,
    SYS_setfsgid,
    SYS_setgroups,
    SYS_capget,
    SYS_capset,
    SYS_getpriority,
    SYS_setpriority,
    SYS_ioprio_get,
    SYS_ioprio_set,
    SYS_getrlimit,
    SYS_getrusage,
    SYS_times,
    SYS_seccomp,
    SYS_landlock_create_ruleset,
    SYS_landlock_add_rule,
    SYS_landlock_restrict_self,
    // Kept among the processes of the sandbox, which has queues and semaphores of its own.
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
    SYS_mq_timedsend,
    SYS_mq_timedreceive,
    SYS_mq_notify,
    SYS_mq_getsetattr,
#if defined(__x86_64__)
    SYS_fork,
    SYS_vfork,
    SYS_getpgrp,
    SYS_pause,
    SYS_signalfd,
#endif
};

// Time, chance, the machine's name, and waiting for any of these.
constexpr long kTimeAndWaiting[] = {
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_getitimer,
    SYS_setitimer,
    SYS_timer_create,
    SYS_timer_settime,
    SYS_timer_gettime,
    SYS_timer_getoverrun,
    SYS_timer_delete,
    SYS_timerfd_create,
    SYS_timerfd_settime,
    SYS_timerfd_gettime,
    SYS_eventfd2,
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_epoll_pwait,
    SYS_epoll_pwait2,
    SYS_ppoll,
    SYS_pselect6,
    SYS_getrandom,
    SYS_uname,
    SYS_sysinfo,
#if defined(__x86_64__)
    SYS_time,
    SYS_alarm,
    SYS_poll,
    SYS_select,
    SYS_eventfd,
    SYS_epoll_create,
    SYS_epoll_wait,
#endif
};

// Over sockets that it was let have: pairs, and with network TCP and UDP. Nothing is listened on,
// so nothing is accepted.
constexpr long kSockets[] = {
    SYS_connect,     SYS_bind,       SYS_sendto,     SYS_recvfrom, SYS_sendmsg,
    SYS_recvmsg,     SYS_sendmmsg,   SYS_recvmmsg,   SYS_shutdown, SYS_getsockname,
    SYS_getpeername, SYS_setsockopt, SYS_getsockopt,
};

}  // namespace

std::vector<CallRange> allowed_calls() {
  std::vector<long> calls;
  const auto add = [&](const auto& list) {
    calls.insert(calls.end(), std::begin(list), std::end(list));
  };
  add(kFiles);
  add(kMemoryAndThreads);
  add(kProcesses);
  add(kTimeAndWaiting);
  add(kSockets);
  std::ranges::sort(calls);
  std::vector<CallRange> ranges;
  for (const long call : calls) {
    const auto number = static_cast<std::uint32_t>(call);
    if (!ranges.empty() && number <= ranges.back().last + 1) {
      ranges.back().last = number;
    } else {
      ranges.push_back({number, number});
    }
  }
  return ranges;
}

}  // namespace anima::tools::detail
