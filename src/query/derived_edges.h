// Pairs of codes that a step of a path may go along, beside what the space states.
// Thread-safety: immutable. Complexity: O(n log n) to build, O(log n) to find what follows a code.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace anima::query {

class DerivedEdges {
 public:
  // Columns of one length: a pair a row.
  DerivedEdges(const std::vector<std::uint32_t>& from, const std::vector<std::uint32_t>& to);

  // What an edge leads to from `code`, or where it comes from; sorted, each once.
  std::span<const std::uint32_t> next(std::uint32_t code, bool forward) const;
  // Where edges begin, or end; sorted, perhaps repeated.
  std::span<const std::uint32_t> ends(bool forward) const {
    return forward ? forward_.keys : backward_.keys;
  }

 private:
  struct Side {
    std::vector<std::uint32_t> keys, others;  // of one length, by key and then by other
  };
  static Side sorted(const std::vector<std::uint32_t>& keys,
                     const std::vector<std::uint32_t>& others);

  Side forward_, backward_;
};

}  // namespace anima::query
