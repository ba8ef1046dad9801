// What the tools of the MCP server share: how they are described, and how they answer.
// Thread-safety: pure functions.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/json/json.h"
#include "base/result.h"
#include "govern/decide/executor.h"

namespace anima::serve {

inline constexpr std::string_view kMcpAgent = "mcp";  // who asks, for the executor

struct ToolAnswer {
  Json body;  // {"result": ..} or {"error": {"code","message","hint"?}}
  bool is_error = false;
};
ToolAnswer answer_with(Json body);
ToolAnswer answer_error(const Error& what);
ToolAnswer answer_wrong(std::string message);

struct ToolParameter {
  const char* name;
  const char* type;
  const char* description;
  bool required = true;
};
// As tools/list has it.
// The hints of MCP 2025-06-18 on what a tool does. A tool that only reads has neither of the hints
// that are "meaningful only when readOnlyHint == false".
Json tool_annotations(bool reads, bool destroys, bool reaches_out);
Json tool_definition(const char* name, const char* title, const char* description, bool reads,
                     bool reaches_out, std::initializer_list<ToolParameter> parameters);

// Empty, or which argument the definition does not know. `also`: taken without being told of.
std::string unknown_to(const Json& definition, const Json& arguments,
                       std::initializer_list<std::string_view> also = {});
// A text that is needed. Errors: kInvalidArgument.
Result<std::string> text_of(const Json& arguments, std::string_view name);

// As rules see them: a text of KIP is no command line, which is what they take "command" for.
Json judged_arguments(const Json& arguments);

// What a model can do about a call that was not done.
std::string next_step(const govern::Outcome& outcome);

}  // namespace anima::serve
