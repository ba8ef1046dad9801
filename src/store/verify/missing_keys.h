// Keys that the log names and that open nothing: what is sealed under them cannot be read until
// they are back. A key that was destroyed is not missing. Thread-safety: functions without state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/result.h"
#include "store/ids.h"
#include "store/space.h"

namespace anima::store {

struct MissingKey {
  enum class Why : std::uint8_t {
    kNotHere,  // there is no file of it
    kDamaged,  // its file holds no key any more, or another one
    kChanged,  // its file holds a key that does not open what was sealed under its name
  };
  std::string seal;  // name#generation
  std::string file;  // where it belongs
  Why why = Why::kNotHere;
  std::vector<Sequence> entries;  // that are sealed under it, or hold records that are
};
// By name. Errors: those of the log. O(log).
Result<std::vector<MissingKey>> missing_seal_keys(Space& space, FileSystem& files);

// Files among the keys of a folder that hold no key, or one that belongs into another file; as
// paths. Errors: those of the folder; none where there is no folder.
Result<std::vector<std::string>> files_without_key(const std::string& folder, FileSystem& files);

}  // namespace anima::store
