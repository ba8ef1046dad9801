#include "tools/sandbox/detail/disk_use.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>
#include <vector>

namespace anima::tools::detail {
namespace {

constexpr int kMostDepth = 1000;

// One open folder at a time beside those above it would need a descriptor a level: names instead,
// relative to the first.
void count(int root, std::uint64_t most, DiskUse& use) {
  std::vector<std::pair<std::string, int>> open = {{".", 0}};
  while (!open.empty() && use.entries <= most) {
    const auto [path, depth] = std::move(open.back());
    open.pop_back();
    const int folder = openat(root, path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) continue;
    DIR* stream = fdopendir(folder);
    if (stream == nullptr) {
      close(folder);
      continue;
    }
    while (const dirent* entry = readdir(stream)) {
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      ++use.entries;
      struct stat info = {};
      if (fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
      if (S_ISREG(info.st_mode)) use.bytes += static_cast<std::uint64_t>(info.st_size);
      if (!S_ISDIR(info.st_mode)) continue;
      if (depth >= kMostDepth) {
        use.entries = most + 1;
      } else {
        open.emplace_back(path + '/' + name, depth + 1);
      }
    }
    closedir(stream);
  }
}

}  // namespace

DiskUse disk_use(const std::string& folder, std::uint64_t most) {
  DiskUse use;
  const int root = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) return use;
  count(root, most, use);
  close(root);
  return use;
}

}  // namespace anima::tools::detail
