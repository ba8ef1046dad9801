// The learnings of a space in its backups (store/backup.h), and what is forgotten of them
// (memory/forgetting.h). Thread-safety: functions without state.
// Errors: those of learn/shard_files.h.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "store/backup.h"

namespace anima::agent {

struct KeptLearnings {
  std::vector<store::KeptFile> files;  // for BackupOptions::kept
  std::vector<Error> left_out;         // of shards that cannot be read
};
// Every shard of the space.
Result<KeptLearnings> kept_learnings(const std::string& space_folder, FileSystem& files);

struct RestoredLearnings {
  std::size_t shards = 0;
  std::vector<Error> left_out;  // of shards that did not come back; the others did
};
// Puts them back into a space that was just restored; other files that are kept are left out.
RestoredLearnings restore_learnings(const std::vector<store::KeptFile>& kept,
                                    const std::string& space_folder, FileSystem& files);

// Takes what names something that is forgotten out of every shard, its bytes too. How many rows, or
// with `dry_run` how many it would be. A shard that is damaged or of a newer program is passed
// over; agent/house/forgotten_files.h lists it as not searched.
Result<std::size_t> forget_learnings(const std::string& space_folder, FileSystem& files,
                                     const std::function<bool(std::string_view)>& names,
                                     bool dry_run);

}  // namespace anima::agent
