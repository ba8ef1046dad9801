// Schema changes of the log, as data. Thread-safety: constants and functions without state.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/result.h"
#include "store/backup.h"

namespace anima::store::detail {

// One step between neighbouring versions, in SQL; entries themselves never change, since they are
// under their hashes.
struct MigrationStep {
  std::int64_t from = 0;  // to from + 1
  const char* up = "";
  const char* down = "";
};

// The steps of this program, by `from`. A log of version 1 is the oldest there is.
std::span<const MigrationStep> migration_steps();

Result<MigrationReport> migrate_log(const std::string& folder, std::int64_t to,
                                    std::span<const MigrationStep> steps, Clock& clock,
                                    FileSystem& files);

}  // namespace anima::store::detail
