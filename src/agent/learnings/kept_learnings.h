// The learnings of a space in its backups (store/backup.h). Thread-safety: functions without state.
// Errors: those of learn/shard_files.h.
#pragma once

#include <string>
#include <vector>

#include "base/files/file.h"
#include "store/backup.h"

namespace anima::agent {

// For BackupOptions::kept: every shard of the space.
Result<std::vector<store::KeptFile>> kept_learnings(const std::string& space_folder,
                                                    FileSystem& files);
// Puts them back into a space that was just restored. Answers how many shards; other files that
// are kept are left out.
Result<std::size_t> restore_learnings(const std::vector<store::KeptFile>& kept,
                                      const std::string& space_folder, FileSystem& files);

}  // namespace anima::agent
