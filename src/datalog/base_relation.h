// Facts that live elsewhere and are read where they lie: the memory's snapshot seen as a relation.
//
// Codes are those of the engine's ValueTable, which has the elsewhere's dictionary as its parent,
// so nothing is copied or translated. An implementation is one immutable state; when the elsewhere
// changes, Engine::rebase() gets the next state together with what was inserted and deleted. The
// engine may add facts of its own beside those of the base relation, and hide some (a fork's
// what-if); neither touches the base.
//
// Thread-safety: every method is const and may be called from any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "datalog/program.h"
#include "datalog/value.h"

namespace anima::datalog {

class BaseRelation {
 public:
  // Takes answers in batches. An error ends the look-up and is handed through.
  class Receiver {
   public:
    virtual ~Receiver() = default;
    // Row i (columns() codes at rows + i * columns()) answers key keys[i]. Valid during the call
    // only.
    virtual Status take(const std::uint32_t* keys, const Code* rows, std::size_t count) = 0;
  };

  virtual ~BaseRelation() = default;
  virtual std::uint32_t columns() const = 0;
  virtual std::uint64_t rows() const = 0;
  // Estimated rows for one key over these columns (ascending).
  virtual double fan_out(std::span<const std::uint32_t> columns) const = 0;
  // Every row that has one of the keys: `keys` holds `count` tuples over `columns` (ascending).
  // Without columns every row answers key 0. A row is given once for each key that it has.
  virtual Status probe(std::span<const std::uint32_t> columns, std::span<const Code> keys,
                       std::size_t count, Receiver& receiver) const = 0;
  // answer[i] = 1 when row i (columns() codes each) is there, else 0.
  virtual Status contains(std::span<const Code> rows, std::size_t count,
                          std::uint8_t* answer) const = 0;
};

// The next state of a base relation, and how it differs from the one before (rows, one after the
// other).
struct Rebase {
  PredicateId predicate = kNone;
  std::shared_ptr<const BaseRelation> next;
  std::vector<Code> inserted;
  std::vector<Code> deleted;
};

}  // namespace anima::datalog
