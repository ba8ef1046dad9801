// Whether what is answered from is what the log says: the state is made again from every entry of
// the log and held against the base files of the space.
//
// A base carries checksums, but whoever changes one can make them anew; only the log is chained.
// Thread-safety: a function without state. O(log), in time and in memory as a replay without any
// base.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/result.h"
#include "store/verify/audit.h"

namespace anima::store {

struct ComparedBase {
  std::string name;  // of the file
  Sequence sequence = Sequence::kNone;
  std::uint64_t concepts = 0, statements = 0;
  std::string unused;  // why nobody answers from it, so that it was not compared; or empty
};

struct ViewsReport {
  std::uint64_t entries = 0;        // that were replayed
  std::vector<ComparedBase> bases;  // by their names; none: everything is answered from the log
};

// Every base file, good or not. Errors: kCorrupt naming the file and the first concept, value,
// statement or entry that differs, or that the file is damaged; kUnsupported when the log alone
// does not say what a base should hold (archived payloads, a key that is not here); those of
// reading the log; kCancelled.
Result<ViewsReport> verify_views(const std::string& folder, FileSystem& files,
                                 const AuditProgress& progress = {});

}  // namespace anima::store
