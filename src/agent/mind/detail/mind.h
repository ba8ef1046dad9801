// The parts of a turn of the loop that read: what a goal's words mention, what is known around it,
// what comes to mind. Thread-safety: functions over a snapshot.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/mind/goals.h"
#include "agent/mind/scoring.h"
#include "agent/mind/working_memory.h"
#include "store/snapshot.h"
#include "tools/workbench.h"

namespace anima::agent::detail {

// Labels of the graph that the text names: runs of up to four words, longest first, each place
// once, in the order of the text.
std::vector<std::string> mentioned_labels(const store::Snapshot& snapshot, std::string_view text);

// Words of the text that no label, relation or text of the graph has; those that only ask, join or
// point are left out. In the order of the text, each once.
std::vector<std::string> unknown_words(const store::Snapshot& snapshot, std::string_view text);

struct Orientation {
  std::vector<KnownTriple> knowledge;
  std::vector<InferredSymbol> inferences;
};

// Triples of the goal and of what it knows or recalls, without bookkeeping; and the five nearest
// symbols that its own activate (confidence = parent x edge, at least 0.1).
Orientation orient(const store::Snapshot& snapshot, const Goal& goal,
                   const std::vector<tools::RecalledEpisode>& episodes, bool activate);

// What consolidation asks of the graph, for these active goals.
GraphView graph_view(const store::Snapshot& snapshot, const std::vector<const Goal*>& goals);

}  // namespace anima::agent::detail
