#include "base/crypto.h"

#include <openssl/evp.h>
#include <sodium.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace anima {
namespace {

// Fetching walks OpenSSL's providers; once a process is enough.
const EVP_MD* sha256_algorithm() {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  ANIMA_CHECK(algorithm != nullptr);
  return algorithm;
}

const EVP_MD* algorithm_of(HashAlgorithm algorithm) {
  switch (algorithm) {
    case HashAlgorithm::kMd5:
      return EVP_md5();
    case HashAlgorithm::kSha1:
      return EVP_sha1();
    case HashAlgorithm::kSha256:
      return EVP_sha256();
    case HashAlgorithm::kSha384:
      return EVP_sha384();
    case HashAlgorithm::kSha512:
      return EVP_sha512();
  }
  return nullptr;
}

class DigestContext {
 public:
  DigestContext() : context_(EVP_MD_CTX_new()) {
    ANIMA_CHECK(context_ != nullptr);
    ANIMA_CHECK(EVP_DigestInit_ex2(context_, sha256_algorithm(), nullptr) == 1);
  }
  ~DigestContext() { EVP_MD_CTX_free(context_); }
  DigestContext(const DigestContext&) = delete;
  DigestContext& operator=(const DigestContext&) = delete;

  void update(std::string_view bytes) {
    ANIMA_CHECK(EVP_DigestUpdate(context_, bytes.data(), bytes.size()) == 1);
  }
  Digest finish() {
    Digest digest;
    ANIMA_CHECK(EVP_DigestFinal_ex(context_, digest.data(), nullptr) == 1);
    // A null algorithm restarts with the one already set, which skips most of the set-up.
    ANIMA_CHECK(EVP_DigestInit_ex2(context_, nullptr, nullptr) == 1);
    return digest;
  }

 private:
  EVP_MD_CTX* context_;
};

void ready_sodium() {
  static const int status = sodium_init();
  ANIMA_CHECK(status >= 0);
}

const unsigned char* unsigned_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

constexpr std::string_view kBase64url =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::array<std::uint8_t, 256> base64url_values() {
  std::array<std::uint8_t, 256> values = {};
  values.fill(64);
  for (std::size_t i = 0; i < kBase64url.size(); ++i)
    values[static_cast<unsigned char>(kBase64url[i])] = static_cast<std::uint8_t>(i);
  return values;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr std::size_t kNonceBytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kTagBytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;

}  // namespace

std::string hash_hex(HashAlgorithm algorithm, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  ANIMA_CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, algorithm_of(algorithm),
                         nullptr) == 1);
  return to_hex(std::string_view(reinterpret_cast<const char*>(digest.data()), size));
}

Digest sha256(std::string_view bytes) {
  thread_local DigestContext context;
  context.update(bytes);
  return context.finish();
}

struct Sha256::State {
  DigestContext context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;

Sha256& Sha256::update(std::string_view bytes) {
  state_->context.update(bytes);
  return *this;
}

Digest Sha256::finish() { return state_->context.finish(); }

SigningKey signing_key_from_seed(const std::array<std::uint8_t, 32>& seed) {
  ready_sodium();
  SigningKey key;
  key.seed = seed;
  std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES> secret;
  crypto_sign_seed_keypair(key.public_key.data(), secret.data(), seed.data());
  sodium_memzero(secret.data(), secret.size());
  return key;
}

SigningKey make_signing_key(Random& random) {
  std::array<std::uint8_t, 32> seed;
  random.fill(seed);
  return signing_key_from_seed(seed);
}

Signature sign(const SigningKey& key, std::string_view message) {
  ready_sodium();
  std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES> secret;
  PublicKey public_key;
  crypto_sign_seed_keypair(public_key.data(), secret.data(), key.seed.data());
  Signature signature;
  crypto_sign_detached(signature.data(), nullptr, unsigned_bytes(message), message.size(),
                       secret.data());
  sodium_memzero(secret.data(), secret.size());
  return signature;
}

bool verify(const PublicKey& key, std::string_view message, const Signature& signature) {
  ready_sodium();
  return crypto_sign_verify_detached(signature.data(), unsigned_bytes(message), message.size(),
                                     key.data()) == 0;
}

std::string seal(const SealKey& key, std::string_view plain, Random& random) {
  ready_sodium();
  std::string sealed(kNonceBytes + plain.size() + kTagBytes, '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(sealed.data());
  random.fill({bytes, kNonceBytes});
  crypto_aead_xchacha20poly1305_ietf_encrypt(bytes + kNonceBytes, nullptr, unsigned_bytes(plain),
                                             plain.size(), nullptr, 0, nullptr, bytes, key.data());
  return sealed;
}

Result<std::string> unseal(const SealKey& key, std::string_view sealed) {
  ready_sodium();
  if (sealed.size() < kNonceBytes + kTagBytes) {
    return fail(ErrorCode::kCorrupt, "the sealed bytes are too short");
  }
  std::string plain(sealed.size() - kNonceBytes - kTagBytes, '\0');
  const unsigned char* bytes = unsigned_bytes(sealed);
  const int status = crypto_aead_xchacha20poly1305_ietf_decrypt(
      reinterpret_cast<unsigned char*>(plain.data()), nullptr, nullptr, bytes + kNonceBytes,
      sealed.size() - kNonceBytes, nullptr, 0, bytes, key.data());
  if (status != 0) {
    return fail(ErrorCode::kCorrupt, "the sealed bytes do not belong to this key, or were changed");
  }
  return plain;
}

std::uint64_t checksum64(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::string to_hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text(bytes.size() * 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text[2 * i] = kDigits[byte >> 4];
    text[2 * i + 1] = kDigits[byte & 15];
  }
  return text;
}

Result<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) {
    return fail(ErrorCode::kInvalidArgument, "a hexadecimal text has an odd number of digits");
  }
  std::string bytes(text.size() / 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const int high = hex_digit(text[2 * i]);
    const int low = hex_digit(text[2 * i + 1]);
    if (high < 0 || low < 0) {
      return fail(ErrorCode::kInvalidArgument, "a hexadecimal text holds another character");
    }
    bytes[i] = static_cast<char>(high * 16 + low);
  }
  return bytes;
}

std::string to_base64url(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 4 / 3 + 2);
  std::uint32_t buffer = 0;
  int bits = 0;
  for (const char c : bytes) {
    buffer = buffer << 8 | static_cast<unsigned char>(c);
    for (bits += 8; bits >= 6;) {
      bits -= 6;
      out += kBase64url[buffer >> bits & 63];
    }
  }
  if (bits > 0) out += kBase64url[buffer << (6 - bits) & 63];
  return out;
}

Result<std::string> from_base64url(std::string_view text) {
  static const std::array<std::uint8_t, 256> kValues = base64url_values();
  std::string out;
  out.reserve(text.size() * 3 / 4);
  std::uint32_t buffer = 0;
  int bits = 0;
  for (const char c : text) {
    const std::uint8_t value = kValues[static_cast<unsigned char>(c)];
    if (value > 63)
      return fail(ErrorCode::kInvalidArgument, "a text in base64url holds another character");
    buffer = buffer << 6 | value;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(buffer >> bits & 255);
  }
  return out;
}

}  // namespace anima
