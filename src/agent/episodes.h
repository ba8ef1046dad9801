// Episodes: what an agent keeps of its working memory, as entities of the graph.
//
// An episode is the entity episode:<session>:<id> in the agent's graph, with its summary (the first
// 80 characters), the symbols it learned, its tag and its type, why it was kept and from which
// cycle. Source: learning_and_psyche 2.7. Thread-safety: functions over a snapshot or transaction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agent/working_memory.h"
#include "store/space.h"
#include "tools/workbench.h"

namespace anima::agent {

struct Episode {
  std::uint64_t session = 0;
  MemoryEntry entry;
  ConsolidationScore score;
};

// The episode's entity. One provenance record (AgentConsolidation) belongs to it; the caller writes
// it.
Result<store::EntityId> write_episode(store::Transaction& transaction, const Episode& episode);

// Episodes that learned one of the symbols, newest first, then by relevance.
// O(episodes of the symbols).
std::vector<tools::RecalledEpisode> recall_episodes(const store::Snapshot& snapshot,
                                                    std::span<const store::EntityId> symbols,
                                                    std::size_t limit);

}  // namespace anima::agent
