#include "cli/verbs/ask/datalog_session.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <stop_token>
#include <thread>

#include "base/json/text_array.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/render/cycle_view.h"
#include "datalog/facts_file.h"
#include "govern/trust.h"
#include "store/holds.h"

namespace anima::cli {

// ---- Limits

struct InterruptibleLimits::Watch {
  std::stop_source stop;
  std::jthread thread;
};

InterruptibleLimits::InterruptibleLimits(const DatalogLimits& limits)
    : watch_(std::make_unique<Watch>()) {
  limits_.deadline_ms = static_cast<std::int64_t>(limits.timeout_ms);
  limits_.max_derived_rows = limits.max_rows;
  limits_.max_bytes = limits.max_megabytes << 20;
  limits_.max_intervals = limits.max_intervals;
  limits_.cancel = watch_->stop.get_token();
  watch_->thread = std::jthread([stop = &watch_->stop](const std::stop_token& ended) {
    while (!ended.stop_requested()) {
      if (interrupted()) {
        stop->request_stop();
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
}

InterruptibleLimits::~InterruptibleLimits() = default;

// ---- Loading

namespace {

constexpr std::string_view kFactsSuffix = ".facts";

// The arity that the units give a predicate, or kUnknownArity.
std::uint32_t arity_in_units(const std::vector<datalog::Unit>& units, std::string_view name) {
  for (const datalog::Unit& unit : units) {
    for (const datalog::ast::Declaration& declaration : unit.declarations) {
      if (declaration.atom.predicate == name) {
        return static_cast<std::uint32_t>(declaration.atom.arguments.size());
      }
    }
    for (const datalog::FactBlock& block : unit.facts) {
      if (block.predicate == name) return block.arity;
    }
    for (const datalog::ast::Clause& clause : unit.clauses) {
      if (clause.head.predicate == name)
        return static_cast<std::uint32_t>(clause.head.arguments.size());
      for (const datalog::ast::Literal& literal : clause.body) {
        if (literal.kind != datalog::ast::LiteralKind::kComparison &&
            literal.atom.predicate == name) {
          return static_cast<std::uint32_t>(literal.atom.arguments.size());
        }
      }
    }
  }
  return datalog::kUnknownArity;
}

struct BaseFacts {
  std::string path;
  datalog::FactsFile file;
};

Status read_facts_folder(Context& context, const std::string& folder,
                         const std::vector<datalog::Unit>& units, datalog::ValueTable& values,
                         std::map<std::string, std::vector<BaseFacts>>& out) {
  ANIMA_ASSIGN(const auto entries, context.files.list(folder));
  for (const DirectoryEntry& entry : entries) {
    if (!entry.name.ends_with(kFactsSuffix) || entry.kind == FileInfo::Kind::kDirectory) continue;
    const std::string name = entry.name.substr(0, entry.name.size() - kFactsSuffix.size());
    const std::string path = join_path(folder, entry.name);
    ANIMA_ASSIGN(datalog::FactsFile file,
                 datalog::read_facts_file(path, values, arity_in_units(units, name)));
    out[name].push_back({path, std::move(file)});
  }
  return {};
}

// Rows of files against the declared bounds of their predicate.
Status check_rows(const datalog::Program& program, datalog::PredicateId id, const BaseFacts& facts,
                  const datalog::ValueTable& values) {
  if (program.predicates[id].bounds.empty()) return {};
  for (std::uint64_t row = 0; row < facts.file.rows; ++row) {
    const std::span<const datalog::Code> codes(&facts.file.codes[row * facts.file.arity],
                                               facts.file.arity);
    if (const Status status = datalog::check_row(program, id, codes, values); !status) {
      Error error = status.error();
      error.hint = error.where.empty() ? "" : "see " + error.where;
      error.where = facts.path + ":" + std::to_string(row + 1);
      return anima::fail(std::move(error));
    }
  }
  return {};
}

Status take_facts(const datalog::Program& program,
                  std::map<std::string, std::vector<BaseFacts>>& base,
                  const datalog::ValueTable& values, datalog::Transaction& out) {
  for (auto& [name, list] : base) {
    const datalog::PredicateId id = program.find(name);
    for (BaseFacts& facts : list) {
      if (id == datalog::kNone || facts.file.rows == 0) continue;
      const datalog::Predicate& predicate = program.predicates[id];
      if (predicate.columns != facts.file.arity) {
        return anima::fail(ErrorCode::kInvalidArgument,
                           name + " needs " + std::to_string(predicate.columns) +
                               " columns, the file has " + std::to_string(facts.file.arity),
                           facts.path);
      }
      ANIMA_TRY(check_rows(program, id, facts, values));
      out.insert_rows(id, facts.file.rows, std::move(facts.file.codes));
    }
  }
  return {};
}

}  // namespace

Result<LoadedDatalog> load_datalog(Context& context, DatalogInput input) {
  LoadedDatalog loaded;
  if (input.space != nullptr) {
    ANIMA_ASSIGN(store::Snapshot snapshot, space_snapshot(context, *input.space));
    if (const auto least = govern::parse_trust(input.min_trust))
      snapshot = store::trusted_view(snapshot, *least);
    loaded.space = std::make_shared<datalog::SpaceFacts>(snapshot);
  }
  loaded.values =
      loaded.space != nullptr ? loaded.space->values() : std::make_shared<datalog::ValueTable>();
  std::vector<datalog::Unit> units;
  for (const std::string& path : input.files) {
    auto source = std::make_shared<datalog::Source>();
    source->name = path == "-" ? "<stdin>" : path;
    ANIMA_ASSIGN(source->text, context.read_input(path));
    datalog::ParsedUnit parsed = parse_unit(std::move(source), loaded.values.get());
    units.push_back(std::move(parsed.unit));
    loaded.diagnostics.insert(loaded.diagnostics.end(), parsed.diagnostics.begin(),
                              parsed.diagnostics.end());
  }
  for (datalog::Unit& unit : input.extra) units.push_back(std::move(unit));
  std::map<std::string, std::vector<BaseFacts>> base;
  for (const std::string& folder : input.facts) {
    ANIMA_TRY(read_facts_folder(context, folder, units, *loaded.values, base));
  }
  if (has_errors(loaded.diagnostics)) return loaded;

  datalog::AnalysisOptions options;
  for (const auto& [name, list] : base) {
    if (list.front().file.arity != datalog::kUnknownArity)
      options.base.push_back({name, list.front().file.arity});
  }
  if (loaded.space != nullptr) {
    for (datalog::BasePredicate& known : loaded.space->predicates(units)) {
      if (!base.contains(known.name)) options.base.push_back(std::move(known));
    }
  }
  datalog::Analysis analysis = analyze(std::move(units), *loaded.values, options);
  loaded.diagnostics = std::move(analysis.diagnostics);
  if (!analysis.program) return loaded;
  ANIMA_TRY(take_facts(*analysis.program, base, *loaded.values, loaded.facts));
  if (loaded.space != nullptr) {
    ANIMA_TRY(loaded.space->settle_names(*analysis.program,
                                         [](std::string_view) { return datalog::Names::kNew; }));
  }
  loaded.program = std::make_shared<const datalog::Program>(std::move(*analysis.program));
  return loaded;
}

Result<datalog::Query> compile_asked(const LoadedDatalog& loaded, std::string_view text) {
  if (loaded.space != nullptr) return loaded.space->names().query(*loaded.program, text);
  return compile_query(*loaded.program, text, *loaded.values);
}

Result<std::unique_ptr<datalog::Engine>> start_engine(LoadedDatalog& loaded,
                                                      const datalog::Limits& limits) {
  datalog::EngineOptions options;
  options.limits = limits;
  options.facts = std::move(loaded.facts);
  if (loaded.space != nullptr) loaded.space->attach(*loaded.program, options);
  return datalog::Engine::create(loaded.program, loaded.values, std::move(options));
}

Result<std::shared_ptr<store::Space>> datalog_space(Context& context, bool alone) {
  const bool named = context.space_was_named || context.environment.contains("ANIMA_SPACE");
  if (alone || !named) return std::shared_ptr<store::Space>();
  return open_space(context, Access::kRead);
}

Result<bool> catch_up(LoadedDatalog& loaded, store::Space& space, datalog::Engine& engine,
                      const datalog::Limits& limits) {
  ANIMA_ASSIGN(const store::Snapshot next, space.snapshot());
  if (next.sequence() == loaded.space->sequence()) return true;
  std::vector<store::WrittenKey> written;
  const Status read = space.visit_written(loaded.space->sequence(), next.sequence(),
                                          [&](const store::WrittenKey& key) -> Status {
                                            written.push_back(key);
                                            return {};
                                          });
  if (!read) {
    if (read.error().code == ErrorCode::kNotFound) return false;
    return anima::fail(read.error());
  }
  const std::vector<datalog::Rebase> moved = loaded.space->advance(next, written);
  if (loaded.space->needs_evaluation(*loaded.program)) return false;
  ANIMA_TRY(engine.rebase(moved, {}, limits).map([](const datalog::TransactionStats&) {}));
  return true;
}

// ---- Text

std::vector<datalog::PredicateId> derived_predicates(const datalog::Program& program) {
  std::vector<datalog::PredicateId> result;
  for (datalog::PredicateId id = 0; id < program.predicates.size(); ++id) {
    if (program.predicates[id].derived && !program.predicates[id].internal) result.push_back(id);
  }
  std::sort(result.begin(), result.end(), [&](datalog::PredicateId a, datalog::PredicateId b) {
    return program.predicates[a].name < program.predicates[b].name;
  });
  return result;
}

std::vector<std::string> fact_lines(const datalog::Engine& engine, const datalog::Rows& rows,
                                    datalog::PredicateId predicate) {
  std::vector<std::string> lines;
  lines.reserve(rows.count);
  for (std::size_t i = 0; i < rows.count; ++i) {
    lines.push_back(
        datalog::print_fact(engine.program().predicates[predicate], rows.row(i), engine.values()));
  }
  return lines;
}

Json diagnostic_json(const datalog::Diagnostic& diagnostic) {
  Json json = Json::object({{"severity", diagnostic.warning ? "warning" : "error"},
                            {"code", to_string(diagnostic.problem)},
                            {"file", diagnostic.file},
                            {"line", diagnostic.from.line},
                            {"column", diagnostic.from.column},
                            {"endLine", diagnostic.to.line},
                            {"endColumn", diagnostic.to.column},
                            {"message", diagnostic.message}});
  if (!diagnostic.clause.empty()) json.set("clause", diagnostic.clause);
  if (!diagnostic.hint.empty()) json.set("hint", diagnostic.hint);
  return json;
}

std::string diagnostic_text(const Context& context, const datalog::Diagnostic& diagnostic) {
  std::string text = diagnostic.where() + ": ";
  text += diagnostic.warning ? context.paint(Paint::kYellow, "warning")
                             : context.paint(Paint::kRed, "error");
  text += ": " + diagnostic.message + "\n";
  if (!diagnostic.clause.empty()) text += "    in: " + diagnostic.clause + "\n";
  if (!diagnostic.hint.empty()) text += "    hint: " + diagnostic.hint + "\n";
  return text;
}

Json stats_json(const datalog::Program& program, const datalog::TransactionStats& stats) {
  Json strata = Json::array();
  for (std::size_t i = 0; i < stats.strata.size(); ++i) {
    const datalog::StratumStats& one = stats.strata[i];
    Json names = Json::array();
    for (const datalog::PredicateId id : program.strata[i].predicates)
      names.push_back(program.predicates[id].name);
    strata.push_back(Json::object({{"predicates", std::move(names)},
                                   {"recursive", program.strata[i].recursive},
                                   {"visited", one.visited},
                                   {"rounds", one.rounds},
                                   {"rows_added", one.rows_added},
                                   {"rows_removed", one.rows_removed},
                                   {"milliseconds", static_cast<double>(one.nanoseconds) / 1e6}}));
  }
  return Json::object({{"strata", std::move(strata)},
                       {"strata_visited", stats.strata_visited},
                       {"rows_derived", stats.rows_derived},
                       {"rows_checked", stats.rows_checked},
                       {"milliseconds", static_cast<double>(stats.nanoseconds) / 1e6}});
}

Json proof_json(const datalog::Proof& proof) {
  constexpr const char* kKinds[] = {"given",    "derived",  "grouped", "absent",
                                    "computed", "external", "cut"};
  Json nodes = Json::array();
  for (const datalog::ProofNode& node : proof.nodes) {
    Json premises = Json::array();
    for (const std::uint32_t premise : node.premises) premises.push_back(premise);
    Json json = Json::object({{"kind", kKinds[static_cast<std::size_t>(node.kind)]},
                              {"text", node.text},
                              {"premises", std::move(premises)}});
    if (!node.rule_text.empty()) json.set("rule", node.rule_text);
    if (!node.where.empty()) json.set("where", node.where);
    if (node.hidden_premises > 0)
      json.set("hidden_premises", static_cast<std::uint64_t>(node.hidden_premises));
    nodes.push_back(std::move(json));
  }
  return Json::object({{"holds", true}, {"nodes", std::move(nodes)}});
}

Json why_not_json(const datalog::WhyNot& why_not) {
  Json rules = Json::array();
  for (const datalog::RuleFailure& rule : why_not.rules) {
    rules.push_back(Json::object({{"rule", rule.rule_text},
                                  {"where", rule.where},
                                  {"head_matches", rule.head_matches},
                                  {"holding", text_array(rule.holding)},
                                  {"failing", rule.failing}}));
  }
  return Json::object(
      {{"holds", why_not.holds}, {"is_base", why_not.is_base}, {"rules", std::move(rules)}});
}

}  // namespace anima::cli
