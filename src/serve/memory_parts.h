// What the doors to a space's memory work with, for every client of a server: one engine of KIP,
// one house, one explainer, one asker. Whoever assembles them (the program, a test) hands them in.
//
// House, explainer and asker belong to one thread at a time: whoever works with them holds the
// turn (turn_line.h). Engine and space are for any thread. Ownership: a value that the server owns;
// the gate's clock and randomness outlive it.
#pragma once

#include <memory>

#include "agent/house/governed_house.h"
#include "agent/house/space_why.h"
#include "agent/telling/space_asker.h"
#include "kip/engine.h"

namespace anima::serve {

struct MemoryParts {
  std::shared_ptr<agent::Gate> gate;
  std::shared_ptr<store::Space> space;  // as the server gives it out: judged call by call
  std::shared_ptr<kip::Engine> engine;
  std::unique_ptr<agent::GovernedHouse> house;
  std::unique_ptr<agent::SpaceWhy> why;
  std::unique_ptr<agent::SpaceAsker> asker;
  bool define_on_use = false;  // an UPSERT defines types and predicates that are not there
};

}  // namespace anima::serve
