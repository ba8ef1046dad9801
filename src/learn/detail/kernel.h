// Kernel: the rules of packs/learn over facts, always current.
//
// Facts of a predicate that has a key (a count, a status) are functional: put() takes the older one
// of the same key away. Thread-safety: one thread at a time. Errors: those of the engine.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "datalog/engine.h"
#include "learn/learnable.h"
#include "learn/learning.h"

namespace anima::learn::detail {

using Row = std::vector<datalog::Code>;

class Kernel {
 public:
  // With a predicate for everything that may be learnt, and more rules of the caller.
  static Result<std::unique_ptr<Kernel>> open(const LearnableTable& table, std::string_view rules);

  datalog::Code string(std::string_view text) { return values_->string(text); }
  datalog::Code integer(std::int64_t number) { return values_->integer(number); }
  // "coder" as /coder.
  datalog::Code name(std::string_view word) { return values_->name("/" + std::string(word)); }
  datalog::Code list(std::span<const datalog::Code> items) { return values_->list(items); }
  std::string_view text(datalog::Code code) const { return values_->view(code).text; }
  std::int64_t number(datalog::Code code) const { return values_->view(code).number; }
  const datalog::ValueTable& values() const { return *values_; }

  // The first `keys` columns are the key; all of them: facts of a plain set. `predicate` is there.
  Status put(std::string_view predicate, const Row& row, std::size_t keys);
  Status drop(std::string_view predicate, const Row& row);
  // A fact in Mangle syntax.
  Status assert_fact(std::string_view fact);
  Status retract_fact(std::string_view fact);

  // Rows of a predicate whose first columns are these, sorted.
  Result<std::vector<Row>> rows(std::string_view predicate, const Row& first = {}) const;
  // The answers to an atom, as facts in Mangle syntax, sorted.
  Result<std::vector<std::string>> query(std::string_view atom);

  // The arguments of a learning by their declared types: an integer is one again, a name a name.
  Row codes_of(const Learnable& declared, const Json& arguments);
  // A list of arguments back as JSON.
  Json json_of(datalog::Code list) const;

 private:
  Kernel() = default;
  std::shared_ptr<datalog::ValueTable> values_ = std::make_shared<datalog::ValueTable>();
  std::unique_ptr<datalog::Engine> engine_;
  std::map<std::pair<datalog::PredicateId, Row>, Row> kept_;  // predicate and key -> row
};

}  // namespace anima::learn::detail
