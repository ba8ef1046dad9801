// Who signs: an Ed25519 key and the id that follows from it.
//
// System identities come from names: their seed is SHA-256("KINGDOM_SYSTEM:" || name || secret).
// With an empty secret they are the known ones of the specification, which everybody can derive, so
// a world gives a secret of its own. At rest an identity is sealed (XChaCha20-Poly1305).
// Source: governance_and_runtime 2.1, 4 (36, 43). Thread-safety: plain values.
#pragma once

#include <string>
#include <string_view>

#include "base/random.h"
#include "world/types.h"

namespace anima::world {

struct Identity {
  AgentId id{};
  SigningKey key;
};

AgentId agent_id_of(const PublicKey& key);
Identity identity_from_seed(const Digest& seed);
// The key of a name below a prefix: "NEXUS_0" of "KINGDOM_SYSTEM:".
Identity named_identity(std::string_view prefix, std::string_view name,
                        std::string_view secret = {});
Identity system_identity(System system, std::string_view secret = {});

std::string seal_identity(const Identity& identity, const SealKey& key, Random& random);
// Errors: kDenied (another key), kCorrupt.
Result<Identity> unseal_identity(std::string_view sealed, const SealKey& key);

}  // namespace anima::world
