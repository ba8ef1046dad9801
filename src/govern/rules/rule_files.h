// RuleFiles: the owner's rules on disk, and whether they are still those that were read.
//
// Rules are the files *.mg of some folders. changed() is true the first time and whenever they are
// not what it found last; while nothing was touched it costs one look at each folder and file. That
// misses nothing: within two seconds of a look that found something touched, where the clock of a
// file system may not tell two changes apart, the files are read again each time. A folder that is
// not there has no rules. Ownership: files and clock outlive it. Thread-safety: one thread at a
// time. Complexity: 0.1 to 0.3 us for each folder and file, else of reading them. Source:
// docs/governance_policy.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/config.h"
#include "base/files/file.h"
#include "base/files/file_stamp.h"
#include "base/result.h"

namespace anima::govern {

struct PolicySource {
  std::string name;  // of the file, for messages
  std::string text;
  bool operator==(const PolicySource&) const = default;
};

// Where rules for all spaces lie: of the machine, then of the user.
std::vector<std::string> general_rule_folders(const Environment& environment);

// The files *.mg of the folders, of each by name. Errors: kIo, kDenied; kInvalidArgument for what
// is no file; kLimitExceeded above a MiB.
Result<std::vector<PolicySource>> rules_in(FileSystem& files,
                                           const std::vector<std::string>& folders);

class RuleFiles {
 public:
  RuleFiles(FileSystem& files, Clock& clock, const std::vector<std::string>& folders);

  // Are they other than at the last call? Errors: those of rules_in(); the next call reads again.
  Result<bool> changed();
  // What changed() read last.
  const std::vector<PolicySource>& rules() const { return rules_; }
  // What was read last was of no use: the next call says that it changed.
  void forget() { known_ = false; }

 private:
  std::vector<FileStamp> stamps() const;

  FileSystem& files_;
  Clock& clock_;
  std::vector<std::string> folders_;  // absolute: the working directory may change
  std::vector<PolicySource> rules_ = {};
  bool known_ = false;                  // rules_ is what the files said last
  std::vector<FileStamp> stamps_ = {};  // of folders and files, from about then
  std::int64_t settles_ = 0;            // monotonic: from then on equal stamps are equal files
  bool settled_ = false;
};

}  // namespace anima::govern
