// anima grammar: list, parse, linearize, compare, load, render.
#include <fmt/format.h>

#include "agent/findings/grammar_shelf.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/table.h"
#include "cli/verbs/tools/tool_bench.h"
#include "store/symbols.h"

namespace anima::cli {
namespace {

using agent::GrammarShelf;
using agent::ShelvedGrammar;

// What the space has, if there is one. What cannot be read of it is a warning.
GrammarShelf shelf_of(Context& context) {
  const auto space = open_space(context, Access::kRead);
  if (!space && space.error().code != ErrorCode::kNotFound) context.warn(space.error().describe());
  if (!space) return agent::grammar_shelf(context.files, context.space, nullptr);
  memory::CompartmentManager manager(**space, context.files,
                                     join_path((*space)->folder(), "compartments"));
  const Status fresh = manager.refresh();
  if (!fresh) context.warn(fresh.error().describe());
  GrammarShelf shelf =
      agent::grammar_shelf(context.files, (*space)->folder(), fresh ? &manager : nullptr);
  for (const std::string& warning : shelf.warnings) context.warn(warning);
  return shelf;
}

Json grammar_json(const ShelvedGrammar& shelved) {
  Json templates = Json::object();
  for (const auto& [key, text] : shelved.grammar.templates) templates.set(key, text);
  return Json::object({{"name", shelved.grammar.name},
                       {"description", shelved.grammar.description},
                       {"from", shelved.from},
                       {"templates", std::move(templates)}});
}

int run_grammar_list(Context& context, Arguments arguments) {
  Options options;
  if (const auto exit = options.parse(context, arguments)) return *exit;
  Json list = Json::array();
  Table table({"grammar", "from", "what it is"});
  const GrammarShelf shelf = shelf_of(context);
  for (const ShelvedGrammar& shelved : shelf.grammars) {
    list.push_back(grammar_json(shelved));
    table.add({shelved.grammar.name, shelved.from, shelved.grammar.description});
  }
  if (context.json) {
    context.print_json(list);
  } else {
    context.print(table.render(context));
  }
  return kDone;
}

int run_parse(Context& context, Arguments arguments) {
  std::vector<std::string> words;
  std::optional<std::string> file;
  std::uint64_t sentences = 100;
  Options options;
  options.positional("TEXT...", words, "plain sentences");
  options.value("-f,--file FILE", file, "read them from a file; - is standard input");
  options.value("--max-sentences N", sentences, "how many are read (100)");
  options.epilogue(
      "Nothing is written. Understood: is a, is part of, has a, contains, causes, is "
      "similar to.");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (words.empty() == !file) return context.usage_error("give either a TEXT or --file FILE");
  std::string text = join(words, " ");
  if (file) {
    auto read = context.read_input(*file, std::uint64_t{1} << 20);
    if (!read) return context.fail(read.error());
    text = std::move(*read);
  }
  const auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  const auto snapshot = space_snapshot(context, **space);
  if (!snapshot) return context.fail(snapshot.error());
  ToolBench bench(*snapshot);
  // The blank keeps a text that begins with "file:" a text.
  const auto output = call_tool(
      "text_ingest", {{"text", " " + text}, {"max_sentences", std::to_string(sentences)}}, bench);
  if (!output) return context.fail(output.error());
  Json list = Json::array();
  for (const tools::Proposal& fact : bench.proposals) {
    list.push_back(
        Json::object({{"subject", fact.subject},
                      {"predicate", fact.predicate},
                      {"object", fact.object},
                      {"confidence", fact.confidence},
                      {"subject_known", store::find_symbol(*snapshot, fact.subject).has_value()},
                      {"object_known", store::find_symbol(*snapshot, fact.object).has_value()}}));
    if (context.json) continue;
    context.print(fmt::format("\"{}\" -> {} -> \"{}\"  [{:.2f}]\n", fact.subject, fact.predicate,
                              fact.object, fact.confidence));
  }
  if (context.json) {
    context.print_json(list);
  } else if (bench.proposals.empty()) {
    context.print("No sentence was understood. See the patterns: anima grammar parse --help\n");
  }
  return kDone;
}

// A statement on the command line, for linearize and compare.
struct Statement {
  tools::Finding finding{tools::FindingKind::kTriple, {}, {}, {}, {}, 1.0, 0, 0};

  void declare(Options& options) {
    options.positional("SUBJECT", finding.subject, "what the statement is about").required();
    options.positional("PREDICATE", finding.predicate, "is-a, orbits ..").required();
    options.positional("OBJECT", finding.object, "what it says").required();
    options.value("--confidence C", finding.score, "0 to 1 (1)");
  }
  bool good() const { return finding.score >= 0.0 && finding.score <= 1.0; }
};

int run_linearize(Context& context, Arguments arguments) {
  Statement statement;
  std::string name = "narrative";
  Options options;
  statement.declare(options);
  options.value("-g,--grammar G", name, "a grammar's name or file (narrative)");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (!statement.good()) return context.usage_error("--confidence is a number from 0 to 1");
  const auto shelved = agent::find_grammar(shelf_of(context), context.files, name);
  if (!shelved) return context.fail(shelved.error());
  const std::string text = agent::linearize(statement.finding, shelved->grammar);
  if (context.json) {
    context.print_json(Json::object({{"grammar", shelved->grammar.name}, {"text", text}}));
  } else {
    context.print(text + "\n");
  }
  return kDone;
}

int run_compare(Context& context, Arguments arguments) {
  Statement statement;
  std::vector<std::string> names;
  Options options;
  statement.declare(options);
  options.values("-g,--grammar G", names, "a grammar's name or file, repeatable (all of them)");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (!statement.good()) return context.usage_error("--confidence is a number from 0 to 1");
  const GrammarShelf shelf = shelf_of(context);
  std::vector<ShelvedGrammar> chosen;
  for (const std::string& name : names) {
    auto shelved = agent::find_grammar(shelf, context.files, name);
    if (!shelved) return context.fail(shelved.error());
    chosen.push_back(std::move(*shelved));
  }
  if (names.empty()) chosen = shelf.grammars;
  Json list = Json::array();
  Table table({"grammar", "text"});
  for (const ShelvedGrammar& each : chosen) {
    const std::string text = agent::linearize(statement.finding, each.grammar);
    list.push_back(Json::object({{"grammar", each.grammar.name}, {"text", text}}));
    table.add({each.grammar.name, text});
  }
  if (context.json) {
    context.print_json(list);
  } else {
    context.print(table.render(context));
  }
  return kDone;
}

// The agent of the space speaks in the kept grammar from now on.
Status speak(Context& context, const std::string& name) {
  ANIMA_ASSIGN(const Workshop workshop,
               open_workshop(context, Access::kWrite, "anima grammar load"));
  agent::AgentConfig config;
  config.origin = local_origin(context, "anima grammar load");
  ANIMA_ASSIGN(const auto agent, agent::Agent::create(*workshop.space, *workshop.compartments,
                                                      context.files, std::move(config)));
  agent::Psyche psyche = agent->psyche();
  psyche.persona.grammar_preference = name;
  return agent->set_psyche(std::move(psyche));
}

int run_grammar_load(Context& context, Arguments arguments) {
  std::string path;
  bool use = false;
  Options options;
  options.positional("FILE", path, "a grammar as TOML").required();
  options.flag("--use", use, "and let the agent speak in it");
  options.epilogue("A copy is kept in <space>/grammars; a grammar of the same name is replaced.");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto space = open_space(context, Access::kWrite);
  if (!space) return context.fail(space.error());
  const auto shelved = agent::keep_grammar(context.files, (*space)->folder(), path);
  if (!shelved) return context.fail(shelved.error());
  if (use) {
    if (const Status done = speak(context, shelved->grammar.name); !done) {
      return context.fail(done.error());
    }
  }
  if (context.json) {
    Json json = grammar_json(*shelved);
    json.set("used", use);
    context.print_json(json);
  } else {
    context.print(fmt::format("{} is kept as {}{}\n", shelved->grammar.name, shelved->from,
                              use ? "; the agent speaks in it" : ""));
  }
  return kDone;
}

int run_render(Context& context, Arguments arguments) {
  std::string label;
  std::string name = "narrative";
  std::uint64_t limit = 40;
  Options options;
  options.positional("SYMBOL", label, "a label or a number").required();
  options.value("-g,--grammar G", name, "a grammar's name or file (narrative)");
  options.value("--limit N", limit, "facts at most, 1 to 10000 (40)");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto shelved = agent::find_grammar(shelf_of(context), context.files, name);
  if (!shelved) return context.fail(shelved.error());
  const auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  const auto snapshot = space_snapshot(context, **space);
  if (!snapshot) return context.fail(snapshot.error());
  const auto symbol = store::resolve_symbol(*snapshot, label);
  if (!symbol) return context.fail(symbol.error());
  ToolBench bench(*snapshot);
  const auto output =
      call_tool("kg_query",
                {{"symbol", fmt::format("sym:{}", static_cast<std::uint32_t>(*symbol))},
                 {"limit", std::to_string(limit)}},
                bench);
  if (!output) return context.fail(output.error());
  const std::string shown = store::symbol_label(*snapshot, *symbol);
  const agent::Document document = agent::synthesize(shown, 0, output->findings);
  const std::string text = agent::linearize_sections(document, shelved->grammar);
  if (context.json) {
    context.print_json(Json::object({{"symbol", shown},
                                     {"grammar", shelved->grammar.name},
                                     {"facts", static_cast<std::uint64_t>(document.facts)},
                                     {"text", text}}));
  } else {
    context.print(text.empty() ? fmt::format("Nothing is known about \"{}\".\n", shown) : text);
  }
  return kDone;
}

}  // namespace

extern const Verb kGrammarList, kGrammarParse, kGrammarLinearize, kGrammarCompare, kGrammarLoad,
    kGrammarRender;
const Verb kGrammarList{
    "grammar list",       Group::kActing,  "the grammars that findings can be told in", "",
    "anima grammar list", run_grammar_list};
const Verb kGrammarParse{"grammar parse",
                         Group::kActing,
                         "the statements that plain sentences make",
                         "TEXT...|-f FILE [--max-sentences N]",
                         "anima grammar parse \"Earth is a planet. A planet has a core.\"",
                         run_parse,
                         true};
const Verb kGrammarLinearize{"grammar linearize",
                             Group::kActing,
                             "a statement in the words of a grammar",
                             "SUBJECT PREDICATE OBJECT [--confidence C] [-g G]",
                             "anima grammar linearize Earth is-a planet --grammar formal",
                             run_linearize};
const Verb kGrammarCompare{"grammar compare",
                           Group::kActing,
                           "a statement in the words of each grammar",
                           "SUBJECT PREDICATE OBJECT [--confidence C] [-g G]...",
                           "anima grammar compare Earth orbits Sun --confidence 0.6",
                           run_compare};
const Verb kGrammarLoad{"grammar load",
                        Group::kActing,
                        "checks a grammar's file and keeps it with the space",
                        "FILE [--use]",
                        "anima grammar load ledger.toml --use",
                        run_grammar_load};
const Verb kGrammarRender{"grammar render",
                          Group::kActing,
                          "what is known about a symbol, in the words of a grammar",
                          "SYMBOL [-g G] [--limit N]",
                          "anima grammar render Earth --grammar terse",
                          run_render,
                          true};

}  // namespace anima::cli
