// A set of 64-bit hashes, open addressing, for what is counted by the million: eight bytes a slot,
// at most half of them filled. 0 stands for a free slot; the hash 0 is taken for 1. Thread-safety:
// one thread. O(1) a call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace anima::load {

class HashSet64 {
 public:
  // True when it is new.
  bool insert(std::uint64_t hash) {
    if (hash == 0) hash = 1;
    if ((size_ + 1) * 2 > slots_.size()) grow();
    std::size_t at = place_of(hash);
    for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at] == hash) return false;
    }
    slots_[at] = hash;
    ++size_;
    return true;
  }
  bool contains(std::uint64_t hash) const {
    if (slots_.empty()) return false;
    if (hash == 0) hash = 1;
    for (std::size_t at = place_of(hash); slots_[at] != 0; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at] == hash) return true;
    }
    return false;
  }
  std::size_t size() const { return size_; }
  void clear() { *this = {}; }
  template <typename Visit>
  void each(const Visit& visit) const {
    for (const std::uint64_t slot : slots_) {
      if (slot != 0) visit(slot);
    }
  }

 private:
  std::size_t place_of(std::uint64_t hash) const {
    return static_cast<std::size_t>((hash * 0x9E3779B97F4A7C15ull) >> 32) & (slots_.size() - 1);
  }
  void grow() {
    std::vector<std::uint64_t> old(std::max<std::size_t>(16, slots_.size() * 2), 0);
    old.swap(slots_);
    for (const std::uint64_t hash : old) {
      if (hash == 0) continue;
      std::size_t at = place_of(hash);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = hash;
    }
  }
  std::vector<std::uint64_t> slots_;
  std::size_t size_ = 0;
};

inline std::uint64_t hash_text(std::string_view text) {
  return std::hash<std::string_view>{}(text);
}

}  // namespace anima::load
