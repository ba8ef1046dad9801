#include "load/folder.h"

#include <algorithm>
#include <utility>

#include "load/sniff/file_kind.h"

namespace anima::load {

Result<std::vector<std::string>> files_of_folder(FileSystem& files, const std::string& folder) {
  std::vector<std::string> found;
  std::vector<std::string> open{folder};
  while (!open.empty()) {
    const std::string next = std::move(open.back());
    open.pop_back();
    ANIMA_ASSIGN(const std::vector<DirectoryEntry> entries, files.list(next));
    for (const DirectoryEntry& entry : entries) {
      if (entry.name.starts_with('.')) continue;
      std::string path = join_path(next, entry.name);
      if (entry.kind == FileInfo::Kind::kDirectory) {
        open.push_back(std::move(path));
      } else if (entry.kind == FileInfo::Kind::kFile && has_known_ending(entry.name)) {
        found.push_back(std::move(path));
      }
      if (found.size() > kMaxFolderFiles) {
        return fail(ErrorCode::kLimitExceeded,
                    "more than " + std::to_string(kMaxFolderFiles) + " files to load", folder,
                    "load its folders one by one");
      }
    }
  }
  if (found.empty()) {
    return fail(ErrorCode::kNotFound, "no file that can be loaded is in this folder", folder,
                "anima load reads .csv, .json, .md, .txt, .sqlite, .ttl and their kin");
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace anima::load
