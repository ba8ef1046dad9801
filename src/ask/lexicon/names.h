// The names of a space's things, found by the words of a question.
//
// A name is kept as the hash of its words, folded for finding, so it costs some bytes and not its
// letters; what is found is read again from the snapshot and compared. A name without its accents
// is found where no other is written so. Of a name in a script without blanks its parts are ICU's
// words. Thread-safety: const functions from any
// thread. Complexity: build O(names log names), follow O(the thing's names), now and then O(names)
// for all that came since the last time; look-ups O(log names + hits).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ask/lexicon/schema.h"
#include "ask/lexicon/schema_keeper.h"
#include "ask/lexicon/word_table.h"
#include "store/snapshot.h"

namespace anima::ask {

// Things by a hash, as a sorted list with what came and went since it was made.
class Postings {
 public:
  struct Entry {
    std::uint32_t hash;
    store::EntityId entity;
    auto operator<=>(const Entry&) const = default;
  };
  void build(std::vector<Entry> entries);
  void add(Entry entry);  // once or many times, it is there once
  void remove(Entry entry);
  std::vector<store::EntityId> find(std::uint32_t hash) const;  // sorted
  std::size_t bytes() const;

 private:
  bool in_base(Entry entry) const;
  void merge_when_large();

  std::vector<Entry> base_;
  std::set<Entry> added_, removed_;
};

// Whether one of a thing's names is the text, up to case (language/names/equality.h).
bool is_called(const store::Snapshot& snapshot, store::EntityId entity, std::string_view text);
// Whether one of a thing's names, as it is written, has the text in it.
bool is_in_a_name(const store::Snapshot& snapshot, store::EntityId entity, std::string_view text);

class NameIndex {
 public:
  static NameIndex build(const store::Snapshot& snapshot, const Schema& schema);
  // A thing's names, which were those of `before` and are those of `now`.
  void follow(const store::Snapshot& before, const store::Snapshot& now, const NameChange& change);

  // Things called so: by name, alias, label or title; the words are folded, with blanks between.
  // What a loader put behind a name to tell it from others ("Tom Smith (7)") is no part of it.
  // `fits`: whether one of these names is written as the question has it; without it all are.
  std::vector<store::EntityId> called(
      const store::Snapshot& snapshot, const std::string& words,
      const std::function<bool(std::string_view name)>& fits = {}) const;
  // Things whose name has all these words among more; at most `limit`.
  std::vector<store::EntityId> with_words(const store::Snapshot& snapshot,
                                          const std::vector<std::string>& words,
                                          std::size_t limit) const;
  // Words of names that one or two edits turn into this one, sorted.
  std::vector<std::string> near_words(const std::string& word, std::size_t edits) const;
  std::size_t longest() const;  // words of a name, at most 8
  std::size_t bytes() const { return names_.bytes() + parts_.bytes() + words_.bytes(); }

 private:
  static constexpr std::size_t kMaxWords = 8;

  Postings names_, parts_;
  WordTable words_;
  std::array<std::uint32_t, kMaxWords + 1> lengths_{};  // how many names have so many words
};

}  // namespace anima::ask
