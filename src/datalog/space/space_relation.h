// Statements of one state of a space, read where they lie as a relation of rules.
//
// A row may rest on several statements (labels that coincide, predicates whose names do, literals
// of one text); it is answered once, for the first of them in a fixed order.
// Thread-safety: immutable but for the counts, which are taken on first use under a lock.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "datalog/base_relation.h"
#include "datalog/space/space_state.h"

namespace anima::datalog {

enum class SpaceKind : std::uint8_t {
  kLink,       // p(S, O)
  kConcept,    // concept(Id, Type, Name)
  kAttribute,  // attribute(Id, Key, Value)
  kMetadata,   // metadata(Id, Key, Value)
  kFact,       // fact(Graph, S, P, O)
};

class SpaceRelation final : public BaseRelation {
 public:
  static constexpr std::size_t kMaxColumns = 4;

  // `predicates`: of kLink, sorted.
  SpaceRelation(std::shared_ptr<const SpaceState> state, SpaceKind kind,
                std::vector<store::Predicate> predicates);

  std::uint32_t columns() const override;
  std::uint64_t rows() const override;
  double fan_out(std::span<const std::uint32_t> columns) const override;
  Status probe(std::span<const std::uint32_t> columns, std::span<const Code> keys,
               std::size_t count, Receiver& receiver) const override;
  Status contains(std::span<const Code> rows, std::size_t count,
                  std::uint8_t* answer) const override;

  SpaceKind kind() const { return kind_; }
  const SpaceState& state() const { return *state_; }
  const std::vector<store::Predicate>& predicates() const { return predicates_; }
  // The statements that a row rests on, at least one when it is there.
  std::vector<store::Triple> statements(std::span<const Code> row) const;
  // Appends the rows of a statement, whether or not it is there; `graphs` are those of a kFact.
  void rows_of(const store::Triple& triple, std::span<const store::GraphId> graphs,
               std::vector<Code>& out) const;
  // This relation in a later state that differs by so many rows.
  std::shared_ptr<const SpaceRelation> next(std::shared_ptr<const SpaceState> state,
                                            std::vector<store::Predicate> predicates,
                                            std::uint64_t inserted, std::uint64_t deleted) const;

 private:
  class Output;
  struct Lists;  // what a key allows in each part of a statement
  struct Counts {
    bool known = false;
    std::uint64_t rows = 0;
    std::array<double, kMaxColumns> distinct{};
  };

  void predicates_called(Code code, Lists& lists) const;
  Code label_of(store::Predicate predicate) const;
  void statement_row(const store::Triple& triple, Code* row) const;
  bool is_hidden(const store::Triple& triple) const;
  bool may_repeat(const store::Triple& triple) const;
  bool is_first(const store::Triple& triple, const Code* row, Lists& lists) const;
  void candidates(std::span<const std::uint32_t> columns, const Code* key, Lists& lists) const;
  Status scan(const store::Snapshot& from, const store::Pattern& pattern, Output& out) const;
  Status probe_one(const Lists& lists, Output& out) const;
  Status probe_links(std::span<const std::uint32_t> columns, std::span<const Code> keys,
                     std::size_t count, Output& out) const;
  store::Pattern open_pattern() const;
  bool asserted(const store::Triple& triple, store::GraphId graph) const;
  template <typename Visit>
  bool each_statement(std::span<const Code> row, Lists& lists, const Visit& visit) const;
  const Counts& counts() const;

  std::shared_ptr<const SpaceState> state_;
  SpaceKind kind_;
  std::vector<store::Predicate> predicates_;
  mutable Mutex counts_mutex_;
  mutable Counts counts_ ANIMA_GUARDED_BY(counts_mutex_);
};

}  // namespace anima::datalog
