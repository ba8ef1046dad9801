// Facts of a source against the declared bounds of their predicates.
#include <algorithm>
#include <span>

#include "datalog/analysis/bounds.h"
#include "datalog/analysis/constants.h"
#include "datalog/analysis/context.h"

namespace anima::datalog::detail {
namespace {

// Where the first fact of a block that does not fit stands: the source is read again, since blocks
// keep no places.
void report_misfit(Context& context, std::uint32_t unit, const FactBlock& block,
                   const Predicate& predicate, std::span<const Code> row) {
  const std::string message = misfit(predicate, row, context.values, true);
  Context::Place place{unit, block.at, block.at + 1, block.at, block.at};
  const ParsedUnit again = parse_unit(context.units[unit].source);
  const auto& package = context.units[unit].package;
  for (const ast::Clause& clause : again.unit.clauses) {
    const std::string name =
        package ? package->name + "." + clause.head.predicate : clause.head.predicate;
    if (!clause.is_fact() || name != predicate.name || clause.head.arguments.size() != row.size()) {
      continue;
    }
    const bool same =
        std::equal(row.begin(), row.end(), clause.head.arguments.begin(),
                   [&](Code code, const ast::Term& term) {
                     Code other = 0;
                     return constant_code(term, context.values, other) && other == code;
                   });
    if (!same) continue;
    place = {unit, clause.at, clause.end, clause.at, clause.end};
    break;
  }
  context.report(Problem::kType, place, message,
                 predicate.where.empty() ? "" : "see " + predicate.where);
}

}  // namespace

void check_facts(Context& context) {
  constexpr std::size_t kMostReports = 20;
  std::size_t reports = 0;
  for (std::uint32_t unit = 0; unit < context.units.size(); ++unit) {
    for (const FactBlock& block : context.units[unit].facts) {
      const PredicateId id = context.program.find(block.predicate);
      if (id == kNone) continue;
      const Predicate& predicate = context.predicate(id);
      if (predicate.arity != block.arity) continue;
      if (predicate.bounds.empty()) continue;
      for (std::uint64_t row = 0; row < block.rows && reports < kMostReports; ++row) {
        const std::span<const Code> codes(&block.codes[row * block.arity], block.arity);
        if (row_fits(predicate, codes, context.values, true)) continue;
        ++reports;
        report_misfit(context, unit, block, predicate, codes);
      }
    }
  }
}

}  // namespace anima::datalog::detail
