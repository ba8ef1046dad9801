// The Merkle tree over a log: proofs that an entry is in it, and that a longer log continues a
// shorter one, without showing the rest.
//
// Hashing and proofs as in RFC 6962, 2.1; verification as in RFC 9162, 2.1.3.2 and 2.1.4.2. Leaves
// are counted from 0; the leaf of log entry n is number n - 1, and its data is the entry's hash. A
// proof is a list of tree nodes, each the root of a range of leaves: proofs are made in one pass
// over the leaves in O(log n) memory. Thread-safety: plain values and functions without state.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/crypto.h"

namespace anima::store {

Digest merkle_leaf(std::string_view data);                    // SHA-256(0x00 || data)
Digest merkle_node(const Digest& left, const Digest& right);  // SHA-256(0x01 || left || right)
Digest merkle_entry_leaf(const Digest& entry_hash);           // merkle_leaf of the 32 bytes

// Takes leaves one by one; the root of what it has seen in O(log n).
class MerkleFrontier {
 public:
  void add(const Digest& leaf);
  std::uint64_t size() const { return size_; }
  Digest root() const;  // of no leaves: SHA-256 of nothing

 private:
  std::vector<Digest> roots_;  // of perfect subtrees, largest first; one for each bit set in size_
  std::uint64_t size_ = 0;
};

Digest merkle_root(std::span<const Digest> leaves);

// Leaves first .. last-1.
struct LeafRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  bool operator==(const LeafRange&) const = default;
};

// The ranges whose roots are the proof, in the order of the RFC.
// Requires index < size; 0 < old_size <= new_size.
std::vector<LeafRange> inclusion_ranges(std::uint64_t index, std::uint64_t size);
std::vector<LeafRange> consistency_ranges(std::uint64_t old_size, std::uint64_t new_size);

// Builds the roots of the ranges while the leaves 0, 1, 2 ... pass by. Ranges do not overlap.
class ProofBuilder {
 public:
  explicit ProofBuilder(std::vector<LeafRange> ranges);
  void add(const Digest& leaf);
  std::vector<Digest> proof() const;  // once every range has passed

 private:
  std::vector<LeafRange> ranges_;
  std::vector<MerkleFrontier> frontiers_;
  std::vector<std::size_t> by_start_;  // ranges in the order of their leaves
  std::size_t current_ = 0;
  std::uint64_t next_ = 0;
};

[[nodiscard]] bool verify_inclusion(const Digest& leaf, std::uint64_t index, std::uint64_t size,
                                    std::span<const Digest> proof, const Digest& root);
[[nodiscard]] bool verify_consistency(std::uint64_t old_size, const Digest& old_root,
                                      std::uint64_t new_size, const Digest& new_root,
                                      std::span<const Digest> proof);

}  // namespace anima::store
