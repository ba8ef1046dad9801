#include "tools/sandbox/detail/sandbox_child.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "tools/sandbox/sandbox.h"

namespace anima::tools::detail {
namespace {

// Numbers that the headers of Debian 12 do not have; from the kernel's own interface
// (linux/mount.h, linux/landlock.h, linux/prctl.h), which never changes them.
constexpr long kSysMountSetattr = 442;
constexpr long kSysLandlockCreate = 444;
constexpr long kSysLandlockAdd = 445;
constexpr long kSysLandlockRestrict = 446;
constexpr unsigned kRecursive = 0x8000;  // AT_RECURSIVE
constexpr std::uint64_t kReadOnlyMount = 0x1, kNoSuid = 0x2, kNoDevices = 0x4;
constexpr int kLandlockPathBeneath = 1;
constexpr std::uint64_t kBindTcp = 1, kConnectTcp = 2;
constexpr std::uint64_t kScopeAbstractSockets = 1, kScopeSignals = 2;
constexpr int kLastCapability = 63;

struct MountAttributes {
  std::uint64_t set = 0, clear = 0, propagation = 0, user_namespace = 0;
};
struct LandlockRuleset {
  std::uint64_t files = 0, network = 0, scoped = 0;
};
struct __attribute__((packed)) LandlockPath {
  std::uint64_t access = 0;
  std::int32_t parent = -1;
};

class Child {
 public:
  explicit Child(const ChildPlan& plan) : plan_(plan) {}

  [[noreturn]] void run() {
    take_descriptors();
    wait_for_release();
    reset_signals();
    need(syscall(SYS_setsid), Stage::kSession);
    if (plan_.namespaces) build_root();
    need(syscall(SYS_chdir, plan_.working_directory.c_str()), Stage::kWorkingDirectory);
    // While we may still reach it: the folders above it can be closed to the user that we become.
    const long program = syscall(SYS_openat, AT_FDCWD, plan_.arguments[0], O_PATH | O_CLOEXEC, 0);
    if (plan_.drop_user) need(syscall(SYS_setgroups, 0, nullptr), Stage::kGroups);
    need(syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), Stage::kNoNewPrivileges);
    if (plan_.landlock > 0) enter_landlock();
    become_user();
    drop_capabilities();
    // Changing the user clears it, so it is set here. With name spaces this is their first process,
    // whose end is the end of all others.
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (!is_waited_for()) fail(Stage::kRelease, ECANCELED);
    for (const Limit& limit : plan_.limits) {
      need(syscall(SYS_prlimit64, 0, limit.resource, &limit.value, nullptr), Stage::kLimits);
    }
    if (!plan_.filter.empty()) {
      const sock_fprog filter{static_cast<unsigned short>(plan_.filter.size()),
                              const_cast<sock_filter*>(plan_.filter.data())};
      need(syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0), Stage::kSeccomp);
    }
    syscall(SYS_execve, plan_.arguments[0], plan_.arguments.data(), plan_.environment.data());
    if (errno == EACCES && program >= 0) {
      syscall(SYS_execveat, program, "", plan_.arguments.data(), plan_.environment.data(),
              AT_EMPTY_PATH);
    }
    fail(Stage::kProgram, errno);
  }

 private:
  [[noreturn]] void fail(Stage stage, int error) {
    const ChildFailure failure{stage, error};
    syscall(SYS_write, kStatus, &failure, sizeof failure);
    while (true) syscall(SYS_exit_group, 125);
  }
  void need(long result, Stage stage) {
    if (result < 0) fail(stage, errno);
  }

  // Standard streams, the status pipe, the release pipe; nothing else of ours goes along.
  void take_descriptors() {
    syscall(SYS_dup3, plan_.in, 0, 0);
    syscall(SYS_dup3, plan_.out, 1, 0);
    syscall(SYS_dup3, plan_.err, 2, 0);
    syscall(SYS_dup3, plan_.status, kStatus, O_CLOEXEC);
    syscall(SYS_dup3, plan_.release, kRelease, O_CLOEXEC);
    if (plan_.channel >= 0) syscall(SYS_dup3, plan_.channel, kSandboxChannel, 0);
    const int first = plan_.channel >= 0 ? kSandboxChannel + 1 : kSandboxChannel;
    if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
    for (int each = first; each < 65'536; ++each) syscall(SYS_close, each);
  }

  // Until the parent has said who we are in the user name space.
  void wait_for_release() {
    char byte = 0;
    long got = 0;
    while ((got = syscall(SYS_read, kRelease, &byte, 1)) < 0 && errno == EINTR) {
    }
    if (got != 1) fail(Stage::kRelease, ECANCELED);
    syscall(SYS_close, kRelease);
  }

  // Who ended before the signal could be asked for reads the status no more.
  static bool is_waited_for() {
    pollfd status = {kStatus, 0, 0};
    const timespec at_once = {};
    return syscall(SYS_ppoll, &status, 1, &at_once, nullptr, 0) == 0;
  }

  static void reset_signals() {
    struct KernelAction {
      void* handler = nullptr;
      unsigned long flags = 0;
      void* restorer = nullptr;
      std::uint64_t mask = 0;
    } standard;
    for (int number = 1; number < 65; ++number) {
      syscall(SYS_rt_sigaction, number, &standard, nullptr, sizeof standard.mask);
    }
    const std::uint64_t none = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, nullptr, sizeof none);
  }

  void build_root() {
    need(mount_at("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr), Stage::kPrivateMounts);
    need(mount_at("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV,
                  "size=1m,nr_inodes=4096,mode=0755"),
         Stage::kRoot);
    need(syscall(SYS_mkdirat, AT_FDCWD, "/tmp/oldroot", 0700), Stage::kRoot);
    need(syscall(SYS_pivot_root, "/tmp", "/tmp/oldroot"), Stage::kRoot);
    need(syscall(SYS_chdir, "/"), Stage::kRoot);
    for (const RootEntry& entry : plan_.root) make(entry);
    // Without /proc most programs run as well; a container may forbid it.
    if (plan_.processes_shown) {
      mount_at("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY,
               "hidepid=2,subset=pid");
    }
    need(syscall(SYS_umount2, "/oldroot", MNT_DETACH), Stage::kSeal);
    syscall(SYS_unlinkat, AT_FDCWD, "/oldroot", AT_REMOVEDIR);
    need(set_attributes("/", kReadOnlyMount | kNoSuid, 0), Stage::kSeal);
  }

  static long mount_at(const char* source, const char* target, const char* type,
                       unsigned long flags, const char* options) {
    return syscall(SYS_mount, source, target, type, flags, options);
  }
  static long set_attributes(const char* path, std::uint64_t set, unsigned flags) {
    const MountAttributes attributes{set, 0, 0, 0};
    return syscall(kSysMountSetattr, AT_FDCWD, path, flags, &attributes, sizeof attributes);
  }

  void make(const RootEntry& entry) {
    const char* target = entry.target.c_str();
    const char* source = entry.source.c_str();
    switch (entry.kind) {
      case RootEntry::Kind::kDirectory:  // a missing one shows when something is bound to it
        syscall(SYS_mkdirat, AT_FDCWD, target, 0755);
        return;
      case RootEntry::Kind::kFile: {
        const long made = syscall(SYS_openat, AT_FDCWD, target, O_CREAT | O_CLOEXEC, 0644);
        if (made >= 0) syscall(SYS_close, made);
        return;
      }
      case RootEntry::Kind::kLink:
        need(syscall(SYS_symlinkat, source, AT_FDCWD, target), Stage::kBind);
        return;
      case RootEntry::Kind::kTemporary:
        need(mount_at("tmpfs", target, "tmpfs", MS_NOSUID | MS_NODEV, source), Stage::kBind);
        return;
      case RootEntry::Kind::kLayers:
        mount_layers(source, target);
        return;
      case RootEntry::Kind::kDevice:
        need(mount_at(source, target, nullptr, MS_BIND, nullptr), Stage::kBind);
        return;
      case RootEntry::Kind::kRead:
      case RootEntry::Kind::kWrite: {
        need(mount_at(source, target, nullptr, MS_BIND | MS_REC, nullptr), Stage::kBind);
        const std::uint64_t access = entry.kind == RootEntry::Kind::kRead ? kReadOnlyMount : 0;
        need(set_attributes(target, access | kNoSuid | kNoDevices, kRecursive), Stage::kBind);
        return;
      }
    }
  }

  // The kernel mounts them read-only when it cannot use the scratch folder.
  void mount_layers(const char* options, const char* target) {
    need(mount_at("overlay", target, "overlay", MS_NOSUID | MS_NODEV, options), Stage::kLayers);
    struct statfs info = {};
    need(syscall(SYS_statfs, target, &info), Stage::kLayers);
    if ((info.f_flags & MS_RDONLY) != 0) fail(Stage::kLayers, EROFS);
  }

  void enter_landlock() {
    LandlockRuleset set;
    set.files = landlock_all(plan_.landlock);
    if (plan_.landlock >= 4) set.network = plan_.network ? kBindTcp : kBindTcp | kConnectTcp;
    if (plan_.landlock >= 6) set.scoped = kScopeAbstractSockets | kScopeSignals;
    const long ruleset = syscall(kSysLandlockCreate, &set, sizeof set, 0);
    need(ruleset, Stage::kLandlock);
    for (const LandlockRule& rule : plan_.rules) {
      const long opened = syscall(SYS_openat, AT_FDCWD, rule.path.c_str(), O_PATH | O_CLOEXEC, 0);
      if (opened < 0 && errno == ENOENT) continue;
      need(opened, Stage::kLandlock);
      const LandlockPath beneath{rule.access & set.files, static_cast<std::int32_t>(opened)};
      need(syscall(kSysLandlockAdd, ruleset, kLandlockPathBeneath, &beneath, 0), Stage::kLandlock);
      syscall(SYS_close, opened);
    }
    need(syscall(kSysLandlockRestrict, ruleset, 0), Stage::kLandlock);
    syscall(SYS_close, ruleset);
  }

  void become_user() {
    if (!plan_.drop_user) return;
    need(syscall(SYS_setresgid, plan_.user, plan_.user, plan_.user), Stage::kUser);
    // Capabilities go with the user; the bounding set must be emptied while they are there.
    for (int each = 0; each <= kLastCapability; ++each) {
      syscall(SYS_prctl, PR_CAPBSET_DROP, each, 0, 0, 0);
    }
    need(syscall(SYS_setresuid, plan_.user, plan_.user, plan_.user), Stage::kUser);
  }

  void drop_capabilities() {
    for (int each = 0; each <= kLastCapability; ++each) {
      syscall(SYS_prctl, PR_CAPBSET_DROP, each, 0, 0, 0);
    }
    syscall(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    const __user_cap_data_struct none[2] = {};
    need(syscall(SYS_capset, &header, none), Stage::kCapabilities);
  }

  static constexpr int kStatus = 3;
  static constexpr int kRelease = 4;
  static_assert(kSandboxChannel == kRelease + 1);
  const ChildPlan& plan_;
};

constexpr std::uint64_t kExecute = 1 << 0, kWriteFile = 1 << 1, kReadFile = 1 << 2,
                        kReadDirectory = 1 << 3, kTruncate = 1 << 14;
// Devices are never made; sockets and the rest are.
constexpr std::uint64_t kMakeDevice = (1 << 6) | (1 << 11);

}  // namespace

std::string_view to_string(Stage stage) {
  switch (stage) {
    case Stage::kRelease:
      return "starting the process";
    case Stage::kSession:
      return "leaving the session";
    case Stage::kPrivateMounts:
      return "a mount table of its own";
    case Stage::kRoot:
      return "a root of its own";
    case Stage::kBind:
      return "binding the folders";
    case Stage::kLayers:
      return "layers over a folder";
    case Stage::kSeal:
      return "sealing the root";
    case Stage::kWorkingDirectory:
      return "entering the working directory";
    case Stage::kGroups:
      return "leaving the groups";
    case Stage::kNoNewPrivileges:
      return "no_new_privs";
    case Stage::kLandlock:
      return "Landlock";
    case Stage::kUser:
      return "becoming an ordinary user";
    case Stage::kCapabilities:
      return "dropping the capabilities";
    case Stage::kLimits:
      return "setting the limits";
    case Stage::kSeccomp:
      return "seccomp";
    case Stage::kProgram:
      return "starting the program";
  }
  return "starting the program";
}

std::uint64_t landlock_all(int abi) {
  std::uint64_t all = (1 << 13) - 1;
  if (abi >= 2) all |= 1 << 13;
  if (abi >= 3) all |= kTruncate;
  if (abi >= 5) all |= 1 << 15;
  return all;
}

std::uint64_t landlock_read(bool directory) {
  return kExecute | kReadFile | (directory ? kReadDirectory : 0);
}

std::uint64_t landlock_write(int abi, bool directory) {
  if (!directory) return kExecute | kReadFile | kWriteFile | (abi >= 3 ? kTruncate : 0);
  return landlock_all(abi) & ~kMakeDevice;
}

void run_child(const ChildPlan& plan) { Child(plan).run(); }

}  // namespace anima::tools::detail
