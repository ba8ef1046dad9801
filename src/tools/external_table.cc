// The tools of the agent's table that leave the process: each turns its input into a call, and what
// the executor says into its output.
#include "base/json/json_member.h"
#include "tools/detail/acting_tool.h"
#include "tools/fact_labels.h"
#include "tools/workbench.h"

namespace anima::tools {

std::string_view approval_in(std::string_view result) {
  if (!result.starts_with(kWaitsForApproval)) return {};
  const std::string_view rest = result.substr(kWaitsForApproval.size());
  return rest.substr(0, rest.find(':'));
}

namespace {

using detail::ActingTool;
using govern::Outcome;

ToolOutput text_output(std::string text) {
  ToolOutput output;
  Finding finding;
  finding.text = text;
  output.result = std::move(text);
  output.findings.push_back(std::move(finding));
  return output;
}

// Adds "timeout" when the input has one; false when it is no number.
bool add_timeout(const ToolInput& input, std::int64_t most, Json& arguments) {
  std::int64_t seconds = 0;
  if (!detail::number_parameter<std::int64_t>(input, "timeout", 1, most, seconds)) return false;
  if (seconds > 0) arguments.set("timeout", seconds);
  return true;
}

class FileTool final : public ActingTool {
 public:
  using ActingTool::ActingTool;
  Result<ToolOutput> run(const ToolInput& input, Workbench& bench) const override {
    const std::string action = detail::parameter(input, "action");
    const std::string path = detail::parameter(input, "path");
    if (action == "read") {
      const Outcome outcome = call(bench, "file:read", Json::object({{"path", path}}));
      if (outcome.kind != Outcome::Kind::kDone) return detail::refused(outcome);
      return text_output(text_member(outcome.result, "content"));
    }
    if (action == "write") {
      const Outcome outcome =
          call(bench, "file:write",
               Json::object({{"path", path}, {"content", detail::parameter(input, "content")}}));
      if (outcome.kind != Outcome::Kind::kDone) return detail::refused(outcome);
      return text_output("wrote " + path);
    }
    return detail::failed("file_io knows the actions read and write, not \"" + action + "\"");
  }
};

class FetchTool final : public ActingTool {
 public:
  using ActingTool::ActingTool;
  Result<ToolOutput> run(const ToolInput& input, Workbench& bench) const override {
    Json arguments = Json::object({{"url", detail::parameter(input, "url")}});
    if (!add_timeout(input, 120, arguments)) {
      return detail::failed("http_fetch: timeout is a number of seconds from 1 to 120");
    }
    const Outcome outcome = call(bench, "http:fetch", std::move(arguments));
    if (outcome.kind != Outcome::Kind::kDone) return detail::refused(outcome);
    const Json* status = outcome.result.find("status");
    const std::int64_t code = status != nullptr && status->is_integer() ? status->as_integer() : 0;
    ToolOutput output = text_output(text_member(outcome.result, "body"));
    if (code >= 400) {
      output.success = false;
      output.result = "the server answered " + std::to_string(code) + ": " + output.result;
    }
    return output;
  }
};

class ShellTool final : public ActingTool {
 public:
  using ActingTool::ActingTool;
  Result<ToolOutput> run(const ToolInput& input, Workbench& bench) const override {
    Json arguments = Json::object({{"command", detail::parameter(input, "command")}});
    if (!add_timeout(input, 600, arguments)) {
      return detail::failed("shell_exec: timeout is a number of seconds from 1 to 600");
    }
    const Outcome outcome = call(bench, "shell:execute", std::move(arguments));
    if (outcome.kind != Outcome::Kind::kDone) return detail::refused(outcome);
    const Json* exit = outcome.result.find("exit_code");
    const bool good = exit != nullptr && exit->is_integer() && exit->as_integer() == 0;
    const std::string errors = text_member(outcome.result, "stderr");
    std::string text = text_member(outcome.result, "stdout");
    if (!errors.empty()) text += (text.empty() ? "" : "\n") + ("standard error:\n" + errors);
    ToolOutput output = text_output(std::move(text));
    output.success = good;
    if (!good && exit != nullptr)
      output.result = "exit code " + exit->dump() + "\n" + output.result;
    return output;
  }
};

}  // namespace

namespace detail {

ToolOutput refused(const Outcome& outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::kWaiting:
      return failed(std::string(kWaitsForApproval) + outcome.approval_id + ": " + outcome.reason +
                    " (anima approve show " + outcome.approval_id + ")");
    case Outcome::Kind::kFailed:
      return failed(outcome.reason);
    default:
      return failed(std::string(to_string(outcome.kind)) + ": " + outcome.reason);
  }
}

Outcome ActingTool::call(std::string tool, Json arguments) const {
  return act(std::move(tool), std::move(arguments), {});
}

Outcome ActingTool::call(const Workbench& bench, std::string tool, Json arguments) const {
  std::vector<govern::ArgumentOrigin> origins = argument_origins(bench.snapshot(), arguments);
  return act(std::move(tool), std::move(arguments), std::move(origins));
}

Outcome ActingTool::act(std::string tool, Json arguments,
                        std::vector<govern::ArgumentOrigin> origins) const {
  govern::CallRequest request;
  request.tool = std::move(tool);
  request.agent = actor_.agent;
  request.trust = actor_.trust;
  request.arguments = std::move(arguments);
  request.origins = std::move(origins);
  return act_(request);
}

}  // namespace detail

void add_external_tools(ToolTable& table, Act act, Actor actor) {
  detail::add_ingest_tools(table, act, actor);
  ToolInfo file;
  file.name = "file_io";
  file.description = "Reads the beginning of a text file, or writes a file of the work folder.";
  file.parameters = {{"action", true, "read or write"},
                     {"path", true, "relative to the work folder, or in a readable folder"},
                     {"content", false, "of a write: the whole text"}};
  file.danger = Danger::kDangerous;
  file.capabilities = {"file"};
  file.concepts = {"file", "read", "write", "document", "save"};
  table.add(std::make_unique<FileTool>(std::move(file), act, actor));

  ToolInfo fetch;
  fetch.name = "http_fetch";
  fetch.description = "Gets a page of the public web.";
  fetch.parameters = {{"url", true, "http or https"}, {"timeout", false, "seconds (10)"}};
  fetch.danger = Danger::kCautious;
  fetch.capabilities = {"network"};
  fetch.concepts = {"fetch", "url", "web", "page", "download"};
  table.add(std::make_unique<FetchTool>(std::move(fetch), act, actor));

  ToolInfo shell;
  shell.name = "shell_exec";
  shell.description = "Runs a command with /bin/sh in the work folder, in the sandbox.";
  shell.parameters = {{"command", true, "a shell command line"},
                      {"timeout", false, "seconds (30)"}};
  shell.danger = Danger::kCritical;
  shell.capabilities = {"process"};
  shell.concepts = {"shell", "command", "run", "execute", "script"};
  table.add(std::make_unique<ShellTool>(std::move(shell), std::move(act), std::move(actor)));
}

}  // namespace anima::tools
