#include "world/types.h"

namespace anima::world {

std::string alias(const AgentId& id) { return to_hex(bytes_of(id).substr(0, 4)); }

std::string_view bytes_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::string big_endian(std::uint64_t value, std::size_t bytes) {
  std::string out(bytes, '\0');
  for (std::size_t i = bytes; i-- > 0; value >>= 8) out[i] = static_cast<char>(value);
  return out;
}

std::string epoch_name(Epoch epoch) {
  static constexpr std::string_view kNames[] = {"Void",     "Spark",     "Foundation",
                                                "Commerce", "Expansion", "Sovereignty"};
  return epoch < std::size(kNames) ? std::string(kNames[epoch])
                                   : "Open(" + std::to_string(epoch) + ")";
}

#define ANIMA_ENUM_NAMES(Type, ...)                           \
  std::span<const std::string_view> enum_names(Type) {        \
    static constexpr std::string_view kNames[] = __VA_ARGS__; \
    return kNames;                                            \
  }
ANIMA_ENUM_NAMES(AgentRole, {"Generalist", "CompilerSmith", "Librarian", "Architect", "Explorer"})
ANIMA_ENUM_NAMES(AgentStatus, {"Embryo", "Active", "Dormant", "Dead"})
ANIMA_ENUM_NAMES(ProposalKind, {"SpawnAgent", "KillAgent", "ChangeParam", "EpochAdvance", "Custom"})
ANIMA_ENUM_NAMES(System, {"Nexus", "Vault", "Agora", "Oracle", "Forge", "Mint", "Portal", "Bridge"})
ANIMA_ENUM_NAMES(Outcome, {"Success", "Failure", "Partial", "Unknown"})
ANIMA_ENUM_NAMES(GoalLayer, {"Aspiration", "Objective", "Task"})
ANIMA_ENUM_NAMES(GoalSource, {"Survival", "Role", "Opportunity", "Curiosity", "Social"})
ANIMA_ENUM_NAMES(GoalStatus, {"Pending", "Active", "Completed", "Abandoned"})
ANIMA_ENUM_NAMES(PlanStatus, {"Draft", "Active", "Completed", "Abandoned"})
ANIMA_ENUM_NAMES(KnowledgeSource, {"Oracle", "Experience", "Inference", "PeerCommunication"})
#undef ANIMA_ENUM_NAMES

bool may_become(AgentStatus from, AgentStatus to) {
  switch (from) {
    case AgentStatus::kEmbryo:
      return to == AgentStatus::kActive;
    case AgentStatus::kActive:
      return to == AgentStatus::kDormant || to == AgentStatus::kDead;
    case AgentStatus::kDormant:
      return to == AgentStatus::kActive || to == AgentStatus::kDead;
    case AgentStatus::kDead:
      return false;
  }
  return false;
}

}  // namespace anima::world
