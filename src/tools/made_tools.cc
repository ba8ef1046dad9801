#include "tools/made_tools.h"

#include <algorithm>

#include "base/text/text.h"
#include "language/text/words.h"
#include "tools/detail/acting_tool.h"

namespace anima::tools {
namespace {

ToolInfo made_info(const govern::ToolDeclaration& declaration) {
  ToolInfo info = info_of(declaration);
  info.parameters = {{"goal", true, "what is wanted, in words"},
                     {"path", false, "the file that it works on"}};
  info.capabilities = {std::string(kMade)};
  const std::string told = replace_all(info.name, "_", " ") + " " + info.description;
  info.concepts = language::folded_words(told, language::FoldStrength::kCase);
  return info;
}

// What stands in quotes, else behind the first colon.
std::string text_in_goal(std::string_view goal) {
  const std::size_t open = goal.find('"');
  const std::size_t close = goal.rfind('"');
  if (open != std::string_view::npos && close > open)
    return std::string(goal.substr(open + 1, close - open - 1));
  const std::size_t colon = goal.find(": ");
  return colon == std::string_view::npos ? std::string(goal) : std::string(goal.substr(colon + 2));
}

class MadeTool final : public detail::ActingTool {
 public:
  using ActingTool::ActingTool;

  Result<ToolOutput> run(const ToolInput& input, Workbench& bench) const override {
    const std::string goal = detail::parameter(input, "goal");
    const std::string path = detail::parameter(input, "path");
    std::string text = text_in_goal(goal);
    if (!path.empty()) {
      const govern::Outcome read = call(bench, "file:read", Json::object({{"path", path}}));
      const Json* content = read.result.find("content");
      if (read.kind != govern::Outcome::Kind::kDone || content == nullptr)
        return detail::refused(read);
      text = content->as_string();
    }
    Json words = Json::array();
    for (const std::string_view word : split(goal, ' ')) {
      if (!word.empty() && word != path && word != info().name) words.push_back(std::string(word));
    }
    const govern::Outcome outcome =
        call(bench, info().name, Json::object({{"input", text}, {"args", std::move(words)}}));
    const Json* result = outcome.result.find("text");
    if (outcome.kind != govern::Outcome::Kind::kDone || result == nullptr)
      return detail::refused(outcome);
    ToolOutput output;
    output.result = result->as_string();
    return output;
  }
};

}  // namespace

void add_made_tools(ToolTable& table, const ToolsOfOthers& others, Act act, Actor actor) {
  for (const govern::ToolDeclaration& each : others.declarations()) {
    if (others.is_sealed(each.name))
      table.add(std::make_unique<MadeTool>(made_info(each), act, actor));
  }
}

}  // namespace anima::tools
