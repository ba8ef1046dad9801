#include "base/files/file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace anima {
namespace {

// Read piece by piece, because the size of a pipe or of a file in /proc says nothing.
Result<std::string> read_all(File& file, const std::string& path, std::uint64_t max_bytes) {
  ANIMA_ASSIGN(const std::uint64_t expected, file.size());
  std::string bytes;
  std::uint64_t room = std::min(expected, max_bytes) + 1;
  while (true) {
    const std::size_t before = bytes.size();
    bytes.resize(before + room);
    ANIMA_ASSIGN(const std::size_t got, file.read_at(before, bytes.data() + before, room));
    bytes.resize(before + got);
    if (bytes.size() > max_bytes) {
      return fail(ErrorCode::kLimitExceeded,
                  fmt::format("the file is longer than {} bytes", max_bytes), path);
    }
    if (got < room) return bytes;
    room = std::min<std::uint64_t>(std::max<std::uint64_t>(bytes.size(), 65'536),
                                   max_bytes - bytes.size() + 1);
  }
}

// A file of our own, also where others may write: what lies there already, left behind or planted
// as a link, is not written into.
Result<std::unique_ptr<File>> open_new(FileSystem& files, const std::string& path,
                                       std::uint32_t permissions) {
  auto file = files.open(path, OpenMode::kExclusive, permissions);
  if (file || file.error().code != ErrorCode::kAlreadyExists) return file;
  ANIMA_TRY(files.remove(path));
  return files.open(path, OpenMode::kExclusive, permissions);
}

Status write_and_sync(FileSystem& files, const std::string& path, std::string_view bytes,
                      std::uint32_t permissions) {
  ANIMA_ASSIGN(const std::unique_ptr<File> file, open_new(files, path, permissions));
  ANIMA_TRY(file->append(bytes));
  ANIMA_TRY(file->sync());
  return file->close();
}

}  // namespace

bool file_exists(FileSystem& files, const std::string& path) {
  return files.info(path).has_value();
}

Result<std::string> read_file(FileSystem& files, const std::string& path, std::uint64_t max_bytes) {
  ANIMA_ASSIGN(const std::unique_ptr<File> file, files.open(path, OpenMode::kRead));
  return read_all(*file, path, max_bytes);
}

Status replace_file(FileSystem& files, const std::string& path, std::string_view bytes,
                    std::uint32_t permissions) {
  static std::atomic<unsigned> counter{0};
  const std::string temporary = fmt::format("{}.tmp-{}-{}", path, getpid(), counter++);
  Status status = write_and_sync(files, temporary, bytes, permissions);
  if (status) status = files.rename(temporary, path);
  if (!status) {
    (void)files.remove(temporary);
    return status;
  }
  return files.sync_directory(std::string(parent_path(path)));
}

Status remove_tree(FileSystem& files, const std::string& path) {
  const auto entries = files.list(path);
  if (!entries) {
    if (entries.error().code == ErrorCode::kNotFound) return {};
    return fail(entries.error());
  }
  for (const DirectoryEntry& entry : *entries) {
    const std::string child = join_path(path, entry.name);
    ANIMA_TRY(entry.kind == FileInfo::Kind::kDirectory ? remove_tree(files, child)
                                                       : files.remove(child));
  }
  return files.remove(path);
}

Error os_error(int number, std::string_view what, std::string where) {
  Error error{ErrorCode::kIo,
              fmt::format("{}: {}", what, std::generic_category().message(number)),
              std::move(where),
              {}};
  switch (number) {
    case ENOENT:
      error.code = ErrorCode::kNotFound;
      break;
    case EEXIST:
      error.code = ErrorCode::kAlreadyExists;
      break;
    case ENOSPC:
    case EDQUOT:
      error.code = ErrorCode::kDiskFull;
      error.hint = "free some space and try again";
      break;
    case EAGAIN:
    case EBUSY:
      error.code = ErrorCode::kBusy;
      break;
    case EACCES:
    case EPERM:
      error.hint = "check the owner and the permissions";
      break;
    case EROFS:
      error.hint = "the file system is mounted read-only";
      break;
    case EMFILE:
    case ENFILE:
      error.hint = "too many files are open: raise the limit (ulimit -n)";
      break;
    default:
      break;
  }
  return error;
}

std::string join_path(std::string_view folder, std::string_view name) {
  if (folder.empty() || (!name.empty() && name.front() == '/')) return std::string(name);
  std::string path(folder);
  if (path.back() != '/') path += '/';
  return path += name;
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

std::string_view parent_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
}

std::string_view extension(std::string_view path) {
  const std::string_view name = file_name(path);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view() : name.substr(dot);
}

TemporaryDirectory::TemporaryDirectory(std::string_view prefix) {
  const char* folder = std::getenv("TMPDIR");
  path_ = join_path(folder != nullptr && *folder != '\0' ? folder : "/tmp",
                    fmt::format("{}-XXXXXX", prefix));
  ANIMA_CHECK(mkdtemp(path_.data()) != nullptr);
}

TemporaryDirectory::~TemporaryDirectory() { (void)remove_tree(system_files(), path_); }

}  // namespace anima
