#include <fmt/format.h>

#include "cli/frame/options.h"
#include "cli/render/table.h"
#include "llm/model_config.h"

namespace anima::cli {
namespace {

std::string shown(const Config::Entry& entry) {
  if (entry.secret && entry.value.is_string() && !entry.value.as_string().empty())
    return "(hidden)";
  return entry.value.is_string() ? entry.value.as_string() : entry.value.dump();
}

int run_config_show(Context& context, Arguments arguments) {
  bool origin = false;
  std::optional<std::string> prefix;
  Options options;
  options.positional("PREFIX", prefix, "only settings whose name begins so");
  options.flag("--origin", origin, "say which layer each value came from");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  Table table({"setting", "value"});
  if (origin) table = Table({"setting", "value", "origin"});
  Json list = Json::array();
  for (const Config::Entry& entry : context.config.entries()) {
    if (prefix && entry.name.compare(0, prefix->size(), *prefix) != 0) continue;
    Json item = Json::object({{"name", entry.name}});
    item.set("value", entry.secret ? Json(shown(entry)) : entry.value);
    std::vector<std::string> row{entry.name, shown(entry)};
    if (origin) {
      item.set("origin", entry.origin);
      row.push_back(entry.origin);
    }
    list.push_back(std::move(item));
    table.add(std::move(row));
  }
  if (context.json) {
    context.print_json(Json::object({{"settings", std::move(list)}}));
  } else {
    context.print(table.render(context));
  }
  return kDone;
}

// What is wrong with the models: their settings, and files of keys that others may read.
std::vector<Error> model_faults(Context& context) {
  llm::ModelConfigs configs = llm::read_models(context.config, context.environment);
  for (const llm::ModelConfig& model : configs.models) {
    if (model.key.kind != llm::KeySource::Kind::kFile) continue;
    const auto key = llm::read_key(model.key, context.environment, context.files);
    if (!key) configs.faults.push_back(key.error());
  }
  return std::move(configs.faults);
}

int run_config_check(Context& context, Arguments arguments) {
  Options options;
  options.without_config();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const Status status = context.load_config({}, true);
  std::vector<Error> problems = context.config.problems();
  if (!status) problems.push_back(status.error());
  for (Error& fault : model_faults(context)) problems.push_back(std::move(fault));
  if (context.json) {
    Json list = Json::array();
    for (const Error& problem : problems) list.push_back(error_json(problem));
    context.print_json(Json::object({{"ok", problems.empty()}, {"problems", std::move(list)}}));
  } else if (problems.empty()) {
    context.print("the configuration is good; its files, weakest first:\n");
    for (const std::string& path : context.config_files()) {
      context.print(
          fmt::format("  {}{}\n", path, file_exists(context.files, path) ? "" : " (not there)"));
    }
  } else {
    for (const Error& problem : problems) context.print(problem.describe() + '\n');
  }
  return problems.empty() ? kDone : kFailed;
}

}  // namespace

extern const Verb kConfigShow;
const Verb kConfigShow{"config show",
                       Group::kKeeping,
                       "the settings in force",
                       "[PREFIX] [--origin] [--json]",
                       "anima config show --origin",
                       run_config_show};

extern const Verb kConfigCheck;
const Verb kConfigCheck{"config check", Group::kKeeping,      "finds mistakes in the configuration",
                        "[--json]",     "anima config check", run_config_check};

}  // namespace anima::cli
