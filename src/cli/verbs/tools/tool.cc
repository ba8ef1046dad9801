// anima tool: the tools, what they take, and running one of them through the executor.
#include <fmt/format.h>

#include <algorithm>

#include "agent/findings/doc_tool.h"
#include "base/text/shown_text.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/table.h"
#include "cli/verbs/tools/tool_sources.h"
#include "tools/mcp/tool_book.h"
#include "tools/mcp/tools_of_others.h"
#include "tools/user_tool.h"

namespace anima::cli {
namespace {

using govern::Outcome;

// The tools of others that the space knows; none without a space, where the verbs work as well.
Result<std::vector<govern::ToolDeclaration>> tools_of_others(Context& context) {
  std::vector<govern::ToolDeclaration> list;
  if (!space_is_there(context)) return list;
  ANIMA_ASSIGN(const auto space, open_space(context, Access::kRead));
  ANIMA_ASSIGN(const store::Snapshot snapshot, space->snapshot());
  ANIMA_ASSIGN(const tools::ToolBook book, tools::read_tool_book(snapshot));
  for (const tools::ToolServer& server : book.servers) {
    for (const auto& each : server.tools) {
      list.push_back(each.declaration);
      if (!server.stopped.empty()) list.back().description = "(stopped) " + list.back().description;
    }
  }
  for (const tools::ToolManifest& manifest : book.manifests) {
    for (const auto& each : manifest.tools) list.push_back(each.declaration);
  }
  return list;
}

// The external tools under the names that the executor knows, those of the agent's table that need
// none, and those of others, by name.
std::vector<std::pair<tools::ToolInfo, std::string>> every_tool(
    const std::vector<govern::ToolDeclaration>& others) {
  std::vector<std::pair<tools::ToolInfo, std::string>> list;
  for (const govern::ToolDeclaration& each : others)
    list.emplace_back(tools::info_of(each), std::string(to_string(each.tier_of())));
  for (const tools::ExternalTool& tool : tools::external_tools()) {
    list.emplace_back(tool.info, std::string(to_string(tool.tier)));
  }
  tools::ToolTable table;
  agent::add_inside_tools(table);
  table.add(tools::make_user_interact({}));
  for (const tools::Tool* tool : table.all()) list.emplace_back(tool->info(), "");
  std::sort(list.begin(), list.end(),
            [](const auto& a, const auto& b) { return a.first.name < b.first.name; });
  return list;
}

Json info_json(const tools::ToolInfo& info, const std::string& tier) {
  Json parameters = Json::array();
  for (const tools::ToolParameter& each : info.parameters) {
    parameters.push_back(Json::object(
        {{"name", each.name}, {"required", each.required}, {"description", each.description}}));
  }
  return Json::object({{"name", info.name},
                       {"description", info.description},
                       {"danger", tools::to_string(info.danger)},
                       {"tier", tier.empty() ? Json() : Json(tier)},
                       {"parameters", std::move(parameters)}});
}

int run_tool_list(Context& context, Arguments arguments) {
  Options options;
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto others = tools_of_others(context);
  if (!others) return context.fail(others.error());
  Table table({"tool", "danger", "tier", "what it does"});
  Json list = Json::array();
  for (const auto& [info, tier] : every_tool(*others)) {
    table.add({info.name, std::string(tools::to_string(info.danger)), tier,
               terminal_text(first_sentence(info.description))});
    list.push_back(info_json(info, tier));
  }
  if (context.json) {
    context.print_json(Json::object({{"tools", std::move(list)}}));
  } else {
    context.print(table.render(context));
  }
  return kDone;
}

int run_tool_info(Context& context, Arguments arguments) {
  std::string name;
  Options options;
  options.positional("NAME", name, "of the tool").required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto others = tools_of_others(context);
  if (!others) return context.fail(others.error());
  for (const auto& [info, tier] : every_tool(*others)) {
    if (info.name != name) continue;
    const auto declared = std::ranges::find(*others, name, &govern::ToolDeclaration::name);
    if (context.json) {
      Json json = info_json(info, tier);
      if (declared != others->end()) json.set("declaration", declared->to_json());
      context.print_json(json);
      return kDone;
    }
    context.print(terminal_text(fmt::format("{}: {}\n  danger {}{}\n", info.name, info.description,
                                            tools::to_string(info.danger),
                                            tier.empty() ? "" : ", tier " + tier)));
    for (const tools::ToolParameter& each : info.parameters) {
      context.print(terminal_text(fmt::format(
          "  {:<12} {}{}\n", each.name, each.required ? "" : "(optional) ", each.description)));
    }
    return kDone;
  }
  return context.fail(
      {ErrorCode::kNotFound, "there is no such tool", name, "see `anima tool list`"});
}

// The names that the agent's table has for the same tools.
std::string executor_name(const std::string& name, const Json& input) {
  if (name == "shell_exec") return "shell:execute";
  if (name == "http_fetch") return "http:fetch";
  if (name != "file_io") return name;
  const Json* action = input.find("action");
  const bool write = action != nullptr && action->is_string() && action->as_string() == "write";
  return write ? "file:write" : "file:read";
}

std::string unknown_tool_hint(const std::string& name) {
  std::vector<std::string_view> names;
  for (const tools::ExternalTool& tool : tools::external_tools()) names.push_back(tool.info.name);
  const std::string nearest = did_you_mean(nearest_names(name, names));
  return nearest + (nearest.empty() ? "" : " ") +
         "tools on the graph run in `anima run`; see `anima tool list`";
}

int exit_of(const Outcome& outcome, const std::optional<Error>& failure) {
  switch (outcome.kind) {
    case Outcome::Kind::kDone: {
      const Json* code = outcome.result.find("exit_code");
      return code != nullptr && code->is_integer() && code->as_integer() != 0 ? kFailed : kDone;
    }
    case Outcome::Kind::kFailed:
      return failure ? exit_code_for(*failure) : kFailed;
    case Outcome::Kind::kWaiting:
      return kWaitsForApproval;
    case Outcome::Kind::kBusy:
      return kTryAgain;
    case Outcome::Kind::kDenied:
    case Outcome::Kind::kHalted:
      break;
  }
  return kRefused;
}

int report(Context& context, const Outcome& outcome, const std::optional<Error>& failure) {
  const int exit = exit_of(outcome, failure);
  if (context.json) {
    Json json = Json::object({{"outcome", to_string(outcome.kind)},
                              {"exit", exit},
                              {"audit", outcome.audit_id},
                              {"decision", outcome.decision.to_json()}});
    if (outcome.kind == Outcome::Kind::kDone) json.set("result", outcome.result);
    if (!outcome.reason.empty()) json.set("reason", outcome.reason);
    if (!outcome.approval_id.empty()) json.set("approval", outcome.approval_id);
    context.print_json(json);
    return exit;
  }
  if (outcome.kind == Outcome::Kind::kDone) {
    context.print(outcome.result.dump(2) + "\n");
  } else if (outcome.kind == Outcome::Kind::kWaiting) {
    context.note(
        fmt::format("waits for an approval: {}\n  anima approve grant {}   then the same "
                    "command again",
                    outcome.reason, outcome.approval_id.substr(0, 8)));
  } else {
    context.note(fmt::format("{}: {}{}", to_string(outcome.kind), outcome.reason,
                             outcome.kind != Outcome::Kind::kFailed && !outcome.audit_id.empty()
                                 ? "\n  anima why-denied " + outcome.audit_id.substr(0, 8)
                                 : std::string()));
  }
  return exit;
}

// "to=untrusted" or "to=untrusted:web page".
Result<govern::ArgumentOrigin> parse_label(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string rest = equals == std::string::npos ? "" : text.substr(equals + 1);
  const std::size_t colon = std::min(rest.find(':'), rest.size());
  const auto trust = govern::parse_trust(rest.substr(0, colon));
  if (equals == 0 || !trust) {
    return anima::fail(ErrorCode::kInvalidArgument,
                       "a label is ARGUMENT=LEVEL or ARGUMENT=LEVEL:SOURCE, not '" + text + "'", {},
                       "for example --label to=untrusted:page");
  }
  return govern::ArgumentOrigin{text.substr(0, equals),
                                colon < rest.size() ? rest.substr(colon + 1) : "terminal", *trust};
}

int run_tool_run(Context& context, Arguments arguments) {
  std::string name;
  std::string input = "{}";
  std::string trust = "operator";
  std::vector<std::string> labels;
  bool dry = false;
  Options options;
  options.positional("NAME", name, "of the tool").required();
  options.positional("JSON", input, "its arguments, one object; - reads standard input");
  options.value("--trust LEVEL", trust, "how far what the arguments were made from is trusted")
      .choices({"system", "operator", "verified", "standard", "untrusted", "hostile"});
  options.values("--label ARG=LEVEL[:SOURCE]", labels,
                 "how far what this argument was made from is trusted (several times)");
  options.flag("--dry-run", dry, "only say what the executor would decide");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (input == "-") {
    auto text = context.read_input("-", 16 << 20);
    if (!text) return context.fail(text.error());
    input = std::move(*text);
  }
  auto parsed = parse_json(input);
  if (!parsed) return context.fail(parsed.error());
  if (!parsed->is_object()) return context.usage_error("the arguments are one JSON object");
  govern::CallRequest request;
  request.tool = executor_name(name, *parsed);
  const auto others = tools_of_others(context);
  if (!others) return context.fail(others.error());
  if (tools::find_external_tool(request.tool) == nullptr && name.find(':') == std::string::npos &&
      std::ranges::find(*others, name, &govern::ToolDeclaration::name) == others->end()) {
    return context.fail({ErrorCode::kNotFound, "there is no external tool of this name", name,
                         unknown_tool_hint(name)});
  }
  // The person at the terminal asks, and another role approves.
  request.agent = "terminal";
  request.trust = govern::Trust::kOperator;
  request.argument_labels = {*govern::parse_trust(trust)};
  for (const std::string& text : labels) {
    auto origin = parse_label(text);
    if (!origin) return context.usage_error(origin.error().message, origin.error().hint);
    request.origins.push_back(std::move(*origin));
  }
  request.arguments = std::move(*parsed);
  if (name == "file_io") {  // the name says it
    std::erase_if(request.arguments.as_object(),
                  [](const JsonMember& member) { return member.first == "action"; });
  }
  auto space = open_space(context, Access::kAsItGoes);
  if (!space) return context.fail(space.error());
  const auto house = open_house(context);
  if (!house) return context.fail(house.error());
  if (dry) {
    const govern::Decision decision = (*house)->preview(request);
    context.print(decision.to_json().dump(context.json ? 0 : 2) + "\n");
    return decision.permission == govern::Permission::kDenied          ? kRefused
           : decision.permission == govern::Permission::kNeedsApproval ? kWaitsForApproval
                                                                       : kDone;
  }
  const Outcome outcome = (*house)->call(request);
  return report(context, outcome, (*house)->failure());
}

}  // namespace

extern const Verb kToolList;
const Verb kToolList{"tool list", Group::kActing,    "the tools and how dangerous they are",
                     "[--json]",  "anima tool list", run_tool_list};

extern const Verb kToolInfo;
const Verb kToolInfo{"tool info",
                     Group::kActing,
                     "what a tool does and takes",
                     "NAME [--json]",
                     "anima tool info http:fetch",
                     run_tool_info};

extern const Verb kToolRun;
const Verb kToolRun{
    "tool run",
    Group::kActing,
    "runs an external tool: the executor decides, the sandbox holds it",
    "NAME [JSON|-] [--trust LEVEL] [--label ARG=LEVEL[:SOURCE]]... [--dry-run] [--json]",
    "anima tool run file:write '{\"path\":\"note.txt\",\"content\":\"hello\"}'\n"
    "anima tool run shell:execute '{\"command\":\"ls -l\"}'",
    run_tool_run};

}  // namespace anima::cli
