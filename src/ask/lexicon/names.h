// The names of a space's things, found by the words of a question.
//
// A name is kept as the hash of its folded words, so it costs some bytes and not its letters; what
// is found is read again from the snapshot and compared. Thread-safety: immutable once built.
// Complexity: build O(names log names), look-ups O(log names + hits).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ask/lexicon/schema.h"
#include "store/snapshot.h"

namespace anima::ask {

class NameIndex {
 public:
  static NameIndex build(const store::Snapshot& snapshot, const Schema& schema);

  // Things called so: by name, alias, label or title; the words are folded, with blanks between.
  std::vector<store::EntityId> called(const store::Snapshot& snapshot,
                                      const std::string& words) const;
  // Things whose name has all these words among more; at most `limit`.
  std::vector<store::EntityId> with_words(const store::Snapshot& snapshot,
                                          const std::vector<std::string>& words,
                                          std::size_t limit) const;
  // Words of names that one or two edits turn into this one.
  std::vector<std::string> near_words(const std::string& word, std::size_t edits) const;
  bool is_word(const std::string& word) const { return words_.contains(word); }
  std::size_t longest() const { return longest_; }  // words of a name, at most 8

 private:
  struct Entry {
    std::uint32_t hash;
    store::EntityId entity;
    auto operator<=>(const Entry&) const = default;
  };
  std::vector<Entry> names_, parts_;  // sorted
  std::unordered_map<std::string, std::uint32_t> words_;
  std::size_t longest_ = 1;
};

}  // namespace anima::ask
