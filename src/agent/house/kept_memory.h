// What is remembered, with the guardian that judges what is told. The same for every door.
// Thread-safety: as memory::MemoryManager. Ownership: the gate and the space outlive it.
#pragma once

#include <memory>
#include <utility>

#include "agent/house/gate.h"
#include "govern/detect/guardian.h"
#include "memory/memory_manager.h"

namespace anima::agent {

struct KeptMemory {
  // `space`: as its door sees it. `model` null: the patterns alone. `vectors` null: words alone.
  KeptMemory(Gate& gate, store::Space& space, govern::PatternSet patterns,
             std::shared_ptr<const govern::TextModel> model,
             std::shared_ptr<memory::TextVectors> vectors)
      : guardian(std::move(patterns), std::move(model)),
        manager(space, gate.ledger(), guardian, gate.events(), gate.clock(), gate.random()) {
    manager.use_vectors(std::move(vectors));
  }
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

  govern::Guardian guardian;
  memory::MemoryManager manager;
};

}  // namespace anima::agent
