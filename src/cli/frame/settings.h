// Every setting that a configuration file may hold. A room that brings settings of its own adds its
// rows in settings.cc. Thread-safety: constants.
#pragma once

#include <span>

#include "base/config.h"

namespace anima::cli {

std::span<const ConfigKey> settings();

}  // namespace anima::cli
