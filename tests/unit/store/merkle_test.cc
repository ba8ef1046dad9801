// RFC 6962 hashing and proofs. The vectors are those of the certificate-transparency reference
// leaves, computed by a separate program from the recursive definitions of the RFC.
#include "store/verify/merkle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace anima::store::merkle_test {
namespace {

std::vector<Digest> reference_leaves() {
  std::vector<Digest> leaves;
  for (const char* hex : {"", "00", "10", "2021", "3031", "40414243", "5051525354555657",
                          "606162636465666768696a6b6c6d6e6f"}) {
    leaves.push_back(merkle_leaf(*from_hex(hex)));
  }
  return leaves;
}

std::vector<std::string> hex_of(const std::vector<Digest>& digests) {
  std::vector<std::string> out;
  for (const Digest& digest : digests) out.push_back(to_hex(digest));
  return out;
}

std::vector<Digest> prove(const std::vector<Digest>& leaves, std::vector<LeafRange> ranges) {
  ProofBuilder builder(std::move(ranges));
  for (const Digest& leaf : leaves) builder.add(leaf);
  return builder.proof();
}

std::vector<Digest> first(const std::vector<Digest>& leaves, std::uint64_t count) {
  return {leaves.begin(), leaves.begin() + static_cast<std::ptrdiff_t>(count)};
}

TEST(Merkle, RootsOfTheReferenceLeaves) {
  const char* expected[] = {"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
                            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
                            "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
                            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
                            "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
                            "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
                            "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
                            "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"};
  const auto leaves = reference_leaves();
  for (std::uint64_t n = 0; n <= leaves.size(); ++n) {
    EXPECT_EQ(to_hex(merkle_root(first(leaves, n))), expected[n]) << n;
  }
}

TEST(Merkle, InclusionProofsOfTheReferenceLeaves) {
  using Hex = std::vector<std::string>;
  const auto leaves = reference_leaves();
  EXPECT_EQ(hex_of(prove(first(leaves, 1), inclusion_ranges(0, 1))), Hex{});
  EXPECT_EQ(hex_of(prove(leaves, inclusion_ranges(0, 8))),
            (Hex{"96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                 "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                 "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"}));
  EXPECT_EQ(hex_of(prove(leaves, inclusion_ranges(5, 8))),
            (Hex{"bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                 "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                 "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"}));
  EXPECT_EQ(hex_of(prove(first(leaves, 3), inclusion_ranges(2, 3))),
            (Hex{"fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"}));
}

TEST(Merkle, ConsistencyProofsOfTheReferenceLeaves) {
  using Hex = std::vector<std::string>;
  const auto leaves = reference_leaves();
  EXPECT_EQ(hex_of(prove(leaves, consistency_ranges(6, 8))),
            (Hex{"0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
                 "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                 "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"}));
  EXPECT_EQ(hex_of(prove(first(leaves, 5), consistency_ranges(2, 5))),
            (Hex{"5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                 "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"}));
}

// Every proof of every size verifies, and nothing else does.
TEST(Merkle, ProofsVerifyAndForgeriesDoNot) {
  std::vector<Digest> leaves;
  for (int i = 0; i < 40; ++i) leaves.push_back(merkle_leaf("leaf " + std::to_string(i)));
  for (std::uint64_t size = 1; size <= leaves.size(); ++size) {
    const Digest root = merkle_root(first(leaves, size));
    for (std::uint64_t i = 0; i < size; ++i) {
      auto proof = prove(first(leaves, size), inclusion_ranges(i, size));
      EXPECT_TRUE(verify_inclusion(leaves[i], i, size, proof, root));
      EXPECT_FALSE(verify_inclusion(leaves[(i + 1) % 40], i, size, proof, root));
      if (!proof.empty()) {
        EXPECT_FALSE(verify_inclusion(leaves[i], i ^ 1, size, proof, root));
        proof[0][0] ^= 1;
        EXPECT_FALSE(verify_inclusion(leaves[i], i, size, proof, root));
        proof.pop_back();
        EXPECT_FALSE(verify_inclusion(leaves[i], i, size, proof, root));
      }
    }
    for (std::uint64_t old = 1; old <= size; ++old) {
      const Digest old_root = merkle_root(first(leaves, old));
      auto proof = prove(first(leaves, size), consistency_ranges(old, size));
      EXPECT_TRUE(verify_consistency(old, old_root, size, root, proof)) << old << " " << size;
      EXPECT_FALSE(verify_consistency(old, merkle_leaf("x"), size, root, proof));
      EXPECT_FALSE(verify_consistency(old, old_root, size, merkle_leaf("x"), proof));
      if (!proof.empty()) {
        proof.back()[5] ^= 4;
        EXPECT_FALSE(verify_consistency(old, old_root, size, root, proof));
      }
    }
  }
}

}  // namespace
}  // namespace anima::store::merkle_test
