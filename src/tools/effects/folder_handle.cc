#include "tools/effects/folder_handle.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "base/crypto.h"
#include "base/files/file.h"

namespace anima::tools::effects {
namespace {

constexpr mode_t kOwner = 0700;
#ifdef SYS_fchmodat2
constexpr long kFchmodat2 = SYS_fchmodat2;
#else
constexpr long kFchmodat2 = 452;  // on every architecture
#endif

// The kernel's own name for a descriptor: nobody can put something else there.
std::string name_of(int held) { return "/proc/self/fd/" + std::to_string(held); }

// What a file may have beside its content and mode. Labels and capabilities of the system stay with
// the system: no program of the sandbox may set them.
bool is_carried(std::string_view name) {
  return name.starts_with("user.") || name.starts_with("system.posix_acl") ||
         name.starts_with("trusted.");
}

// Opens; where the mode keeps us out of what is ours, once more with a mode that does not.
int open_at(int folder, const std::string& name, int flags, bool forced) {
  int opened = openat(folder, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC);
  if (opened >= 0 || errno != EACCES || !forced) return opened;
  const auto held = hold_entry(folder, name);
  struct stat info = {};
  if (!held || fstat(held->get(), &info) != 0 || S_ISLNK(info.st_mode)) return -1;
  if (!set_mode(held->get(), kOwner)) return -1;
  return openat(folder, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC);
}

// A descriptor a level: what lies deeper is moved up to `root`, which is looked at again.
void remove_inside(int root, int folder, int depth, int& moved) {
  constexpr int kDeepest = 64;
  const auto names = names_in(folder);
  if (!names) return;
  (void)fchmod(folder, kOwner);
  for (const std::string& name : *names) {
    if (unlinkat(folder, name.c_str(), 0) == 0) continue;
    if (depth >= kDeepest) {
      const std::string place = "deep-" + std::to_string(++moved);
      (void)renameat(folder, name.c_str(), root, place.c_str());
      continue;
    }
    {
      const auto inner = open_folder_in(folder, name, true);
      if (inner) remove_inside(root, inner->get(), depth + 1, moved);
    }
    (void)unlinkat(folder, name.c_str(), AT_REMOVEDIR);
  }
}

}  // namespace

Handle::~Handle() {
  if (number_ >= 0) close(number_);
}

Result<Handle> open_folder(const std::string& path) {
  Handle folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return fail(os_error(errno, "cannot open the folder", path));
  return folder;
}

Result<Handle> open_folder_in(int folder, const std::string& name, bool forced) {
  Handle opened(open_at(folder, name, O_RDONLY | O_DIRECTORY, forced));
  if (!opened.is_open()) return fail(os_error(errno, "cannot open the folder", name));
  return opened;
}

Result<Handle> open_file_in(int folder, const std::string& name, bool forced) {
  Handle opened(open_at(folder, name, O_RDONLY | O_NONBLOCK, forced));
  if (!opened.is_open()) return fail(os_error(errno, "cannot open", name));
  struct stat info = {};
  if (fstat(opened.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return fail(ErrorCode::kInvalidArgument, "this is no regular file", name);
  return opened;
}

Result<Handle> hold_entry(int folder, const std::string& name) {
  Handle held(openat(folder, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!held.is_open()) return fail(os_error(errno, "cannot look at", name));
  return held;
}

Status set_mode(int held, mode_t mode) {
  if (syscall(kFchmodat2, held, "", mode, AT_EMPTY_PATH) == 0) return {};
  if ((errno == ENOSYS || errno == EINVAL || errno == EOPNOTSUPP || errno == EPERM) &&
      chmod(name_of(held).c_str(), mode) == 0) {
    return {};
  }
  return fail(os_error(errno, "cannot set the mode", {}));
}

Status set_modified(int held, std::int64_t nanoseconds) {
  const std::array<timespec, 2> times = {timespec{.tv_sec = 0, .tv_nsec = UTIME_OMIT},
                                         time_of(nanoseconds)};
  if (utimensat(AT_FDCWD, name_of(held).c_str(), times.data(), 0) == 0) return {};
  return fail(os_error(errno, "cannot set the time", {}));
}

timespec time_of(std::int64_t nanoseconds) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::int64_t seconds = nanoseconds / kSecond, rest = nanoseconds % kSecond;
  if (rest < 0) {  // before 1970
    --seconds;
    rest += kSecond;
  }
  return {.tv_sec = seconds, .tv_nsec = rest};
}

std::map<std::string, std::string> attributes_of(int held) {
  std::map<std::string, std::string> found;
  const std::string path = name_of(held);
  const ssize_t size = listxattr(path.c_str(), nullptr, 0);
  if (size <= 0) return found;
  std::string names(static_cast<std::size_t>(size), '\0');
  const ssize_t got = listxattr(path.c_str(), names.data(), names.size());
  if (got <= 0) return found;
  names.resize(static_cast<std::size_t>(got));
  std::size_t at = 0;
  while (at < names.size()) {
    const std::string name = names.c_str() + at;
    at += name.size() + 1;
    if (!is_carried(name)) continue;
    std::string value(std::size_t{64} << 10, '\0');
    const ssize_t length = getxattr(path.c_str(), name.c_str(), value.data(), value.size());
    if (length < 0) continue;
    value.resize(static_cast<std::size_t>(length));
    found.emplace(name, std::move(value));
  }
  return found;
}

Status set_attributes(int held, const std::map<std::string, std::string>& wanted) {
  const std::string path = name_of(held);
  for (const auto& [name, value] : attributes_of(held)) {
    if (!wanted.contains(name) && removexattr(path.c_str(), name.c_str()) != 0)
      return fail(os_error(errno, "cannot take away an attribute", name));
  }
  for (const auto& [name, value] : wanted) {
    if (setxattr(path.c_str(), name.c_str(), value.data(), value.size(), 0) != 0)
      return fail(os_error(errno, "cannot set an attribute", name));
  }
  return {};
}

Result<std::vector<std::string>> names_in(int folder) {
  const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (again < 0) return fail(os_error(errno, "cannot list a folder", {}));
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(again), &closedir);
  if (stream == nullptr) {
    close(again);
    return fail(os_error(errno, "cannot list a folder", {}));
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = readdir(stream.get())) {
    std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(std::move(name));
  }
  if (errno != 0) return fail(os_error(errno, "cannot list a folder", {}));
  std::ranges::sort(names);
  return names;
}

Result<Handle> open_parent_of(int root, const std::string& path, std::string& name) {
  const std::size_t slash = path.rfind('/');
  name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::string parent = slash == std::string::npos ? "." : path.substr(0, slash);
  open_how how = {};
  how.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  while (true) {
    Handle opened(static_cast<int>(syscall(SYS_openat2, root, parent.c_str(), &how, sizeof how)));
    if (opened.is_open()) return opened;
    if (errno != EINTR && errno != EAGAIN)
      return fail(os_error(errno, "cannot open the folder", parent));
  }
}

void remove_all(const std::string& path) {
  {
    const auto root = open_folder(path);
    int moved = 0, before = -1;
    while (root && moved != before) {
      before = moved;
      remove_inside(root->get(), root->get(), 0, moved);
    }
  }
  (void)rmdir(path.c_str());
}

Result<std::string> hash_of(int file) {
  Sha256 hash;
  std::array<char, 65'536> chunk;
  while (true) {
    const ssize_t got = read(file, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(os_error(errno, "cannot read a file", {}));
    if (got == 0) return to_hex(hash.finish());
    hash.update(std::string_view(chunk.data(), static_cast<std::size_t>(got)));
  }
}

Status copy_bytes(int from, int to) {
  if (ioctl(to, FICLONE, from) == 0) return {};
  std::array<char, 65'536> chunk;
  while (true) {
    const ssize_t got = read(from, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(os_error(errno, "cannot read a file", {}));
    if (got == 0) return {};
    for (ssize_t done = 0; done < got;) {
      const ssize_t put = write(to, chunk.data() + done, static_cast<std::size_t>(got - done));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return fail(os_error(errno, "cannot write a file", {}));
      done += put;
    }
  }
}

}  // namespace anima::tools::effects
