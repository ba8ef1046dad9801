// anima agent: gaps, document, schema. What the agent's tools see, asked for by a person;
// nothing is written.
#include <fmt/format.h>

#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/table.h"
#include "cli/verbs/tools/tool_bench.h"
#include "store/symbols.h"

namespace anima::cli {
namespace {

Result<store::Snapshot> newest(Context& context) {
  ANIMA_ASSIGN(const auto space, open_space(context, Access::kRead));
  return space_snapshot(context, *space);
}

int run_gaps(Context& context, Arguments arguments) {
  std::string goal;
  std::uint64_t most = 10;
  Options options;
  options.value("--goal S", goal, "the symbol to look around, by label or number").required();
  options.value("--max-gaps N", most, "how many, 1 to 1000 (10)");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto snapshot = newest(context);
  if (!snapshot) return context.fail(snapshot.error());
  const auto symbol = store::resolve_symbol(*snapshot, goal);
  if (!symbol) return context.fail(symbol.error());
  ToolBench bench(*snapshot);
  const auto output =
      call_tool("gap_analysis",
                {{"goal", fmt::format("sym:{}", static_cast<std::uint32_t>(*symbol))},
                 {"max_gaps", std::to_string(most)}},
                bench);
  if (!output) return context.fail(output.error());
  if (!context.json) {
    context.print(output->result + "\n");
    return kDone;
  }
  Json list = Json::array();
  for (const tools::Finding& gap : output->findings) {
    list.push_back(
        Json::object({{"symbol", gap.subject}, {"missing", gap.text}, {"severity", gap.score}}));
  }
  context.print_json(list);
  return kDone;
}

int run_document(Context& context, Arguments arguments) {
  std::string target, format = "markdown";
  Options options;
  options.positional("SYMBOL", target, "what the page is about, by label or number").required();
  options.value("--format F", format, "how it is written (markdown)")
      .choices({"markdown", "json", "text"});
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto snapshot = newest(context);
  if (!snapshot) return context.fail(snapshot.error());
  const auto symbol = store::resolve_symbol(*snapshot, target);
  if (!symbol) return context.fail(symbol.error());
  ToolBench bench(*snapshot);
  const auto output =
      call_tool("doc_gen",
                {{"target", fmt::format("sym:{}", static_cast<std::uint32_t>(*symbol))},
                 {"format", context.json ? "json" : format}},
                bench);
  if (!output) return context.fail(output.error());
  context.print(output->result);
  return kDone;
}

bool is_functional(const store::Snapshot& snapshot, store::EntityId predicate) {
  const auto term = snapshot.attribute(predicate, "functional");
  if (!term) return false;
  const store::ValueView value = snapshot.value(*term);
  return value.kind == store::ValueKind::kBoolean && value.integer != 0;
}

int run_schema(Context& context, Arguments arguments) {
  Options options;
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto snapshot = newest(context);
  if (!snapshot) return context.fail(snapshot.error());
  Json types = Json::array(), relations = Json::array();
  Table shown_types({"type", "concepts"});
  shown_types.align_right(1);
  store::Scratch scratch;
  for (const std::uint32_t code : snapshot->subjects(
           store::kTypePredicate, store::Term::entity(store::kConceptType), scratch)) {
    const store::EntityId type{code};
    store::Pattern pattern;
    pattern.predicate = store::kTypePredicate;
    pattern.object = store::Term::entity(type);
    const std::uint64_t count = snapshot->count(pattern);
    if (count == 0) continue;
    const std::string name = store::symbol_label(*snapshot, type);
    types.push_back(Json::object({{"name", name}, {"concepts", count}}));
    shown_types.add({name, std::to_string(count)});
  }
  Table shown_relations({"relation", "facts", "declared"});
  shown_relations.align_right(1);
  for (const store::Predicate relation : snapshot->predicates(store::PredicateClass::kLink)) {
    store::Pattern pattern;
    pattern.predicate = relation;
    const std::uint64_t count = snapshot->count(pattern);
    if (count == 0) continue;
    const std::string name = store::predicate_label(*snapshot, relation);
    const bool functional = is_functional(*snapshot, relation.as_link());
    relations.push_back(
        Json::object({{"name", name}, {"facts", count}, {"functional", functional}}));
    shown_relations.add({name, std::to_string(count), functional ? "functional" : ""});
  }
  if (context.json) {
    context.print_json(
        Json::object({{"types", std::move(types)}, {"relations", std::move(relations)}}));
    return kDone;
  }
  context.print(shown_types.render(context));
  context.print(shown_relations.empty() ? "no relation is used yet\n"
                                        : "\n" + shown_relations.render(context));
  return kDone;
}

}  // namespace

extern const Verb kAgentGaps, kAgentDocument, kAgentSchema;
const Verb kAgentGaps{"agent gaps",
                      Group::kActing,
                      "what is missing around a symbol",
                      "--goal S [--max-gaps N]",
                      "anima agent gaps --goal Earth",
                      run_gaps,
                      true};
const Verb kAgentDocument{"agent document",
                          Group::kActing,
                          "a page about a symbol: what the graph says, and on whose word",
                          "SYMBOL [--format markdown|json|text]",
                          "anima agent document Earth > earth.md",
                          run_document,
                          true};
const Verb kAgentSchema{"agent schema",
                        Group::kActing,
                        "the types and relations in use",
                        "",
                        "anima agent schema",
                        run_schema,
                        true};

}  // namespace anima::cli
