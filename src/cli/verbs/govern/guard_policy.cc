// anima guard policy: which rules are in force, and whether they can be read.
#include <fmt/format.h>

#include "cli/frame/access.h"
#include "cli/frame/options.h"

namespace anima::cli {
namespace {

// What an acting verb would load, in its order, and then the files that are only to be checked.
Result<std::vector<govern::PolicySource>> gather(Context& context,
                                                 const std::vector<std::string>& files) {
  std::vector<govern::PolicySource> sources = govern::Policy::shipped_sources();
  ANIMA_ASSIGN(const auto own, govern::rules_in(context.files, rule_folders(context)));
  sources.insert(sources.end(), own.begin(), own.end());
  for (const std::string& file : files) {
    ANIMA_ASSIGN(std::string text, context.read_input(file, std::uint64_t{1} << 20));
    sources.push_back({file, std::move(text)});
  }
  return sources;
}

// What lies in the folders of rules and is not read, by a slip of its name.
std::vector<std::string> unread(Context& context) {
  std::vector<std::string> found;
  for (const std::string& folder : rule_folders(context)) {
    const auto entries = context.files.list(folder);
    for (const DirectoryEntry& entry : entries ? *entries : std::vector<DirectoryEntry>()) {
      if (!entry.name.ends_with(".mg")) found.push_back(join_path(folder, entry.name));
    }
  }
  return found;
}

int run_policy(Context& context, Arguments arguments) {
  std::vector<std::string> files;
  Options options;
  options.positional("FILE", files, "rules to check beside those in force; - for standard input");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto sources = gather(context, files);
  if (!sources) return context.fail(sources.error());
  const auto policy = govern::Policy::create(*sources);
  if (!policy) return context.fail(policy.error());
  const std::size_t in_force = sources->size() - files.size();
  Json list = Json::array();
  for (std::size_t i = 0; i < sources->size(); ++i) {
    const std::string& name = (*sources)[i].name;
    if (!context.json)
      context.print(fmt::format("{}  {}\n", i < in_force ? "in force" : "checked ", name));
    list.push_back(Json::object({{"file", name}, {"in_force", i < in_force}}));
  }
  Json others = Json::array();
  for (const std::string& path : unread(context)) {
    if (!context.json) context.warn(path + " is not read: rules stand in files *.mg of the folder");
    others.push_back(path);
  }
  Json idle = Json::array();
  for (const std::string& rule : (*policy)->idle_rules()) {
    if (!context.json) context.warn(rule);
    idle.push_back(rule);
  }
  if (context.json)
    context.print_json(Json::object(
        {{"rules", std::move(list)}, {"idle", std::move(idle)}, {"unread", std::move(others)}}));
  return kDone;
}

}  // namespace

extern const Verb kGuardPolicy;
const Verb kGuardPolicy{"guard policy",
                        Group::kActing,
                        "the rule files in force, checked; yours lie in <space>/policy/*.mg",
                        "[FILE|-]... [--json]",
                        "anima guard policy\n"
                        "anima guard policy draft.mg",
                        run_policy};

}  // namespace anima::cli
