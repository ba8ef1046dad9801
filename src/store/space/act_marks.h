// Which acts of this machine are under way, so that one that was cut off can be taken back
// (act.h, WholeAct).
//
// acts/HEAD-MARK.act is an empty file that the process locks as long as the act runs. HEAD is the
// newest entry when it began, MARK the number that the act's first entry behind it says (kAct). One
// that is not locked was left by a process that ended in the middle of the act, or could not take
// it back. One that is not empty says nothing: its act is over, and it could not be removed. The
// files are not synced: they outlive a killed process, not always a power loss. Thread-safety: from
// any thread. Ownership: the file system outlives it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/result.h"
#include "store/act.h"
#include "store/ids.h"

namespace anima::store::detail {

class ActMark final : public ActUnderWay {
 public:
  // `left` is set when the act was cut off, and outlives the mark.
  ActMark(FileSystem& files, std::string path, std::unique_ptr<FileLock> lock,
          std::atomic<bool>& left)
      : files_(files), path_(std::move(path)), lock_(std::move(lock)), left_(left) {}
  ~ActMark() override;
  ActMark(const ActMark&) = delete;
  ActMark& operator=(const ActMark&) = delete;

  Status end() override;

 private:
  FileSystem& files_;
  const std::string path_;
  std::unique_ptr<FileLock> lock_;
  std::atomic<bool>& left_;
  bool over_ = false;
};

// Whether what could not be taken back may be so later.
bool may_pass(const Error& error);

// Errors: kBusy (somebody looks at a file of this name), kIo, kDiskFull.
Result<std::unique_ptr<ActMark>> mark_act(FileSystem& files, const std::string& folder,
                                          Sequence head, std::uint32_t mark,
                                          std::atomic<bool>& left);

struct LeftAct {
  Sequence after = Sequence::kNone;  // its entries come behind this one
  std::uint32_t mark = 0;
  std::unique_ptr<ActMark> held;  // nobody else takes it back meanwhile
};
// `left` as of ActMark. O(acts under way).
std::vector<LeftAct> left_acts(FileSystem& files, const std::string& folder,
                               std::atomic<bool>& left);

}  // namespace anima::store::detail
