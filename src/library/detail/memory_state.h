// What stands behind a Memory: the doors of the library share the open space through it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "agent/house/gate.h"
#include "agent/telling/space_asker.h"
#include "anima/memory.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/random.h"
#include "kip/engine.h"
#include "sparql/engine.h"
#include "store/space.h"

namespace anima {

namespace detail {

// `space` is what the door "library:memory" sees (agent/house/gate.h), so that all that is read or
// written through any call of the library is judged.
struct OpenSpace {
  SystemClock clock = {};
  SystemRandom random = {};
  std::shared_ptr<agent::Gate> gate = {};
  std::shared_ptr<store::Space> space = {};
  std::shared_ptr<kip::Engine> engine = {};
  std::shared_ptr<sparql::Engine> sparql_engine = {};
  Mutex asking = {};
  std::unique_ptr<agent::SpaceAsker> asker = {};  // made by the first question; under `asking`
  std::map<std::string, ask::Conversation, std::less<>> talks = {};  // by talk_of(); under `asking`
};

}  // namespace detail

struct Memory::State : detail::OpenSpace {};

}  // namespace anima
