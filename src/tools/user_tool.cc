#include "tools/user_tool.h"

#include <fmt/format.h>

#include "base/text/text.h"
#include "base/text/valid_text.h"
#include "tools/detail/arguments.h"
#include "tools/detail/tool_base.h"

namespace anima::tools {
namespace {

class UserInteract final : public detail::BuiltinTool {
 public:
  UserInteract(ToolInfo info, AskPerson ask) : BuiltinTool(std::move(info)), ask_(std::move(ask)) {}

  Result<ToolOutput> run(const ToolInput& input, Workbench&) const override {
    const std::string question(trim(detail::parameter(input, "question")));
    ToolOutput output;
    const std::optional<std::string> line = ask_ ? ask_(question) : std::nullopt;
    if (!line) {
      output.result = "no input";
      return output;
    }
    const std::string answer = valid_text(*line);
    output.result = std::string(trim(detail::cut_at_character(answer, kMaxUserAnswerBytes)));
    Finding finding;
    finding.text = fmt::format("asked \"{}\", the person said: {}", question,
                               output.result.empty() ? "(an empty line)" : output.result);
    output.findings.push_back(std::move(finding));
    return output;
  }

 private:
  AskPerson ask_;
};

}  // namespace

std::unique_ptr<Tool> make_user_interact(AskPerson ask) {
  return std::make_unique<UserInteract>(
      ToolInfo{"user_interact",
               "Asks the person one question and reads one line.",
               {{"question", true, "what to ask"}},
               Danger::kSafe,
               {"User"},
               {"ask", "user", "person", "question", "human", "clarify", "confirm", "prefer",
                "preference", "opinion"}},
      std::move(ask));
}

}  // namespace anima::tools
