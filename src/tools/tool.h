// What a tool is: a name, what it takes, how dangerous it is, and a function of its input and the
// bench it works on. A tool never writes: it proposes statements, and whoever runs it decides.
//
// Errors: a tool that cannot do its work answers with success = false and the reason as its
// result; an Error is for what no tool can be blamed for (a broken store).
// Source: learning_and_psyche 2.10. Thread-safety: a ToolTable is filled by one thread and then
// read by any; run() of one tool may be called from any thread with different benches.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"
#include "store/ids.h"
#include "tools/finding.h"

namespace anima::tools {

class Workbench;

// Ordered.
enum class Danger : std::uint8_t { kSafe = 0, kCautious = 1, kDangerous = 2, kCritical = 3 };
std::string_view to_string(Danger danger);

struct ToolParameter {
  std::string name;
  bool required = false;
  std::string description;  // the default is part of it
};

struct ToolInfo {
  std::string name;
  std::string description;
  std::vector<ToolParameter> parameters;
  Danger danger = Danger::kSafe;
  std::vector<std::string> capabilities;
  std::vector<std::string> concepts;  // words that a goal for this tool may contain
};

// That the arguments are the tool's: none that it does not know, unless it names none at all, and
// all that it requires. Errors: kInvalidArgument, whose hint names those that there are.
Status check_arguments(const ToolInfo& info, const Json& arguments);

using ToolInput = std::map<std::string, std::string>;

struct ToolOutput {
  bool success = true;
  std::string result;
  std::vector<store::EntityId> symbols_involved;  // sorted, each once
  std::vector<Finding> findings;
};

class Tool {
 public:
  virtual ~Tool() = default;
  virtual const ToolInfo& info() const = 0;
  // Requires every required parameter (ToolTable::run checks).
  virtual Result<ToolOutput> run(const ToolInput& input, Workbench& bench) const = 0;
};

class ToolTable {
 public:
  // A tool of the same name is replaced.
  void add(std::unique_ptr<Tool> tool);
  const Tool* find(std::string_view name) const;
  std::vector<const Tool*> all() const;  // sorted by name

  // Errors: kNotFound ("there is no tool ...", with near names). A missing parameter is a failed
  // output, not an Error.
  Result<ToolOutput> run(std::string_view name, const ToolInput& input, Workbench& bench) const;

 private:
  std::map<std::string, std::unique_ptr<Tool>, std::less<>> tools_;
};

// The tools that work on the graph alone: kg_query, kg_mutate, infer_rules, gap_analysis,
// memory_recall, similarity_search, reason.
void add_graph_tools(ToolTable& table);

}  // namespace anima::tools
