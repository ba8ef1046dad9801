// What the passes of the analysis share. Thread-safety: one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "datalog/analysis/types.h"
#include "datalog/analyze.h"

namespace anima::datalog::detail {

// Line starts of a source: places in O(log lines).
class LineIndex {
 public:
  explicit LineIndex(std::shared_ptr<const Source> source);
  Position locate(Offset at) const;
  std::string where(Offset at) const;
  const Source& source() const { return *source_; }

 private:
  std::shared_ptr<const Source> source_;
  std::vector<Offset> starts_;
};

// A clause on its way to a rule, its predicates resolved to full names.
struct WorkClause {
  ast::Clause clause;
  std::uint32_t unit = 0;
  bool facts_are_rows = false;  // the body, as written, is one plain atom
  bool internal = false;
  std::vector<std::uint32_t> inputs;  // argument places that the caller binds (deferred rules)
};

// Where a rule came from, for diagnostics after it was built.
struct RuleOrigin {
  std::uint32_t unit = 0;
  Offset at = 0;
  Offset end = 0;
  std::vector<Offset> literals;  // by literal
};

struct Context {
  explicit Context(ValueTable& table) : values(table) {}

  ValueTable& values;
  std::vector<Unit> units;
  std::vector<LineIndex> lines;
  Program program;
  std::vector<RuleOrigin> origins;           // by RuleId
  std::vector<RuleOrigin> deferred_origins;  // by the RuleId of deferred rules, which count apart
  std::unordered_map<PredicateId, std::size_t> fact_places;  // in program.facts
  std::vector<Diagnostic> diagnostics;
  std::vector<bool> open;               // by PredicateId: has facts from elsewhere
  std::vector<std::uint64_t> mentions;  // by PredicateId: definitions in the units

  struct Place {
    std::uint32_t unit = 0;
    Offset at = 0;
    Offset end = 0;
    Offset clause_at = 0;
    Offset clause_end = 0;
  };
  Diagnostic& report(Problem problem, const Place& place, std::string message,
                     std::string hint = {});
  void warn(Problem problem, const Place& place, std::string message, std::string hint = {});

  PredicateId add_predicate(Predicate predicate);
  // A predicate of the analysis: its name cannot be written in a program.
  PredicateId add_internal(std::string name, std::uint32_t columns);
  Predicate& predicate(PredicateId id) { return program.predicates[id]; }
};

// Declarations, definitions, packages (symbols.cc). After it every predicate of the units is known.
void collect_symbols(Context& context, const AnalysisOptions& options);
// Replaces predicate names in the units' clauses by full names; reports unknown ones (resolve.cc).
void resolve_names(Context& context);
// Names that `wanted` may have meant.
std::string predicate_hint(const Context& context, std::string_view wanted);

// Removes calls of deferred predicates from `clauses`; `deferred` receives the rules that are
// called from outside, by merge functions and queries (deferred.cc).
void expand_deferred(Context& context, std::vector<WorkClause>& clauses,
                     std::vector<WorkClause>& deferred);

// A clause to a rule or a fact of the program (build.cc).
void build_clause(Context& context, const WorkClause& clause);
void build_deferred(Context& context, const WorkClause& clause);
void build_inclusions(Context& context);
void build_dependencies(Context& context);
// Moves the units' coded facts into the program; those of deferred predicates become clauses
// (build.cc).
void take_facts(Context& context, std::vector<WorkClause>& clauses);

// Strongly connected components in the order of evaluation (strata.cc).
void stratify(Context& context);
// The strata of a program whose rules were rewritten; it must be stratifiable.
void stratify_again(Program& program);

// Inferred types against declared ones, operands against functions (infer.cc).
void check_types(Context& context);
// Facts of the source against their declarations (check_facts.cc).
void check_facts(Context& context);

}  // namespace anima::datalog::detail
