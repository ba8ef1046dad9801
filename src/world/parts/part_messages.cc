#include "world/parts/part_messages.h"

namespace anima::world {

Identity agent_identity(std::uint64_t number, std::string_view secret) {
  return named_identity("KINGDOM_AGENT:", std::to_string(number), secret);
}

SealKey link_seal(std::string_view secret) {
  return Sha256().update("KINGDOM_LINK_SEAL:").update(secret).finish();
}

}  // namespace anima::world
