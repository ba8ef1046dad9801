#include "cli/house_access.h"

#include <algorithm>
#include <filesystem>

#include "cli/guardian_access.h"

namespace anima::cli {
namespace {

tools::ExternalOptions external_options(const Context& context, const store::Space& space) {
  tools::ExternalOptions options;
  options.work_folder = join_path(space.folder(), "work");
  if (!options.work_folder.starts_with('/')) {
    options.work_folder = join_path(std::filesystem::current_path().string(), options.work_folder);
  }
  for (const Json& folder : context.config.value("tools.readable").as_array()) {
    if (folder.is_string()) options.readable.push_back(folder.as_string());
  }
  options.best_effort = context.config.text("tools.sandbox") == "best_effort";
  options.private_addresses = context.config.flag("tools.private_addresses");
  return options;
}

}  // namespace

Result<agent::HouseOptions> house_options(Context& context, const store::Space& space) {
  constexpr std::int64_t kMost = 1'000'000;
  const std::int64_t limit = context.config.integer("gateway.messages_per_minute");
  agent::HouseOptions options;
  options.tools = external_options(context, space);
  options.gateway.messages_per_minute = static_cast<int>(std::clamp<std::int64_t>(limit, 0, kMost));
  options.rule_folders = govern::general_rule_folders(context.environment);
  ANIMA_ASSIGN(options.patterns, patterns_in_use(context));
  ANIMA_ASSIGN(options.model, model_in_use(context));
  return options;
}

Result<House> open_house(Context& context, std::shared_ptr<store::Space> space) {
  ANIMA_ASSIGN(agent::HouseOptions options, house_options(context, *space));
  return open_house(std::move(space), std::move(options));
}

Result<House> open_house(std::shared_ptr<store::Space> space, agent::HouseOptions options) {
  House opened;
  ANIMA_ASSIGN(opened.house, agent::GovernedHouse::open(std::move(space), *opened.clock,
                                                        *opened.random, std::move(options)));
  return opened;
}

}  // namespace anima::cli
