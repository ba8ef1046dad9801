// SQLite for the state of a world. Source: sql.h.
#pragma once

#include <memory>
#include <string>

#include "world/tables/sql.h"

namespace anima::world {

// Makes the file and its tables when they are missing. Errors: kIo, kDiskFull, kBusy, kCorrupt,
// kVersionMismatch.
Result<std::unique_ptr<SqlDatabase>> open_sqlite_database(const std::string& path);
// To be read alone, also while a world writes it; nothing is made or changed. Errors: kNotFound,
// kIo, kBusy, kCorrupt, kVersionMismatch.
Result<std::unique_ptr<SqlDatabase>> read_sqlite_database(const std::string& path);

}  // namespace anima::world
