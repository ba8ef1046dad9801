// What a redaction leaves of entries, put aside until they are exchanged: in a file beside the log,
// or in memory where the space has no folder.
//
// The file is a draft (log/draft_name.h): it is removed with the object, and what a killed process
// left by whoever makes the next one. Thread-safety: one thread. Errors: those of the file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/files/file.h"
#include "base/result.h"
#include "store/log.h"

namespace anima::store::detail {

class RedactionSpool {
 public:
  explicit RedactionSpool(std::string folder);  // of the space; empty: in memory
  ~RedactionSpool();
  RedactionSpool(const RedactionSpool&) = delete;
  RedactionSpool& operator=(const RedactionSpool&) = delete;

  Status add(const LogEntry& entry);
  // Each entry as it was added, in that order; nothing is added afterwards.
  Status visit(const std::function<Status(const LogEntry&)>& take);

 private:
  Status flush();

  const std::string folder_;
  std::string path_;
  std::unique_ptr<File> file_;  // null: nothing was written to the disk
  std::string buffer_;          // of what is not there yet
};

}  // namespace anima::store::detail
