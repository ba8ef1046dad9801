// TextTable: what is known of each text, found by the text, in the order in which they came.
//
// Open addressing: a slot holds the upper half of a text's hash and the number of its entry, so a
// text that is there costs two looks into memory, which is most of what an ingest of texts and an
// import of triples do with their words and names. Entries and their texts keep their addresses,
// also when the table is moved. Nothing is taken out. Requires fewer than 2^32 texts. Not
// thread-safe. Complexity: O(letters) a look-up; memory: an entry, the letters and 16 to 32 bytes a
// text.
#pragma once

#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace anima {

template <typename Value>
class TextTable {
 public:
  struct Entry {
    std::string_view text;
    Value value;
  };

  // Null where the text is not there.
  Entry* find(std::string_view text) { return const_cast<Entry*>(std::as_const(*this).find(text)); }
  const Entry* find(std::string_view text) const {
    if (slots_.empty()) return nullptr;
    const std::uint64_t slot = slots_[place_of(text, hash_of(text))];
    return slot == 0 ? nullptr : &entries_[number_of(slot)];
  }
  // Requires that the text is not there.
  Entry& add(std::string_view text, Value value) {
    make_room();
    const std::uint64_t hash = hash_of(text);
    return put(place_of(text, hash), hash, text, std::move(value));
  }
  // Of a new text a value of zeros.
  Value& operator[](std::string_view text) {
    make_room();
    const std::uint64_t hash = hash_of(text);
    const std::size_t place = place_of(text, hash);
    if (slots_[place] != 0) return entries_[number_of(slots_[place])].value;
    return put(place, hash, text, Value{}).value;
  }

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  std::size_t heap_bytes() const {
    return entries_.size() * sizeof(Entry) + slots_.capacity() * sizeof(std::uint64_t) + letters_;
  }

 private:
  static constexpr std::uint64_t kUpper = 0xffffffff00000000;
  static constexpr std::size_t kFewest = 64;
  static constexpr std::size_t kSmallestBlock = 1024, kLargestBlock = 65'536;  // bytes

  static std::uint64_t hash_of(std::string_view text) {
    return XXH3_64bits(text.data(), text.size());
  }
  static std::size_t number_of(std::uint64_t slot) {
    return static_cast<std::size_t>((slot & ~kUpper) - 1);
  }
  // Of the text, or of the empty slot where it would stand.
  std::size_t place_of(std::string_view text, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = hash & mask;
    for (; slots_[place] != 0; place = (place + 1) & mask) {
      const bool may_be = (slots_[place] & kUpper) == (hash & kUpper);
      if (may_be && entries_[number_of(slots_[place])].text == text) break;
    }
    return place;
  }
  Entry& put(std::size_t place, std::uint64_t hash, std::string_view text, Value value) {
    entries_.push_back({kept(text), std::move(value)});
    slots_[place] = (hash & kUpper) | entries_.size();
    return entries_.back();
  }
  // For one text more.
  void make_room() {
    if ((entries_.size() + 1) * 2 <= slots_.size()) return;
    slots_.assign(slots_.empty() ? kFewest : slots_.size() * 2, 0);
    const std::size_t mask = slots_.size() - 1;
    std::uint64_t number = 0;
    for (const Entry& entry : entries_) {
      const std::uint64_t hash = hash_of(entry.text);
      std::size_t place = hash & mask;
      while (slots_[place] != 0) place = (place + 1) & mask;
      slots_[place] = (hash & kUpper) | ++number;
    }
  }
  std::string_view kept(std::string_view text) {
    if (blocks_.empty() || text.size() > left_) {
      left_ = std::max(text.size(), std::clamp(letters_, kSmallestBlock, kLargestBlock));
      letters_ += left_;
      blocks_.push_back(std::make_unique_for_overwrite<char[]>(left_));
      next_ = blocks_.back().get();
    }
    char* const begin = next_;
    std::ranges::copy(text, begin);
    next_ += text.size();
    left_ -= text.size();
    return {begin, text.size()};
  }

  std::vector<std::uint64_t> slots_;  // 0 where none is
  std::deque<Entry> entries_;
  std::vector<std::unique_ptr<char[]>> blocks_;  // the letters of the texts
  char* next_ = nullptr;                         // in the last block
  std::size_t left_ = 0;                         // bytes there
  std::size_t letters_ = 0;                      // bytes of all blocks
};

}  // namespace anima
