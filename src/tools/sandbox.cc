#include "tools/sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "tools/detail/memory_bound.h"
#include "tools/detail/sandbox_child.h"
#include "tools/detail/seccomp_filter.h"

namespace anima::tools {
namespace {

using detail::ChildPlan;
using detail::RootEntry;

constexpr uid_t kNobody = 65'534;
constexpr std::uint64_t kThreads = 32;  // of a program that may start no process
constexpr long kSysLandlockCreate = 444;
constexpr unsigned kLandlockVersion = 1;
constexpr unsigned long kNamespaces =
    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

// What programs need to run at all; nothing of a user and no configuration with a secret.
constexpr std::string_view kSystem[] = {
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives"};
// What a program in the network needs beside: names and certificates.
constexpr std::string_view kNetwork[] = {
    "/etc/resolv.conf", "/etc/hosts",           "/etc/nsswitch.conf",  "/etc/gai.conf",
    "/etc/ssl/certs",   "/etc/ca-certificates", "/etc/ssl/openssl.cnf"};
constexpr std::string_view kDevices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                         "/dev/urandom"};

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { reset(); }
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  void reset() {
    if (number_ >= 0) close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

struct Pipe {
  Descriptor read_end, write_end;
  // Above 9, so that the child can put them where it wants them.
  bool make() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    const Descriptor first(ends[0]), second(ends[1]);
    read_end = Descriptor(fcntl(first.get(), F_DUPFD_CLOEXEC, 10));
    write_end = Descriptor(fcntl(second.get(), F_DUPFD_CLOEXEC, 10));
    return read_end.get() >= 0 && write_end.get() >= 0;
  }
};

struct Pipes {
  Pipe in, out, err, status, release;
  bool make() { return in.make() && out.make() && err.make() && status.make() && release.make(); }
};

struct Kind {
  bool exists = false;
  bool directory = false;
  bool link = false;
};

Kind kind_of(const std::string& path) {
  struct stat info = {};
  if (lstat(path.c_str(), &info) != 0) return {};
  return {true, S_ISDIR(info.st_mode), S_ISLNK(info.st_mode)};
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> found(realpath(path.c_str(), nullptr), &std::free);
  return found ? std::string(found.get()) : std::string();
}

std::string link_target(const std::string& path) {
  std::string target(4096, '\0');
  const ssize_t size = readlink(path.c_str(), target.data(), target.size());
  target.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return target;
}

// The entries of the new root, parents before children.
class RootBuilder {
 public:
  explicit RootBuilder(std::vector<RootEntry>& entries) : entries_(entries) {}

  void directory(const std::string& path) {
    if (path.empty() || path == "/") return;
    parents(path);
    if (std::ranges::find(made_, path) != made_.end()) return;
    made_.push_back(path);
    entries_.push_back({RootEntry::Kind::kDirectory, {}, path});
  }
  void bind(const std::string& path, RootEntry::Kind kind) {
    place(path);
    entries_.push_back({kind, "/oldroot" + path, path});
  }
  // A link stays a link; what is missing is left out.
  void system(const std::string& path) {
    const Kind kind = kind_of(path);
    if (!kind.exists) return;
    parents(path);
    if (!kind.link) return bind(path, RootEntry::Kind::kRead);
    // /etc/resolv.conf may point into /run, which is not there: its content is bound instead.
    const std::string real = real_path(path);
    if (real.empty()) return;
    if (!real.starts_with("/usr/")) {
      place(path, kind_of(real).directory);
      entries_.push_back({RootEntry::Kind::kRead, "/oldroot" + real, path});
      return;
    }
    entries_.push_back({RootEntry::Kind::kLink, link_target(path), path});
  }
  void temporary(const std::string& path, std::string options) {
    directory(path);
    entries_.push_back({RootEntry::Kind::kTemporary, std::move(options), path});
  }

 private:
  void parents(const std::string& path) { directory(std::string(path, 0, path.rfind('/'))); }
  void place(const std::string& path) { place(path, kind_of(path).directory); }
  void place(const std::string& path, bool is_directory) {
    if (is_directory) return directory(path);
    parents(path);
    entries_.push_back({RootEntry::Kind::kFile, {}, path});
  }

  std::vector<RootEntry>& entries_;
  std::vector<std::string> made_;
};

struct Folders {
  std::vector<std::string> readable, writable;  // without symbolic links
  std::string private_folder;                   // stands for /tmp; "/tmp" with name spaces
};

void plan_root(const SandboxRequest& request, const Folders& folders, ChildPlan& plan) {
  RootBuilder root(plan.root);
  for (const std::string_view path : kSystem) root.system(std::string(path));
  if (request.network) {
    for (const std::string_view path : kNetwork) root.system(std::string(path));
  }
  for (const std::string_view path : kDevices)
    root.bind(std::string(path), RootEntry::Kind::kDevice);
  for (const auto& [target, path] :
       {std::pair{"/proc/self/fd", "/dev/fd"}, std::pair{"/proc/self/fd/0", "/dev/stdin"},
        std::pair{"/proc/self/fd/1", "/dev/stdout"}, std::pair{"/proc/self/fd/2", "/dev/stderr"}}) {
    plan.root.push_back({RootEntry::Kind::kLink, target, path});
  }
  root.directory("/proc");
  root.temporary("/tmp",
                 fmt::format("size={},nr_inodes=16384,mode=1777", request.limits.temporary_bytes));
  for (const std::string& path : folders.readable) root.bind(path, RootEntry::Kind::kRead);
  for (const std::string& path : folders.writable) root.bind(path, RootEntry::Kind::kWrite);
}

void plan_landlock(const SandboxRequest& request, const Folders& folders, int abi,
                   ChildPlan& plan) {
  plan.landlock = abi;
  const auto read = [&](const std::string& path) {
    const std::string real = real_path(path);
    if (real.empty()) return;
    plan.rules.push_back({real, detail::landlock_read(kind_of(real).directory)});
  };
  const auto write = [&](const std::string& path, bool directory) {
    plan.rules.push_back({path, detail::landlock_write(abi, directory)});
  };
  if (plan.namespaces) {
    plan.rules.push_back({"/", detail::landlock_read(true)});
    write("/tmp", true);
  } else {
    for (const std::string_view path : kSystem) read(std::string(path));
    if (request.network) {
      for (const std::string_view path : kNetwork) read(std::string(path));
    }
    for (const std::string& path : folders.readable) read(path);
    write(folders.private_folder, true);
  }
  for (const std::string_view path : kDevices) write(std::string(path), false);
  for (const std::string& path : folders.writable) write(path, kind_of(path).directory);
}

void plan_limits(const SandboxLimits& limits, ChildPlan& plan) {
  const auto limit = [&](int resource, std::uint64_t value) {
    plan.limits.push_back({resource, {value, value}});
  };
  limit(RLIMIT_AS, limits.memory_bytes);
  // The second after which the kernel kills, should the program live through the first signal.
  plan.limits.push_back({RLIMIT_CPU, {limits.cpu_seconds, limits.cpu_seconds + 1}});
  limit(RLIMIT_FSIZE, limits.file_bytes);
  limit(RLIMIT_NOFILE, limits.open_files);
  limit(RLIMIT_CORE, 0);
  // Threads count too. Counted within the user name space; without one it would count all processes
  // of the user, and the filter forbids new ones anyway.
  if (plan.namespaces) limit(RLIMIT_NPROC, limits.processes > 1 ? limits.processes : kThreads);
}

// The extents of our own map, each onto itself: as root every file keeps its owner inside.
std::string identity_map(const char* file) {
  auto text = read_file(system_files(), file, 65'536);
  if (!text) return {};
  std::string map;
  for (const std::string_view line : split(*text, '\n')) {
    std::vector<std::string_view> fields;
    for (const std::string_view field : split(line, ' ')) {
      if (!field.empty()) fields.push_back(field);
    }
    if (fields.size() == 3) map += fmt::format("{} {} {}\n", fields[0], fields[0], fields[2]);
  }
  return map;
}

bool write_text(const std::string& path, std::string_view text) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.get() >= 0 &&
         ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool map_users(pid_t pid, bool root) {
  const std::string folder = fmt::format("/proc/{}/", pid);
  if (root) {
    return write_text(folder + "uid_map", identity_map("/proc/self/uid_map")) &&
           write_text(folder + "gid_map", identity_map("/proc/self/gid_map"));
  }
  write_text(folder + "setgroups", "deny");
  return write_text(folder + "uid_map", fmt::format("{0} {0} 1\n", geteuid())) &&
         write_text(folder + "gid_map", fmt::format("{0} {0} 1\n", getegid()));
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

struct Launched {
  std::unique_ptr<detail::MemoryBound> memory;  // ends after the child
  std::unique_ptr<ChildProcess> child;          // null when `failure` is there
  std::optional<detail::ChildFailure> failure;
};

// Starts the process and waits until its program runs or a step failed.
Result<Launched> launch(ChildPlan& plan, bool network, std::uint64_t tree_bytes) {
  Pipes pipes;
  if (!pipes.make()) return fail(os_error(errno, "cannot make a pipe", {}));
  plan.in = pipes.in.read_end.get();
  plan.out = pipes.out.write_end.get();
  plan.err = pipes.err.write_end.get();
  plan.status = pipes.status.write_end.get();
  plan.release = pipes.release.read_end.get();
  unsigned long flags = plan.namespaces ? kNamespaces : 0;
  if (plan.namespaces && !network) flags |= CLONE_NEWNET;
  // No handler of ours may run in the child.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const long pid = syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (pid == 0) detail::run_child(plan);
  const int reason = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0)
    return Launched{nullptr, nullptr, detail::ChildFailure{detail::Stage::kRelease, reason}};

  Launched launched;
  launched.child = ChildProcess::adopt(static_cast<pid_t>(pid), pipes.in.write_end.release(),
                                       pipes.out.read_end.release(), pipes.err.read_end.release());
  pipes.in.read_end.reset();
  pipes.out.write_end.reset();
  pipes.err.write_end.reset();
  pipes.status.write_end.reset();
  // Our read end of the release pipe stays open: the child may have died, and nobody shall be
  // signalled for writing to it.
  const bool mapped = !plan.namespaces || map_users(static_cast<pid_t>(pid), geteuid() == 0);
  // Should the machine run out of memory, this is what ends first; children inherit it.
  write_text(fmt::format("/proc/{}/oom_score_adj", pid), "1000");
  launched.memory = std::make_unique<detail::MemoryBound>(static_cast<pid_t>(pid), tree_bytes);
  // Nothing written: the child reads the end of the pipe and gives up.
  if (mapped) (void)!::write(pipes.release.write_end.get(), "!", 1);
  pipes.release.write_end.reset();
  detail::ChildFailure failure;
  ssize_t got = 0;
  while ((got = ::read(pipes.status.read_end.get(), &failure, sizeof failure)) < 0 &&
         errno == EINTR) {
  }
  if (got == static_cast<ssize_t>(sizeof failure)) {
    launched.failure = failure;
    static_cast<void>(launched.child->wait(-1));
    launched.child.reset();
  }
  return launched;
}

std::string describe_failure(const detail::ChildFailure& failure) {
  return fmt::format("{}: {}", detail::to_string(failure.stage),
                     os_error(failure.error, "", {}).message);
}

Error no_sandbox(const SandboxRequest& request, const SandboxFacts& facts) {
  std::string hint;
  for (const Protection& each : describe_sandbox(facts)) {
    if (!each.present && !each.remedy.empty()) hint += (hint.empty() ? "" : "; ") + each.remedy;
  }
  return {ErrorCode::kNoSandbox,
          fmt::format("this machine gives {} containment, and this needs {}: nothing was run",
                      to_string(facts.containment()), to_string(request.demand)),
          {},
          hint + "; see `anima doctor`"};
}

Result<Folders> resolve(const SandboxRequest& request) {
  Folders folders;
  for (const auto& [from, to] : {std::pair{&request.readable, &folders.readable},
                                 std::pair{&request.writable, &folders.writable}}) {
    for (const std::string& path : *from) {
      if (!path.starts_with('/')) {
        return fail(ErrorCode::kInvalidArgument, "a folder of the sandbox must be absolute", path);
      }
      std::string real = real_path(path);
      if (real.empty()) return fail(os_error(errno, "cannot show this to the sandbox", path));
      to->push_back(std::move(real));
    }
  }
  folders.private_folder = "/tmp";
  return folders;
}

ChildPlan make_plan(const SandboxRequest& request, const SandboxFacts& facts,
                    const Folders& folders) {
  ChildPlan plan;
  plan.namespaces = facts.namespaces;
  plan.network = request.network;
  plan.drop_user = geteuid() == 0;
  plan.user = sandbox_user();
  if (plan.namespaces) plan_root(request, folders, plan);
  if (facts.landlock > 0) plan_landlock(request, folders, facts.landlock, plan);
  plan_limits(request.limits, plan);
  if (facts.seccomp) {
    plan.filter =
        detail::make_filter({.network = request.network,
                             .processes = facts.namespaces && request.limits.processes > 1,
                             .signals = facts.namespaces});
  }
  plan.working_directory = request.working_directory == "/tmp"
                               ? folders.private_folder
                               : real_path(request.working_directory);
  return plan;
}

Result<SandboxRun> run_planned(const SandboxRequest& request, const SandboxFacts& facts,
                               const Folders& folders) {
  ChildPlan plan = make_plan(request, facts, folders);
  std::vector<std::string> arguments = request.arguments;
  std::vector<std::string> variables;
  for (const auto& [name, value] : request.environment) {
    variables.push_back(name + '=' + (value == "/tmp" ? folders.private_folder : value));
  }
  plan.arguments = pointers(arguments);
  plan.environment = pointers(variables);
  ANIMA_ASSIGN(const Launched launched, launch(plan, request.network, request.limits.tree_bytes));
  if (launched.failure) {
    const detail::ChildFailure& failure = *launched.failure;
    if (failure.stage == detail::Stage::kProgram) {
      return fail(os_error(failure.error, "cannot start the program", arguments[0]));
    }
    return fail(ErrorCode::kIo, "the sandbox could not be set up: " + describe_failure(failure), {},
                "see `anima doctor`");
  }
  SandboxRun run;
  const Watch watch = [&] {
    const detail::MemoryBound& memory = *launched.memory;
    run.out_of_memory = run.out_of_memory || (!memory.held_by_kernel() && memory.exceeded());
    return !run.out_of_memory;
  };
  ANIMA_ASSIGN(run.process, finish_process(*launched.child, request.input, request.limits.wall_ms,
                                           request.limits.output_bytes, watch));
  if (launched.memory->held_by_kernel()) run.out_of_memory = launched.memory->exceeded();
  run.containment = facts.containment();
  for (const Protection& each : describe_sandbox(facts)) {
    if (!each.present) run.missing.push_back(each.name);
  }
  return run;
}

SandboxFacts probe() {
  SandboxFacts facts;
  const long abi = syscall(kSysLandlockCreate, nullptr, 0, kLandlockVersion);
  facts.landlock = abi > 0 ? static_cast<int>(abi) : 0;
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  facts.seccomp = !detail::make_filter({}).empty() &&
                  syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
  facts.cgroup_problem = detail::cgroup_problem();
  SandboxRequest trial;
  trial.arguments = {"/bin/true"};
  SandboxFacts wanted = facts;
  wanted.namespaces = true;
  Folders folders;
  folders.private_folder = "/tmp";
  const auto ran = run_planned(trial, wanted, folders);
  facts.namespaces = ran && ran->process.ok();
  if (!ran) {
    facts.namespaces_problem = ran.error().message;
  } else if (!facts.namespaces) {
    facts.namespaces_problem = "a first program in them did not run";
  }
  return facts;
}

}  // namespace

std::string_view to_string(Containment containment) {
  switch (containment) {
    case Containment::kNone:
      return "no";
    case Containment::kPartial:
      return "partial";
    case Containment::kFull:
      return "full";
  }
  return "no";
}

Containment SandboxFacts::containment() const {
  if (!seccomp) return Containment::kNone;
  if (namespaces) return Containment::kFull;
  return landlock > 0 ? Containment::kPartial : Containment::kNone;
}

const SandboxFacts& machine_sandbox() {
  static const SandboxFacts facts = probe();
  return facts;
}

std::vector<Protection> describe_sandbox(const SandboxFacts& facts) {
  return {{"name spaces", facts.namespaces,
           "a program sees no file, process or network but what it is given, and ends with "
           "everything it started",
           facts.namespaces
               ? std::string()
               : "programs of tools do not run (" + facts.namespaces_problem +
                     "): allow user name spaces (sysctl kernel.unprivileged_userns_clone=1, "
                     "user.max_user_namespaces above 0, kernel.apparmor_restrict_unprivileged_"
                     "userns=0); a container needs --security-opt seccomp=unconfined or the "
                     "capability SYS_ADMIN"},
          {"Landlock", facts.landlock > 0,
           facts.landlock > 0
               ? fmt::format("files are held a second time, by path (version {})", facts.landlock)
               : "files are held a second time, by path",
           facts.landlock > 0 ? std::string()
                              : "use a kernel of 5.13 or later with landlock in its lsm= list"},
          {"seccomp", facts.seccomp, "system calls that no tool needs are refused",
           facts.seccomp ? std::string()
                         : "nothing runs without it: use a kernel with CONFIG_SECCOMP_FILTER on "
                           "x86-64 or arm64"},
          {"memory",
           true,
           facts.cgroup_problem.empty()
               ? "the kernel bounds what a program and all it starts take together (cgroup)"
               : fmt::format("a program and all it starts are looked at every {} ms and ended when "
                             "they take too much together ({})",
                             kWatchMs, facts.cgroup_problem),
           {}}};
}

Result<SandboxRun> run_sandboxed(const SandboxRequest& request, const SandboxFacts& facts) {
  if (request.arguments.empty() || !request.arguments[0].starts_with('/')) {
    return fail(ErrorCode::kInvalidArgument, "the program of the sandbox needs an absolute path",
                request.arguments.empty() ? std::string() : request.arguments[0]);
  }
  if (facts.containment() < request.demand && !request.best_effort) {
    return fail(no_sandbox(request, facts));
  }
  ANIMA_ASSIGN(Folders folders, resolve(request));
  std::optional<TemporaryDirectory> private_folder;
  if (!facts.namespaces) {
    private_folder.emplace("anima-tool");
    folders.private_folder = private_folder->path();
    if (geteuid() == 0 && chown(folders.private_folder.c_str(), kNobody, kNobody) != 0) {
      return fail(os_error(errno, "cannot give away the private folder", folders.private_folder));
    }
  }
  return run_planned(request, facts, folders);
}

uid_t sandbox_user() { return geteuid() == 0 ? kNobody : geteuid(); }

}  // namespace anima::tools
