// A base relation as a database sees it: without the rows that the database hides.
//
// The rows of a predicate over a BaseRelation are those of the base that are not hidden, and the
// database's own. The hidden ones are a relation too, so forks, views and undoing work for them as
// for everything else.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "datalog/base_relation.h"
#include "datalog/engine/network.h"
#include "datalog/tables/relation.h"

namespace anima::datalog {

using ForeignMap = std::unordered_map<RelationId, std::shared_ptr<const BaseRelation>>;

struct ForeignView {
  const BaseRelation* base = nullptr;
  Relation* hidden = nullptr;
  View hidden_view;

  explicit operator bool() const { return base != nullptr; }
  Status probe(std::span<const std::uint32_t> columns, std::span<const Code> keys,
               std::size_t count, BaseRelation::Receiver& receiver) const;
  Status contains(std::span<const Code> rows, std::size_t count, std::uint8_t* answer) const;
  Result<bool> contains(const Code* row) const;
};

// A receiver from a function of (key, row).
template <typename F>
class RowReceiver : public BaseRelation::Receiver {
 public:
  RowReceiver(std::uint32_t columns, F function)
      : columns_(columns), function_(std::move(function)) {}
  Status take(const std::uint32_t* keys, const Code* rows, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) ANIMA_TRY(function_(keys[i], rows + i * columns_));
    return {};
  }

 private:
  std::uint32_t columns_;
  F function_;
};

}  // namespace anima::datalog
