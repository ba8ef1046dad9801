// Keys from passphrases, and secrets that are overwritten. libsodium stays behind this door.
// Thread-safety: every function may be called from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/crypto.h"
#include "base/result.h"

namespace anima {

// A key from a passphrase: Argon2id (RFC 9106), one lane.
using PassphraseSalt = std::array<std::uint8_t, 16>;
struct PassphraseCost {
  std::uint64_t passes = 3;
  std::uint64_t memory_bytes = std::uint64_t{256} << 20;
};
// Errors: kInvalidArgument (not 1 to 16 passes over 8 KiB to 1 GiB), kLimitExceeded (so much memory
// is not to be had).
Result<SealKey> key_from_passphrase(std::string_view passphrase, const PassphraseSalt& salt,
                                    const PassphraseCost& cost);

// Overwrites a secret that is not needed any more; no compiler leaves that out.
void wipe(std::string& secret);
void wipe(SealKey& secret);
void wipe(SigningKey& secret);

}  // namespace anima
