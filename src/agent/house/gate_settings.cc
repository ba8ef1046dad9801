#include "agent/house/gate_settings.h"

#include <array>

#include "govern/rules/rule_files.h"

namespace anima::agent {
namespace {

constexpr std::string_view kNeed = "approvals.need";

}  // namespace

std::string approver_pin_folder(const Environment& environment) {
  return join_path(user_directories(environment).state, "approvers");
}

Result<GateOptions> configured_gate(FileSystem& files, const Environment& environment,
                                    const std::string& folder) {
  GateOptions options;
  options.rule_folders = govern::general_rule_folders(environment);
  if (folder.empty()) return options;
  const std::array<ConfigKey, 1> keys = {{{kNeed, "role", "", {"role", "key"}}}};
  Config config(keys);
  for (const std::string& path : config_files(environment, folder))
    ANIMA_TRY(config.add_file(files, path));
  config.add_environment(environment);
  // Settings of others are unknown here; this one must be right.
  for (const Error& problem : config.problems()) {
    if (problem.code != ErrorCode::kNotFound) return fail(problem);
  }
  options.approvals.need_key = config.text(kNeed) == "key";
  options.approver_pins = approver_pin_folder(environment);
  return options;
}

}  // namespace anima::agent
