// What became of the key that something is sealed under.
//
// A missing key is not a destroyed key: only the log can say that one was destroyed, and what it
// says counts whatever lies in the folder of the keys.
#pragma once

#include <cstdint>

namespace anima::store {

enum class SealState : std::uint8_t {
  kOpen,       // the key is here
  kSealed,     // the key is not here, or its file cannot be read; with the key the content is back
  kDestroyed,  // the log records that the key was destroyed: the content is gone for good
};

}  // namespace anima::store
