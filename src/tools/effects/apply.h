// Taking a folder from one state to another, step by step, so that doing it twice is doing it once:
// what makes the application of a difference, and its undoing, all or nothing (staging.h keeps the
// journal that has it done again).
//
// New files are put in place by a rename, so nobody reads half of one. Paths are resolved beneath
// the folder and through no link. Thread-safety: from any thread over different folders.
// Errors: kConflict (the folder is not in the state to start from), kDenied (a folder that may not
// be written), kIo and its kin.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "tools/effects/difference.h"

namespace anima::tools::effects {

struct Step {
  std::string path;
  Entry from, to;
  std::string content;  // absolute path of the file that holds what `to` has and `from` has not
};

// The state to start from: known by its stamps (what a command was shown), or by hash, mode and
// size (what we wrote ourselves).
enum class KnownBy : std::uint8_t { kStamp, kHash };

// That the folder is where the steps start, and can be written. `steps` sorted by path.
Status check_steps(int root, const std::vector<Step>& steps, KnownBy known_by);

// Takes all steps. May be called again after it was interrupted anywhere. `mark` is part of the
// names of files that are there for a moment.
Status take_steps(int root, const std::vector<Step>& steps, const std::string& mark);

// The other way round; `content` of each is where the old file is kept, by index.
std::vector<Step> reversed(const std::vector<Step>& steps, const std::vector<std::string>& old);

// Keeps the file of the folder under `to`: as a second name where that is safe, else as a copy.
Status keep_file(int root, const std::string& path, const std::string& to);

}  // namespace anima::tools::effects
