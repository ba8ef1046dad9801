// The difference between a folder and what a command made of a view of it (view.h), read from the
// disk.
//
// Of layers only what the command touched is looked at, so that the size of the folder costs
// nothing; of a copy everything is. Nothing is followed: neither links nor what a name becomes
// meanwhile. What changed in the folder itself since `since_ns` while the command ran is a
// conflict: what the command made of it rests on what is no longer there. Folders and files of the
// upper side that their mode closes are opened (the upper side is ours); their mode is recorded as
// it was. Thread-safety: from any thread over different folders. Errors: kConflict (the folder
// changed meanwhile), kLimitExceeded (deeper than kMostDepth, more entries or bytes than the
// limits), kIo. Complexity: of layers what they hold, of a copy both folders.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "tools/effects/difference.h"

namespace anima::tools::effects {

inline constexpr int kMostDepth = 100;  // folders within folders

struct ScanLimits {
  std::uint64_t bytes = std::uint64_t{1} << 30;  // of all files that are read
  std::uint64_t entries = 100'000;
};

// `lower` with the upper folder of an overlayfs (userxattr) above it.
Result<Difference> scan_layers(const std::string& lower, const std::string& upper,
                               std::int64_t since_ns, const ScanLimits& limits = {});

// What the original was when it was copied: stamps by path.
using Manifest = std::map<std::string, std::string, std::less<>>;
Result<Difference> scan_copy(const std::string& original, const std::string& copy,
                             const Manifest& manifest, const ScanLimits& limits = {});

// What is there now, without a hash; kAbsent when nothing is. `folder` is a descriptor.
Result<Entry> entry_at(int folder, const std::string& name);

}  // namespace anima::tools::effects
