// The words of a world that everybody in it shares: who somebody is, what a time is, and the
// numbers that source 002 gives its states. Source: governance_and_runtime 2.1. Thread-safety:
// plain values.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/crypto.h"

namespace anima::world {

// SHA-256 of the public key. All bits set: everybody.
using AgentId = Digest;
inline constexpr AgentId kBroadcast = [] {
  AgentId id{};
  id.fill(0xff);
  return id;
}();
// The first eight hexadecimal digits: for people, never for deciding.
std::string alias(const AgentId& id);
// The bytes as they go into hashes.
std::string_view bytes_of(const Digest& digest);
// `value` with its highest byte first.
std::string big_endian(std::uint64_t value, std::size_t bytes);

inline constexpr std::uint64_t kTicksPerCycle = 256;
inline constexpr std::uint64_t kBaseTickBudget = 64;
inline constexpr std::uint64_t kMaxTickBudget = 256;

// On disk and on the wire, never renumber any of these.
enum class AgentRole : std::uint8_t {
  kGeneralist,
  kCompilerSmith,
  kLibrarian,
  kArchitect,
  kExplorer
};
enum class AgentStatus : std::uint8_t { kEmbryo, kActive, kDormant, kDead };
enum class ProposalKind : std::uint8_t {
  kSpawnAgent,
  kKillAgent,
  kChangeParam,
  kEpochAdvance,
  kCustom
};
enum class System : std::uint8_t {
  kNexus,
  kVault,
  kAgora,
  kOracle,
  kForge,
  kMint,
  kPortal,
  kBridge
};
inline constexpr std::size_t kSystems = 8;
enum class Outcome : std::uint8_t { kSuccess, kFailure, kPartial, kUnknown };
enum class GoalLayer : std::uint8_t { kAspiration, kObjective, kTask };
enum class GoalSource : std::uint8_t { kSurvival, kRole, kOpportunity, kCuriosity, kSocial };
enum class GoalStatus : std::uint8_t { kPending, kActive, kCompleted, kAbandoned };
enum class PlanStatus : std::uint8_t { kDraft, kActive, kCompleted, kAbandoned };
enum class KnowledgeSource : std::uint8_t { kOracle, kExperience, kInference, kPeerCommunication };
// 0 Void, 1 Spark, 2 Foundation, 3 Commerce, 4 Expansion, 5 Sovereignty, then open.
using Epoch = std::uint32_t;
std::string epoch_name(Epoch epoch);

std::span<const std::string_view> enum_names(AgentRole);
std::span<const std::string_view> enum_names(AgentStatus);
std::span<const std::string_view> enum_names(ProposalKind);
std::span<const std::string_view> enum_names(System);
std::span<const std::string_view> enum_names(Outcome);
std::span<const std::string_view> enum_names(GoalLayer);
std::span<const std::string_view> enum_names(GoalSource);
std::span<const std::string_view> enum_names(GoalStatus);
std::span<const std::string_view> enum_names(PlanStatus);
std::span<const std::string_view> enum_names(KnowledgeSource);
template <typename E>
requires requires(E value) { enum_names(value); }
std::string_view to_string(E value) { return enum_names(value)[static_cast<std::size_t>(value)]; }

// Whether the table of transitions has this one; Dead is final.
bool may_become(AgentStatus from, AgentStatus to);

}  // namespace anima::world
