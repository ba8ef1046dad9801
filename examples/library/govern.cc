// govern DATA: an act that is judged before it is done, recorded, and explained when it is refused.
#include <anima/agent.h>

#include <filesystem>
#include <iostream>

int main(int, char** arguments) {
  const std::string data = std::filesystem::absolute(arguments[1]);
  auto memory = anima::Memory::in_memory().value();
  auto agent = anima::Agent::over(memory, {.work_folder = data}).value();
  anima::ToolCall call{.tool = "file:read",
                       .arguments = anima::Json::object({{"path", "hosts.csv"}}),
                       .caller = anima::TrustLevel::kOperator,
                       .label = anima::TrustLevel::kOperator};
  const anima::CallResult read = agent.call(call).value();
  std::cout << anima::to_string(read.outcome) << ": " << read.result.dump() << '\n';

  // The same from somebody whom nobody trusts, to write: refused, with the reason.
  call.tool = "file:write";
  call.arguments = anima::Json::object({{"path", "x.txt"}, {"content", "x"}});
  call.caller = call.label = anima::TrustLevel::kUntrusted;
  const anima::CallResult written = agent.call(call).value();
  std::cout << anima::to_string(written.outcome) << ": " << written.reason << '\n';
  const auto grants = agent.what_would_allow(written.refusal_id).value();
  for (const std::string& grant : grants) std::cout << "would allow it: " << grant << '\n';
}
