#include "load/folder.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "load/sniff/file_kind.h"

namespace anima::load {
namespace {

bool may_hold_talk(std::string_view file) {
  for (const std::string_view ending : {".json", ".jsonl", ".ndjson", ".txt", ".text", ".eml",
                                        ".mbox", ".html", ".htm", ".md", ".markdown"}) {
    if (file.size() > ending.size() &&
        equals_ignoring_ascii_case(file.substr(file.size() - ending.size()), ending))
      return true;
  }
  return false;
}

Result<std::vector<std::string>> files_below(FileSystem& files, const std::string& folder,
                                             bool (*wanted)(std::string_view),
                                             const std::string& hint) {
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
      } else if (entry.kind == FileInfo::Kind::kFile && wanted(entry.name)) {
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
    return fail(ErrorCode::kNotFound, "no file that can be loaded is in this folder", folder, hint);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

Result<std::vector<std::string>> files_of_folder(FileSystem& files, const std::string& folder) {
  return files_below(files, folder, has_known_ending,
                     "anima load reads .csv, .json, .md, .txt, .sqlite, .ttl and their kin");
}

Result<std::vector<std::string>> talk_files_of_folder(FileSystem& files,
                                                      const std::string& folder) {
  return files_below(files, folder, may_hold_talk,
                     "anima memory ingest reads .json, .jsonl, .txt, .eml, .mbox, .html and .md");
}

}  // namespace anima::load
