// Lattices: predicates with fundep and merge keep one row a key. A second row for a key is merged
// with the first by the merge predicates; when that changes the row, the old one goes and the
// merged one is new.
#include <algorithm>
#include <span>

#include "datalog/engine/solver.h"

namespace anima::datalog {

Status Database::merge(const Lattice& lattice, std::span<const Code> old_row,
                       std::span<const Code> new_row, std::vector<Code>& merged, const Rule& rule) {
  merged.assign(old_row.begin(), old_row.end());
  for (const Lattice::Merge& part : lattice.merges) {
    const auto found = network().program->deferred_rules.find(part.function);
    bool answered = false;
    if (found != network().program->deferred_rules.end()) {
      for (const Rule& candidate : found->second) {
        if (answered) break;
        const std::size_t width = part.columns.size();
        std::vector<Code> bindings(candidate.variables.size(), kUnbound);
        bool fits = true;
        // Head: old columns, new columns, results.
        for (std::size_t a = 0; a < width * 2 && fits; ++a) {
          const Argument& argument = candidate.head_arguments[a];
          const Code value =
              a < width ? old_row[part.columns[a]] : new_row[part.columns[a - width]];
          if (argument.constant) {
            fits = argument.value == value;
          } else {
            fits = bindings[argument.value] == kUnbound || bindings[argument.value] == value;
            bindings[argument.value] = value;
          }
        }
        if (!fits) continue;
        std::vector<std::uint32_t> order(candidate.body.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
        Solver solver(*this, candidate);
        ANIMA_TRY(solver.run(order, bindings, [&](std::span<const Code> solution) {
          for (std::size_t a = 0; a < width; ++a) {
            const Argument& argument = candidate.head_arguments[width * 2 + a];
            merged[part.columns[a]] = argument.constant ? argument.value : solution[argument.value];
          }
          answered = true;
          return false;
        }));
      }
    }
    if (!answered) {
      return fail(ErrorCode::kInvalidArgument,
                  "the merge predicate " + network().program->predicates[part.function].name +
                      " has no answer for two rows of one key, in: " + rule.text,
                  rule.where, "write a rule of it for every pair of values");
    }
  }
  return {};
}

Status Database::insert_lattice(const NetworkRule& rule, const Lattice& lattice,
                                std::span<const Code> row, std::uint32_t height) {
  const RelationId id = rule.rule.head;
  Relation& rows = relation(id);
  const View view = rows.now();
  std::vector<Code> key;
  std::vector<std::uint32_t> columns = lattice.keys;
  std::ranges::sort(columns);
  for (const std::uint32_t c : columns) key.push_back(row[c]);
  const RowId known =
      columns.size() == rows.columns() ? kNoRow : rows.newest(columns, key.data(), view, seen());
  if (known == kNoRow) {
    rows.insert_row(row.data(), height);
    return {};
  }
  const std::vector<Code> old_row(rows.row(known), rows.row(known) + rows.columns());
  if (std::ranges::equal(old_row, row)) return {};
  std::vector<Code> merged;
  ANIMA_TRY(merge(lattice, old_row, row, merged, rule.rule));
  if (merged == old_row) return {};
  kill(id, known);
  rows.insert_row(merged.data(), height);
  return {};
}

}  // namespace anima::datalog
