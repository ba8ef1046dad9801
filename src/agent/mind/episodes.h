// Episodes: what an agent keeps of its working memory, as entities of the graph.
//
// An episode is the entity episode:<session>:<id> in the agent's graph, with its summary (the first
// 80 characters), the symbols it learned, its tag and its type, why it was kept and from which
// cycle. What may become one is decided by memory/admission.h. Source: learning_and_psyche 2.7.
// Thread-safety: functions over a snapshot or transaction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agent/mind/working_memory.h"
#include "store/space.h"
#include "tools/workbench.h"

namespace anima::agent {

struct Episode {
  std::uint64_t session = 0;
  MemoryEntry entry;
  ConsolidationScore score;
  std::vector<std::string> merged;  // near-duplicates that it stands for
  bool quarantined = false;         // about no symbol: in the quarantine graph, never recalled
};

// A near-duplicate of an episode that is there: the episode keeps its words, so that the entry that
// merged it can be undone.
struct EpisodeMerge {
  store::EntityId episode = store::EntityId::kNone;
  std::string label;
  std::string text;
};
Status write_merge(store::Transaction& transaction, const EpisodeMerge& merge);

// The episode's entity. One provenance record (AgentConsolidation) belongs to it; the caller writes
// it.
Result<store::EntityId> write_episode(store::Transaction& transaction, const Episode& episode);

// Episodes that learned one of the symbols, newest first, then by relevance.
// O(episodes of the symbols).
std::vector<tools::RecalledEpisode> recall_episodes(const store::Snapshot& snapshot,
                                                    std::span<const store::EntityId> symbols,
                                                    std::size_t limit);

}  // namespace anima::agent
