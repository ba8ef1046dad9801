// The writing part of a cycle: everything that its transaction will hold, gathered first.
// Thread-safety: plain values.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/loop/session.h"
#include "agent/mind/episodes.h"
#include "memory/provenance.h"
#include "tools/workbench.h"

namespace anima::agent::detail {

inline constexpr std::string_view kGoalStatusKey = "agent:has_status";

struct DraftedProposal {
  tools::Proposal proposal;
  std::string tool;
  std::uint64_t cycle = 0;
};

struct Draft {
  std::vector<DraftedProposal> proposals;
  std::vector<Episode> episodes;
  std::vector<EpisodeMerge> merges;
  std::set<std::string> goals;              // labels of those that changed
  std::vector<store::EntityId> noted_from;  // symbols that answers and merged texts are about
  std::vector<memory::ProvenanceRecord> provenance;

  void decided(const Goal& goal, std::uint64_t cycle);
  void vetoed(const Goal& goal, const ShadowPattern& pattern, std::uint64_t cycle);
  void contradicted(const Goal& goal, const std::string& reason, std::uint64_t cycle);
  void evolved(const std::string& trigger, std::uint64_t cycle);
};

// Gives the goals that are new their symbols.
Status write_draft(store::Transaction& transaction, const Draft& draft, SessionState& state);

}  // namespace anima::agent::detail
