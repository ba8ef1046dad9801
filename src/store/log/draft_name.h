// A name for what is still being written, beside what it is to become: PATH.tmp-PID-<16
// digits>.part. The digits are drawn, so that nothing of anybody's lies there: no folder that would
// be cleared, no link that was planted. What a killed process has left is removed by
// remove_dead_drafts (base/files/output_file.h); `anima doctor` names what was left behind.
// Thread-safety: from any thread.
#pragma once

#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>

#include "base/crypto.h"
#include "base/files/output_file.h"
#include "base/random.h"

namespace anima::store::detail {

inline std::string draft_name(const std::string& path) {
  std::array<std::uint8_t, 8> digits{};
  SystemRandom().fill(digits);
  return path + std::string(kDraftMark) + std::to_string(getpid()) + "-" + to_hex(digits) + ".part";
}

}  // namespace anima::store::detail
