// Texts of terms that are needed until their statement is handed out, given back like a stack.
//
// What was kept after a mark goes when the mark is released, so a subject with a million objects
// needs room for one. Thread-safety: one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace anima::sparql::rdf {

class TermArena {
 public:
  struct Mark {
    std::size_t block = 0;
    std::size_t used = 0;
  };

  Mark mark() const { return top_; }
  void release(Mark mark) { top_ = mark; }

  // A copy of the text that lives until an earlier mark is released.
  std::string_view keep(std::string_view text) { return join(text, {}); }
  // The two texts, one behind the other.
  std::string_view join(std::string_view first, std::string_view second) {
    const std::size_t size = first.size() + second.size();
    char* const to = room(size);
    if (!first.empty()) std::memcpy(to, first.data(), first.size());
    if (!second.empty()) std::memcpy(to + first.size(), second.data(), second.size());
    return {to, size};
  }

 private:
  static constexpr std::size_t kBlock = 16 * 1024;
  struct Block {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
  };

  char* room(std::size_t size) {
    while (top_.block < blocks_.size() && blocks_[top_.block].size - top_.used < size) {
      ++top_.block;
      top_.used = 0;
    }
    if (top_.block == blocks_.size()) {
      const std::size_t wanted = std::max(size, kBlock);
      blocks_.push_back({std::make_unique<char[]>(wanted), wanted});
      top_.used = 0;
    }
    char* const at = blocks_[top_.block].bytes.get() + top_.used;
    top_.used += size;
    return at;
  }

  std::vector<Block> blocks_;
  Mark top_;
};

}  // namespace anima::sparql::rdf
