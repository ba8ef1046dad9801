#include "store/verify/merkle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

namespace anima::store {
namespace {

// The largest power of two below n; requires n > 1.
std::uint64_t split_of(std::uint64_t n) { return std::bit_floor(n - 1); }

void inclusion(std::uint64_t index, LeafRange tree, std::vector<LeafRange>& out) {
  const std::uint64_t size = tree.last - tree.first;
  if (size == 1) return;
  const std::uint64_t middle = tree.first + split_of(size);
  if (index < middle) {
    inclusion(index, {tree.first, middle}, out);
    out.push_back({middle, tree.last});
  } else {
    inclusion(index, {middle, tree.last}, out);
    out.push_back({tree.first, middle});
  }
}

// SUBPROOF of RFC 6962, 2.1.2; `known`: the verifier has the root of this subtree.
void consistency(std::uint64_t old_end, LeafRange tree, bool known, std::vector<LeafRange>& out) {
  if (old_end == tree.last) {
    if (!known) out.push_back(tree);
    return;
  }
  const std::uint64_t middle = tree.first + split_of(tree.last - tree.first);
  if (old_end <= middle) {
    consistency(old_end, {tree.first, middle}, known, out);
    out.push_back({middle, tree.last});
  } else {
    consistency(old_end, {middle, tree.last}, false, out);
    out.push_back({tree.first, middle});
  }
}

}  // namespace

Digest merkle_leaf(std::string_view data) {
  const std::string_view prefix("\0", 1);
  return Sha256().update(prefix).update(data).finish();
}

Digest merkle_entry_leaf(const Digest& entry_hash) {
  std::array<char, 1 + sizeof(Digest)> bytes;
  bytes[0] = 0;
  std::memcpy(bytes.data() + 1, entry_hash.data(), entry_hash.size());
  return sha256({bytes.data(), bytes.size()});
}

Digest merkle_node(const Digest& left, const Digest& right) {
  std::array<char, 1 + 2 * sizeof(Digest)> bytes;
  bytes[0] = 1;
  std::memcpy(bytes.data() + 1, left.data(), left.size());
  std::memcpy(bytes.data() + 1 + left.size(), right.data(), right.size());
  return sha256({bytes.data(), bytes.size()});
}

void MerkleFrontier::add(const Digest& leaf) {
  Digest node = leaf;
  for (std::uint64_t rest = size_; (rest & 1) != 0; rest >>= 1) {
    node = merkle_node(roots_.back(), node);
    roots_.pop_back();
  }
  roots_.push_back(node);
  ++size_;
}

Digest MerkleFrontier::root() const {
  if (roots_.empty()) return sha256({});
  Digest node = roots_.back();
  for (std::size_t i = roots_.size() - 1; i-- > 0;) node = merkle_node(roots_[i], node);
  return node;
}

Digest merkle_root(std::span<const Digest> leaves) {
  MerkleFrontier frontier;
  for (const Digest& leaf : leaves) frontier.add(leaf);
  return frontier.root();
}

std::vector<LeafRange> inclusion_ranges(std::uint64_t index, std::uint64_t size) {
  std::vector<LeafRange> ranges;
  inclusion(index, {0, size}, ranges);
  return ranges;
}

std::vector<LeafRange> consistency_ranges(std::uint64_t old_size, std::uint64_t new_size) {
  std::vector<LeafRange> ranges;
  consistency(old_size, {0, new_size}, true, ranges);
  return ranges;
}

ProofBuilder::ProofBuilder(std::vector<LeafRange> ranges)
    : ranges_(std::move(ranges)), frontiers_(ranges_.size()), by_start_(ranges_.size()) {
  std::iota(by_start_.begin(), by_start_.end(), std::size_t{0});
  std::sort(by_start_.begin(), by_start_.end(),
            [this](std::size_t a, std::size_t b) { return ranges_[a].first < ranges_[b].first; });
}

void ProofBuilder::add(const Digest& leaf) {
  const std::uint64_t number = next_++;
  while (current_ < by_start_.size() && ranges_[by_start_[current_]].last <= number) ++current_;
  if (current_ == by_start_.size()) return;
  const std::size_t range = by_start_[current_];
  if (number >= ranges_[range].first) frontiers_[range].add(leaf);
}

std::vector<Digest> ProofBuilder::proof() const {
  std::vector<Digest> roots;
  roots.reserve(frontiers_.size());
  for (const MerkleFrontier& frontier : frontiers_) roots.push_back(frontier.root());
  return roots;
}

bool verify_inclusion(const Digest& leaf, std::uint64_t index, std::uint64_t size,
                      std::span<const Digest> proof, const Digest& root) {
  if (index >= size) return false;
  std::uint64_t node = index;
  std::uint64_t last = size - 1;
  Digest hash = leaf;
  for (const Digest& sibling : proof) {
    if (last == 0) return false;
    if ((node & 1) != 0 || node == last) {
      hash = merkle_node(sibling, hash);
      while ((node & 1) == 0 && node != 0) {
        node >>= 1;
        last >>= 1;
      }
    } else {
      hash = merkle_node(hash, sibling);
    }
    node >>= 1;
    last >>= 1;
  }
  return last == 0 && hash == root;
}

bool verify_consistency(std::uint64_t old_size, const Digest& old_root, std::uint64_t new_size,
                        const Digest& new_root, std::span<const Digest> proof) {
  if (old_size == 0 || old_size > new_size) return false;
  if (old_size == new_size) return proof.empty() && old_root == new_root;
  // A perfect old tree is itself the first node of the proof.
  const bool perfect = std::has_single_bit(old_size);
  if (!perfect && proof.empty()) return false;
  const Digest first = perfect ? old_root : proof.front();
  const std::span<const Digest> rest = perfect ? proof : proof.subspan(1);
  std::uint64_t node = old_size - 1;
  std::uint64_t last = new_size - 1;
  while ((node & 1) != 0) {
    node >>= 1;
    last >>= 1;
  }
  Digest old_hash = first;
  Digest new_hash = first;
  for (const Digest& sibling : rest) {
    if (last == 0) return false;
    if ((node & 1) != 0 || node == last) {
      old_hash = merkle_node(sibling, old_hash);
      new_hash = merkle_node(sibling, new_hash);
      while ((node & 1) == 0 && node != 0) {
        node >>= 1;
        last >>= 1;
      }
    } else {
      new_hash = merkle_node(new_hash, sibling);
    }
    node >>= 1;
    last >>= 1;
  }
  return last == 0 && old_hash == old_root && new_hash == new_root;
}

}  // namespace anima::store
