// The FileSystem of the operating system (POSIX).
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>

#include "base/files/file.h"
#include "base/files/file_owner.h"

namespace anima {
namespace {

Unexpected<Error> os_failure(std::string_view what, const std::string& path) {
  return fail(os_error(errno, what, path));
}

// Retries a system call that a signal interrupted.
template <typename Call>
auto retry(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// The folders of follow_owner(); few, and none is ever taken out.
struct Owned {
  std::string prefix;
  uid_t user;
  gid_t group;
};
std::mutex owned_mutex;
std::vector<Owned> owned_folders;
std::atomic<bool> any_owned{false};

// Gives a file or folder of root's to the owner of the folder that it lies in.
void give_to_owner(const std::string& path) {
  if (!any_owned.load(std::memory_order_relaxed)) return;
  const std::lock_guard guard(owned_mutex);
  for (const Owned& owned : owned_folders) {
    if (!path.starts_with(owned.prefix)) continue;
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0 || status.st_uid != geteuid()) return;
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return;
    (void)lchown(path.c_str(), owned.user, owned.group);
    return;
  }
}

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { (void)close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  // Never retried: Linux frees the number even when close is interrupted.
  bool close() {
    const int number = std::exchange(number_, -1);
    return number < 0 || ::close(number) == 0 || errno == EINTR;
  }

 private:
  int number_;
};

class SystemFile final : public File {
 public:
  SystemFile(Descriptor descriptor, std::string path, bool seekable)
      : descriptor_(std::move(descriptor)), path_(std::move(path)), seekable_(seekable) {}

  Result<std::size_t> read_at(std::uint64_t offset, char* out, std::size_t size) override {
    std::size_t done = 0;
    while (done < size) {
      const ssize_t got = retry([&] {
        return seekable_ ? pread(descriptor_.number(), out + done, size - done,
                                 static_cast<off_t>(offset + done))
                         : read(descriptor_.number(), out + done, size - done);
      });
      if (got < 0) return os_failure("cannot read", path_);
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  Status write_at(std::uint64_t offset, std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t put = retry([&] {
        return seekable_ ? pwrite(descriptor_.number(), bytes.data(), bytes.size(),
                                  static_cast<off_t>(offset))
                         : write(descriptor_.number(), bytes.data(), bytes.size());
      });
      if (put < 0) return os_failure("cannot write", path_);
      bytes.remove_prefix(static_cast<std::size_t>(put));
      offset += static_cast<std::size_t>(put);
    }
    return {};
  }

  Status append(std::string_view bytes) override {
    std::uint64_t end = 0;
    if (seekable_) {
      ANIMA_ASSIGN(end, size());
    }
    return write_at(end, bytes);
  }

  Status truncate(std::uint64_t size) override {
    if (retry([&] { return ftruncate(descriptor_.number(), static_cast<off_t>(size)); }) != 0) {
      return os_failure("cannot change the size", path_);
    }
    return {};
  }

  Status sync() override {
    if (retry([&] { return fsync(descriptor_.number()); }) != 0) {
      return os_failure("cannot sync", path_);
    }
    return {};
  }

  Result<std::uint64_t> size() override {
    struct stat status {};
    if (fstat(descriptor_.number(), &status) != 0) return os_failure("cannot examine", path_);
    return static_cast<std::uint64_t>(status.st_size);
  }

  Status close() override {
    if (!descriptor_.close()) return os_failure("cannot close", path_);
    return {};
  }

 private:
  Descriptor descriptor_;
  std::string path_;
  bool seekable_;
};

class SystemMapping final : public MappedFile {
 public:
  SystemMapping(void* address, std::size_t size) : address_(address), size_(size) {}
  ~SystemMapping() override {
    if (size_ > 0) munmap(address_, size_);
  }
  SystemMapping(const SystemMapping&) = delete;
  SystemMapping& operator=(const SystemMapping&) = delete;
  std::string_view bytes() const override { return {static_cast<const char*>(address_), size_}; }

 private:
  void* address_;
  std::size_t size_;
};

// flock: held by the open file, so two handles of one process exclude each other as two processes
// do.
class SystemLock final : public FileLock {
 public:
  explicit SystemLock(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

 private:
  Descriptor descriptor_;
};

// An open-file-description lock. Given back explicitly: a child that is being spawned may still
// hold a copy of the descriptor.
class SystemByteLock final : public FileLock {
 public:
  SystemByteLock(Descriptor descriptor, std::uint64_t byte)
      : descriptor_(std::move(descriptor)), byte_(byte) {}
  ~SystemByteLock() override { (void)set(descriptor_, F_UNLCK, byte_); }
  SystemByteLock(const SystemByteLock&) = delete;
  SystemByteLock& operator=(const SystemByteLock&) = delete;

  static bool set(const Descriptor& descriptor, short type, std::uint64_t byte) {
    struct flock range = {};
    range.l_type = type;
    range.l_whence = SEEK_SET;
    range.l_start = static_cast<off_t>(byte);
    range.l_len = 1;
    return retry([&] { return fcntl(descriptor.number(), F_OFD_SETLK, &range); }) == 0;
  }

 private:
  Descriptor descriptor_;
  std::uint64_t byte_;
};

int open_flags(OpenMode mode) {
  switch (mode) {
    case OpenMode::kRead:
      return O_RDONLY;
    case OpenMode::kReadWrite:
      return O_RDWR;
    case OpenMode::kCreate:
      return O_RDWR | O_CREAT;
    case OpenMode::kTruncate:
      return O_RDWR | O_CREAT | O_TRUNC;
    case OpenMode::kExclusive:
      return O_RDWR | O_CREAT | O_EXCL;
  }
  return O_RDONLY;
}

Descriptor open_descriptor(const std::string& path, int flags, std::uint32_t permissions = 0) {
  return Descriptor(retry([&] { return ::open(path.c_str(), flags | O_CLOEXEC, permissions); }));
}

FileInfo::Kind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileInfo::Kind::kFile;
  return S_ISDIR(mode) ? FileInfo::Kind::kDirectory : FileInfo::Kind::kOther;
}

// Symbolic links count as kOther, so that removing a tree never leaves it.
FileInfo::Kind entry_kind(int directory, const dirent& entry) {
  if (entry.d_type == DT_REG) return FileInfo::Kind::kFile;
  if (entry.d_type == DT_DIR) return FileInfo::Kind::kDirectory;
  struct stat status {};
  if (entry.d_type != DT_UNKNOWN ||
      fstatat(directory, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return FileInfo::Kind::kOther;
  }
  return kind_of(status.st_mode);
}

class SystemFiles final : public FileSystem {
 public:
  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode,
                                     std::uint32_t permissions) override {
    Descriptor descriptor = open_descriptor(path, open_flags(mode), permissions);
    struct stat status {};
    if (!descriptor.is_open() || fstat(descriptor.number(), &status) != 0) {
      return os_failure("cannot open", path);
    }
    if (S_ISDIR(status.st_mode)) {
      return fail(ErrorCode::kInvalidArgument, "this is a directory, not a file", path);
    }
    if (mode != OpenMode::kRead && mode != OpenMode::kReadWrite) give_to_owner(path);
    const bool seekable = S_ISREG(status.st_mode) || S_ISBLK(status.st_mode);
    return std::make_unique<SystemFile>(std::move(descriptor), path, seekable);
  }

  Result<std::unique_ptr<MappedFile>> map(const std::string& path) override {
    const Descriptor descriptor = open_descriptor(path, O_RDONLY);
    struct stat status {};
    if (!descriptor.is_open() || fstat(descriptor.number(), &status) != 0) {
      return os_failure("cannot open", path);
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0) return std::make_unique<SystemMapping>(nullptr, 0);
    void* address = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor.number(), 0);
    if (address == MAP_FAILED) return os_failure("cannot map into memory", path);
    return std::make_unique<SystemMapping>(address, size);
  }

  Result<std::unique_ptr<FileLock>> lock(const std::string& path, LockMode mode,
                                         bool wait) override {
    Descriptor descriptor = open_descriptor(path, O_RDWR | O_CREAT, 0644);
    if (!descriptor.is_open()) return os_failure("cannot open", path);
    give_to_owner(path);
    const int kind = mode == LockMode::kShared ? LOCK_SH : LOCK_EX;
    if (retry([&] { return flock(descriptor.number(), wait ? kind : kind | LOCK_NB); }) != 0) {
      if (errno == EWOULDBLOCK) {
        return fail(ErrorCode::kBusy, "somebody else holds the lock", path);
      }
      return os_failure("cannot lock", path);
    }
    return std::make_unique<SystemLock>(std::move(descriptor));
  }

  Result<std::unique_ptr<FileLock>> lock_byte(const std::string& path,
                                              std::uint64_t byte) override {
    Descriptor descriptor = open_descriptor(path, O_RDWR | O_CREAT, 0644);
    if (!descriptor.is_open()) return os_failure("cannot open", path);
    give_to_owner(path);
    if (!SystemByteLock::set(descriptor, F_WRLCK, byte)) {
      if (errno == EAGAIN || errno == EACCES)
        return fail(ErrorCode::kBusy, "somebody else holds the lock", path);
      return os_failure("cannot lock", path);
    }
    return std::make_unique<SystemByteLock>(std::move(descriptor), byte);
  }

  Result<FileInfo> info(const std::string& path) override {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return os_failure("cannot examine", path);
    FileInfo info;
    info.kind = kind_of(status.st_mode);
    info.size = static_cast<std::uint64_t>(status.st_size);
    info.modified = {status.st_mtim.tv_sec * 1'000'000 + status.st_mtim.tv_nsec / 1000};
    info.permissions = status.st_mode & 0777;
    return info;
  }

  Result<std::vector<DirectoryEntry>> list(const std::string& path) override {
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(path.c_str()), closedir);
    if (directory == nullptr) return os_failure("cannot list", path);
    std::vector<DirectoryEntry> entries;
    errno = 0;
    while (const dirent* entry = readdir(directory.get())) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") {
        entries.push_back({std::string(name), entry_kind(dirfd(directory.get()), *entry)});
      }
      errno = 0;
    }
    if (errno != 0) return os_failure("cannot list", path);
    std::sort(entries.begin(), entries.end(),
              [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
    return entries;
  }

  Status make_directories(const std::string& path, std::uint32_t permissions) override {
    for (std::size_t end = 0; end != std::string::npos;) {
      end = path.find('/', end + 1);
      const std::string part = path.substr(0, end);
      if (part.empty()) continue;
      if (mkdir(part.c_str(), permissions) == 0) {
        give_to_owner(part);
        continue;
      }
      const int reason = errno;
      struct stat status {};
      if (stat(part.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) continue;
      return fail(os_error(reason, "cannot make the directory", part));
    }
    return {};
  }

  Status rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0) return os_failure("cannot rename to " + to, from);
    return {};
  }

  Status remove(const std::string& path) override {
    if (::remove(path.c_str()) != 0) return os_failure("cannot remove", path);
    return {};
  }

  Status sync_directory(const std::string& path) override {
    const Descriptor descriptor = open_descriptor(path, O_RDONLY | O_DIRECTORY);
    if (!descriptor.is_open()) return os_failure("cannot open", path);
    if (retry([&] { return fsync(descriptor.number()); }) != 0) {
      return os_failure("cannot sync", path);
    }
    return {};
  }
};

void give_all(const std::string& folder, int depth) {
  const auto entries = system_files().list(folder);
  if (!entries) return;
  for (const DirectoryEntry& entry : *entries) {
    const std::string path = join_path(folder, entry.name);
    give_to_owner(path);
    if (entry.kind == FileInfo::Kind::kDirectory && depth > 0) give_all(path, depth - 1);
  }
}

}  // namespace

void follow_owner(const std::string& folder) {
  struct stat status {};
  if (geteuid() != 0 || stat(folder.c_str(), &status) != 0 || status.st_uid == 0) return;
  const std::string prefix = join_path(folder, "");
  {
    const std::lock_guard guard(owned_mutex);
    const bool known = std::any_of(owned_folders.begin(), owned_folders.end(),
                                   [&](const Owned& owned) { return owned.prefix == prefix; });
    if (!known) owned_folders.push_back({prefix, status.st_uid, status.st_gid});
    any_owned = true;
  }
  give_all(folder, 1);
}

// Never destroyed: what is removed when the program ends may need it then.
FileSystem& system_files() {
  static SystemFiles& files = *new SystemFiles;
  return files;
}

}  // namespace anima
