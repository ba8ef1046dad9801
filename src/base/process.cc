#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <utility>

#include "base/files/file.h"
#include "base/text/text.h"

extern char** environ;

namespace anima {
namespace {

// After the child itself has ended its grandchildren may hold the pipes open; they get this long to
// finish.
constexpr std::int64_t kGraceMs = 200;
constexpr std::int64_t kDrainMs = 2'000;

std::int64_t monotonic_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

// How long poll may wait until `deadline` (negative: for ever).
int wait_for(std::int64_t deadline) {
  if (deadline < 0) return -1;
  return static_cast<int>(std::clamp<std::int64_t>(deadline - monotonic_ms(), 0, 1 << 30));
}

void close_descriptor(int& descriptor) {
  if (descriptor >= 0) close(std::exchange(descriptor, -1));
}

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  ~Pipe() {
    close_descriptor(read_end);
    close_descriptor(write_end);
  }
  bool make() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
};

class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

void prepare(SpawnSettings& settings, const Pipe& in, const Pipe& out, const Pipe& err,
             const std::string& folder) {
  posix_spawn_file_actions_adddup2(&settings.actions, in.read_end, 0);
  posix_spawn_file_actions_adddup2(&settings.actions, out.write_end, 1);
  posix_spawn_file_actions_adddup2(&settings.actions, err.write_end, 2);
  if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&settings.actions, folder.c_str());
  // A group of its own, every signal as at the start of a program.
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setpgroup(&settings.attributes, 0);
  posix_spawnattr_setsigmask(&settings.attributes, &none);
  posix_spawnattr_setsigdefault(&settings.attributes, &all);
  posix_spawnattr_setflags(&settings.attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// Writes without the SIGPIPE that a child which closed its input would raise: it is blocked for
// this thread and a pending one taken away.
ssize_t write_without_sigpipe(int descriptor, std::string_view bytes) {
  sigset_t pipe_signal;
  sigset_t before;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const ssize_t put = ::write(descriptor, bytes.data(), bytes.size());
  const int reason = errno;
  if (put < 0 && reason == EPIPE && sigismember(&before, SIGPIPE) == 0) {
    const timespec at_once{};
    while (sigtimedwait(&pipe_signal, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = reason;
  return put;
}

// Moves what is there into `text`, up to its limit; false at the end of the stream.
bool drain_once(int descriptor, std::string& text, std::size_t limit, bool& truncated) {
  std::array<char, 65'536> chunk;
  const ssize_t got = ::read(descriptor, chunk.data(), chunk.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  const std::size_t kept = std::min(static_cast<std::size_t>(got), limit - text.size());
  text.append(chunk.data(), kept);
  truncated = truncated || kept < static_cast<std::size_t>(got);
  return got > 0;
}

void fill_status(ProcessResult& result, int status) {
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const ProcessOptions& options) {
  if (options.arguments.empty()) return fail(ErrorCode::kInvalidArgument, "no program was named");
  Pipe in;
  Pipe out;
  Pipe err;
  if (!in.make() || !out.make() || !err.make()) {
    return fail(os_error(errno, "cannot make a pipe", options.arguments[0]));
  }
  SpawnSettings settings;
  prepare(settings, in, out, err, options.working_directory);
  std::vector<std::string> arguments = options.arguments;
  std::vector<std::string> variables;
  if (options.environment) {
    for (const auto& [name, value] : *options.environment) variables.push_back(name + '=' + value);
  }
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(variables);
  pid_t pid = -1;
  const int reason = posix_spawnp(&pid, argv[0], &settings.actions, &settings.attributes,
                                  argv.data(), options.environment ? envp.data() : environ);
  if (reason != 0) return fail(os_error(reason, "cannot start the program", arguments[0]));
  return adopt(pid, std::exchange(in.write_end, -1), std::exchange(out.read_end, -1),
               std::exchange(err.read_end, -1));
}

std::unique_ptr<ChildProcess> ChildProcess::adopt(pid_t pid, int in, int out, int err) {
  std::unique_ptr<ChildProcess> child(new ChildProcess);
  child->pid_ = pid;
  child->pidfd_ = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (child->pidfd_ >= 0) fcntl(child->pidfd_, F_SETFD, FD_CLOEXEC);
  child->in_ = in;
  child->out_ = out;
  child->err_ = err;
  fcntl(child->err_, F_SETFL, O_NONBLOCK);
  return child;
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    kill(-pid_, SIGKILL);
    if (!ended_) reap(true);
  }
  close_descriptor(pidfd_);
  close_descriptor(in_);
  close_descriptor(out_);
  close_descriptor(err_);
}

bool ChildProcess::reap(bool block) {
  while (!ended_) {
    const pid_t got = waitpid(pid_, &status_, block ? 0 : WNOHANG);
    if (got == 0) return false;
    if (got < 0 && errno == EINTR) continue;
    ended_ = true;
  }
  return true;
}

void ChildProcess::signal(int number) {
  if (pid_ > 0) kill(-pid_, number);
}

void ChildProcess::close_input() { close_descriptor(in_); }

Status ChildProcess::write(std::string_view bytes) {
  while (!bytes.empty()) {
    if (in_ < 0) return fail(ErrorCode::kIo, "the child's input is closed");
    const ssize_t put = write_without_sigpipe(in_, bytes);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail(os_error(errno, "cannot write to the child", {}));
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

Result<std::string> ChildProcess::read(std::int64_t timeout_ms) {
  if (!buffer_.empty()) return std::exchange(buffer_, {});
  if (out_ < 0) return std::string();
  const std::int64_t deadline = timeout_ms < 0 ? -1 : monotonic_ms() + timeout_ms;
  pollfd watched{out_, POLLIN, 0};
  int ready = 0;
  while ((ready = poll(&watched, 1, wait_for(deadline))) < 0 && errno == EINTR) {
  }
  if (ready == 0) return fail(ErrorCode::kTimeout, "the child wrote nothing in time");
  std::string text;
  bool truncated = false;
  if (!drain_once(out_, text, static_cast<std::size_t>(-1), truncated)) close_descriptor(out_);
  return text;
}

Result<std::string> ChildProcess::read_line(std::int64_t timeout_ms) {
  const std::int64_t deadline = timeout_ms < 0 ? -1 : monotonic_ms() + timeout_ms;
  std::string text;
  while (true) {
    auto more = read(deadline < 0 ? -1 : wait_for(deadline));
    if (!more) {
      buffer_ = std::move(text);
      return fail(more.error());
    }
    const bool at_end = more->empty() && out_ < 0;
    const std::size_t searched = text.size();
    text += *more;
    if (const std::size_t end = text.find('\n', searched); end != std::string::npos) {
      buffer_ = text.substr(end + 1);
      text.resize(end);
      return text;
    }
    if (at_end && text.empty()) {
      return fail(ErrorCode::kNotFound, "the child's output has ended");
    }
    if (at_end) return text;
  }
}

Result<ChildProcess::Moved> ChildProcess::exchange(std::string_view input,
                                                   std::int64_t timeout_ms) {
  constexpr auto kAnyLength = static_cast<std::size_t>(-1);
  Moved moved;
  moved.out = std::exchange(buffer_, {});
  if (!moved.out.empty()) return moved;
  if (out_ < 0) return fail(ErrorCode::kIo, "the child's output has ended");
  if (!input.empty() && in_ < 0) return fail(ErrorCode::kIo, "the child's input is closed");
  if (in_ >= 0) fcntl(in_, F_SETFL, O_NONBLOCK);
  const std::int64_t deadline = timeout_ms < 0 ? -1 : monotonic_ms() + timeout_ms;
  std::array<pollfd, 3> watched{pollfd{input.empty() ? -1 : in_, POLLOUT, 0},
                                pollfd{out_, POLLIN, 0}, pollfd{err_, POLLIN, 0}};
  int ready = 0;
  while ((ready = poll(watched.data(), watched.size(), wait_for(deadline))) < 0 && errno == EINTR) {
  }
  if (ready == 0) return fail(ErrorCode::kTimeout, "the child neither wrote nor read in time");
  bool truncated = false;
  if (watched[1].revents != 0 && !drain_once(out_, moved.out, kAnyLength, truncated))
    close_descriptor(out_);
  if (watched[2].revents != 0 && !drain_once(err_, moved.err, kAnyLength, truncated))
    close_descriptor(err_);
  if (watched[0].revents != 0) {
    const ssize_t put = write_without_sigpipe(in_, input);
    if (put < 0 && errno != EAGAIN && errno != EINTR && moved.out.empty())
      return fail(os_error(errno, "cannot write to the child", {}));
    if (put > 0) moved.written = static_cast<std::size_t>(put);
  }
  return moved;
}

std::string ChildProcess::take_error_output() {
  std::string text;
  bool truncated = false;
  std::size_t before = 1;
  while (err_ >= 0 && before != text.size()) {
    before = text.size();
    if (!drain_once(err_, text, static_cast<std::size_t>(-1), truncated)) close_descriptor(err_);
  }
  return text;
}

Result<ProcessResult> ChildProcess::wait(std::int64_t timeout_ms) {
  const std::int64_t deadline = timeout_ms < 0 ? -1 : monotonic_ms() + timeout_ms;
  while (!reap(timeout_ms < 0 && pidfd_ < 0)) {
    if (deadline >= 0 && wait_for(deadline) == 0) {
      return fail(ErrorCode::kTimeout, "the child still runs");
    }
    pollfd watched{pidfd_, POLLIN, 0};
    poll(&watched, 1, pidfd_ >= 0 ? wait_for(deadline) : 1);
  }
  ProcessResult result;
  fill_status(result, status_);
  return result;
}

Result<ProcessResult> run_process(const ProcessOptions& options) {
  ANIMA_ASSIGN(const std::unique_ptr<ChildProcess> child, ChildProcess::start(options));
  return finish_process(*child, options.input, options.timeout_ms, options.max_output_bytes);
}

Result<ProcessResult> finish_process(ChildProcess& child, std::string_view input,
                                     std::int64_t timeout_ms, std::size_t max_output_bytes,
                                     const Watch& watch) {
  ProcessResult result;
  std::int64_t next_look = watch ? monotonic_ms() + kWatchMs : -1;
  fcntl(child.in_, F_SETFL, O_NONBLOCK);
  std::int64_t deadline = timeout_ms > 0 ? monotonic_ms() + timeout_ms : -1;
  bool ended = false;
  while (child.out_ >= 0 || child.err_ >= 0 || !ended) {
    if (input.empty()) child.close_input();
    std::array<pollfd, 4> watched{pollfd{child.in_, POLLOUT, 0}, pollfd{child.out_, POLLIN, 0},
                                  pollfd{child.err_, POLLIN, 0},
                                  pollfd{ended ? -1 : child.pidfd_, POLLIN, 0}};
    int patience = wait_for(deadline);
    if (child.pidfd_ < 0 && !ended) patience = patience < 0 ? 10 : std::min(patience, 10);
    if (watch && !ended) {
      if (monotonic_ms() >= next_look) {
        if (!watch()) child.signal(SIGKILL);
        next_look = monotonic_ms() + kWatchMs;
      }
      const int pause = wait_for(next_look);
      patience = patience < 0 ? pause : std::min(patience, pause);
    }
    const int ready = poll(watched.data(), watched.size(), patience);
    const bool late = deadline >= 0 && wait_for(deadline) == 0;
    // What an ended child left in its pipes is still read, unless somebody writes without end.
    if (late && (ready == 0 || !ended || monotonic_ms() > deadline + kDrainMs)) {
      result.timed_out = !ended;
      child.signal(SIGKILL);
      break;
    }
    if (watched[0].revents != 0) {
      const ssize_t put = write_without_sigpipe(child.in_, input);
      if (put >= 0) input.remove_prefix(static_cast<std::size_t>(put));
      if (put < 0 && errno != EAGAIN && errno != EINTR) input = {};
    }
    if (watched[1].revents != 0 &&
        !drain_once(child.out_, result.out, max_output_bytes, result.truncated)) {
      close_descriptor(child.out_);
    }
    if (watched[2].revents != 0 &&
        !drain_once(child.err_, result.err, max_output_bytes, result.truncated)) {
      close_descriptor(child.err_);
    }
    if (!ended && child.reap(false)) {
      ended = true;
      const std::int64_t grace = monotonic_ms() + kGraceMs;
      deadline = deadline < 0 ? grace : std::min(deadline, grace);
    }
  }
  child.reap(true);
  fill_status(result, child.status_);
  return result;
}

std::string login_account() {
  constexpr std::string_view kNoLogin = "4294967295";
  const auto login = read_file(system_files(), "/proc/self/loginuid", 64);
  if (login && !login->empty() && trim(*login) != kNoLogin)
    return "login:" + std::string(trim(*login));
  return "user:" + std::to_string(getuid());
}

}  // namespace anima
