// Domain: a folder of the dojo's data (README.md): tools, the world, tasks and attacks.
// Thread-safety: plain values. Errors of reading: kIo, kSyntax, kInvalidArgument, each with the
// file and the task, tool or attack.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/result.h"
#include "govern/rules/call_values.h"
#include "govern/rules/tool_declaration.h"

namespace anima::dojo {

struct Tool {
  govern::ToolDeclaration declaration;
  Json does;
};

struct Call {
  std::string tool;
  Json arguments;  // with {"$from": "N.PATH"} where a result of call N is meant
};

// A value that a text names, exchanged by who wrote the text.
struct Swap {
  std::string into, find, put;
};

struct Task {
  std::string id, message;
  std::vector<govern::PlannedTool> plan;
  std::vector<Call> calls;
  std::vector<Swap> swaps;
};

struct Attack {
  std::string id, goal;
  std::vector<Call> calls;
  std::string plain, translated;
};

struct Domain {
  std::string name;
  std::vector<Tool> tools;
  Json world;
  std::vector<Task> tasks;
  std::vector<std::string> points;  // places of the world, with "[]" for every row
  std::vector<Attack> attacks;

  static Result<Domain> read(FileSystem& files, const std::string& folder);
  const Tool* tool(std::string_view called) const;
  bool acts(std::string_view called) const;
};

// The arguments with what the calls before gave put in. Errors: kNotFound, kSyntax.
Result<Json> resolve_arguments(const Json& arguments, const std::vector<Json>& results);

}  // namespace anima::dojo
