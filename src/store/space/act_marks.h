// Which acts of this machine are under way, so that one that was cut off can be taken back
// (act.h, WholeAct).
//
// acts/HEAD-MARK.act is an empty file that the process locks as long as the act runs. HEAD is the
// newest entry when it began, MARK the number that the act's first entry behind it says (kAct). One
// that is not locked was left by a process that ended in the middle of the act. The files are not
// synced: they outlive a killed process, not always a power loss. Thread-safety: from any thread.
// Ownership: the file system outlives it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/result.h"
#include "store/ids.h"

namespace anima::store::detail {

class ActMark {
 public:
  ActMark(FileSystem& files, std::string path, std::unique_ptr<FileLock> lock)
      : files_(files), path_(std::move(path)), lock_(std::move(lock)) {}
  ~ActMark();
  ActMark(const ActMark&) = delete;
  ActMark& operator=(const ActMark&) = delete;

 private:
  FileSystem& files_;
  const std::string path_;
  std::unique_ptr<FileLock> lock_;
};

Result<std::unique_ptr<ActMark>> mark_act(FileSystem& files, const std::string& folder,
                                          Sequence head, std::uint32_t mark);

struct LeftAct {
  Sequence after = Sequence::kNone;  // its entries come behind this one
  std::uint32_t mark = 0;
  std::unique_ptr<ActMark> held;  // nobody else takes it back meanwhile; gone with it
};
// O(acts under way).
std::vector<LeftAct> left_acts(FileSystem& files, const std::string& folder);

}  // namespace anima::store::detail
