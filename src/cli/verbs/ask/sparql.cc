// anima sparql: queries and updates over a space or over files, one by one or at a prompt; and
// anima compartment query.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/past_time.h"
#include "base/text/byte_order_mark.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "cli/terminal/pager.h"
#include "cli/verbs/ask/sparql_output.h"
#include "cli/verbs/ask/sparql_repl.h"
#include "govern/trust.h"
#include "memory/compartments/compartment.h"
#include "memory/compartments/rule_relations.h"
#include "memory/names.h"
#include "sparql/engine.h"
#include "sparql/iri.h"
#include "sparql/rdf_export.h"
#include "sparql/rdf_load.h"
#include "store/holds.h"

namespace anima::cli {
namespace {

const std::vector<std::string> kSparqlLevels = {"operator", "verified", "standard", "untrusted",
                                                "hostile"};

struct SparqlRequest {
  std::optional<std::string> text, file, base, source, compartment, min_trust;
  std::vector<std::string> graphs, default_files, named_files;
  std::string format, load_root, trust = "operator";
  bool update = false, check = false, explain = false, analyze = false;
  bool over_files() const { return !default_files.empty() || !named_files.empty(); }
};

std::string absolute_iri_of(const std::string& file) {
  std::error_code ignored;
  return sparql::file_iri(std::filesystem::absolute(file, ignored).lexically_normal().string());
}

// Where relative IRIs begin: what was said, the file of the query, or the folder that we are in.
std::string base_of(const SparqlRequest& request) {
  if (request.base) return *request.base;
  if (request.file && *request.file != "-") return absolute_iri_of(*request.file);
  std::error_code ignored;
  return sparql::file_iri(std::filesystem::current_path(ignored).string() + "/");
}

// --- a dataset of files

struct DatasetFile {
  std::string path, base, graph;
};

// FILE[=BASE] or FILE=GRAPH_IRI.
DatasetFile dataset_file(const std::string& argument, bool named) {
  DatasetFile file;
  // File names may hold "=", IRIs hold "://": the last "=" that a scheme follows divides.
  std::size_t equals = std::string::npos;
  for (std::size_t at = argument.find('='); at != std::string::npos;
       at = argument.find('=', at + 1)) {
    if (sparql::has_iri_scheme(std::string_view(argument).substr(at + 1))) {
      equals = at;
      break;
    }
  }
  file.path = argument.substr(0, equals);
  const std::string iri =
      equals == std::string::npos ? absolute_iri_of(file.path) : argument.substr(equals + 1);
  file.base = named ? absolute_iri_of(file.path) : iri;
  if (named) file.graph = iri;
  return file;
}

Status load_dataset_file(Context& context, store::Transaction& transaction, const DatasetFile& file,
                         std::size_t number) {
  ANIMA_ASSIGN(const std::string bytes, context.read_input(file.path));
  const std::string_view text = without_byte_order_mark(bytes);
  auto format = sparql::rdf_format_of_file(file.path);
  if (!format) format = sparql::sniff_rdf_format(text);
  sparql::RdfLoadOptions options;
  options.format = format.value_or(sparql::RdfFormat::kTurtle);
  options.base_iri = file.base;
  options.file_name = file.path;
  options.graph = file.graph;
  options.blank_scope = "f" + std::to_string(number);
  ANIMA_TRY(sparql::load_rdf(transaction, text, options));
  return {};
}

Result<std::shared_ptr<store::Space>> space_of_files(Context& context,
                                                     const SparqlRequest& request) {
  store::SpaceOptions options;
  options.create = true;
  options.text_index = false;
  ANIMA_ASSIGN(auto space, store::Space::in_memory(options));
  std::vector<DatasetFile> files;
  for (const std::string& one : request.default_files) files.push_back(dataset_file(one, false));
  for (const std::string& one : request.named_files) files.push_back(dataset_file(one, true));
  ANIMA_TRY(
      space->write(local_origin(context, "files"), [&](store::Transaction& transaction) -> Status {
        std::size_t number = 0;
        for (const DatasetFile& file : files)
          ANIMA_TRY(load_dataset_file(context, transaction, file, ++number));
        return {};
      }));
  return space;
}

// --- runs

class SparqlCommand {
 public:
  SparqlCommand(Context& context, const SparqlRequest& request)
      : context_(context), request_(request), base_(base_of(request)) {}

  int run(std::optional<std::string> text);

 private:
  Status open(bool writes);
  int check(const std::string& text);
  int run_one(const std::string& text, bool update);
  int prompt();
  Status answer(const std::string& text, bool update, std::string* out);
  Status ask(const std::string& text, std::string* out);
  Status change(const std::string& text, std::string* out);
  std::string format() const;
  query::Budget budget() const;

  Context& context_;
  const SparqlRequest& request_;
  std::string base_;
  std::shared_ptr<store::Space> space_;
  std::shared_ptr<sparql::Engine> engine_;
};

Status SparqlCommand::open(bool writes) {
  if (request_.over_files() && !context_.space_was_named) {
    ANIMA_ASSIGN(space_, space_of_files(context_, request_));
  } else {
    const bool past = !context_.as_of.empty() || context_.salvage;
    ANIMA_ASSIGN(space_, open_space(context_, writes && !past ? Access::kWrite : Access::kRead));
  }
  sparql::EngineOptions options;
  // Rules derive from everything.
  if (!request_.min_trust)
    options.derived = std::make_shared<memory::RuleRelations>(*space_, context_.files);
  ANIMA_ASSIGN(engine_, sparql::Engine::open(space_, std::move(options)));
  return {};
}

std::string SparqlCommand::format() const {
  if (!request_.format.empty()) return request_.format;
  return context_.json ? "json" : "";
}

query::Budget SparqlCommand::budget() const {
  query::Budget budget;
  budget.cancelled = &interrupt_flag();
  return budget;
}

Status SparqlCommand::ask(const std::string& text, std::string* out) {
  sparql::QueryOptions options;
  options.base_iri = base_;
  options.union_default = !request_.over_files();
  options.explain = request_.explain;
  options.analyze = request_.analyze;
  options.compartment = request_.compartment;
  options.budget = budget();
  for (const std::string& graph : request_.graphs) {
    options.dataset.given = true;
    options.dataset.default_graphs.push_back(
        memory::is_compartment_id(graph) ? memory::compartment_graph(graph) : graph);
  }
  ANIMA_ASSIGN(store::Snapshot snapshot, space_snapshot(context_, *space_));
  const auto least = govern::parse_trust(request_.min_trust.value_or(""));
  if (least) snapshot = store::trusted_view(snapshot, *least);
  const bool newest = context_.as_of.empty() && !context_.books && !least;
  ANIMA_ASSIGN(const sparql::QueryAnswer answer,
               newest ? engine_->query(text, options) : engine_->query(snapshot, text, options));
  if (request_.explain || request_.analyze) *out += answer.explanation();
  if (request_.explain) return {};
  return append_answer(context_, answer, format(), out);
}

Status SparqlCommand::change(const std::string& text, std::string* out) {
  if (!context_.as_of.empty())
    return fail(ErrorCode::kDenied, "the past cannot be changed", {}, "leave out `as-of`");
  sparql::UpdateOptions options;
  options.origin = local_origin(context_, request_.source.value_or("sparql"));
  options.origin.trust = govern::parse_trust(request_.trust).value_or(store::Trust::kUntrusted);
  options.base_iri = base_;
  options.union_default = !request_.over_files();
  options.load_root = request_.load_root;
  options.budget = budget();
  ANIMA_ASSIGN(const sparql::UpdateReport report, engine_->update(text, options));
  if (request_.over_files() && !context_.space_was_named) {
    ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
    *out += sparql::export_rdf(now, sparql::RdfFormat::kNQuads);
    return {};
  }
  const std::uint64_t entry =
      report.entries.empty() ? 0 : static_cast<std::uint64_t>(report.entries[0]);
  if (context_.json) {
    Json json = Json::object({{"operations", static_cast<std::int64_t>(report.operations)},
                              {"inserted", static_cast<std::int64_t>(report.inserted)},
                              {"deleted", static_cast<std::int64_t>(report.deleted)}});
    json.set("entry", entry == 0 ? Json() : Json(static_cast<std::int64_t>(entry)));
    *out += json.dump() + "\n";
  } else if (entry == 0) {
    *out += "nothing changed\n";
  } else {
    *out +=
        fmt::format("inserted {}, deleted {} (entry {})\n", report.inserted, report.deleted, entry);
  }
  return {};
}

Status SparqlCommand::answer(const std::string& text, bool update, std::string* out) {
  return update ? change(text, out) : ask(text, out);
}

int SparqlCommand::check(const std::string& text) {
  const Status checked = sparql::check(text, request_.update, base_);
  if (!checked) return context_.fail(checked.error());
  return kDone;
}

int SparqlCommand::run_one(const std::string& text, bool update) {
  std::string out;
  Status done = answer(text, update, &out);
  if (!done) {
    Error error = done.error();
    const bool other =
        error.code == ErrorCode::kSyntax && !update && sparql::check(text, true, base_).has_value();
    if (other) error.hint = "this is an update: say --update";
    return context_.fail(error);
  }
  if (format().empty()) {
    page(context_, out);
  } else {
    context_.print(out);
  }
  return kDone;
}

int SparqlCommand::prompt() {
  SparqlShell shell(context_, *space_, base_,
                    [this](const std::string& text, bool update, std::string& result) {
                      return answer(text, update, &result);
                    });
  return shell.run();
}

int SparqlCommand::run(std::optional<std::string> text) {
  if (request_.check) return check(text.value_or(""));
  const bool writes = request_.update || !text;
  if (const Status opened = open(writes); !opened) return context_.fail(opened.error());
  return text ? run_one(*text, request_.update) : prompt();
}

int run_request(Context& context, SparqlRequest& request) {
  std::optional<std::string> text = request.text;
  if (request.file || (!text && (request.check || isatty(STDIN_FILENO) == 0))) {
    auto input = context.read_input(request.file.value_or("-"));
    if (!input) return context.fail(input.error());
    text = std::move(*input);
  }
  return SparqlCommand(context, request).run(std::move(text));
}

int run_sparql(Context& context, Arguments arguments) {
  SparqlRequest it;
  Options options;
  options.positional("QUERY", it.text, "a query, or with --update an update; none: a prompt");
  options.value("-f,--file FILE", it.file, "the text stands in this file, - is standard input")
      .excludes("QUERY");
  options.flag("--update", it.update, "the text is an update");
  options.flag("--check", it.check, "only parse it; exit code 1 when it has a fault");
  options.value("--base IRI", it.base, "what relative IRIs are relative to");
  options.values("--graph ID", it.graphs,
                 "ask only this graph: a compartment's id or a graph's IRI; may be repeated");
  options.values("--default-graph FILE[=BASE]", it.default_files,
                 "ask this file instead of a space; may be repeated");
  options.values("--named-graph FILE=IRI", it.named_files,
                 "ask this file as the named graph; may be repeated");
  options.value("--format FORMAT", it.format, "of the answer").choices(sparql_formats());
  options.flag("--explain", it.explain, "show the plan of a query instead of running it");
  options.flag("--analyze", it.analyze, "run a query and show its plan with what each step took");
  options.value("--as-of WHEN", context.as_of, "ask the space as it was: an entry or a time");
  options.value("--min-trust LEVEL", it.min_trust, "ask what is stated with this trust at least")
      .choices(kSparqlLevels);
  options.value("--load-root DIR", it.load_root, "LOAD may read files below this folder");
  options.value("--trust LEVEL", it.trust, "how far what is inserted is trusted")
      .choices(kSparqlLevels);
  options.value("--source TEXT", it.source, "where what is inserted comes from");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (!context.as_of.empty()) {
    const auto point = past_point(context.as_of, SystemClock().now());
    if (!point) return context.fail(point.error());
    context.as_of = *point;
  }
  return run_request(context, it);
}

int run_compartment_query(Context& context, Arguments arguments) {
  SparqlRequest it;
  std::string id;
  Options options;
  options.positional("ID", id, "the compartment").required();
  options.positional("SPARQL", it.text, "a query without FROM; none: from -f or standard input");
  options.value("-f,--file FILE", it.file, "the query stands in this file").excludes("SPARQL");
  options.value("--base IRI", it.base, "what relative IRIs are relative to");
  options.value("--format FORMAT", it.format, "of the answer").choices(sparql_formats());
  options.flag("--explain", it.explain, "show the plan of the query instead of running it");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (!memory::is_compartment_id(id))
    return context.usage_error("\"" + id + "\" is no id of a compartment");
  it.compartment = id;
  return run_request(context, it);
}

}  // namespace

extern const Verb kSparql, kCompartmentQuery;
const Verb kSparql{"sparql",
                   Group::kKnowledge,
                   "asks and changes the space in SPARQL 1.1, or asks RDF files",
                   "[QUERY] [-f FILE] [--update] [--default-graph FILE]... [--format F]",
                   "anima sparql 'SELECT ?s ?o WHERE { ?s <http://xmlns.com/foaf/0.1/knows> ?o }'\n"
                   "anima sparql --update 'INSERT DATA { <urn:x:ada> <urn:x:knows> <urn:x:bob> }'\n"
                   "anima sparql -f query.rq --default-graph data.ttl --format json",
                   run_sparql,
                   true};
const Verb kCompartmentQuery{"compartment query",
                             Group::kKnowledge,
                             "asks one compartment in SPARQL",
                             "ID [SPARQL] [-f FILE] [--format F]",
                             "anima compartment query science 'SELECT * WHERE { ?s ?p ?o }'",
                             run_compartment_query,
                             true};

}  // namespace anima::cli
