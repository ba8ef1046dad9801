// What a base knows of keys: which were destroyed when it was made, and which were not here, so
// that what they seal is missing in it.
//
// On disk, never change: the number of destroyed ones, and for each its seal (string) and the entry
// that says so (varint); then of those that were not here: the seal, the last entry that is sealed
// under it (varint), and 1 when ids were given out there, else 0 (varint); then those whose content
// is in the base. Thread-safety: functions
// without state.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace anima::store::detail {

// A key that is not here.
struct AwayKey {
  std::uint64_t last = 0;  // the last entry that is sealed under it
  bool defines = false;    // values, entities or graphs that nobody can name without it
};

struct BaseSeals {
  std::map<std::string, std::uint64_t> destroyed;
  std::map<std::string, AwayKey> away;
  std::set<std::string> opened;

  // The newest entry that erases something, or 0.
  std::uint64_t erasure() const;
};

std::string encode_seals(const BaseSeals& seals);
// Errors: kCorrupt.
Result<BaseSeals> decode_seals(std::string_view bytes);

}  // namespace anima::store::detail
