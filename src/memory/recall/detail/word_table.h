// WordTable: what is known of each word, found by the word, in the order in which they came.
//
// Open addressing: a slot holds the upper half of a word's hash and the number of its entry, so a
// word that is there costs two looks into memory, which is most of what ingest does with words.
// Entries keep their addresses, also when the table is moved. Nothing is taken out. Not
// thread-safe. Complexity: O(letters) a look-up; memory: an entry and 16 to 32 bytes a word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace anima::memory::detail {

template <typename Value>
class WordTable {
 public:
  struct Entry {
    std::string word;
    Value value;
  };

  // Null where the word is not there.
  Entry* find(std::string_view word) { return const_cast<Entry*>(std::as_const(*this).find(word)); }
  const Entry* find(std::string_view word) const {
    if (slots_.empty()) return nullptr;
    const std::uint64_t slot = slots_[place_of(word, hash_of(word))];
    return slot == 0 ? nullptr : &entries_[number_of(slot)];
  }
  // Requires that the word is not there.
  Entry& add(std::string_view word, Value value) {
    if ((entries_.size() + 1) * 2 > slots_.size()) grow();
    const std::uint64_t hash = hash_of(word);
    const std::size_t place = place_of(word, hash);
    entries_.push_back({std::string(word), std::move(value)});
    slots_[place] = (hash & kUpper) | entries_.size();
    return entries_.back();
  }

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  std::size_t heap_bytes() const {
    return entries_.size() * sizeof(Entry) + slots_.capacity() * sizeof(std::uint64_t);
  }

 private:
  static constexpr std::uint64_t kUpper = 0xffffffff00000000;
  static constexpr std::size_t kFewest = 64;

  static std::uint64_t hash_of(std::string_view word) {
    return std::hash<std::string_view>()(word);
  }
  static std::size_t number_of(std::uint64_t slot) {
    return static_cast<std::size_t>((slot & ~kUpper) - 1);
  }
  // Of the word, or of the empty slot where it would stand.
  std::size_t place_of(std::string_view word, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = hash & mask;
    for (; slots_[place] != 0; place = (place + 1) & mask) {
      const bool may_be = (slots_[place] & kUpper) == (hash & kUpper);
      if (may_be && entries_[number_of(slots_[place])].word == word) break;
    }
    return place;
  }
  void grow() {
    slots_.assign(slots_.empty() ? kFewest : slots_.size() * 2, 0);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const std::uint64_t hash = hash_of(entries_[i].word);
      std::size_t place = hash & mask;
      while (slots_[place] != 0) place = (place + 1) & mask;
      slots_[place] = (hash & kUpper) | (i + 1);
    }
  }

  std::vector<std::uint64_t> slots_;  // 0 where none is
  std::deque<Entry> entries_;
};

}  // namespace anima::memory::detail
