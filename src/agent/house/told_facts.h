// What somebody told the agent to remember, as facts that can be asked back.
//
// A remembered sentence that states something in the words of the space (ask/parse/statement.h) is
// also kept as an assertion: in the graph kToldGraph, which can be unloaded like a compartment, by
// the one who said it, with his trust, with a provenance record that names the sentence and the
// memory. A value that an attribute has already is corrected when it stands in the default graph
// and nobody who is trusted more stated it (the history keeps it); else the new one stands beside
// it, and answers tell that. What is closed to some readers, or quarantined, states nothing, for
// facts have no readers of their own. Thread-safety: one thread. Ownership: shares the space; the
// file system outlives it. Errors: those of the space. Complexity: a question's, and of the first
// the lexicon's.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "agent/house/space_asker.h"
#include "memory/memory_manager.h"

namespace anima::agent {

inline constexpr std::string_view kToldGraph = "urn:anima:compartment:told";

class ToldFacts {
 public:
  ToldFacts(std::shared_ptr<store::Space> space, FileSystem& files, Clock& clock)
      : space_(std::move(space)), files_(files), clock_(clock) {}

  // What the memory states, written down; empty when that is nothing. `item` is what was stored.
  Result<std::string> keep(const memory::NewMemory& item, const memory::StoredMemory& stored);

 private:
  std::shared_ptr<store::Space> space_;
  FileSystem& files_;
  Clock& clock_;
  std::unique_ptr<SpaceAsker> asker_;  // made by the first sentence
};

}  // namespace anima::agent
