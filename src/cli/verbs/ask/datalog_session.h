// A Datalog program as the command line has it: files and .facts folders in, engine out, answers as
// text. Thread-safety: belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/context.h"
#include "datalog/engine.h"
#include "datalog/space_facts.h"
#include "store/space.h"

namespace anima::cli {

// Where a program comes from.
struct DatalogInput {
  std::vector<std::string> files;            // "-": standard input
  std::vector<std::string> facts;            // folders of <predicate>.facts
  std::vector<datalog::Unit> extra;          // parsed elsewhere
  std::shared_ptr<store::Space> space = {};  // whose statements are base facts too
  std::string min_trust = {};                // those that are stated with this trust at least
};

// 0: no limit.
struct DatalogLimits {
  std::uint64_t timeout_ms = 60'000;
  std::uint64_t max_rows = 0;
  std::uint64_t max_megabytes = 4096;
  std::uint64_t max_intervals = 1000;
};

// Limits that Ctrl-C also ends.
class InterruptibleLimits {
 public:
  explicit InterruptibleLimits(const DatalogLimits& limits);
  ~InterruptibleLimits();
  const datalog::Limits& limits() const { return limits_; }

 private:
  struct Watch;
  datalog::Limits limits_;
  std::unique_ptr<Watch> watch_;
};

// What was read and analysed; `program` is absent when there are errors.
struct LoadedDatalog {
  std::shared_ptr<datalog::ValueTable> values;
  std::shared_ptr<const datalog::Program> program;
  std::vector<datalog::Diagnostic> diagnostics;
  datalog::Transaction facts;                  // of .facts files
  std::shared_ptr<datalog::SpaceFacts> space;  // null: no space
};

// Errors: files that cannot be read. What is wrong with the program is in the diagnostics.
Result<LoadedDatalog> load_datalog(Context& context, DatalogInput input);

// A question to the program; over a space, names of concepts are read as SpaceNames says.
Result<datalog::Query> compile_asked(const LoadedDatalog& loaded, std::string_view text);

Result<std::unique_ptr<datalog::Engine>> start_engine(LoadedDatalog& loaded,
                                                      const datalog::Limits& limits);

// The space that --space or ANIMA_SPACE names; null when none is named, or `alone`.
Result<std::shared_ptr<store::Space>> datalog_space(Context& context, bool alone);
inline constexpr std::string_view kAloneHelp = "without the statements of the space in ANIMA_SPACE";
// Carries what was written to the space since into the engine. False: the program must be loaded
// again.
Result<bool> catch_up(LoadedDatalog& loaded, store::Space& space, datalog::Engine& engine,
                      const datalog::Limits& limits);

// Predicates that rules define and that users see, by name.
std::vector<datalog::PredicateId> derived_predicates(const datalog::Program& program);

std::vector<std::string> fact_lines(const datalog::Engine& engine, const datalog::Rows& rows,
                                    datalog::PredicateId predicate);

Json diagnostic_json(const datalog::Diagnostic& diagnostic);
// "where: error: message", the clause and the hint below it.
std::string diagnostic_text(const Context& context, const datalog::Diagnostic& diagnostic);

Json stats_json(const datalog::Program& program, const datalog::TransactionStats& stats);
Json proof_json(const datalog::Proof& proof);
Json why_not_json(const datalog::WhyNot& why_not);

}  // namespace anima::cli
