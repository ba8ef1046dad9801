// Base files in a space's folder: base-<sequence>.anima, written beside the old one and renamed
// into place. Thread-safety: functions over a FileSystem; one writer at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/result.h"
#include "store/base/base.h"

namespace anima::store::detail {

struct BaseFile {
  std::string name;
  std::uint64_t sequence = 0;
};
// Good or not, by their names; the newest first.
std::vector<BaseFile> base_files(FileSystem& files, const std::string& folder);

// The newest base that passes its checks, or null; what was wrong with others goes into `notes`.
// One that vanishes meanwhile is looked for again: then there is a newer one.
std::shared_ptr<const Base> open_newest_base(FileSystem& files, const std::string& folder,
                                             std::vector<std::string>& notes);
// The newest good one behind `after`, or null.
std::shared_ptr<const Base> open_newer_base(FileSystem& files, const std::string& folder,
                                            std::uint64_t after);
// Durable when it returns; the base is mapped from the file.
Result<std::shared_ptr<const Base>> write_base_file(FileSystem& files, const std::string& folder,
                                                    BaseImage image);
// The base at this sequence; a missing one is fine. Durable.
Status remove_base_file(FileSystem& files, const std::string& folder, std::uint64_t sequence);
// What write_base_file() left when its process was killed. Requires that nobody writes one.
Status remove_base_drafts(FileSystem& files, const std::string& folder);
// All but the one at `current`, or that too.
Status remove_base_files(FileSystem& files, const std::string& folder, std::uint64_t current,
                         bool also_current);

}  // namespace anima::store::detail
