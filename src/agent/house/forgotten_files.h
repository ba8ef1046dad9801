// What is forgotten (memory/forgetting.h), in the files beside the log of a space: effects of
// commands that wait or can be undone (staged/), what tools wrote (work/), what people put there
// (compartments/, skills/, config.toml ..), and, afterwards, the bytes of every file.
// Thread-safety: functions without state. Errors: those of the disk.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/result.h"

namespace anima::agent {

using IsNamed = std::function<bool(std::string_view)>;

struct NamedFiles {
  std::vector<std::string> staged;  // folders of staged/: a path, a note or a content names it
  std::vector<std::string> work;    // paths in work/: the path or the content names it
  std::vector<std::string> work_folders;  // that are called so, and hold files; from within
  std::vector<std::string> by_hand;       // other paths: nothing but a person removes these
  std::vector<std::string> unsearched;  // too long, or not to be read; damaged stores of learnings
  std::uint64_t searched = 0;           // files
};

// Paths are relative to the space.
Result<NamedFiles> find_named_files(const std::string& space_folder, FileSystem& files,
                                    const IsNamed& named);
// The staged effects, which cannot be applied or undone then; with `work`, the files of work/ too.
Status remove_named_files(const std::string& space_folder, FileSystem& files,
                          const NamedFiles& named, bool work);

// One place that was searched, for a certificate.
struct Searched {
  std::string place, how;
  std::uint64_t files = 0;
  std::vector<std::string> left;  // files of it that still have the bytes of a name
};
// Searches the bytes of every file of the space for the names, as they are written, in lower and
// upper case, in both normal forms, with their words joined, and escaped as in a URL, in HTML and
// in JSON. O(bytes).
Result<std::vector<Searched>> search_bytes(const std::string& space_folder, FileSystem& files,
                                           const std::vector<std::string>& names);
Json searched_json(const std::vector<Searched>& places, const NamedFiles& named, bool work);

}  // namespace anima::agent
