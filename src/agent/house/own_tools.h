// Tools that a program brings itself, before the tools of another runner. They are judged like all
// others, by the policy that comes with them; what they do is the program's own affair: no sandbox
// and no time limit holds them.
//
// Thread-safety: as the functions. Ownership: the other runner outlives it. Errors: those of the
// functions; what they throw is kInternal.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "govern/decide/executor.h"
#include "govern/rules/tool_declaration.h"
#include "tools/tool.h"

namespace anima::agent {

struct OwnTool;
// A tool as it is declared.
OwnTool declared_tool(govern::ToolDeclaration declaration,
                      std::function<Result<Json>(const Json& arguments)> run);

struct OwnTool {
  tools::ToolInfo info;
  govern::ToolPolicy policy;  // its `tool` is the name
  std::function<Result<Json>(const Json& arguments)> run;
  // What a guarded session goes by; empty: what the row says (govern::declared_by_row).
  std::optional<govern::ToolDeclaration> declaration = {};
};

// Adds their rows. What the source's table names without a tool (config:modify, trust:escalate)
// keeps its row. Errors: kInvalidArgument (no name of letters, digits, _ . : -, no function),
// kAlreadyExists (`has` such a tool, or two), kDenied (never run).
Status add_own_policies(const std::vector<OwnTool>& tools, const govern::ToolRunner& others,
                        govern::PermissionTable& table);

class OwnTools final : public govern::ToolRunner {
 public:
  OwnTools(std::vector<OwnTool> tools, govern::ToolRunner& others)
      : tools_(std::move(tools)), others_(others) {}

  bool has(std::string_view tool) const override;
  govern::Rehearser* rehearser(std::string_view tool) override {
    return judged_only || find(tool) != nullptr ? nullptr : others_.rehearser(tool);
  }
  Result<Json> run(std::string_view tool, const Json& arguments,
                   std::int64_t timeout_milliseconds) override {
    return run_until({}, tool, arguments, timeout_milliseconds);
  }
  Result<Json> run_until(const std::stop_token& stop, std::string_view tool, const Json& arguments,
                         std::int64_t timeout_milliseconds) override;
  const std::vector<OwnTool>& all() const { return tools_; }

  // Nothing runs, neither here nor behind: a call that may run gives null.
  bool judged_only = false;

 private:
  const OwnTool* find(std::string_view tool) const;

  std::vector<OwnTool> tools_;
  govern::ToolRunner& others_;
};

}  // namespace anima::agent
