// A tool as an MCP server describes it, and the hash that a description is pinned by.
//
// Nothing in it is trusted: descriptions are text of somebody else, annotations are hints. The hash
// is over everything that a person or a model is shown and over both schemas, so no part of them
// changes unseen. Thread-safety: plain values, pure functions. Source: MCP 2025-11-25,
// server/tools.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"

namespace anima::tools {

struct ServerTool {
  std::string name;
  std::string title;
  std::string description;
  Json input_schema = Json::object();
  Json output_schema = {};  // null: none
  Json annotations = Json::object();

  Json to_json() const;
  // Errors: kCorrupt.
  static Result<ServerTool> from_json(const Json& json);
  // What the server says of it: reads only, as far as it is to be believed.
  bool hints_that_it_reads() const;
};

// SHA-256 over the definitions in the order of their names, members sorted: hexadecimal.
std::string hash_of_tools(const std::vector<ServerTool>& tools);
std::string hash_of_tool(const ServerTool& tool);

// How two lists differ, a line each: "+ name", "- name", "~ name: description" with what it was and
// is. Text of the server is shown as it is: for a terminal use terminal_text().
std::vector<std::string> difference_of_tools(const std::vector<ServerTool>& before,
                                             const std::vector<ServerTool>& now);

// The schema without what llm/json_schema.h does not know, so that the rest of it can be checked;
// the server checks the whole. The names of what was left out are added to `left_out`. A schema
// that cannot be used at all is one that takes any object. Depth is bounded.
Json checkable_schema(const Json& schema, std::vector<std::string>* left_out = nullptr);

}  // namespace anima::tools
