#include "tools/sandbox/sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/files/file.h"
#include "base/text/text.h"
#include "tools/sandbox/detail/disk_use.h"
#include "tools/sandbox/detail/memory_bound.h"
#include "tools/sandbox/detail/sandbox_child.h"
#include "tools/sandbox/detail/sandbox_plan.h"
#include "tools/sandbox/detail/seccomp_filter.h"

namespace anima::tools {
namespace {

using detail::ChildPlan;
using detail::Folders;

constexpr uid_t kNobody = 65'534;
constexpr long kSysLandlockCreate = 444;
constexpr unsigned kLandlockVersion = 1;
constexpr unsigned long kNamespaces =
    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

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

Result<Launched> launch_planned(const SandboxRequest& request, const SandboxFacts& facts,
                                const Folders& folders) {
  ChildPlan plan = detail::make_plan(request, facts, folders);
  std::vector<std::string> arguments = request.arguments;
  if (request.bare && facts.namespaces) arguments[0] = detail::kBareProgram;
  std::vector<std::string> variables;
  for (const auto& [name, value] : request.environment) {
    variables.push_back(name + '=' + (value == "/tmp" ? folders.private_folder : value));
  }
  plan.arguments = pointers(arguments);
  plan.environment = pointers(variables);
  ANIMA_ASSIGN(Launched launched, launch(plan, request.network, request.limits.tree_bytes));
  if (!launched.failure) return launched;
  const detail::ChildFailure& failure = *launched.failure;
  if (failure.stage == detail::Stage::kProgram) {
    return fail(os_error(failure.error, "cannot start the program", arguments[0]));
  }
  return fail(ErrorCode::kIo, "the sandbox could not be set up: " + describe_failure(failure), {},
              "see `anima doctor`");
}

// Looks now and then how much the program has written, at most a tenth of the time.
class DiskBound {
 public:
  DiskBound(const SandboxRequest& request, const Folders& folders)
      : folder_(folders.view && request.limits.disk_bytes > 0 ? folders.view->content : ""),
        bytes_(request.limits.disk_bytes),
        entries_(request.limits.disk_entries) {
    if (folder_.empty()) return;
    const detail::DiskUse before = detail::disk_use(folder_, kMostCounted);
    bytes_ += before.bytes;
    entries_ += before.entries;
  }

  bool exceeded() {
    const auto now = std::chrono::steady_clock::now();
    if (folder_.empty() || now < next_) return false;
    const detail::DiskUse use = detail::disk_use(folder_, entries_);
    next_ = now + kPause * (std::chrono::steady_clock::now() - now);
    return use.bytes > bytes_ || use.entries > entries_;
  }

 private:
  static constexpr std::uint64_t kMostCounted = 1'000'000;
  static constexpr int kPause = 10;
  const std::string folder_;
  std::uint64_t bytes_, entries_;
  std::chrono::steady_clock::time_point next_ = {};
};

// The same for the processor time that the program and all that it started took.
class ProcessorBound {
 public:
  explicit ProcessorBound(std::uint64_t seconds) : most_ms_(seconds * 1000) {}

  bool exceeded(pid_t root) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return false;
    const bool over = detail::processor_milliseconds(root) > most_ms_;
    next_ = now + std::max<std::chrono::steady_clock::duration>(
                      kLeast, kPause * (std::chrono::steady_clock::now() - now));
    return over;
  }

 private:
  static constexpr int kPause = 10;
  static constexpr std::chrono::milliseconds kLeast{200};
  const std::uint64_t most_ms_;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + kLeast;
};

Result<SandboxRun> run_planned(const SandboxRequest& request, const SandboxFacts& facts,
                               const Folders& folders) {
  DiskBound disk(request, folders);
  ProcessorBound processor(request.limits.tree_cpu_seconds);
  ANIMA_ASSIGN(const Launched launched, launch_planned(request, facts, folders));
  SandboxRun run;
  const Watch watch = [&] {
    const detail::MemoryBound& memory = *launched.memory;
    run.out_of_memory = run.out_of_memory || (!memory.held_by_kernel() && memory.exceeded());
    run.stopped = run.stopped || request.stop.stop_requested();
    run.out_of_disk = run.out_of_disk || disk.exceeded();
    run.out_of_processor = run.out_of_processor || processor.exceeded(launched.child->pid());
    return !run.out_of_memory && !run.stopped && !run.out_of_disk && !run.out_of_processor;
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

Error no_sandbox(Containment demand, const SandboxFacts& facts) {
  std::string hint;
  for (const Protection& each : describe_sandbox(facts)) {
    if (!each.present && !each.remedy.empty()) hint += (hint.empty() ? "" : "; ") + each.remedy;
  }
  return {ErrorCode::kNoSandbox,
          fmt::format("this machine gives {} containment, and this needs {}: nothing was run",
                      to_string(facts.containment()), to_string(demand)),
          {},
          hint + "; see `anima doctor`"};
}

namespace {

// What a program of this request finds, when this machine can hold it as tightly as is demanded.
// `private_folder` stands for /tmp where there are no name spaces.
Result<Folders> admit(const SandboxRequest& request, const SandboxFacts& facts,
                      std::optional<TemporaryDirectory>& private_folder) {
  if (request.arguments.empty() || !request.arguments[0].starts_with('/')) {
    return fail(ErrorCode::kInvalidArgument, "the program of the sandbox needs an absolute path",
                request.arguments.empty() ? std::string() : request.arguments[0]);
  }
  if (facts.containment() < request.demand && !request.best_effort) {
    return fail(no_sandbox(request.demand, facts));
  }
  ANIMA_ASSIGN(Folders folders, detail::resolve_folders(request));
  if (!facts.namespaces) {
    private_folder.emplace("anima-tool");
    folders.private_folder = private_folder->path();
    if (geteuid() == 0 && chown(folders.private_folder.c_str(), kNobody, kNobody) != 0) {
      return fail(os_error(errno, "cannot give away the private folder", folders.private_folder));
    }
  }
  return folders;
}

}  // namespace

Result<SandboxRun> run_sandboxed(const SandboxRequest& request, const SandboxFacts& facts) {
  std::optional<TemporaryDirectory> private_folder;
  ANIMA_ASSIGN(const Folders folders, admit(request, facts, private_folder));
  return run_planned(request, facts, folders);
}

// A kept program is looked at all its life, whether somebody talks to it or not.
struct SandboxedProcess::State {
  explicit State(const SandboxLimits& its_limits) : limits(its_limits) {}
  ~State() {
    watcher.request_stop();
    if (watcher.joinable()) watcher.join();
    launched.child.reset();  // ends before its bound and its folder do
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void watch(const std::stop_token& stop) {
    constexpr int kPause = 20;  // of the time that a look takes
    std::unique_lock lock(mutex);
    auto pause = std::chrono::steady_clock::duration(std::chrono::milliseconds(kWatchMs));
    while (!stop.stop_requested() && over.empty()) {
      woken.wait_for(lock, stop, pause, [] { return false; });
      if (stop.stop_requested()) return;
      const auto begin = std::chrono::steady_clock::now();
      look();
      pause = std::max<std::chrono::steady_clock::duration>(
          std::chrono::milliseconds(kWatchMs), kPause * (std::chrono::steady_clock::now() - begin));
    }
  }

  // With the lock held. Ends the program when it and what it started are over a limit.
  void look() {
    if (!over.empty()) return;
    const pid_t root = launched.child->pid();
    const std::uint64_t used = detail::processor_milliseconds(root);
    if (talked_to) used_before = used;
    talked_to = false;
    if (launched.memory->exceeded()) {
      over = "took too much memory";
    } else if (used > used_before + limits.tree_cpu_seconds * 1000) {
      over = fmt::format("took more than {} s of processor time since it was last asked",
                         limits.tree_cpu_seconds);
    } else if (detail::processes_of(root) > limits.processes + 1) {  // the first is the sandbox's
      over = fmt::format("were more than {} processes", limits.processes);
    }
    if (!over.empty()) launched.child->signal(SIGKILL);
  }

  std::optional<TemporaryDirectory> private_folder;
  const SandboxLimits limits;
  Launched launched;
  std::mutex mutex;
  std::condition_variable_any woken;
  std::string over;  // why it was ended; empty: it was not
  std::uint64_t used_before = 0;
  bool talked_to = false;
  std::jthread watcher;  // the last: it uses all of the above
};

SandboxedProcess::SandboxedProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}
SandboxedProcess::~SandboxedProcess() = default;

Result<std::unique_ptr<SandboxedProcess>> SandboxedProcess::start(const SandboxRequest& request,
                                                                  const SandboxFacts& facts) {
  auto state = std::make_unique<State>(request.limits);
  ANIMA_ASSIGN(const Folders folders, admit(request, facts, state->private_folder));
  ANIMA_ASSIGN(state->launched, launch_planned(request, facts, folders));
  State* const watched = state.get();
  state->watcher = std::jthread([watched](const std::stop_token& stop) { watched->watch(stop); });
  return std::unique_ptr<SandboxedProcess>(new SandboxedProcess(std::move(state)));
}

Result<ChildProcess::Moved> SandboxedProcess::exchange(std::string_view input,
                                                       std::int64_t timeout_ms) {
  auto moved = state_->launched.child->exchange(input, timeout_ms);
  const std::scoped_lock lock(state_->mutex);
  state_->talked_to = state_->talked_to || (moved && moved->written > 0);
  if (!state_->over.empty()) {
    return fail(ErrorCode::kLimitExceeded,
                "the program and what it started " + state_->over + " and were ended");
  }
  return moved;
}

void SandboxedProcess::close_input() { state_->launched.child->close_input(); }

Result<ProcessResult> SandboxedProcess::wait(std::int64_t timeout_ms) {
  return state_->launched.child->wait(timeout_ms);
}

uid_t sandbox_user() { return geteuid() == 0 ? kNobody : geteuid(); }

}  // namespace anima::tools
