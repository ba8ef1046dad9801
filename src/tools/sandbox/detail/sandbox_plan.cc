#include "tools/sandbox/detail/sandbox_plan.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <utility>

#include "base/files/file.h"
#include "tools/sandbox/detail/seccomp_filter.h"

namespace anima::tools::detail {
namespace {

constexpr std::uint64_t kThreads = 32;  // of a program that may start no process

// What programs need to run at all; nothing of a user and no configuration with a secret.
constexpr std::string_view kSystem[] = {
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives"};
// What a program in the network needs beside: names and certificates.
constexpr std::string_view kNetwork[] = {
    "/etc/resolv.conf", "/etc/hosts",           "/etc/nsswitch.conf",  "/etc/gai.conf",
    "/etc/ssl/certs",   "/etc/ca-certificates", "/etc/ssl/openssl.cnf"};
// Over the network, or over connections that it is handed.
bool speaks_to_others(const SandboxRequest& request) {
  return request.network || request.channel >= 0;
}

constexpr std::string_view kDevices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                         "/dev/urandom"};

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
  void bind_as(const std::string& path, const std::string& shown_as) {
    parents(shown_as);
    entries_.push_back({RootEntry::Kind::kFile, {}, shown_as});
    entries_.push_back({RootEntry::Kind::kRead, "/oldroot" + path, shown_as});
  }
  void view(const FolderView& view) {
    directory(view.shown_as);
    if (view.scratch.empty()) {
      entries_.push_back({RootEntry::Kind::kWrite, "/oldroot" + view.content, view.shown_as});
      return;
    }
    entries_.push_back({RootEntry::Kind::kLayers,
                        fmt::format("lowerdir=/oldroot{},upperdir=/oldroot{},workdir=/oldroot{},"
                                    "userxattr",
                                    view.shown_as, view.content, view.scratch),
                        view.shown_as});
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

void plan_bare_root(const SandboxRequest& request, const Folders& folders, ChildPlan& plan) {
  RootBuilder root(plan.root);
  plan.processes_shown = false;
  root.bind_as(real_path(request.arguments[0]), std::string(kBareProgram));
  for (const std::string& path : folders.readable) root.bind(path, RootEntry::Kind::kRead);
}

void plan_root(const SandboxRequest& request, const Folders& folders, ChildPlan& plan) {
  if (request.bare) return plan_bare_root(request, folders, plan);
  RootBuilder root(plan.root);
  for (const std::string_view path : kSystem) root.system(std::string(path));
  if (speaks_to_others(request)) {
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
  if (folders.view) root.view(*folders.view);
}

void plan_landlock(const SandboxRequest& request, const Folders& folders, int abi,
                   ChildPlan& plan) {
  plan.landlock = abi;
  const auto read = [&](const std::string& path) {
    const std::string real = real_path(path);
    if (real.empty()) return;
    plan.rules.push_back({real, landlock_read(kind_of(real).directory)});
  };
  const auto write = [&](const std::string& path, bool directory) {
    plan.rules.push_back({path, landlock_write(abi, directory)});
  };
  if (plan.namespaces) {
    plan.rules.push_back({"/", landlock_read(true)});
    if (request.bare) return;
    write("/tmp", true);
  } else if (request.bare) {
    read(request.arguments[0]);
    for (const std::string& path : folders.readable) read(path);
    return;
  } else {
    for (const std::string_view path : kSystem) read(std::string(path));
    if (speaks_to_others(request)) {
      for (const std::string_view path : kNetwork) read(std::string(path));
    }
    for (const std::string& path : folders.readable) read(path);
    write(folders.private_folder, true);
  }
  for (const std::string_view path : kDevices) write(std::string(path), false);
  for (const std::string& path : folders.writable) write(path, kind_of(path).directory);
  if (folders.view) write(plan.namespaces ? folders.view->shown_as : folders.view->content, true);
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
  // Not 0: where the kernel hands cores to a program it does so whatever the limit says, as root
  // and outside; one byte means none at all.
  limit(RLIMIT_CORE, 1);
  // Threads count too. Counted within the user name space; without one it would count all processes
  // of the user, and the filter forbids new ones anyway.
  if (plan.namespaces) limit(RLIMIT_NPROC, limits.processes > 1 ? limits.processes : kThreads);
}

}  // namespace

Result<Folders> resolve_folders(const SandboxRequest& request) {
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
  if (!request.view) return folders;
  folders.view = *request.view;
  for (std::string* path :
       {&folders.view->shown_as, &folders.view->content, &folders.view->scratch}) {
    if (path->empty() && path == &folders.view->scratch) continue;
    std::string real = real_path(*path);
    if (real.empty()) return fail(os_error(errno, "cannot show this to the sandbox", *path));
    *path = std::move(real);
  }
  return folders;
}

ChildPlan make_plan(const SandboxRequest& request, const SandboxFacts& facts,
                    const Folders& folders) {
  ChildPlan plan;
  plan.namespaces = facts.namespaces;
  plan.network = request.network;
  plan.channel = request.channel;
  plan.drop_user = geteuid() == 0;
  plan.user = sandbox_user();
  if (plan.namespaces) plan_root(request, folders, plan);
  if (facts.landlock > 0) plan_landlock(request, folders, facts.landlock, plan);
  plan_limits(request.limits, plan);
  if (facts.seccomp) {
    plan.filter =
        make_filter({.network = request.network,
                     .handed = request.channel >= 0 && !request.network,
                     .processes = facts.namespaces && !request.bare && request.limits.processes > 1,
                     .others = facts.namespaces && !request.bare,
                     .pairs = !request.bare});
  }
  plan.working_directory = request.bare ? "/"
                           : request.working_directory == "/tmp"
                               ? folders.private_folder
                               : real_path(request.working_directory);
  if (!plan.namespaces && folders.view && plan.working_directory == folders.view->shown_as)
    plan.working_directory = folders.view->content;
  return plan;
}

}  // namespace anima::tools::detail
