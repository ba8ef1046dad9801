// A folder that nothing leads out of: every path is resolved by the kernel beneath it (openat2 with
// RESOLVE_BENEATH), so neither "..", nor an absolute path, nor a symbolic link planted meanwhile
// reaches anything else. For files whose names come from others.
//
// Paths are relative to the folder, or absolute and beneath it. Errors: kDenied (the path leads
// out, by its words alone, also as somebody would read it who decodes URLs), kNotFound,
// kInvalidArgument (no regular file), kLimitExceeded, kUnsupported (a kernel before 5.6, or a
// container that hides openat2), else those of os_error. Thread-safety: from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "base/result.h"

namespace anima {

// Whether a relative path has more steps up than down at some place; a backslash is a slash too.
bool climbs_out(std::string_view path);

// What is not written into, wherever in the folder it lies.
struct ClosedName {
  std::string_view name;
  std::string_view why;   // for people
  std::string_view hint;  // what to do instead
};

class RootedFolder {
 public:
  // Requires a folder that exists.
  static Result<RootedFolder> open(const std::string& path);
  RootedFolder(RootedFolder&& other) noexcept;
  RootedFolder& operator=(RootedFolder&& other) noexcept;
  ~RootedFolder();

  const std::string& path() const { return path_; }

  struct Content {
    std::string bytes;
    std::uint64_t size = 0;  // of the file; more than `bytes` when it was cut
  };
  // The first `max_bytes` of a regular file.
  Result<Content> read(std::string_view path, std::uint64_t max_bytes) const;
  // The whole file or kLimitExceeded.
  Result<std::string> read_all(std::string_view path, std::uint64_t max_bytes) const;
  // Replaces the file as a whole, makes missing folders on the way. When we are root, what is made
  // belongs to the owner of the folder. kDenied when a step of the place that it would really be
  // written to, links on the way followed, has a `closed` name.
  Status write(std::string_view path, std::string_view bytes,
               std::span<const ClosedName> closed = {}) const;
  Status remove(std::string_view path) const;  // a file
  // Sorted by name; hidden names too, without "." and "..".
  Result<std::vector<DirectoryEntry>> list(std::string_view path) const;
  // Whether the path, as it is written, could lie in this folder.
  bool covers(std::string_view path) const;

 private:
  RootedFolder() = default;
  Result<std::string> inner(std::string_view path) const;
  Result<int> open_beneath(std::string_view path, int flags, unsigned mode) const;
  Result<int> open_parent(std::string_view inner, bool make, std::string& name,
                          std::span<const ClosedName> closed = {}) const;
  Status keep_out(int folder, std::string_view name, std::string_view path,
                  std::span<const ClosedName> closed) const;
  void give_to_owner(int descriptor) const;

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace anima
