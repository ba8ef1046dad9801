#include "tools/effects/folder_handle.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

// Opens; where the mode keeps us out of what is ours, once more with a mode that does not.
int open_at(int folder, const std::string& name, int flags, bool forced) {
  int opened = openat(folder, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC);
  if (opened >= 0 || errno != EACCES || !forced) return opened;
  // A link would have been ELOOP.
  if (fchmodat(folder, name.c_str(), kOwner, 0) != 0) return -1;
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
