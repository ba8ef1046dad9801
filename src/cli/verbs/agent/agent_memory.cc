// anima agent memory: the core memory of the agent (agent/mind/core_memory.h), shown and edited by
// a person.
#include <fmt/format.h>

#include "agent/mind/core_memory.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"

namespace anima::cli {
namespace {

struct CoreRequest {
  std::string action = "show";
  std::string block, text;
};

void show_block(Context& context, const agent::CoreBlock& block) {
  if (block.text.empty()) {
    context.print(fmt::format("{}: empty\n", block.name));
    return;
  }
  context.print(fmt::format("{}: {} of {} tokens, trusted as {}, by {} ({}, entry {})\n",
                            block.name, block.tokens(), agent::kCoreBlockTokens,
                            govern::trust_name(block.trust), block.author, block.source,
                            static_cast<std::uint64_t>(block.entry)));
  context.print(block.text + "\n");
}

int show_blocks(Context& context, const CoreRequest& asked) {
  const auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  const auto now = space_snapshot(context, **space);
  if (!now) return context.fail(now.error());
  Json list = Json::array();
  for (const std::string_view name : agent::kCoreBlocks) {
    if (!asked.block.empty() && asked.block != name) continue;
    const auto block = agent::core_block(*now, name);
    if (!block) return context.fail(block.error());
    list.push_back(block->to_json());
    if (!context.json) show_block(context, *block);
  }
  if (context.json) context.print_json(list);
  return kDone;
}

int edit_block(Context& context, const CoreRequest& asked) {
  Result<std::string> text = asked.text;
  if (asked.text == "-") text = context.read_input("-", std::uint64_t{1} << 20);
  if (!text) return context.fail(text.error());
  const auto space = open_space(context, Access::kWrite);
  if (!space) return context.fail(space.error());
  const store::Origin origin = local_origin(context, "anima agent memory");
  const auto block = asked.action == "add"
                         ? agent::add_to_core_block(**space, origin, asked.block, *text)
                         : agent::set_core_block(**space, origin, asked.block, *text);
  if (!block) return context.fail(block.error());
  if (context.json) {
    context.print_json(block->to_json());
  } else {
    show_block(context, *block);
  }
  return kDone;
}

int run_agent_memory(Context& context, Arguments arguments) {
  CoreRequest asked;
  Options options;
  options.positional("ACTION", asked.action, "show (without one), set, add (a line more) or clear")
      .choices({"show", "set", "add", "clear"});
  options.positional("BLOCK", asked.block, "rules, persona, human or task")
      .choices({"rules", "persona", "human", "task"});
  options.positional("TEXT", asked.text, "of set and add; - for standard input");
  options.epilogue(
      "A language model is told the blocks before anything else. It may edit all but the rules, by "
      "the tool memory:core_edit. Each edit is an entry of the log: `anima undo ENTRY` takes it "
      "back.");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const bool edits = asked.action == "set" || asked.action == "add";
  if (asked.action == "show") return show_blocks(context, asked);
  if (asked.block.empty())
    return context.usage_error("which block?", "anima agent memory set persona \"...\"");
  if (edits && asked.text.empty())
    return context.usage_error("the text is missing", "anima agent memory " + asked.action + " " +
                                                          asked.block + " \"...\"");
  if (!edits && !asked.text.empty()) return context.usage_error("clear takes no text");
  return edit_block(context, asked);
}

}  // namespace

extern const Verb kAgentMemory;
const Verb kAgentMemory{"agent memory",
                        Group::kActing,
                        "what a language model is always told: rules, persona, human, task",
                        "[show|set|add|clear] [BLOCK] [TEXT] [--json]",
                        "anima agent memory\nanima agent memory add rules \"Answer in German.\"\n"
                        "anima agent memory set human \"Ada, a geologist in Oslo.\"",
                        run_agent_memory,
                        true};

}  // namespace anima::cli
