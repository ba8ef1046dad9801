// anima kip: commands of the memory's language, one by one, from files, as requests, or at a
// prompt.
#include <unistd.h>

#include "base/files/output_file.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "cli/render/kip_render.h"
#include "cli/terminal/pager.h"
#include "cli/verbs/ask/kip_repl.h"
#include "kip/engine.h"
#include "kip/format.h"
#include "kip/parser.h"
#include "memory/compartments/rule_relations.h"

namespace anima::cli {
namespace {

struct KipOptions {
  std::optional<std::string> command, file, params, request;
  std::vector<std::string> param;
  std::string shape = "columns", graph, form = "openai", valid_at, min_trust;
  bool dry_run = false, readonly = false, atomic = false, lenient = false, explain = false,
       analyze = false, definitions = false, csv = false, tsv = false, markdown = false;
};

Result<Json> parameters_of(const KipOptions& options) {
  Json parameters{JsonObject{}};
  if (options.params) {
    ANIMA_ASSIGN(parameters, parse_json(*options.params));
    if (parameters.kind() != Json::Kind::kObject)
      return fail(ErrorCode::kInvalidArgument, "--params must be a JSON object");
  }
  for (const std::string& one : options.param) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos)
      return fail(ErrorCode::kInvalidArgument, "--param is written key=value: " + one);
    const std::string text = one.substr(equals + 1);
    // What reads as JSON is JSON, everything else a string.
    auto value = parse_json(text);
    parameters.set(one.substr(0, equals), value ? std::move(*value) : Json(text));
  }
  return parameters;
}

// What the flags of the command line add to a request; members that are there stay.
void complete_request(const Context& context, const KipOptions& options, bool for_people,
                      Json* request) {
  const auto add = [request](const char* key, Json value) {
    if (request->find(key) == nullptr) request->set(key, std::move(value));
  };
  if (options.dry_run) add("dry_run", true);
  if (options.atomic) add("atomic", true);
  if (options.lenient) add("strict", false);
  if (!options.graph.empty()) add("graph", options.graph);
  if (for_people || options.shape != "columns") add("shape", for_people ? "rows" : options.shape);
  if (context.books) add("books", true);
  if (!options.valid_at.empty()) add("valid_at", options.valid_at);
  if (!options.min_trust.empty()) add("min_trust", options.min_trust);
  if (!context.as_of.empty()) {
    const bool number = context.as_of.find_first_not_of("0123456789") == std::string::npos;
    add("as_of",
        number ? Json(static_cast<std::int64_t>(std::strtoll(context.as_of.c_str(), nullptr, 10)))
               : Json(context.as_of));
  }
}

int answer(Context& context, const Json& response, std::string_view source = {}) {
  if (context.json) {
    context.print_json(response);
    return kip::has_error(response) ? kFailed : kDone;
  }
  std::string text;
  const bool failed = kip_response_text(context, response, source, text);
  page(context, text);
  return failed ? kFailed : kDone;
}

int print_fault(Context& context, kip::Fault fault, std::string_view text) {
  fault.locate(text);
  return answer(context, Json::object({{"error", fault.to_json()}}), text);
}

// A writing command needs the writer's side of the space; reading never changes the folder.
Result<std::shared_ptr<kip::Engine>> open_engine(Context& context, const KipOptions& options) {
  const bool reads = options.readonly || options.dry_run || options.explain || options.analyze ||
                     !context.as_of.empty() || context.salvage;
  ANIMA_ASSIGN(auto space,
               open_space(context, reads && !options.dry_run ? Access::kRead : Access::kAsItGoes));
  kip::EngineOptions engine;
  engine.budget.cancelled = &interrupt_flag();
  engine.load_genesis = !reads || options.dry_run;
  engine.derived = std::make_shared<memory::RuleRelations>(*space, context.files);
  return kip::Engine::open(std::move(space), std::move(engine));
}

kip::Caller caller_of(const Context& context, const KipOptions& options) {
  kip::Caller caller;
  caller.origin = local_origin(context, "kip");
  caller.readonly = options.readonly;
  return caller;
}

int explain(Context& context, kip::Engine& engine, const std::string& text, const Json& parameters,
            bool analyze) {
  auto plan = engine.explain(text, parameters, analyze);
  if (!plan) return print_fault(context, plan.error(), text);
  if (context.json) {
    context.print_json(Json::object({{"plan", *plan}}));
  } else {
    context.print(*plan);
  }
  return kDone;
}

int run_one(Context& context, kip::Engine& engine, const KipOptions& options,
            const std::string& text, const Json& parameters) {
  if (options.explain || options.analyze)
    return explain(context, engine, text, parameters, options.analyze);
  Json request = Json::object({{"command", text}, {"parameters", parameters}});
  complete_request(context, options, !context.json, &request);
  return answer(context, engine.execute(request, caller_of(context, options)), text);
}

// At the prompt the result goes where the shell wants it.
int run_prompt(Context& context, kip::Engine& engine, const KipOptions& options,
               const Json& parameters) {
  KipShell shell(context, engine.space(), [&](const std::string& typed, std::string& text) {
    if (options.explain || options.analyze)
      return explain(context, engine, typed, parameters, options.analyze) == kDone;
    Json request = Json::object({{"command", typed}, {"parameters", parameters}});
    complete_request(context, options, !context.json, &request);
    const Json response = engine.execute(request, caller_of(context, options));
    if (!context.json) return !kip_response_text(context, response, typed, text);
    text = response.dump(2) + "\n";
    return !kip::has_error(response);
  });
  return run_kip_repl(context, engine, shell);
}

int run_request(Context& context, kip::Engine& engine, const KipOptions& options) {
  std::string text = *options.request;
  if (text == "-") {
    auto input = context.read_input("-");
    if (!input) return context.fail(input.error());
    text = std::move(*input);
  }
  auto request = parse_json(text);
  if (!request) return context.fail(request.error());
  complete_request(context, options, false, &*request);
  // The wrapper of a function call names the function that is meant.
  kip::Caller caller = caller_of(context, options);
  if (const Json* function = request->find("function")) {
    const Json* name = function->find("name");
    caller.readonly = caller.readonly || (name != nullptr && name->is_string() &&
                                          name->as_string() == "execute_kip_readonly");
  }
  context.json = true;
  return answer(context, engine.execute(*request, caller));
}

int run_kip(Context& context, Arguments arguments) {
  KipOptions it;
  Options options;
  options.positional("COMMAND", it.command,
                     "a KIP command or script; none on a terminal: a prompt");
  options.value("-f,--file FILE", it.file, "read the script from a file, - is standard input")
      .excludes("COMMAND");
  options.value("--params JSON", it.params, "values of the placeholders, an object");
  options.values("--param KEY=VALUE", it.param, "the value of one placeholder");
  options.value("--request JSON", it.request, "a whole execute_kip request, - is standard input");
  options.flag("--dry-run", it.dry_run, "check and count, write nothing");
  options.flag("--readonly", it.readonly, "refuse commands that write");
  options.flag("--atomic", it.atomic, "all statements or none");
  options.flag("--lenient", it.lenient, "undefined types and predicates match nothing");
  options.flag("--csv", it.csv, "rows as CSV");
  options.flag("--tsv", it.tsv, "rows as tab-separated values");
  options.flag("--markdown", it.markdown, "rows as a Markdown table");
  options.value("--shape SHAPE", it.shape, "of FIND in --json").choices({"columns", "rows"});
  options.value("--graph ID", it.graph, "write into this graph");
  options.value("--valid-at TIME", it.valid_at,
                "FIND only what holds then: links whose metadata has no later valid_from and no "
                "earlier valid_to");
  options
      .value("--min-trust LEVEL", it.min_trust, "read only what is stated with this trust at least")
      .choices({"operator", "verified", "standard", "untrusted", "hostile"});
  options.flag("--explain", it.explain, "show the plan of a FIND instead of running it");
  options.flag("--analyze", it.analyze, "run a FIND and show its plan with what each step took");
  options.flag("--function-definition", it.definitions, "print the tool definitions for a model");
  options.value("--form FORM", it.form, "of --function-definition")
      .choices({"openai", "anthropic"});
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (it.csv + it.tsv + it.markdown + context.json > 1)
    return context.usage_error("one of --csv, --tsv, --markdown and --json");
  context.table = it.csv        ? TableForm::kCsv
                  : it.tsv      ? TableForm::kTsv
                  : it.markdown ? TableForm::kMarkdown
                                : context.table;
  if (it.definitions) {
    context.print(kip::function_definitions(it.form).dump(2) + "\n");
    return kDone;
  }
  const auto parameters = parameters_of(it);
  if (!parameters) return context.usage_error(parameters.error().message);
  std::optional<std::string> text = it.command;
  const bool from_input = !it.command && !it.request && (it.file || isatty(STDIN_FILENO) == 0);
  if (from_input) {
    auto input = context.read_input(it.file.value_or("-"));
    if (!input) return context.fail(input.error());
    text = std::move(*input);
  }
  const auto engine = open_engine(context, it);
  if (!engine) return context.fail(engine.error());
  if (it.request) return run_request(context, **engine, it);
  if (text) return run_one(context, **engine, it, *text, *parameters);
  return run_prompt(context, **engine, it, *parameters);
}

int run_kip_fmt(Context& context, Arguments arguments) {
  std::vector<std::string> files;
  bool write = false, check = false;
  Options options;
  options.positional("FILE", files, "files, - is standard input");
  options.flag("-w,--write", write, "write the files instead of printing them");
  options.flag("--check", check,
               "print the files that are laid out differently; exit code 1 when there are some");
  options.without_config();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (files.empty()) files.emplace_back("-");
  bool differs = false;
  for (const std::string& file : files) {
    auto text = context.read_input(file);
    if (!text) return context.fail(text.error());
    const auto script = kip::parse(*text);
    if (!script) return print_fault(context, script.error(), *text);
    const std::string formatted = kip::format(*script);
    if (check) {
      if (formatted != *text) context.print(file + "\n");
      differs = differs || formatted != *text;
    } else if (write && file != "-") {
      if (text->find("//") != std::string::npos || text->find("/*") != std::string::npos) {
        context.warn(file + " seems to hold comments, which formatting drops; it was left alone");
      } else if (const auto status = rewrite_file(context.files, file, formatted, 0644); !status) {
        return context.fail(status.error());
      }
    } else {
      context.print(formatted);
    }
  }
  return differs ? kFailed : kDone;
}

}  // namespace

extern const Verb kKip;
const Verb kKip{
    "kip",
    Group::kKnowledge,
    "asks and tells the memory in KIP",
    "[COMMAND] [-f FILE] [--param k=v]... [--json]",
    "anima kip 'FIND(?p.name) WHERE { ?p {type: \"Person\"} }'\n"
    "anima kip --param name=Ada 'UPSERT { CONCEPT { {type: \"Person\", name: :name} } }'",
    run_kip,
    true};

extern const Verb kKipFmt;
const Verb kKipFmt{"kip fmt",
                   Group::kKnowledge,
                   "lays out KIP text canonically",
                   "[FILE...] [-w] [--check]",
                   "anima kip fmt memory.kip",
                   run_kip_fmt};

}  // namespace anima::cli
