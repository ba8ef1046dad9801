// Bindings of a plan's variables, a batch at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "datalog/engine/plan.h"
#include "datalog/value.h"

namespace anima::datalog {

inline constexpr std::uint32_t kBatch = 1024;

// Up to kBatch bindings, column by column. A small transaction runs many plans over a few rows
// each, so columns of one run serve the next of the thread. Thread-safety: one thread.
class Batch {
 public:
  explicit Batch(std::uint32_t slots) : columns_(slots) {}
  ~Batch() { give_back(); }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  Code* column(Slot slot) {
    if (columns_[slot] == nullptr) columns_[slot] = new_column();
    return columns_[slot].get();
  }
  // As it was made, for other slots.
  void renew(std::uint32_t slots);
  std::uint32_t size = 0;

 private:
  using Column = std::unique_ptr<Code[]>;
  static Column new_column();
  void give_back();
  std::vector<Column> columns_;
};

// The values of a rule's arguments as columns of the batch's size: those of variables where they
// lie, constants repeated. Valid while the batch is not changed.
class ArgumentColumns {
 public:
  ArgumentColumns(Batch& batch, std::span<const Argument> arguments) {
    if (arguments.size() > few_.size()) {
      many_.resize(arguments.size());
      columns_ = many_.data();
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].constant) {
        constants_.emplace_back(batch.size, arguments[i].value);
        columns_[i] = constants_.back().data();
      } else {
        columns_[i] = batch.column(arguments[i].value);
      }
    }
  }
  ArgumentColumns(const ArgumentColumns&) = delete;
  ArgumentColumns& operator=(const ArgumentColumns&) = delete;
  const Code* const* data() const { return columns_; }

 private:
  std::array<const Code*, 16> few_;  // left as they are: only what is set is read
  std::vector<const Code*> many_;
  std::vector<std::vector<Code>> constants_;
  const Code** columns_ = few_.data();
};

}  // namespace anima::datalog
