// The names of the graphs in which Anima keeps its own books, beside the knowledge.
#pragma once

#include <string>
#include <string_view>

namespace anima::memory {

inline constexpr std::string_view kAgentGraph = "urn:anima:agent";
// Texts about nothing: kept apart, never recalled.
inline constexpr std::string_view kQuarantineGraph = "urn:anima:quarantine";
inline constexpr std::string_view kCompartmentsGraph = "urn:anima:compartments";
inline constexpr std::string_view kCompartmentPrefix = "urn:anima:compartment:";

// What people tell in talk (agent/telling), which can be unloaded like a compartment.
inline constexpr std::string_view kToldGraph = "urn:anima:compartment:told";

// Of an episode of an agent (agent/mind/episodes.h), in kAgentGraph.
inline constexpr std::string_view kEpisodeSummary = "agent:has_summary";
inline constexpr std::string_view kEpisodeTime = "agent:time";  // microseconds since 1970

inline std::string compartment_graph(std::string_view id) {
  return std::string(kCompartmentPrefix) + std::string(id);
}

}  // namespace anima::memory
