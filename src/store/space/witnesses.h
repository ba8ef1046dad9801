// What the files beside a log know of it. A log can lose its tail, or be gone, without a word of
// its own; the shared head, the bases, the notes of backups and the keys then know better, and no
// space is opened for writing over what they know.
//
// Thread-safety: functions over a FileSystem. Ask before the log's head is read: the log only
// grows. O(files in the folder).
#pragma once

#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/result.h"
#include "store/ids.h"
#include "store/log.h"

namespace anima::store::detail {

struct Witness {
  std::string what;  // "log.head", "base-120.anima", "the backup /safe/monday"
  Sequence known = Sequence::kNone;
};

// The one that knows the newest acknowledged entry; known is kNone when nobody knows any.
Witness newest_witness(FileSystem& files, const std::string& folder);

// Errors: kCorrupt when the log ends before what the witness knows.
Status check_witness(FileSystem& files, const std::string& folder, const Witness& witness,
                     Sequence head);

// What is there of a space apart from its log, for people; empty where no space was.
std::vector<std::string> remains_of_space(FileSystem& files, const std::string& folder);

// The error for a folder that holds such remains, but no log or an empty one.
Error lost_log(FileSystem& files, const std::string& folder,
               const std::vector<std::string>& remains);

}  // namespace anima::store::detail
