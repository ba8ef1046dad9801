#include "cli/acting_tools.h"

#include <filesystem>

#include "base/text.h"

namespace anima::cli {

namespace {

constexpr std::size_t kAuditedCodePoints = 200;

std::string beginning(std::string_view text) {
  return std::string(substring_by_code_points(text, 0, kAuditedCodePoints));
}

}  // namespace

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

Result<Json> ActingTools::Runner::run(std::string_view tool, const Json& arguments,
                                      std::int64_t timeout_milliseconds) {
  const Timestamp begin = governance.clock.now();
  Result<Json> result = tools.run(tool, arguments, timeout_milliseconds);
  failure.reset();
  if (!result) failure = result.error();
  const std::int64_t took = governance.clock.now().microseconds - begin.microseconds;
  Json details = Json::object({{"tool", tool},
                               {"arguments", beginning(arguments.dump())},
                               {"success", result.has_value()},
                               {"output", beginning(result ? result->dump() : failure->describe())},
                               {"milliseconds", took / 1000}});
  // Which protections were missing when a setting let it run all the same.
  if (const Json* sandbox = result ? result->find("sandbox") : nullptr; sandbox != nullptr) {
    details.set("sandbox", *sandbox);
  }
  ANIMA_TRY(governance.ledger.write("tool_output", "tools", govern::Trust::kUntrusted, details)
                .map([](const std::string&) {}));
  return result;
}

ActingTools::ActingTools(std::shared_ptr<store::Space> space, std::string person,
                         tools::ExternalOptions options)
    : governance_(std::move(space), std::move(person)),
      tools_(governance_.clock, governance_.random, std::move(options)),
      runner_(tools_, governance_),
      line_(governance_.ledger) {}

Result<std::unique_ptr<ActingTools>> ActingTools::open(Context& context,
                                                       std::shared_ptr<store::Space> space) {
  const std::string person = local_origin(context, "").author;
  tools::ExternalOptions options = external_options(context, *space);
  std::unique_ptr<ActingTools> made(new ActingTools(std::move(space), person, std::move(options)));
  ANIMA_ASSIGN(made->policy_, govern::Policy::shipped());
  govern::PermissionTable table = govern::PermissionTable::of_the_source();
  tools::add_external_policies(table);
  govern::ExecutorOptions settings;
  settings.approvals = &made->governance_.approvals;
  settings.policy = made->policy_.get();
  made->executor_ = std::make_unique<govern::Executor>(
      std::move(table), made->runner_, made->governance_.ledger, made->line_, made->events_,
      made->governance_.clock, made->governance_.random, settings);
  return made;
}

govern::Outcome ActingTools::execute(const govern::CallRequest& request) {
  runner_.failure.reset();
  return executor_->execute(request);
}

void ActingTools::offer(tools::ToolTable& table, std::string_view agent, govern::Trust trust) {
  tools::add_external_tools(table,
                            [this](const govern::CallRequest& call) { return execute(call); },
                            {.agent = std::string(agent), .trust = trust});
}

}  // namespace anima::cli
