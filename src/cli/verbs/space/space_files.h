// What lies in the folder of a space beside the entries of its log: each file with what it is to
// be, and what to do where it is not that, or may not be read and written. Thread-safety: a
// function without state.
#pragma once

#include <string>
#include <vector>

#include "base/files/file.h"

namespace anima::cli {

struct FileFault {
  std::string what;    // "log.turn is no file"
  std::string remedy;  // "move it away; .."
};
// Every fault of the folder's own files, in the order of the folder. Where the folder as a whole
// can only be read, nobody is missed who may write. O(files in the folder).
std::vector<FileFault> faults_of_files(FileSystem& files, const std::string& space);

}  // namespace anima::cli
