// Child processes: run one to its end with a time limit, or keep one and talk to it. A child is the
// leader of its own process group, and the whole group dies with it; its three streams are pipes of
// ours, never the terminal.
//
// No shell is involved: arguments reach the program as they are. Descriptors of ours are not
// inherited. Thread-safety: run_process from any thread; a ChildProcess belongs to one thread, but
// signal() may come from any.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "base/result.h"

namespace anima {

struct ProcessOptions {
  std::vector<std::string> arguments;  // the program first; looked up in $PATH when it has no slash
  std::string working_directory;       // empty: ours
  std::optional<Environment> environment;  // unset: ours
  std::string input;                       // for standard input, which is closed afterwards
  std::int64_t timeout_ms = 0;             // 0: none
  std::size_t max_output_bytes = std::size_t{64}
                                 << 20;  // of each stream; the rest is read and dropped
};

struct ProcessResult {
  int exit_code = 0;  // -1 when a signal ended it
  int signal = 0;     // the signal that ended it, else 0
  bool timed_out = false;
  bool truncated = false;  // an output was longer than max_output_bytes
  std::string out;
  std::string err;

  bool ok() const { return exit_code == 0 && signal == 0 && !timed_out; }
};

// Starts the program, feeds it, reads both outputs until it ends. When the time is over the group
// is killed and timed_out is set. Errors: kNotFound (no such program), kIo.
Result<ProcessResult> run_process(const ProcessOptions& options);

class ChildProcess;
// Asked every kWatchMs while the child runs; false ends it and its group.
using Watch = std::function<bool()>;
inline constexpr std::int64_t kWatchMs = 50;
// The same for a child that runs already.
Result<ProcessResult> finish_process(ChildProcess& child, std::string_view input,
                                     std::int64_t timeout_ms, std::size_t max_output_bytes,
                                     const Watch& watch = {});

// A child that is kept: `input`, `timeout_ms` of the options are not used.
class ChildProcess {
 public:
  static Result<std::unique_ptr<ChildProcess>> start(const ProcessOptions& options);
  // A child that was started by other means, with a process group of its own; takes the descriptors
  // (the ends of its streams that are ours) over.
  static std::unique_ptr<ChildProcess> adopt(pid_t pid, int in, int out, int err);
  ~ChildProcess();  // kills the group when the child still runs
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  // All of it, or kIo when the child has closed its input. May wait for the child to read.
  Status write(std::string_view bytes);
  void close_input();
  // What has come on standard output, at least a byte; empty at its end. kTimeout after timeout_ms
  // (negative: none).
  Result<std::string> read(std::int64_t timeout_ms);
  // One line without its "\n"; the last may lack it. kNotFound at the end of the output.
  Result<std::string> read_line(std::int64_t timeout_ms);
  // Moves bytes both ways: writes as much of `input` as the child takes, reads what it wrote on
  // both outputs. Returns once anything was moved or an output ended; kTimeout after timeout_ms.
  // Neither side can hold the other up, as write() and read() in turn could. kIo: the child has
  // closed its input, or both its outputs are at their end.
  struct Moved {
    std::size_t written = 0;  // bytes of `input`
    std::string out, err;
  };
  Result<Moved> exchange(std::string_view input, std::int64_t timeout_ms);
  // What has come on standard error so far, without waiting.
  std::string take_error_output();
  // Sends a signal to the whole group.
  void signal(int number);
  // The end of the child; kTimeout when it still runs after timeout_ms (negative: none). The
  // outputs may still be read afterwards.
  Result<ProcessResult> wait(std::int64_t timeout_ms);

 private:
  friend Result<ProcessResult> finish_process(ChildProcess& child, std::string_view input,
                                              std::int64_t timeout_ms, std::size_t max_output_bytes,
                                              const Watch& watch);
  ChildProcess() = default;
  bool reap(bool block);

  pid_t pid_ = -1;
  int pidfd_ = -1;
  int in_ = -1;
  int out_ = -1;
  int err_ = -1;
  bool ended_ = false;
  int status_ = 0;
  std::string buffer_;
};

// Who started this process: the login that the kernel keeps across su and sudo ("login:1000"), else
// the real user ("user:1000"). No variable of the environment has a say.
std::string login_account();

}  // namespace anima
