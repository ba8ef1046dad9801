// anima tool add, check, remove: a person's own tools, declared in a file.
#include <fmt/format.h>

#include "base/text/shown_text.h"
#include "cli/frame/options.h"
#include "cli/verbs/tools/tool_forge.h"
#include "cli/verbs/tools/tool_sources.h"
#include "tools/mcp/tool_manifest.h"

namespace anima::cli {
namespace {

using tools::CommandTool;
using tools::ToolManifest;

std::vector<govern::ToolDeclaration> declarations_of(const ToolManifest& manifest) {
  std::vector<govern::ToolDeclaration> list;
  for (const CommandTool& each : manifest.tools) list.push_back(each.declaration);
  return list;
}

// Paths of the file begin in its folder, wherever the program is called.
Result<ToolManifest> read_manifest(Context& context, const std::string& file) {
  ANIMA_ASSIGN(const std::string text, context.read_input(file, std::uint64_t{1} << 20));
  const std::string path = join_path(current_folder(), file == "-" ? "tools.toml" : file);
  return tools::read_tool_manifest(text, path, context.environment);
}

int show(Context& context, const ToolManifest& manifest) {
  if (context.json) {
    context.print_json(manifest.to_json());
    return kDone;
  }
  context.print(terminal_text(declared_table(context, declarations_of(manifest))));
  for (const CommandTool& each : manifest.tools) {
    context.print(terminal_text(
        fmt::format("  {} runs {}\n", each.declaration.name, program_text(each.program))));
  }
  return kDone;
}

int run_tool_check(Context& context, Arguments arguments) {
  std::string file;
  Options options;
  options.positional("FILE", file, "tools.toml, or - for standard input").required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto manifest = read_manifest(context, file);
  if (!manifest) return context.fail(manifest.error());
  return show(context, *manifest);
}

int run_tool_add(Context& context, Arguments arguments) {
  std::string file;
  Options options;
  options.positional("FILE", file, "tools.toml, or - for standard input").required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto space = open_space(context, Access::kWrite);
  if (!space) return context.fail(space.error());
  const auto manifest = read_manifest(context, file);
  if (!manifest) return context.fail(manifest.error());
  for (const CommandTool& each : manifest->tools) {
    if (const Status good = check_folders_of(context, **space, each.program); !good)
      return context.fail(good.error());
  }
  if (const Status free = check_names_free(**space, manifest->name, declarations_of(*manifest));
      !free)
    return context.fail(free.error());
  const Status put =
      tools::put_tool_manifest(**space, local_origin(context, "anima tool add"), *manifest);
  if (!put) return context.fail(put.error());
  return show(context, *manifest);
}

// With its files; its story stays.
int remove_made_tool(Context& context, const std::string& name) {
  const auto opened = open_forge(context, {}, "anima tool remove");
  if (!opened) return context.fail(opened.error());
  if (const Status removed = opened->forge->remove(name); !removed)
    return context.fail(removed.error());
  if (context.json) context.print_json(Json::object({{"removed", name}}));
  return kDone;
}

int run_tool_remove(Context& context, Arguments arguments) {
  std::string name;
  Options options;
  options.positional("NAME", name, "of the manifest, as its file names it, or of a made tool")
      .required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto space = open_space(context, Access::kWrite);
  if (!space) return context.fail(space.error());
  const auto made = is_made_tool(**space, name);
  if (!made) return context.fail(made.error());
  if (*made) return remove_made_tool(context, name);
  const Status removed =
      tools::remove_tool_manifest(**space, local_origin(context, "anima tool remove"), name);
  if (!removed) return context.fail(removed.error());
  if (context.json) context.print_json(Json::object({{"removed", name}}));
  return kDone;
}

}  // namespace

extern const Verb kToolAdd;
const Verb kToolAdd{"tool add",
                    Group::kActing,
                    "adds your own tools: programs that a file declares",
                    "FILE [--json]",
                    "anima tool add tools.toml",
                    run_tool_add};

extern const Verb kToolCheck;
const Verb kToolCheck{"tool check",
                      Group::kActing,
                      "reads a file of tools and says what is wrong with it",
                      "FILE [--json]",
                      "anima tool check tools.toml",
                      run_tool_check};

extern const Verb kToolRemove;
const Verb kToolRemove{"tool remove",
                       Group::kActing,
                       "removes the tools that a file declared, or a made tool",
                       "NAME [--json]",
                       "anima tool remove mail",
                       run_tool_remove};

}  // namespace anima::cli
