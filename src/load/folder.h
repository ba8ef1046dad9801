// The files of a folder that can be loaded: a vault of notes, a directory of exports.
#pragma once

#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/result.h"

namespace anima::load {

inline constexpr std::size_t kMaxFolderFiles = 100'000;

// Files whose names say what they are (.md, .csv, .json ..), in this folder and those below it,
// sorted by path. Names that begin with a dot are left out, and links to folders are not followed.
// Errors: kNotFound where there is none, kLimitExceeded beyond kMaxFolderFiles, those of the file
// system. O(files). Thread-safety: pure.
Result<std::vector<std::string>> files_of_folder(FileSystem& files, const std::string& folder);
// The same of files that may hold conversations, mail or texts (talk.h).
Result<std::vector<std::string>> talk_files_of_folder(FileSystem& files, const std::string& folder);

}  // namespace anima::load
