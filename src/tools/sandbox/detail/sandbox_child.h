// What happens between the birth of the sandboxed process and its program: plain system calls over
// a plan that was made before, because after a fork in a program with threads nothing else is safe
// (no allocation, no lock). The first failure is written to `status` and ends the process.
// Thread-safety: runs in the child alone.
#pragma once

#include <linux/filter.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace anima::tools::detail {

enum class Stage : std::int32_t {
  kRelease,
  kSession,
  kPrivateMounts,
  kRoot,
  kBind,
  kLayers,
  kSeal,
  kWorkingDirectory,
  kGroups,
  kNoNewPrivileges,
  kLandlock,
  kUser,
  kCapabilities,
  kLimits,
  kSeccomp,
  kProgram,
};
std::string_view to_string(Stage stage);

struct ChildFailure {
  Stage stage = Stage::kRelease;
  std::int32_t error = 0;
};

struct RootEntry {
  enum class Kind : std::uint8_t {
    kDirectory,
    kFile,
    kLink,
    kRead,
    kWrite,
    kLayers,
    kDevice,
    kTemporary
  };
  Kind kind = Kind::kDirectory;
  std::string source;  // under /oldroot for what is bound; of a link: where it points; of
                       // kLayers and kTemporary: the options
  std::string target;
};

struct LandlockRule {
  std::string path;
  std::uint64_t access = 0;
};

struct Limit {
  int resource = 0;
  rlimit64 value = {};
};

struct ChildPlan {
  bool namespaces = false;
  std::vector<RootEntry> root;
  int landlock = 0;  // ABI
  bool network = false;
  bool processes_shown = true;  // /proc
  std::vector<LandlockRule> rules;
  std::vector<Limit> limits;
  std::vector<sock_filter> filter;  // empty: none
  bool drop_user = false;
  uid_t user = 0;
  std::string working_directory;
  std::vector<char*> arguments;                                // ends in null; owned by the caller
  std::vector<char*> environment;                              // ends in null
  int in = -1, out = -1, err = -1, status = -1, release = -1;  // all above 9
  int channel = -1;                                            // also, or none
};

[[noreturn]] void run_child(const ChildPlan& plan);

// Access bits of Landlock that a kernel of this ABI knows.
std::uint64_t landlock_all(int abi);
std::uint64_t landlock_read(bool directory);
std::uint64_t landlock_write(int abi, bool directory);

}  // namespace anima::tools::detail
