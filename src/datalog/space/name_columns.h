// Where a program's constants name concepts of a space: the columns and variables that meet the
// place of an entity in one of the space's relations. A string there is looked up as a name; one in
// any other place (a key, a value, a text to compare) is itself.
// Thread-safety: immutable. Complexity: O(program).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "datalog/program.h"
#include "datalog/space/space_relation.h"

namespace anima::datalog {

class NameColumns {
 public:
  // `kinds`, by predicate: what it reads of the space; nothing when it is the program's own.
  NameColumns(const Program& program, std::span<const std::optional<SpaceKind>> kinds);

  // Puts what the concepts are called in the place of constants that name them; `awaited` gets the
  // "Type:name" texts that name nothing so far. Errors, at places that are to be checked:
  // kInvalidArgument for a name of several concepts, or of one that is not the oldest of that name.
  using Check = std::function<bool(std::string_view where)>;
  Status settle(Program& program, const SpaceState& state, const Check& check,
                std::unordered_set<std::string>& awaited) const;
  // Errors: kInvalidArgument for a name of several concepts.
  Status settle(Query& query, const SpaceState& state) const;
  void settle(GroundFact& fact, const SpaceState& state) const;

 private:
  struct Settler;
  bool is_name(PredicateId predicate, std::size_t column) const {
    return predicate < named_.size() && named_[predicate][column];
  }

  std::vector<std::vector<bool>> named_;      // predicate, column
  std::vector<std::vector<bool>> variables_;  // rule, variable: of Program::rules
  std::unordered_map<PredicateId, std::vector<std::vector<bool>>> deferred_;  // by their head
};

}  // namespace anima::datalog
