// anima datalog run|check|fmt: evaluate Mangle programs, check them for an editor, lay them out.
#include <optional>

#include "base/files/output_file.h"
#include "cli/frame/options.h"
#include "cli/verbs/ask/datalog_session.h"
#include "datalog/demand.h"
#include "datalog/format.h"
#include "govern/trust.h"
#include "memory/grounds.h"

namespace anima::cli {
namespace {

using datalog::Demand;
using datalog::Diagnostic;
using datalog::Engine;
using datalog::first_error;
using datalog::for_queries;
using datalog::format_unit;
using datalog::Grounds;
using datalog::has_errors;
using datalog::ParsedUnit;
using datalog::PredicateId;
using datalog::Program;
using datalog::Query;
using datalog::QueryOptions;
using datalog::Rows;
using datalog::Source;

void add_limits(Options& options, DatalogLimits& limits) {
  options.value("--timeout MS", limits.timeout_ms,
                "stop the evaluation after so many milliseconds; default 60000, 0 = no limit");
  options.value("--max-rows N", limits.max_rows, "stop when rules have added so many rows");
  options.value("--max-memory MB", limits.max_megabytes,
                "stop when rules take so much memory; default 4096, 0 = no limit");
  options.value("--max-intervals N", limits.max_intervals,
                "stop when recursion gives one temporal atom more intervals; 0 = no limit");
}

int report(Context& context, const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!diagnostic.warning) context.err.write(diagnostic_text(context, diagnostic));
  }
  if (context.json)
    context.print_json(Json::object({{"error", error_json(first_error(diagnostics))}}));
  return kFailed;
}

// ---- run

struct ProgramOptions {
  DatalogInput input;
  std::vector<std::string> queries;
  std::optional<std::string> explain;
  bool count = false;
  bool stats = false;
  bool alone = false;
  DatalogLimits limits;
};

struct Answer {
  std::string query;
  PredicateId predicate = datalog::kNone;
  Rows rows;
  std::uint64_t count = 0;
};

// The queries over the program, which is cut down to what they need when that changes nothing else.
Result<std::vector<Query>> compile_queries(LoadedDatalog& loaded, const ProgramOptions& options) {
  std::vector<Query> queries;
  for (const std::string& text : options.queries) {
    ANIMA_ASSIGN(Query query, compile_asked(loaded, text));
    queries.push_back(std::move(query));
  }
  if (queries.empty() || options.explain) return queries;
  if (auto demand = for_queries(*loaded.program, queries)) {
    loaded.program = std::make_shared<const Program>(std::move(demand->program));
    return std::move(demand->queries);
  }
  return queries;
}

Result<std::vector<Answer>> answers(const Engine& engine, const ProgramOptions& options,
                                    const std::vector<Query>& queries) {
  std::vector<Answer> result;
  const auto snapshot = engine.snapshot();
  if (options.queries.empty()) {
    for (const PredicateId id : derived_predicates(engine.program())) {
      Answer answer{engine.program().predicates[id].name, id, {}, snapshot->count(id)};
      if (!options.count) {
        ANIMA_ASSIGN(answer.rows, snapshot->all(id));
      }
      result.push_back(std::move(answer));
    }
    return result;
  }
  for (std::size_t i = 0; i < queries.size(); ++i) {
    QueryOptions how;
    how.sorted = !options.count;
    ANIMA_ASSIGN(Rows rows, snapshot->query(queries[i], how));
    Answer answer{options.queries[i], queries[i].predicate, std::move(rows), 0};
    answer.count = answer.rows.count;
    result.push_back(std::move(answer));
  }
  return result;
}

void print_answers(Context& context, const Engine& engine, const std::vector<Answer>& list,
                   bool count) {
  if (context.json) {
    Json array = Json::array();
    for (const Answer& answer : list) {
      Json one = Json::object({{"query", answer.query}});
      if (count) {
        one.set("count", answer.count);
      } else {
        Json facts = Json::array();
        for (std::string& line : fact_lines(engine, answer.rows, answer.predicate))
          facts.push_back(std::move(line));
        one.set("facts", std::move(facts));
      }
      array.push_back(std::move(one));
    }
    context.print_json(Json::object({{"answers", std::move(array)}}));
    return;
  }
  for (const Answer& answer : list) {
    if (count) {
      context.print(answer.query + "\t" + std::to_string(answer.count) + "\n");
      continue;
    }
    std::string text;
    for (const std::string& line : fact_lines(engine, answer.rows, answer.predicate))
      text += line + "\n";
    context.print(text);
  }
}

// Why the fact holds; when it does not, why not (and kMissing).
int explain(Context& context, const LoadedDatalog& loaded, Engine& engine,
            const std::string& text) {
  const auto query = compile_asked(loaded, text);
  if (!query) return context.fail(query.error());
  QueryOptions one;
  one.max_rows = 1;
  const Result<Rows> rows = engine.query(*query, one);
  if (!rows) return context.fail(rows.error());
  if (rows->count == 0) {
    const auto why_not = engine.why_not(*query);
    if (!why_not) return context.fail(why_not.error());
    if (context.json) {
      context.print_json(why_not_json(*why_not));
    } else {
      context.print(why_not->text());
    }
    return kMissing;
  }
  const auto proof = engine.explain(query->predicate, rows->row(0));
  if (!proof) return context.fail(proof.error());
  Grounds grounds;
  if (loaded.space != nullptr) grounds = loaded.space->grounds(*proof);
  if (context.json) {
    Json json = proof_json(*proof);
    if (loaded.space != nullptr) {
      json.set("premises", memory::premises_json(grounds));
      json.set("complete", grounds.complete);
      json.set("trust", govern::trust_name(grounds.trust));
    }
    context.print_json(json);
  } else {
    context.print(proof->text() + (loaded.space != nullptr ? memory::grounds_text(grounds) : ""));
  }
  return kDone;
}

int run_datalog_run(Context& context, Arguments arguments) {
  ProgramOptions run;
  Options options;
  options.positional("FILE", run.input.files, "Mangle programs; - for standard input").required();
  options.values("--query ATOM", run.queries,
                 "print what matches: 'p(X, /a)'; without it all derived predicates");
  options.values("--facts DIR", run.input.facts,
                 "read DIR/<predicate>.facts (tab-separated) as base facts");
  options.flag("--count", run.count, "print numbers of rows instead of facts");
  options.flag("--stats", run.stats, "time and rows of each stratum, as JSON on standard error");
  options.value("--explain FACT", run.explain,
                "print the proof of a fact, or why it does not hold");
  options.flag("--no-space", run.alone, kAloneHelp);
  options
      .value("--min-trust LEVEL", run.input.min_trust,
             "of the space take what is stated with this trust at least")
      .choices({"operator", "verified", "standard", "untrusted", "hostile"});
  add_limits(options, run.limits);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  auto space = datalog_space(context, run.alone);
  if (!space) return context.fail(space.error());
  run.input.space = std::move(*space);
  auto loaded = load_datalog(context, std::move(run.input));
  if (!loaded) return context.fail(loaded.error());
  if (!loaded->program) return report(context, loaded->diagnostics);
  const auto queries = compile_queries(*loaded, run);
  if (!queries) return context.fail(queries.error());
  const InterruptibleLimits limits(run.limits);
  auto engine = start_engine(*loaded, limits.limits());
  if (!engine) return context.fail(engine.error());
  if (run.stats)
    context.err.write(stats_json((*engine)->program(), (*engine)->stats()).dump(2) + "\n");
  if (run.explain) return explain(context, *loaded, **engine, *run.explain);
  const auto list = answers(**engine, run, *queries);
  if (!list) return context.fail(list.error());
  print_answers(context, **engine, *list, run.count);
  return kDone;
}

// ---- check

int run_datalog_check(Context& context, Arguments arguments) {
  DatalogInput input;
  bool alone = false;
  Options options;
  options
      .positional("FILE", input.files, "Mangle programs that belong together; - for standard input")
      .required();
  options.values("--facts DIR", input.facts, "predicates with a .facts file in DIR are known");
  options.flag("--no-space", alone, kAloneHelp);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  auto space = datalog_space(context, alone);
  if (!space) return context.fail(space.error());
  input.space = std::move(*space);
  const auto loaded = load_datalog(context, std::move(input));
  if (!loaded) return context.fail(loaded.error());
  const bool good = !has_errors(loaded->diagnostics);
  if (context.json) {
    Json list = Json::array();
    for (const Diagnostic& diagnostic : loaded->diagnostics)
      list.push_back(diagnostic_json(diagnostic));
    context.print_json(Json::object({{"ok", good}, {"diagnostics", std::move(list)}}));
    return good ? kDone : kFailed;
  }
  for (const Diagnostic& diagnostic : loaded->diagnostics)
    context.err.write(diagnostic_text(context, diagnostic));
  if (!good) return kFailed;
  context.print("good: " + std::to_string(loaded->program->rules.size()) + " rules in " +
                std::to_string(loaded->program->strata.size()) + " strata\n");
  return kDone;
}

// ---- fmt

int run_fmt(Context& context, Arguments arguments) {
  std::vector<std::string> files;
  bool write = false;
  bool check = false;
  Options options;
  options.positional("FILE", files, "Mangle programs; - for standard input").required();
  options.flag("-w,--write", write, "write the result back into the files");
  options.flag("--check", check,
               "only name the files that would change; exit code 1 when there are some");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  int result = kDone;
  for (const std::string& path : files) {
    auto text = context.read_input(path);
    if (!text) return context.fail(text.error());
    auto source = std::make_shared<Source>();
    source->name = path == "-" ? "<stdin>" : path;
    source->text = std::move(*text);
    const ParsedUnit parsed = parse_unit(source);
    if (has_errors(parsed.diagnostics)) return report(context, parsed.diagnostics);
    const std::string formatted = format_unit(parsed.unit);
    if (check) {
      if (formatted != source->text) {
        context.print(source->name + "\n");
        result = kFailed;
      }
    } else if (!write || path == "-") {
      context.print(formatted);
    } else if (formatted != source->text) {
      if (const Status status = rewrite_file(context.files, path, formatted, 0644); !status) {
        return context.fail(status.error());
      }
    }
  }
  return result;
}

}  // namespace

extern const Verb kDatalogRun;
const Verb kDatalogRun{
    "datalog run",
    Group::kKnowledge,
    "evaluates Mangle programs and prints what follows",
    "FILE... [--query ATOM]... [--facts DIR] [--no-space] [--count] [--explain FACT] [--stats] "
    "[--json]",
    "anima datalog run family.mg --query 'ancestor(/ann, X)'",
    run_datalog_run,
    true};

extern const Verb kDatalogCheck;
const Verb kDatalogCheck{"datalog check",
                         Group::kKnowledge,
                         "checks Mangle programs without running them",
                         "FILE... [--facts DIR] [--no-space] [--json]",
                         "anima datalog check policy.mg --json",
                         run_datalog_check};

extern const Verb kDatalogFmt;
const Verb kDatalogFmt{"datalog fmt",
                       Group::kKnowledge,
                       "lays Mangle programs out in one style",
                       "FILE... [--write] [--check]",
                       "anima datalog fmt --write policy.mg",
                       run_fmt};

}  // namespace anima::cli
