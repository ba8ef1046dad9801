// SHA-256 (FIPS 180-4) and Ed25519 (RFC 8032). OpenSSL and libsodium stay behind this door.
// Thread-safety: every function may be called from any thread; a Sha256 belongs to one thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/random.h"
#include "base/result.h"

namespace anima {

using Digest = std::array<std::uint8_t, 32>;

Digest sha256(std::string_view bytes);

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  Sha256& update(std::string_view bytes);
  Digest finish();  // the object can be used again afterwards, from the empty state

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Hashes that languages and formats name, in hexadecimal digits. MD5 and SHA-1 protect nothing:
// they are for comparison with what others made.
enum class HashAlgorithm : std::uint8_t { kMd5, kSha1, kSha256, kSha384, kSha512 };
std::string hash_hex(HashAlgorithm algorithm, std::string_view bytes);

using PublicKey = std::array<std::uint8_t, 32>;
using Signature = std::array<std::uint8_t, 64>;

struct SigningKey {
  std::array<std::uint8_t, 32> seed{};  // secret
  PublicKey public_key{};
};

SigningKey make_signing_key(Random& random);
SigningKey signing_key_from_seed(const std::array<std::uint8_t, 32>& seed);
Signature sign(const SigningKey& key, std::string_view message);
[[nodiscard]] bool verify(const PublicKey& key, std::string_view message,
                          const Signature& signature);

// Authenticated encryption (XChaCha20-Poly1305): nonce || ciphertext || tag.
using SealKey = std::array<std::uint8_t, 32>;
std::string seal(const SealKey& key, std::string_view plain, Random& random);
Result<std::string> unseal(const SealKey& key, std::string_view sealed);

// XXH3: fast, for checksums against accidents; never against an attacker.
std::uint64_t checksum64(std::string_view bytes);

std::string to_hex(std::string_view bytes);
template <std::size_t N>
std::string to_hex(const std::array<std::uint8_t, N>& bytes) {
  return to_hex(std::string_view(reinterpret_cast<const char*>(bytes.data()), N));
}
Result<std::string> from_hex(std::string_view text);
// RFC 4648, the alphabet for addresses, without padding.
std::string to_base64url(std::string_view bytes);
Result<std::string> from_base64url(std::string_view text);

}  // namespace anima
