// Files: every access of Anima to the file system goes through a FileSystem, so that a test can put
// a full disk, a torn write or a failing fsync at any place (tests/support/fault_files.h).
//
// Errors everywhere: kNotFound (no such file), kAlreadyExists, kDiskFull (also quota), kBusy
// (locked by somebody else), else kIo with the operating system's words; `where` is the path. Paths
// are UTF-8 as the user wrote them. Durability: what was written is on disk after sync() of the
// file and, for a new or renamed name, sync_directory() of its folder; replace_file does both.
// Thread-safety: a FileSystem may be used from any thread; File::read_at and write_at of one file
// too, append not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace anima {

enum class OpenMode : std::uint8_t {
  kRead,       // must exist
  kReadWrite,  // must exist
  kCreate,     // read and write; made when missing, kept when there
  kTruncate,   // read and write; made when missing, emptied when there
  kExclusive,  // read and write; must not exist
};

// An open file; closed by its destructor (call close() to learn of a late error).
class File {
 public:
  virtual ~File() = default;
  // Fills `out` as far as the file reaches; returns how many bytes were read.
  virtual Result<std::size_t> read_at(std::uint64_t offset, char* out, std::size_t size) = 0;
  // All or an error; after an error any part may have been written.
  virtual Status write_at(std::uint64_t offset, std::string_view bytes) = 0;
  virtual Status append(std::string_view bytes) = 0;
  virtual Status truncate(std::uint64_t size) = 0;
  virtual Status sync() = 0;
  virtual Result<std::uint64_t> size() = 0;
  virtual Status close() = 0;
};

// The bytes of a file, mapped read-only; unmapped by its destructor. The file must not shrink
// meanwhile.
class MappedFile {
 public:
  virtual ~MappedFile() = default;
  virtual std::string_view bytes() const = 0;
};

// An advisory lock, held until destroyed (or until the process ends, however it ends).
class FileLock {
 public:
  virtual ~FileLock() = default;
};
enum class LockMode : std::uint8_t { kShared, kExclusive };

struct FileInfo {
  enum class Kind : std::uint8_t { kFile, kDirectory, kOther };
  Kind kind = Kind::kOther;
  std::uint64_t size = 0;
  Timestamp modified;
  std::uint32_t permissions = 0;  // the low nine bits of the mode
};

struct DirectoryEntry {
  std::string name;
  FileInfo::Kind kind = FileInfo::Kind::kOther;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode,
                                             std::uint32_t permissions = 0644) = 0;
  virtual Result<std::unique_ptr<MappedFile>> map(const std::string& path) = 0;
  // Waits until the lock is free, or fails with kBusy when `wait` is false. The file is made when
  // missing.
  virtual Result<std::unique_ptr<FileLock>> lock(const std::string& path, LockMode mode,
                                                 bool wait) = 0;
  // The same for one byte of the file, exclusive and without waiting, so that one file holds many
  // locks. Two handles exclude each other, in one process too.
  virtual Result<std::unique_ptr<FileLock>> lock_byte(const std::string& path,
                                                      std::uint64_t byte) = 0;
  virtual Result<FileInfo> info(const std::string& path) = 0;
  // Sorted by name, without "." and "..".
  virtual Result<std::vector<DirectoryEntry>> list(const std::string& path) = 0;
  virtual Status make_directories(const std::string& path, std::uint32_t permissions = 0755) = 0;
  virtual Status rename(const std::string& from, const std::string& to) = 0;  // replaces `to`
  virtual Status remove(const std::string& path) = 0;  // a file or an empty directory
  virtual Status sync_directory(const std::string& path) = 0;
};

// The real one; lives as long as the process.
FileSystem& system_files();

bool file_exists(FileSystem& files, const std::string& path);
// The whole file; kLimitExceeded when it is longer than max_bytes. Reads pipes and devices too.
Result<std::string> read_file(FileSystem& files, const std::string& path,
                              std::uint64_t max_bytes = std::uint64_t{1} << 32);
// Writes a temporary file beside `path`, syncs it, renames it over `path` and syncs the folder:
// after a crash the old bytes or the new ones are there, never a mix; on an error the old ones. For
// files of our own: a pipe or a device there is replaced. What a user named:
// base/files/output_file.h.
Status replace_file(FileSystem& files, const std::string& path, std::string_view bytes,
                    std::uint32_t permissions = 0644);
// Removes a folder with everything in it; a missing one is fine. Does not follow symbolic links.
Status remove_tree(FileSystem& files, const std::string& path);

// The Error for an errno of the operating system; `what` reads like "cannot open the file".
Error os_error(int number, std::string_view what, std::string where);

// "a/b" + "c" = "a/b/c"; an absolute second part stands alone.
std::string join_path(std::string_view folder, std::string_view name);
std::string_view file_name(std::string_view path);    // "a/b.txt" -> "b.txt"
std::string_view parent_path(std::string_view path);  // "a/b.txt" -> "a", "b" -> "."
std::string_view extension(std::string_view path);    // "a/b.tar.gz" -> ".gz", "b" -> ""

// A fresh private folder under $TMPDIR or /tmp, removed with everything in it by the destructor.
class TemporaryDirectory {
 public:
  // Requires that the folder can be made.
  explicit TemporaryDirectory(std::string_view prefix = "anima");
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return join_path(path_, name); }

 private:
  std::string path_;
};

}  // namespace anima
