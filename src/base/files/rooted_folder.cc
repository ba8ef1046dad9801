#include "base/files/rooted_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/random.h"
#include "base/text/text.h"

namespace anima {
namespace {

class FolderDescriptor {
 public:
  explicit FolderDescriptor(int number) : number_(number) {}
  FolderDescriptor(const FolderDescriptor&) = delete;
  FolderDescriptor& operator=(const FolderDescriptor&) = delete;
  ~FolderDescriptor() {
    if (number_ >= 0) close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

int open_at2(int folder, const std::string& path, int flags, unsigned mode) {
  open_how how = {};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  while (true) {
    const long opened = syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how);
    if (opened >= 0 || (errno != EINTR && errno != EAGAIN)) return static_cast<int>(opened);
  }
}

Error open_error(int number, std::string_view path) {
  if (number == EXDEV || number == ELOOP) {
    return {ErrorCode::kDenied, "the path leads out of the folder", std::string(path), {}};
  }
  if (number == ENOSYS) {
    return {ErrorCode::kUnsupported, "this kernel has no openat2", std::string(path),
            "Linux 5.6 or later, and a container that allows it"};
  }
  return os_error(number, "cannot open", std::string(path));
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string without_percent_codes(std::string_view path) {
  std::string plain;
  for (std::size_t at = 0; at < path.size(); ++at) {
    const bool code = path[at] == '%' && at + 2 < path.size() && hex_value(path[at + 1]) >= 0 &&
                      hex_value(path[at + 2]) >= 0;
    plain +=
        code ? static_cast<char>(hex_value(path[at + 1]) * 16 + hex_value(path[at + 2])) : path[at];
    if (code) at += 2;
  }
  return plain;
}

// By its words alone, so that nobody learns from the answer whether the steps exist; also where
// somebody who decodes it later (as an address, or with backslashes for slashes) would be led.
bool leads_out(std::string_view path) {
  constexpr int kMostLayers = 8;
  std::string plain(path);
  for (int layer = 0; layer < kMostLayers; ++layer) {
    if (climbs_out(plain)) return true;
    std::string decoded = without_percent_codes(plain);
    if (decoded == plain) return false;
    if (decoded.starts_with('/') && !plain.starts_with('/')) return true;
    plain = std::move(decoded);
  }
  return true;
}

// Where an open folder lies; empty when the system does not say.
std::string path_of(int descriptor) {
  std::string path(4096, '\0');
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t size = readlink(link.c_str(), path.data(), path.size());
  path.resize(size > 0 && size < static_cast<ssize_t>(path.size()) ? static_cast<std::size_t>(size)
                                                                   : 0);
  return path;
}

Result<std::string> read_some(int file, std::uint64_t limit, std::string_view path) {
  std::string bytes;
  std::array<char, 65'536> chunk;
  while (bytes.size() < limit) {
    const std::size_t wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(chunk.size(), limit - bytes.size()));
    const ssize_t got = ::read(file, chunk.data(), wanted);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(os_error(errno, "cannot read", std::string(path)));
    if (got == 0) break;
    bytes.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return bytes;
}

Status write_whole(int file, std::string_view bytes, std::string_view path) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail(os_error(errno, "cannot write", std::string(path)));
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  if (fsync(file) != 0) return fail(os_error(errno, "cannot write", std::string(path)));
  return {};
}

}  // namespace

bool climbs_out(std::string_view path) {
  int depth = 0;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find_first_of("/\\", at), path.size());
    const std::string_view step = path.substr(at, end - at);
    if (step == "..") {
      if (--depth < 0) return true;
    } else if (!step.empty() && step != ".") {
      ++depth;
    }
    at = end + 1;
  }
  return false;
}

Result<RootedFolder> RootedFolder::open(const std::string& path) {
  RootedFolder folder;
  folder.path_ = path;
  while (folder.path_.size() > 1 && folder.path_.ends_with('/')) folder.path_.pop_back();
  folder.descriptor_ = ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder.descriptor_ < 0) return fail(os_error(errno, "cannot open the folder", path));
  return folder;
}

RootedFolder::RootedFolder(RootedFolder&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

RootedFolder& RootedFolder::operator=(RootedFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

RootedFolder::~RootedFolder() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool RootedFolder::covers(std::string_view path) const {
  if (!path.starts_with('/')) return true;
  return path.starts_with(path_) &&
         (path.size() == path_.size() || path[path_.size()] == '/' || path_ == "/");
}

// The path relative to the folder.
Result<std::string> RootedFolder::inner(std::string_view path) const {
  if (path.empty() || path.find('\0') != std::string_view::npos) {
    return fail(ErrorCode::kInvalidArgument, "this is no path", std::string(path));
  }
  if (!covers(path)) {
    return fail(ErrorCode::kDenied, "the path leads out of the folder", std::string(path),
                "only what lies in " + path_ + " is reached");
  }
  std::string_view rest = path.starts_with('/') ? path.substr(path_.size()) : path;
  while (rest.starts_with('/')) rest.remove_prefix(1);
  while (rest.ends_with('/')) rest.remove_suffix(1);
  if (leads_out(rest)) {
    return fail(ErrorCode::kDenied, "the path leads out of the folder", std::string(path),
                "only what lies in " + path_ + " is reached");
  }
  return rest.empty() ? std::string(".") : std::string(rest);
}

Result<int> RootedFolder::open_beneath(std::string_view path, int flags, unsigned mode) const {
  ANIMA_ASSIGN(const std::string relative, inner(path));
  const int opened = open_at2(descriptor_, relative, flags, mode);
  if (opened < 0) return fail(open_error(errno, path));
  return opened;
}

Result<RootedFolder::Content> RootedFolder::read(std::string_view path,
                                                 std::uint64_t max_bytes) const {
  // Opening a pipe must not wait for a writer.
  ANIMA_ASSIGN(const int number, open_beneath(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0));
  const FolderDescriptor file(number);
  struct stat info = {};
  if (fstat(file.get(), &info) != 0) {
    return fail(os_error(errno, "cannot read", std::string(path)));
  }
  if (!S_ISREG(info.st_mode)) {
    return fail(ErrorCode::kInvalidArgument,
                S_ISDIR(info.st_mode) ? "this is a folder" : "this is no regular file",
                std::string(path));
  }
  Content content;
  ANIMA_ASSIGN(content.bytes, read_some(file.get(), max_bytes, path));
  content.size =
      std::max<std::uint64_t>(static_cast<std::uint64_t>(info.st_size), content.bytes.size());
  return content;
}

Result<std::string> RootedFolder::read_all(std::string_view path, std::uint64_t max_bytes) const {
  ANIMA_ASSIGN(Content content, read(path, max_bytes + 1));
  if (content.bytes.size() > max_bytes) {
    return fail(ErrorCode::kLimitExceeded,
                "the file is longer than " + std::to_string(max_bytes) + " bytes",
                std::string(path));
  }
  return std::move(content.bytes);
}

void RootedFolder::give_to_owner(int descriptor) const {
  struct stat info = {};
  if (geteuid() != 0 || fstat(descriptor_, &info) != 0 || info.st_uid == 0) return;
  // What cannot be given away stays ours; it is written all the same.
  (void)!fchown(descriptor, info.st_uid, info.st_gid);
}

// Judged by the folder that is open, so that no link, and none that is planted meanwhile, leads to
// another one.
Status RootedFolder::keep_out(int folder, std::string_view name, std::string_view path,
                              std::span<const ClosedName> closed) const {
  if (closed.empty()) return {};
  const std::string real = path_of(folder), root = path_of(descriptor_);
  if (root.empty() || !real.starts_with(root)) {
    return fail(ErrorCode::kDenied, "nobody can say where this would be written", std::string(path),
                "/proc must be mounted");
  }
  std::vector<std::string_view> steps = split(std::string_view(real).substr(root.size()), '/');
  steps.push_back(name);
  for (const std::string_view step : steps) {
    const auto found = std::ranges::find(closed, step, &ClosedName::name);
    if (found == closed.end()) continue;
    return fail(ErrorCode::kDenied, std::string(found->why), std::string(path),
                std::string(found->hint));
  }
  return {};
}

// The folder that holds the last name of the path.
Result<int> RootedFolder::open_parent(std::string_view path, bool make, std::string& name,
                                      std::span<const ClosedName> closed) const {
  ANIMA_ASSIGN(const std::string relative, inner(path));
  name = relative;
  std::string folder = ".";
  if (const std::size_t slash = relative.rfind('/'); slash != std::string::npos) {
    folder = relative.substr(0, slash);
    name = relative.substr(slash + 1);
  }
  if (name == "." || name == ".." || name.empty()) {
    return fail(ErrorCode::kInvalidArgument, "this names no file", std::string(path));
  }
  int opened = open_at2(descriptor_, folder, O_RDONLY | O_DIRECTORY, 0);
  if (opened >= 0 || errno != ENOENT || !make) {
    if (opened < 0) return fail(open_error(errno, path));
    return opened;
  }
  // Step by step, each from the one before it, so that every step is beneath the folder.
  std::string done;
  for (const std::string_view step : split(folder, '/')) {
    const std::string parent = done.empty() ? "." : done;
    done += (done.empty() ? "" : "/") + std::string(step);
    const FolderDescriptor at(open_at2(descriptor_, parent, O_RDONLY | O_DIRECTORY, 0));
    if (at.get() < 0) return fail(open_error(errno, path));
    if (step.empty() || step == "." || step == "..") continue;
    ANIMA_TRY(keep_out(at.get(), step, path, closed));
    const bool made = mkdirat(at.get(), std::string(step).c_str(), 0755) == 0;
    if (!made && errno != EEXIST) return fail(os_error(errno, "cannot make the folder", done));
    if (made) {
      const FolderDescriptor fresh(open_at2(descriptor_, done, O_RDONLY | O_DIRECTORY, 0));
      if (fresh.get() >= 0) give_to_owner(fresh.get());
    }
  }
  opened = open_at2(descriptor_, folder, O_RDONLY | O_DIRECTORY, 0);
  if (opened < 0) return fail(open_error(errno, path));
  return opened;
}

Status RootedFolder::write(std::string_view path, std::string_view bytes,
                           std::span<const ClosedName> closed) const {
  std::string name;
  ANIMA_ASSIGN(const int number, open_parent(path, true, name, closed));
  const FolderDescriptor folder(number);
  ANIMA_TRY(keep_out(folder.get(), name, path, closed));
  SystemRandom random;
  const std::string part = "." + std::to_string(random.next()) + ".part";
  const FolderDescriptor file(openat(folder.get(), part.c_str(),
                                     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (file.get() < 0) return fail(os_error(errno, "cannot write", std::string(path)));
  give_to_owner(file.get());
  Status status = write_whole(file.get(), bytes, path);
  if (status && renameat(folder.get(), part.c_str(), folder.get(), name.c_str()) != 0) {
    status = fail(os_error(errno, "cannot write", std::string(path)));
  }
  if (!status) unlinkat(folder.get(), part.c_str(), 0);
  return status;
}

Status RootedFolder::remove(std::string_view path) const {
  std::string name;
  ANIMA_ASSIGN(const int number, open_parent(path, false, name));
  const FolderDescriptor folder(number);
  if (unlinkat(folder.get(), name.c_str(), 0) == 0) return {};
  if (errno == EISDIR) {
    return fail(ErrorCode::kInvalidArgument, "this is a folder", std::string(path));
  }
  return fail(os_error(errno, "cannot remove", std::string(path)));
}

Result<std::vector<DirectoryEntry>> RootedFolder::list(std::string_view path) const {
  ANIMA_ASSIGN(const int number, open_beneath(path, O_RDONLY | O_DIRECTORY, 0));
  DIR* folder = fdopendir(number);
  if (folder == nullptr) {
    const int reason = errno;
    close(number);
    return fail(os_error(reason, "cannot read the folder", std::string(path)));
  }
  std::vector<DirectoryEntry> entries;
  while (const dirent* each = readdir(folder)) {
    const std::string name = each->d_name;
    if (name == "." || name == "..") continue;
    struct stat info = {};
    auto kind = FileInfo::Kind::kOther;
    if (fstatat(dirfd(folder), each->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0) {
      if (S_ISREG(info.st_mode)) kind = FileInfo::Kind::kFile;
      if (S_ISDIR(info.st_mode)) kind = FileInfo::Kind::kDirectory;
    }
    entries.push_back({name, kind});
  }
  closedir(folder);
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  return entries;
}

}  // namespace anima
