// Which files below a folder hold a text: what was erased, forgotten or compacted is in none.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"

namespace anima::test {

// Paths, in the order of the folders' lists. A folder that cannot be listed fails the test.
inline std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> found;
  const auto entries = system_files().list(folder);
  EXPECT_TRUE(entries) << folder;
  if (!entries) return found;
  for (const DirectoryEntry& entry : *entries) {
    const std::string path = join_path(folder, entry.name);
    if (entry.kind == FileInfo::Kind::kDirectory) {
      for (std::string& each : files_below(path)) found.push_back(std::move(each));
    } else {
      found.push_back(path);
    }
  }
  return found;
}

inline std::vector<std::string> files_with(const std::string& folder, std::string_view text) {
  std::vector<std::string> found;
  for (const std::string& path : files_below(folder)) {
    const auto bytes = read_file(system_files(), path);
    if (bytes && bytes->find(text) != std::string::npos) found.push_back(path);
  }
  return found;
}

}  // namespace anima::test
