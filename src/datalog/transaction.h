// A transaction: facts that appear and facts that go. The last word about a fact counts. Inserting
// what is there and removing what is not is no error. Thread-safety: a plain value.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "datalog/program.h"

namespace anima::datalog {

class Transaction {
 public:
  struct Step {
    PredicateId predicate = kNone;
    bool insert = true;
    std::uint64_t rows = 0;
    std::vector<Code> codes;  // rows * columns
  };

  void insert(PredicateId predicate, std::span<const Code> row) { add(predicate, true, row); }
  void remove(PredicateId predicate, std::span<const Code> row) { add(predicate, false, row); }
  void insert_rows(PredicateId predicate, std::uint64_t rows, std::vector<Code> codes) {
    steps_.push_back({predicate, true, rows, std::move(codes)});
  }
  void remove_rows(PredicateId predicate, std::uint64_t rows, std::vector<Code> codes) {
    steps_.push_back({predicate, false, rows, std::move(codes)});
  }
  const std::vector<Step>& steps() const { return steps_; }
  std::vector<Step>& steps() { return steps_; }
  bool empty() const { return steps_.empty(); }

 private:
  void add(PredicateId predicate, bool insert, std::span<const Code> row) {
    if (steps_.empty() || steps_.back().predicate != predicate || steps_.back().insert != insert) {
      steps_.push_back({predicate, insert, 0, {}});
    }
    steps_.back().codes.insert(steps_.back().codes.end(), row.begin(), row.end());
    ++steps_.back().rows;
  }

  std::vector<Step> steps_;
};

}  // namespace anima::datalog
