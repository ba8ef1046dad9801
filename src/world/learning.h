// What an agent keeps of what happens: experiences, beliefs, models of others, working memory.
// Source: source 002 10.3; governance_and_runtime 2.6. Thread-safety: functions without state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "world/citizen.h"

namespace anima::world {

inline constexpr std::size_t kMaxExperiences = 1'000;
inline constexpr std::size_t kMerged = 500;

// successful / all, weighted down with exp(-0.001 x ticks since); 0 without any interaction.
double trust(const PeerModel& peer, std::uint64_t now);

void support(AgentMemory& memory, std::string_view claim, const Digest& evidence,
             std::uint64_t now);
void contradict(AgentMemory& memory, std::string_view claim, const Digest& evidence,
                std::uint64_t now);
// Beliefs that nobody tested for ten cycles go half-way back to doubt by a tenth; those below 0.05
// go.
void fade_beliefs(AgentMemory& memory, std::uint64_t now);

// One interaction: how well it was done, and whether what was promised was delivered.
void met_peer(AgentMemory& memory, const AgentId& peer, Outcome done, bool delivered,
              std::string_view interest, std::uint64_t now);

// Appends; above kMaxExperiences the oldest kMerged become one summary for each kind and outcome,
// with their number, their latest tick and their most frequent lesson.
void remember(Citizen& citizen, std::uint64_t tick, const ActionRecord& action, Outcome outcome,
              std::string_view lesson);
std::string experience_key(std::string_view action, std::string_view tag);
// Of all experiences, summaries by what they stand for.
std::uint64_t total_experiences(const AgentMemory& memory);

// Errors: kLimitExceeded; the old text stays.
Status write_working(Citizen& citizen, std::string text);
// At a cycle's end: cleared unless it was written or refreshed in the cycle that ends.
void end_cycle_memory(Citizen& citizen, std::uint64_t now);

// The plan that is pursued goes into the history.
void retire_plan(AgentMemory& memory, PlanStatus status);

}  // namespace anima::world
