// What `anima mcp` and `anima serve` work with, put together once: over the space that open_space()
// gave last, behind its gate. Thread-safety: one thread. Errors: those of the space, of the house
// and its settings.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/house/gate.h"
#include "agent/house/own_tools.h"
#include "cli/frame/context.h"
#include "serve/memory_parts.h"

namespace anima::cli {

struct MemoryDoor {
  agent::DoorCall door;  // as whose space it is; each call is judged before it comes there
  bool readonly = false;
  bool define_on_use = false;
  std::int64_t time_ms = 0;  // of one query; 0: the engine's own limit
  std::vector<agent::OwnTool> own_tools = {};
};
Result<serve::MemoryParts> open_memory_parts(Context& context, MemoryDoor settings);

}  // namespace anima::cli
