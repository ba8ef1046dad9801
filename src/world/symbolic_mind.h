// The mind that needs no model: it plans from what an agent knows and scores what it could do.
//
// One scoring core for both sources: the candidates carry agent/mind/scoring.h's terms, and
// agent::rank chooses, the plan's next step before the best score. What differs is only what there
// is to do: messages of a world instead of tools. It is deterministic: the same agent gives the
// same answer. Thread-safety: no state of its own; one thread at a time.
#pragma once

#include <string>

#include "world/thinking.h"

namespace anima::world {

class SymbolicMind final : public Mind {
 public:
  Result<std::string> think(const ThinkRequest& request) override;
  bool anywhere() const override { return true; }
};

}  // namespace anima::world
