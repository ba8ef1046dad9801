// NameTable: texts to numbers, for an import that meets the same names millions of times.
//
// Open addressing; the texts lie one behind the other in an arena. Nothing is ever removed.
// Thread-safety: one thread at a time.
#pragma once

#include <xxhash.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace anima::sparql::detail {

class NameTable {
 public:
  NameTable() : slots_(1024, 0) {}

  // The number kept for the text, 0 when it is new: set it. The reference is valid until the next
  // call.
  std::uint32_t& operator[](std::string_view text) {
    const std::uint64_t hash = XXH3_64bits(text.data(), text.size());
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
      const std::uint64_t slot = slots_[at];
      if (slot == 0) {
        slots_[at] = (hash & kHashMask) | (entries_.size() + 1);
        entries_.push_back({arena_.size(), static_cast<std::uint32_t>(text.size()), 0});
        arena_.append(text);
        if (entries_.size() * 2 > slots_.size()) grow();
        return entries_.back().number;
      }
      if (((slot ^ hash) & kHashMask) != 0) continue;
      Entry& entry = entries_[static_cast<std::uint32_t>(slot) - 1];
      if (std::string_view(arena_.data() + entry.begin, entry.size) == text) return entry.number;
    }
  }

 private:
  static constexpr std::uint64_t kHashMask = 0xFFFFFFFF00000000u;
  struct Entry {
    std::uint64_t begin;
    std::uint32_t size;
    std::uint32_t number;
  };

  void grow() {
    std::vector<std::uint64_t> slots(slots_.size() * 4, 0);
    const std::size_t mask = slots.size() - 1;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const std::uint64_t hash = XXH3_64bits(arena_.data() + entries_[i].begin, entries_[i].size);
      std::size_t at = hash & mask;
      while (slots[at] != 0) at = (at + 1) & mask;
      slots[at] = (hash & kHashMask) | (i + 1);
    }
    slots_ = std::move(slots);
  }

  std::vector<std::uint64_t> slots_;  // hash in the upper half, entry + 1 in the lower
  std::vector<Entry> entries_;
  std::string arena_;
};

}  // namespace anima::sparql::detail
