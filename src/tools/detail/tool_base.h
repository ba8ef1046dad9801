// What the built-in tools share: their info, and reading parameters with defaults and limits.
// Thread-safety: immutable after construction.
#pragma once

#include <string>
#include <string_view>

#include "base/text/read_number.h"
#include "tools/tool.h"
#include "tools/workbench.h"

namespace anima::tools::detail {

class BuiltinTool : public Tool {
 public:
  explicit BuiltinTool(ToolInfo info) : info_(std::move(info)) {}
  const ToolInfo& info() const override { return info_; }

 private:
  ToolInfo info_;
};

inline std::string parameter(const ToolInput& input, std::string_view name,
                             std::string_view missing = {}) {
  const auto found = input.find(std::string(name));
  return found == input.end() || found->second.empty() ? std::string(missing) : found->second;
}

// A number within its limits; nothing when the text is none.
template <typename T>
bool number_parameter(const ToolInput& input, std::string_view name, T low, T high, T& value) {
  const std::string text = parameter(input, name);
  if (text.empty()) return true;
  const auto read = read_number<T>(text);
  if (!read || *read < low || *read > high) return false;
  value = *read;
  return true;
}

inline ToolOutput failed(std::string why) {
  ToolOutput output;
  output.success = false;
  output.result = std::move(why);
  return output;
}

inline Finding triple_finding(const Proposal& proposal) {
  return {FindingKind::kTriple,
          proposal.subject,
          proposal.predicate,
          proposal.object,
          {},
          proposal.confidence,
          0,
          0};
}

// One function a tool; add_graph_tools() lists them.
std::unique_ptr<Tool> make_kg_query();
std::unique_ptr<Tool> make_kg_mutate();
std::unique_ptr<Tool> make_memory_recall();
std::unique_ptr<Tool> make_reason();
std::unique_ptr<Tool> make_similarity_search();
std::unique_ptr<Tool> make_infer_rules();
std::unique_ptr<Tool> make_gap_analysis();

}  // namespace anima::tools::detail
