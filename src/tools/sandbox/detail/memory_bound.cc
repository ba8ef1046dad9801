#include "tools/sandbox/detail/memory_bound.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "base/text/text.h"

namespace anima::tools::detail {
namespace {

constexpr std::size_t kMostProcesses = 4096;  // looked at

std::string content_of(const std::string& path) {
  return read_file(system_files(), path, 65'536).value_or(std::string());
}

bool put(const std::string& path, std::string_view text) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool done = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  return done;
}

// The number that the text begins with, behind blanks.
std::optional<std::uint64_t> number_at(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc() ? std::optional(value) : std::nullopt;
}

// The number behind "NAME" in lines like "RssAnon:   123 kB" or "oom_kill 1".
std::uint64_t number_behind(std::string_view text, std::string_view name) {
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with(name)) return number_at(line.substr(name.size())).value_or(0);
  }
  return 0;
}

// The folder in which a cgroup beside our own would be; empty when there is no version 2 here.
std::string parent_of_ours() {
  const std::string groups = content_of("/proc/self/cgroup");
  for (const char* mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    struct statfs info = {};
    if (statfs(mount, &info) != 0 || info.f_type != CGROUP2_SUPER_MAGIC) continue;
    for (const std::string_view line : split(groups, '\n')) {
      if (!line.starts_with("0::/")) continue;
      const std::string ours(line.substr(3));
      return mount + (ours == "/" ? "/" : ours.substr(0, ours.rfind('/') + 1));
    }
  }
  return {};
}

constexpr std::string_view kPrefix = "anima-";  // and the process that made it, and a number

// Cgroups that a process left which was killed. One that holds processes stays.
void remove_abandoned(const std::string& parent) {
  const auto entries = system_files().list(parent);
  if (!entries) return;
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.name.starts_with(kPrefix)) continue;
    const auto maker = number_at(std::string_view(entry.name).substr(kPrefix.size()));
    if (maker && !file_exists(system_files(), fmt::format("/proc/{}", *maker)))
      (void)rmdir((parent + entry.name).c_str());
  }
}

// A new cgroup with its limit; empty when one of the steps fails.
std::string make_cgroup(std::uint64_t bytes, std::string& problem) {
  static std::atomic<std::uint32_t> number{0};
  const std::string parent = parent_of_ours();
  if (parent.empty()) {
    problem = "no cgroup of version 2 is mounted";
    return {};
  }
  if (content_of(parent + "cgroup.subtree_control").find("memory") == std::string::npos) {
    problem = "the memory controller is not given to " + parent;
    return {};
  }
  remove_abandoned(parent);
  std::string folder = fmt::format("{}{}{}-{}", parent, kPrefix, getpid(), number++);
  if (mkdir(folder.c_str(), 0755) != 0) {
    problem = os_error(errno, "no cgroup can be made", folder).describe();
    return {};
  }
  (void)put(folder + "/memory.swap.max", "0");
  (void)put(folder + "/memory.oom.group", "1");
  if (put(folder + "/memory.max", std::to_string(bytes))) return folder;
  problem = "no limit can be set in " + folder;
  (void)rmdir(folder.c_str());
  return {};
}

void remove_cgroup(const std::string& folder) {
  if (folder.empty()) return;
  (void)put(folder + "/cgroup.kill", "1");
  constexpr timespec kPause = {0, 5'000'000};
  for (int attempt = 0; attempt < 100 && rmdir(folder.c_str()) != 0 && errno == EBUSY; ++attempt)
    nanosleep(&kPause, nullptr);
}

std::vector<pid_t> numbers_in(std::string_view text) {
  std::vector<pid_t> numbers;
  for (const std::string_view word : split(text, ' ')) {
    if (const auto number = number_at(word)) numbers.push_back(static_cast<pid_t>(*number));
  }
  return numbers;
}

// By each thread, as the kernel lists them.
std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  const std::string tasks = fmt::format("/proc/{}/task", pid);
  const auto threads = system_files().list(tasks);
  if (!threads) return children;
  for (const DirectoryEntry& thread : *threads) {
    for (const pid_t child :
         numbers_in(content_of(fmt::format("{}/{}/children", tasks, thread.name))))
      children.push_back(child);
  }
  return children;
}

// Where the kernel lists no children: every process tells its parent.
std::vector<std::pair<pid_t, pid_t>> parents_of_all() {
  std::vector<std::pair<pid_t, pid_t>> parents;
  const auto entries = system_files().list("/proc");
  if (!entries) return parents;
  for (const DirectoryEntry& entry : *entries) {
    for (const pid_t pid : numbers_in(entry.name)) {
      const std::string status = content_of(fmt::format("/proc/{}/status", pid));
      parents.emplace_back(pid, static_cast<pid_t>(number_behind(status, "PPid:")));
    }
  }
  return parents;
}

// The process and all that descend from it: orphans belong to the first of their name space.
std::vector<pid_t> tree_of(pid_t root) {
  static const bool listed =
      file_exists(system_files(), fmt::format("/proc/self/task/{}/children", getpid()));
  const auto parents = listed ? std::vector<std::pair<pid_t, pid_t>>() : parents_of_all();
  std::vector<pid_t> tree = {root};
  for (std::size_t i = 0; i < tree.size() && tree.size() < kMostProcesses; ++i) {
    const pid_t parent = tree[i];
    if (listed) {
      for (const pid_t child : children_of(parent)) tree.push_back(child);
    }
    for (const auto& [pid, of] : parents) {
      if (of == parent) tree.push_back(pid);
    }
  }
  return tree;
}

std::uint64_t sum_over(const std::vector<pid_t>& tree,
                       const std::function<std::uint64_t(pid_t)>& kilobytes) {
  std::uint64_t sum = 0;
  for (const pid_t pid : tree) sum += kilobytes(pid);
  return sum * 1024;
}

// Of the process itself and of its children that it has waited for: fields 14 to 17 of its `stat`,
// which stand behind its name in parentheses, in ticks.
std::uint64_t ticks_of(pid_t pid) {
  constexpr std::size_t kFirst = 12, kLast = 15;  // counted from behind the name
  const std::string stat = content_of(fmt::format("/proc/{}/stat", pid));
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return 0;
  const std::vector<std::string_view> fields =
      split(std::string_view(stat).substr(name_end + 1), ' ');
  std::uint64_t ticks = 0;
  for (std::size_t i = kFirst; i <= kLast && i < fields.size(); ++i)
    ticks += number_at(fields[i]).value_or(0);
  return ticks;
}

}  // namespace

std::uint64_t processor_milliseconds(pid_t root) {
  static const auto per_second = static_cast<std::uint64_t>(std::max(sysconf(_SC_CLK_TCK), 1L));
  std::uint64_t ticks = 0;
  for (const pid_t pid : tree_of(root)) ticks += ticks_of(pid);
  return ticks * 1000 / per_second;
}

std::size_t processes_of(pid_t root) { return tree_of(root).size(); }

const std::string& cgroup_problem() {
  static const std::string problem = [] {
    std::string found;
    remove_cgroup(make_cgroup(std::uint64_t{1} << 26, found));
    return found;
  }();
  return problem;
}

MemoryBound::MemoryBound(pid_t child, std::uint64_t bytes) : child_(child), bytes_(bytes) {
  if (!cgroup_problem().empty()) return;
  std::string problem;
  cgroup_ = make_cgroup(bytes, problem);
  if (cgroup_.empty() || put(cgroup_ + "/cgroup.procs", std::to_string(child))) return;
  remove_cgroup(cgroup_);
  cgroup_.clear();
}

MemoryBound::~MemoryBound() { remove_cgroup(cgroup_); }

bool MemoryBound::exceeded() const {
  if (held_by_kernel())
    return number_behind(content_of(cgroup_ + "/memory.events"), "oom_kill ") > 0;
  const std::vector<pid_t> tree = tree_of(child_);
  const std::uint64_t own = sum_over(tree, [](pid_t pid) {
    const std::string status = content_of(fmt::format("/proc/{}/status", pid));
    return number_behind(status, "RssAnon:") + number_behind(status, "RssShmem:");
  });
  if (own <= bytes_) return false;
  const std::uint64_t shared_out = sum_over(tree, [](pid_t pid) {
    return number_behind(content_of(fmt::format("/proc/{}/smaps_rollup", pid)), "Pss:");
  });
  // Where nobody may read the shares, the sum counts.
  return shared_out == 0 || shared_out > bytes_;
}

}  // namespace anima::tools::detail
