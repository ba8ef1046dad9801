// anima tool generate and log: tools that Anima makes for itself, and their story.
#include "cli/verbs/tools/tool_forge.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/config.h"
#include "base/files/file.h"
#include "base/text/shown_text.h"
#include "base/text/text.h"
#include "cli/frame/model_access.h"
#include "cli/frame/options.h"
#include "cli/verbs/govern/signing.h"
#include "cli/verbs/tools/tool_sources.h"
#include "tools/mcp/tool_book.h"

namespace anima::cli {
namespace {

constexpr std::size_t kMostNeed = std::size_t{64} << 10;

// What the psyche of this space lets nobody do.
Result<std::vector<std::string>> vetoes_of_space(Context& context) {
  ANIMA_ASSIGN(const Workshop workshop,
               open_workshop(context, Access::kAsItGoes, "anima tool generate"));
  agent::AgentConfig config;
  config.origin = local_origin(context, "anima tool generate");
  ANIMA_ASSIGN(const auto agent, agent::Agent::create(*workshop.space, *workshop.compartments,
                                                      context.files, std::move(config)));
  std::vector<std::string> texts;
  for (const agent::ShadowPattern& pattern : agent->psyche().shadow.veto_patterns)
    texts.insert(texts.end(), pattern.triggers.begin(), pattern.triggers.end());
  return texts;
}

Result<forge::Need> read_need(Context& context, std::string text) {
  if (text == "-") {
    ANIMA_ASSIGN(text, context.read_input("-", kMostNeed));
  }
  ANIMA_ASSIGN(const Json json, parse_json(text, {.max_depth = 16, .max_bytes = kMostNeed}));
  return forge::Need::from_json(json);
}

void show_report(Context& context, const forge::ForgeReport& report) {
  for (std::size_t i = 0; i < report.refused.size(); ++i) {
    context.print(terminal_text(fmt::format("proposal {} was refused:\n", i + 1)));
    for (const forge::Violation& each : report.refused[i].violations)
      context.print(terminal_text("  " + each.describe() + "\n"));
  }
  for (const std::string& each : report.failures)
    context.print(terminal_text("a proposal did not hold its examples:\n  " +
                                replace_all(std::string(trim(each)), "\n", "\n  ") + "\n"));
  if (!report.success) return;
  const forge::MadeTool& tool = *report.tool;
  context.print(terminal_text(fmt::format(
      "{}: made (version {}, stability {}, by {})\n  {}\n  anima tool run {} "
      "'{{\"input\": \"..\", \"args\": [\"..\"]}}'\n",
      tool.name, tool.version, tool.stability, tool.generator, tool.description, tool.name)));
}

// The forge by the settings of the space, with the need's name free.
Result<OpenForge> open_forge_for(Context& context, const forge::Need& need,
                                 forge::ForgeOptions settings, std::string_view source) {
  settings.mode = "/" + context.config.text("forge.mode");
  ANIMA_ASSIGN(settings.vetoes, vetoes_of_space(context));
  settings.safety.best_effort = settings.compile.best_effort =
      context.config.text("tools.sandbox") == "best_effort";
  ANIMA_ASSIGN(OpenForge opened, open_forge(context, std::move(settings), source));
  govern::ToolDeclaration declared;
  declared.name = need.name;
  ANIMA_TRY(check_names_free(*opened.governance->space, need.name, {declared}));
  return opened;
}

int run_tool_generate(Context& context, Arguments arguments) {
  std::string need_text;
  std::optional<std::string> model;
  bool again = false;
  std::int64_t attempts = 3;
  Options options;
  options
      .value(
          "--need JSON", need_text,
          "the tool that is missing: {\"name\", \"purpose\", \"examples\"}; - reads standard input")
      .required();
  options.value("--llm NAME", model,
                "a language model of the configuration writes it; without one, a template");
  options.value("--attempts N", attempts, "proposals at most, 1 to 10 (3)");
  options.flag("--again", again, "makes a new version of a tool that is there");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (attempts < 1 || attempts > 10) return context.usage_error("--attempts is 1 to 10");
  const auto need = read_need(context, need_text);
  if (!need) return context.fail(need.error());
  forge::ForgeOptions settings;
  settings.replace = again;
  settings.max_attempts = attempts;
  const auto opened = open_forge_for(context, *need, std::move(settings), "anima tool generate");
  if (!opened) return context.fail(opened.error());
  StopOnInterrupt stop;
  std::unique_ptr<ModelAccess> access;
  std::unique_ptr<forge::Generator> generator = forge::make_template_generator();
  if (model) {
    auto models = open_models(context);
    if (!models) return fail_of_model(context, models.error());
    access = std::move(*models);
    const auto named = named_model(*access->models, *model);
    if (!named) return fail_of_model(context, named.error());
    generator = forge::make_model_generator(**named, stop.token());
  }
  const forge::ForgeReport report = opened->forge->generate(*need, *generator);
  if (context.json) {
    context.print_json(report.to_json());
  } else {
    show_report(context, report);
  }
  if (report.success) return kDone;
  if (context.json && report.error) return exit_code_for(*report.error);
  return context.fail(
      report.error.value_or(Error{ErrorCode::kInternal, "it was not made", {}, {}}));
}

// One line of the story of a tool; empty: the entry tells nothing of it.
std::string story_line(const Json& entry, const Json& details) {
  const auto text = [](const Json& json, const char* name) {
    const Json* member = json.find(name);
    return member == nullptr ? std::string() : member->as_string();
  };
  const auto number = [](const Json& json, const char* name) {
    const Json* member = json.find(name);
    return member == nullptr ? std::int64_t{0} : member->as_integer();
  };
  const std::string action = text(entry, "action");
  if (action == forge::kToolProposed) {
    const Json* report = details.find("report");
    const Json* safe = report == nullptr ? nullptr : report->find("safe");
    const bool good = safe != nullptr && safe->as_bool();
    std::string line = fmt::format("proposal {} by {}: {}, source {}", number(details, "proposal"),
                                   text(details, "by"), good ? "safe" : "refused",
                                   text(details, "source_sha256").substr(0, 12));
    const Json* violations = report == nullptr ? nullptr : report->find("violations");
    if (violations != nullptr) {
      for (const Json& each : violations->as_array()) line += "\n    " + text(each, "text");
    }
    return line;
  }
  if (action == forge::kToolExamined) {
    std::string line = fmt::format("{} of {} runs of its examples held", number(details, "held"),
                                   number(details, "runs"));
    const std::string failures = text(details, "failures");
    for (const std::string_view each : split(trim(failures), '\n'))
      line += each.empty() ? "" : "\n    " + std::string(each);
    return line;
  }
  if (action == forge::kToolCommitted) {
    const Json* manifest = details.find("manifest");
    if (manifest == nullptr) return "registered";
    return fmt::format("registered as version {}, stability {}, binary {}",
                       number(*manifest, "version"), number(*manifest, "stability"),
                       text(*manifest, "binary_sha256").substr(0, 12));
  }
  if (action == forge::kToolRefused)
    return fmt::format("not made ({}): {}", text(details, "stage"), text(details, "reason"));
  if (action == forge::kToolWithdrawn)
    return fmt::format("removed (version {})", number(details, "version"));
  if (action == forge::kToolRecovered) return text(details, "what");
  const Json* success = details.find("success");
  if (action == "tool_executed")
    return success != nullptr && !success->as_bool() ? "ran and failed: " + text(details, "error")
                                                     : "ran";
  if (action == "permission_denied") return "a call was refused: " + text(details, "reason");
  return {};
}

int run_tool_log(Context& context, Arguments arguments) {
  std::string name;
  Options options;
  options.positional("NAME", name, "of a tool").required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto governance = open_governance(context, Access::kRead);
  if (!governance) return context.fail(governance.error());
  Json list = Json::array();
  std::string text;
  std::int64_t runs = 0, failed = 0;
  const auto read =
      (*governance)
          ->ledger.read(store::RecordKind::kAudit, store::Sequence::kNone,
                        [&](const govern::LedgerEntry& entry) -> Status {
                          const Json* details = entry.content.find("details");
                          const Json* tool = details == nullptr ? nullptr : details->find("tool");
                          if (tool == nullptr || !tool->is_string() || tool->as_string() != name)
                            return {};
                          const std::string line = story_line(entry.content, *details);
                          if (line.empty()) return {};
                          runs += line == "ran" ? 1 : 0;
                          failed += line.starts_with("ran and failed") ? 1 : 0;
                          text += fmt::format("{}  {}\n", format_timestamp(entry.time), line);
                          list.push_back(entry.content);
                          return {};
                        });
  if (!read) return context.fail(read.error());
  if (list.as_array().empty())
    return context.fail(
        {ErrorCode::kNotFound, "nothing is known of such a tool", name, "see `anima tool list`"});
  if (context.json) {
    context.print_json(Json::object({{"tool", name},
                                     {"execute_count", runs},
                                     {"attempts", runs + failed},
                                     {"entries", std::move(list)}}));
    return kDone;
  }
  context.print(terminal_text(text));
  return kDone;
}

}  // namespace

Result<OpenForge> open_forge(Context& context, forge::ForgeOptions options,
                             std::string_view source) {
  OpenForge opened;
  ANIMA_ASSIGN(opened.governance, open_governance(context, Access::kWrite, agent::Act::kWrites));
  Governance& governance = *opened.governance;
  options.folder =
      (std::filesystem::absolute(governance.space->folder()) / "tools").lexically_normal().string();
  options.origin = local_origin(context, source);
  options.compile.cache_folder = join_path(user_directories(context.environment).cache, "forge");
  ANIMA_ASSIGN(opened.forge,
               forge::Forge::open(*governance.space, governance.ledger, governance.clock,
                                  governance.random, std::move(options)));
  return opened;
}

Result<forge::ForgeReport> make_from_template(Context& context, const forge::Need& need,
                                              std::string_view source) {
  ANIMA_ASSIGN(const OpenForge opened, open_forge_for(context, need, {}, source));
  return opened.forge->generate(need, *forge::make_template_generator());
}

std::string command_that_makes(const forge::Need& need) {
  const Json json = Json::object({{"name", need.name}, {"purpose", need.purpose}});
  return "anima tool generate --need '" + replace_all(json.dump(), "'", "'\\''") + "'";
}

Result<bool> is_made_tool(store::Space& space, std::string_view name) {
  ANIMA_ASSIGN(const store::Snapshot snapshot, space.snapshot());
  ANIMA_ASSIGN(const tools::ToolBook book, tools::read_tool_book(snapshot));
  return std::ranges::any_of(book.manifests, [&](const tools::ToolManifest& each) {
    return each.name == name && each.tools.size() == 1 && !each.tools[0].program.sealed.empty();
  });
}

extern const Verb kToolGenerate;
const Verb kToolGenerate{
    "tool generate",
    Group::kActing,
    "makes a tool that is missing: proposed, checked, compiled, registered",
    "--need JSON|- [--llm NAME] [--attempts N] [--again] [--json]",
    "anima tool generate --need '{\"name\":\"csv_sum\",\"purpose\":\"the sum of a column of a CSV "
    "table\"}'\n"
    "anima tool run csv_sum "
    "'{\"input\":\"city,amount\\nOslo,2\\nBergen,3\",\"args\":[\"amount\"]}'",
    run_tool_generate};

extern const Verb kToolLog;
const Verb kToolLog{"tool log",
                    Group::kActing,
                    "the story of a tool: proposals, what was found, versions, runs",
                    "NAME [--json]",
                    "anima tool log csv_sum",
                    run_tool_log};

}  // namespace anima::cli
