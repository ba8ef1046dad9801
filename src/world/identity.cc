#include "world/identity.h"

#include <algorithm>

#include "base/passphrase.h"

namespace anima::world {

AgentId agent_id_of(const PublicKey& key) {
  return sha256({reinterpret_cast<const char*>(key.data()), key.size()});
}

Identity identity_from_seed(const Digest& seed) {
  Identity identity;
  identity.key = signing_key_from_seed(seed);
  identity.id = agent_id_of(identity.key.public_key);
  return identity;
}

Identity named_identity(std::string_view prefix, std::string_view name, std::string_view secret) {
  return identity_from_seed(Sha256().update(prefix).update(name).update(secret).finish());
}

Identity system_identity(System system, std::string_view secret) {
  static constexpr std::string_view kNames[] = {"NEXUS_0", "VAULT_0", "AGORA_0",  "ORACLE_0",
                                                "FORGE_0", "MINT_0",  "PORTAL_0", "BRIDGE_0"};
  return named_identity("KINGDOM_SYSTEM:", kNames[static_cast<std::size_t>(system)], secret);
}

std::string seal_identity(const Identity& identity, const SealKey& key, Random& random) {
  std::string plain(bytes_of(identity.key.seed));
  std::string sealed = seal(key, plain, random);
  wipe(plain);
  return sealed;
}

Result<Identity> unseal_identity(std::string_view sealed, const SealKey& key) {
  auto plain = unseal(key, sealed);
  if (!plain)
    return fail(ErrorCode::kDenied, "the key of an agent cannot be opened", {},
                "use the world's own file of keys");
  Digest seed{};
  if (plain->size() != seed.size())
    return fail(ErrorCode::kCorrupt, "a sealed key does not have 32 bytes");
  std::copy(plain->begin(), plain->end(), reinterpret_cast<char*>(seed.data()));
  wipe(*plain);
  return identity_from_seed(seed);
}

}  // namespace anima::world
