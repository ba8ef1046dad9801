#include "base/passphrase.h"

#include <sodium.h>

#include <tuple>

namespace anima {

Result<SealKey> key_from_passphrase(std::string_view passphrase, const PassphraseSalt& salt,
                                    const PassphraseCost& cost) {
  constexpr std::uint64_t kMostPasses = 16;
  constexpr std::uint64_t kLeastMemory = 8192, kMostMemory = std::uint64_t{1} << 30;
  static_assert(std::tuple_size_v<PassphraseSalt> == crypto_pwhash_SALTBYTES);
  ANIMA_CHECK(sodium_init() >= 0);  // once is enough, more do no harm
  if (cost.passes < 1 || cost.passes > kMostPasses || cost.memory_bytes < kLeastMemory ||
      cost.memory_bytes > kMostMemory) {
    return fail(ErrorCode::kInvalidArgument,
                "a passphrase costs 1 to 16 passes over 8 KiB to 1 GiB of memory");
  }
  SealKey key;
  if (crypto_pwhash(key.data(), key.size(), passphrase.data(), passphrase.size(), salt.data(),
                    cost.passes, static_cast<std::size_t>(cost.memory_bytes),
                    crypto_pwhash_ALG_ARGON2ID13) != 0) {
    return fail(ErrorCode::kLimitExceeded, "there is too little memory for the passphrase: " +
                                               std::to_string(cost.memory_bytes >> 20) +
                                               " MiB are needed");
  }
  return key;
}

void wipe(std::string& secret) {
  sodium_memzero(secret.data(), secret.size());
  secret.clear();
}

void wipe(SealKey& secret) { sodium_memzero(secret.data(), secret.size()); }

void wipe(SigningKey& secret) { sodium_memzero(secret.seed.data(), secret.seed.size()); }

}  // namespace anima
