// The tables of a SQLite file, with the keys that they declare. Opened for reading alone; views and
// SQLite's own tables are left out, blobs read as empty. Errors: kCorrupt, kIo with SQLite's words.
// Thread-safety: one thread. O(rows) a pass.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "load/read/table.h"

namespace anima::load {

bool is_sqlite(std::string_view beginning);
Result<std::vector<std::unique_ptr<SourceTable>>> sqlite_tables(const std::string& file);

}  // namespace anima::load
