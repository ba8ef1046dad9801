// Names and strings to codes, with a small direct-mapped cache in front of the table: facts repeat
// their constants, and a hit costs a compare instead of a lock. Thread-safety: one thread; the
// texts given must outlive it.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "datalog/value.h"

namespace anima::datalog::detail {

class TextCodes {
 public:
  explicit TextCodes(ValueTable& values) : values_(values), slots_(kFewest) {}

  Code name(std::string_view text) { return code(text, true); }
  Code string(std::string_view text) { return code(text, false); }
  ValueTable& values() { return values_; }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    const char* text = nullptr;
    std::uint32_t size = 0;
    Code code = 0;
  };
  static constexpr std::size_t kFewest = std::size_t{1} << 10;
  static constexpr std::size_t kMost = std::size_t{1} << 15;

  static std::uint64_t hash(std::string_view text) {
    std::uint64_t word = 0;
    std::uint64_t h = text.size() * 0x9E3779B97F4A7C15U;
    const char* at = text.data();
    std::size_t left = text.size();
    for (; left >= 8; at += 8, left -= 8) {
      std::memcpy(&word, at, 8);
      h = (h ^ word) * 0xFF51AFD7ED558CCDU;
      h ^= h >> 32;
    }
    word = 0;
    for (std::size_t i = 0; i < left; ++i) {
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(at[i])) << (8 * i);
    }
    h = (h ^ word) * 0xFF51AFD7ED558CCDU;
    h = (h ^ h >> 32) * 0xC4CEB9FE1A85EC53U;
    return h ^ h >> 29;
  }

  Code code(std::string_view text, bool name) {
    // The lowest bit keeps names and strings apart.
    const std::uint64_t key = (hash(text) & ~std::uint64_t{1}) | (name ? 1U : 0U);
    Slot& slot = slots_[key & (slots_.size() - 1)];
    if (slot.hash == key && slot.size == text.size() && slot.text != nullptr &&
        std::memcmp(slot.text, text.data(), text.size()) == 0) {
      return slot.code;
    }
    const auto size = static_cast<std::uint32_t>(text.size());
    const Code code = name ? values_.name(text) : values_.string(text);
    slot = {key, text.data(), size, code};
    if (++misses_ > slots_.size() && slots_.size() < kMost) grow();
    return code;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 4);
    old.swap(slots_);
    misses_ = 0;
    for (const Slot& slot : old) {
      if (slot.text != nullptr) slots_[slot.hash & (slots_.size() - 1)] = slot;
    }
  }

  ValueTable& values_;
  std::vector<Slot> slots_;
  std::size_t misses_ = 0;  // since it grew
};

}  // namespace anima::datalog::detail
