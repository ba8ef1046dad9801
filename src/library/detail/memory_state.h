// What stands behind a Memory: the doors of the library share the open space through it.
#pragma once

#include <memory>

#include "anima/memory.h"
#include "kip/engine.h"
#include "store/space.h"

namespace anima {

struct Memory::State {
  std::shared_ptr<store::Space> space;
  std::shared_ptr<kip::Engine> engine;
};

}  // namespace anima
