// FileIdentity: which file lies at a path. A name can come to stand for another file while the
// first is open (a folder that was deleted or moved, a file that a sync program or a restore put in
// its place by renaming); what is written to the open one then reaches nobody.
// Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace anima::store::detail {

struct FileIdentity {
  std::uint64_t device = 0, inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

// Nothing where no file is there, or it cannot be looked at. One system call.
std::optional<FileIdentity> identity_of(const std::string& path);

// What is to be said where the open log no longer is the one at its path. kConflict.
Error log_replaced(const std::string& path);

}  // namespace anima::store::detail
