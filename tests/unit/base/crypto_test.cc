#include "base/crypto.h"

#include <gtest/gtest.h>

#include <thread>

namespace anima {
namespace {

std::string bytes(std::string_view hex) { return from_hex(hex).value(); }

template <std::size_t N>
std::array<std::uint8_t, N> fixed(std::string_view hex) {
  std::array<std::uint8_t, N> out{};
  const std::string raw = bytes(hex);
  EXPECT_EQ(raw.size(), N);
  for (std::size_t i = 0; i < N; ++i) out[i] = static_cast<std::uint8_t>(raw[i]);
  return out;
}

// FIPS 180-4 examples (NIST CSRC "Examples with Intermediate Values").
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(to_hex(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, InPiecesAndAgain) {
  Sha256 hash;
  EXPECT_EQ(hash.update("a").update("").update("bc").finish(), sha256("abc"));
  EXPECT_EQ(hash.finish(), sha256(""));
  Digest other;
  std::thread([&] { other = sha256("abc"); }).join();
  EXPECT_EQ(other, sha256("abc"));
}

// RFC 8032, section 7.1, tests 1 and 2.
TEST(Ed25519, KnownAnswers) {
  const auto empty = signing_key_from_seed(
      fixed<32>("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"));
  EXPECT_EQ(to_hex(empty.public_key),
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
  EXPECT_EQ(
      to_hex(sign(empty, "")),
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701c"
      "f9b46bd25bf5f0595bbe24655141438e7a100b");
  const auto one = signing_key_from_seed(
      fixed<32>("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"));
  const Signature signature = sign(one, bytes("72"));
  EXPECT_EQ(
      to_hex(signature),
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0"
      "f11d8c387b2eaeb4302aeeb00d291612bb0c00");
  EXPECT_TRUE(verify(one.public_key, bytes("72"), signature));
  EXPECT_FALSE(verify(one.public_key, bytes("73"), signature));
  EXPECT_FALSE(verify(empty.public_key, bytes("72"), signature));
}

TEST(Seal, OpensOnlyUnchangedAndWithItsKey) {
  SeededRandom random(7);
  SealKey key{};
  random.fill(key);
  const std::string sealed = seal(key, "a secret", random);
  EXPECT_EQ(unseal(key, sealed).value(), "a secret");
  EXPECT_EQ(unseal(key, seal(key, "", random)).value(), "");
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_EQ(unseal(key, changed).error().code, ErrorCode::kCorrupt);
  }
  EXPECT_EQ(unseal(key, sealed.substr(0, 10)).error().code, ErrorCode::kCorrupt);
  SealKey other = key;
  other[0] ^= 1;
  EXPECT_FALSE(unseal(other, sealed));
}

TEST(Checksum, IsXxh3) {
  EXPECT_EQ(checksum64(""), 0x2d06800538d394c2U);  // the specification's value of an empty input
  EXPECT_NE(checksum64("a"), checksum64("b"));
}

TEST(Hex, RoundTripsAndRefuses) {
  EXPECT_EQ(to_hex(std::string_view("\x00\xff\x10", 3)), "00ff10");
  EXPECT_EQ(from_hex("00Ff10").value(), std::string("\x00\xff\x10", 3));
  EXPECT_FALSE(from_hex("abc"));
  EXPECT_FALSE(from_hex("zz"));
}

TEST(Random, IsReproducibleAndUnbiased) {
  // SplitMix64 from seed 1234567, as published with the algorithm's reference program.
  SeededRandom random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
  std::array<int, 6> counts{};
  for (int i = 0; i < 60'000; ++i) ++counts[random.below(6)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
  for (int i = 0; i < 1000; ++i) {
    const double u = random.uniform();
    EXPECT_GE(u, 0.0);
    EXPECT_LT(u, 1.0);
  }
  SystemRandom system;
  EXPECT_NE(system.next(), system.next());
}

// RFC 4648, section 10, without padding, and the two characters that differ for addresses.
TEST(Crypto, Base64url) {
  const std::pair<std::string_view, std::string_view> vectors[] = {
      {"", ""},           {"f", "Zg"},          {"fo", "Zm8"},          {"foo", "Zm9v"},
      {"foob", "Zm9vYg"}, {"fooba", "Zm9vYmE"}, {"foobar", "Zm9vYmFy"}, {"\xfb\xff", "-_8"}};
  for (const auto& [plain, encoded] : vectors) {
    EXPECT_EQ(to_base64url(plain), encoded);
    EXPECT_EQ(from_base64url(encoded).value(), plain);
  }
  EXPECT_FALSE(from_base64url("Zg=="));
  EXPECT_FALSE(from_base64url("a+b"));
}

}  // namespace
}  // namespace anima
