// The sandbox: the only way in which Anima runs a program that a tool needs.
//
// A program runs with a file system of its own (the system's programs read-only, a private /tmp,
// and the folders that the request names), without network unless asked, with an environment that
// the request spells out, within limits, and is killed with everything it started when its time is
// over. Three things hold it, each through the kernel's own interface and detected at run time:
//   name spaces  user, mount, process, network, IPC, host name: it sees nothing else
//   Landlock     files again, by path, should a name space have a hole; TCP; signals (ABI 6)
//   seccomp      a list of the system calls that tools need; no other one is answered
// and beside them no_new_privs, no capability, resource limits.
//
// Containment says what is in force together: kFull = name spaces and seccomp (and Landlock where
// the kernel has it); kPartial = Landlock and seccomp without name spaces, where no second process
// may be started and no other one be reached; kNone. A request names what it demands. Less than
// that and nothing runs: kNoSandbox, with what to do in the hint. docs/decisions/004-sandbox.md
// says why.
//
// As root the program runs as the user nobody (sandbox_user()); folders that it shall write must
// belong to that user. Source: learning_and_psyche 1.14, rows X6 to X12. Thread-safety: from any
// thread; the calling thread waits, and must live until the call returns.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "base/process.h"
#include "base/result.h"

namespace anima::tools {

enum class Containment : std::uint8_t { kNone = 0, kPartial = 1, kFull = 2 };
std::string_view to_string(Containment containment);

struct SandboxLimits {
  std::int64_t wall_ms = 30'000;
  std::uint64_t cpu_seconds = 30;                           // of each process
  std::uint64_t tree_cpu_seconds = 120;                     // of all of them together
  std::uint64_t memory_bytes = std::uint64_t{512} << 20;    // address space of each process
  std::uint64_t tree_bytes = std::uint64_t{512} << 20;      // memory of all of them together
  std::uint64_t file_bytes = std::uint64_t{16} << 20;       // of each file written
  std::uint64_t temporary_bytes = std::uint64_t{64} << 20;  // of the private /tmp
  std::uint64_t processes = 64;                             // 1: it may start none
  std::uint64_t open_files = 64;                            // of each process
  std::size_t output_bytes = std::size_t{64} << 10;         // of each stream; the rest is dropped
  std::uint64_t disk_bytes = 0;    // what the content of the view may grow by; 0: not looked at
  std::uint64_t disk_entries = 0;  // the same of its files and folders
};

// A folder in whose place the program sees another: what it writes lands there (effects/view.h).
struct FolderView {
  std::string shown_as;  // absolute; a folder that exists
  std::string content;   // absolute; stands for it, or is the upper layer over it
  std::string scratch;   // of overlayfs, on the file system of `content`; empty: no layers
};

// Where a program finds the descriptor that its request lets it have.
inline constexpr int kSandboxChannel = 5;

struct SandboxRequest {
  std::vector<std::string> arguments;  // the program first, an absolute path
  std::string input;                   // for standard input, closed afterwards
  Environment environment = {};        // all of it
  std::string working_directory = "/tmp";
  // For a program that needs nothing of a system (linked statically): where there are name spaces
  // it finds itself as /tool and what is readable, and no other program, device, /proc or /tmp; it
  // starts no process, makes no socket of any kind and signals nobody. working_directory is "/".
  bool bare = false;
  std::vector<std::string> readable = {};  // absolute paths that exist; inside they have the same
  std::vector<std::string> writable = {};
  // Where there are no name spaces the program finds it under the name of its content.
  std::optional<FolderView> view = {};
  bool network = false;  // TCP and UDP out; nothing is listened on
  // A descriptor of the caller's, above 9, that the program has as kSandboxChannel; -1: none.
  int channel = -1;
  Containment demand = Containment::kFull;
  // Runs with whatever this machine has instead of refusing; SandboxRun::missing says what lacked.
  // Only by the user's explicit setting, and to be audited.
  bool best_effort = false;
  SandboxLimits limits = {};
  std::stop_token stop = {};  // kills the program with everything it started
};

struct SandboxRun {
  ProcessResult process;
  Containment containment = Containment::kNone;
  bool out_of_memory = false;        // ended because of tree_bytes
  bool out_of_processor = false;     // ended because of tree_cpu_seconds
  bool out_of_disk = false;          // ended because of disk_bytes or disk_entries
  bool stopped = false;              // ended because `stop` asked for it
  std::vector<std::string> missing;  // protections that this machine lacks, by name
};

// What this machine offers, by trial.
struct SandboxFacts {
  bool namespaces = false;
  std::string namespaces_problem;  // which step failed and how
  int landlock = 0;                // ABI version; 0: none
  bool seccomp = false;
  std::string
      cgroup_problem;  // empty: the kernel bounds the memory of a tree; else why it is looked at
  Containment containment() const;
};
// Tried once in a process; the first call takes some milliseconds.
const SandboxFacts& machine_sandbox();

// One protection for people: `anima doctor` prints these.
struct Protection {
  std::string name;
  bool present = false;
  std::string meaning;  // what holds because of it
  std::string remedy;   // when missing: what that means and what to do
};
std::vector<Protection> describe_sandbox(const SandboxFacts& facts);

// The error kNoSandbox of whatever demands more than there is: what is missing, and what to do.
Error no_sandbox(Containment demand, const SandboxFacts& facts = machine_sandbox());

// Errors: kNoSandbox; kNotFound (no such program or folder); kInvalidArgument (a path that is not
// absolute); kIo. That the program failed or ran out of time is a result.
Result<SandboxRun> run_sandboxed(const SandboxRequest& request,
                                 const SandboxFacts& facts = machine_sandbox());

// A program in the sandbox that is kept and talked to: `input` and `limits.wall_ms` of the request
// are not used, and `limits.tree_cpu_seconds` counts from one message to it to the next. A thread
// looks at the memory, the processor time and the number of its processes all the time, also while
// nobody talks to it. It ends with this object, with everything it started, and with the thread
// that started it. Thread-safety: belongs to one thread.
class SandboxedProcess {
 public:
  // Errors: those of run_sandboxed().
  static Result<std::unique_ptr<SandboxedProcess>> start(
      const SandboxRequest& request, const SandboxFacts& facts = machine_sandbox());
  ~SandboxedProcess();
  SandboxedProcess(const SandboxedProcess&) = delete;
  SandboxedProcess& operator=(const SandboxedProcess&) = delete;

  // As ChildProcess::exchange. Errors: kLimitExceeded too, when it was over a limit and was ended.
  Result<ChildProcess::Moved> exchange(std::string_view input, std::int64_t timeout_ms);
  void close_input();
  // The end of the program; kTimeout when it still runs after timeout_ms.
  Result<ProcessResult> wait(std::int64_t timeout_ms);

 private:
  struct State;
  explicit SandboxedProcess(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Whom a program in the sandbox is for the file system: nobody when we are root, else us.
uid_t sandbox_user();

}  // namespace anima::tools
