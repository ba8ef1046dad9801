// Notes beside a log: a file of JSON objects, one a line, that only grows, and that says so where
// it is damaged.
//
// On disk: each line has beside its own members "line", its number from 1 on, and, as the last,
// "check": the CRC-32 of the object without it, as eight hexadecimal digits. A line of before that
// has neither counts while no line with them stands above it. Damage is a line that is no object,
// that is torn, or that says something else than its check, and a number that is not the line's
// own, for then a line is missing above it. Every line that holds its check is read. That whole
// lines are missing at the end cannot be seen in the file. Thread-safety: functions without state;
// two that append at once may give one number twice, which counts as damage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/result.h"

namespace anima {

struct NotedLines {
  std::vector<Json> lines;                    // that are whole, with what the file adds to them
  bool missing = false;                       // there is no such file
  std::optional<std::uint64_t> damaged_from;  // the first line where damage shows
};

// Errors: those of the disk, kIo for what is no file; a missing file is none.
Result<NotedLines> read_noted_lines(FileSystem& files, const std::string& path);

// Whether a line can be added, as far as can be told before: a file that is there can be written.
Status check_takes_noted_line(FileSystem& files, const std::string& path);

// Durable when it returns. A torn line at the end stays what it is, and the new one begins behind
// it. `line` is an object without the members "line" and "check". O(file).
Status append_noted_line(FileSystem& files, const std::string& path, Json line);

}  // namespace anima
