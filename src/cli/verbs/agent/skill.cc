// anima skill: list, info, load, unload, scaffold. A skill is a compartment of kind Skill; loading
// one also activates it, unloading one takes it out whatever its state.
#include <fmt/format.h>

#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/compartment_view.h"
#include "cli/render/table.h"
#include "store/act.h"

namespace anima::cli {
namespace {

using memory::Compartment;
using memory::CompartmentFault;
using memory::CompartmentKind;

constexpr std::string_view kFolderHelp = "the folder of compartments (<space>/compartments)";

// The compartment of this name, or of "skill:" and the name, if it is a skill.
Result<const Compartment*> find_skill(const memory::CompartmentManager& manager,
                                      const std::string& name) {
  const Compartment* found = manager.find(name);
  if (found == nullptr) found = manager.find("skill:" + name);
  if (found == nullptr) {
    std::vector<std::string> ids;
    for (const Compartment* skill : manager.by_kind(CompartmentKind::kSkill)) {
      ids.push_back(skill->manifest.id);
    }
    Error error = memory::compartment_error(CompartmentFault::kNotFound,
                                            fmt::format("there is no skill \"{}\"", name));
    const std::string near = did_you_mean(nearest_names(name, ids));
    error.hint = near.empty() ? "see: anima skill list" : near;
    return fail(std::move(error));
  }
  if (found->manifest.kind != CompartmentKind::kSkill) {
    Error error = memory::compartment_error(CompartmentFault::kKindMismatch,
                                            fmt::format("\"{}\": expected Skill, actual {}", name,
                                                        memory::to_string(found->manifest.kind)));
    error.hint = "use: anima compartment";
    return fail(std::move(error));
  }
  return found;
}

int show(Context& context, const Compartment& skill, std::string_view text) {
  if (context.json) {
    context.print_json(compartment_json(skill));
  } else {
    context.print(text);
  }
  return kDone;
}

int run_skill_list(Context& context, Arguments arguments) {
  std::optional<std::string> directory;
  Options options;
  options.value("--dir DIR", directory, kFolderHelp);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto workshop = open_workshop(context, Access::kAsItGoes, "anima skill list", directory);
  if (!workshop) return context.fail(workshop.error());
  Json list = Json::array();
  Table table({"skill", "state", "triples", "about"});
  table.align_right(2);
  for (const Compartment* skill : workshop->compartments->by_kind(CompartmentKind::kSkill)) {
    list.push_back(compartment_json(*skill));
    const memory::CompartmentManifest& manifest = skill->manifest;
    table.add({manifest.id, std::string(memory::to_string(skill->state)),
               std::to_string(skill->triple_count),
               manifest.description.empty() ? manifest.name : manifest.description});
  }
  if (context.json) {
    context.print_json(list);
  } else if (table.empty()) {
    context.print("There is no skill yet. Make one: anima skill scaffold NAME\n");
  } else {
    context.print(table.render(context));
  }
  return kDone;
}

int run_skill_info(Context& context, Arguments arguments) {
  std::string name;
  std::optional<std::string> directory;
  Options options;
  options.positional("NAME", name, "the skill").required();
  options.value("--dir DIR", directory, kFolderHelp);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto workshop = open_workshop(context, Access::kAsItGoes, "anima skill info", directory);
  if (!workshop) return context.fail(workshop.error());
  const auto skill = find_skill(*workshop->compartments, name);
  if (!skill) return context.fail(skill.error());
  return show(context, **skill, show_compartment(**skill));
}

int run_skill_load(Context& context, Arguments arguments) {
  std::string name;
  std::optional<std::string> directory;
  Options options;
  options.positional("NAME", name, "a skill, or the path of its folder").required();
  options.value("--dir DIR", directory, kFolderHelp);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto workshop = open_workshop(context, Access::kWrite, "anima skill load", directory);
  if (!workshop) return context.fail(workshop.error());
  memory::CompartmentManager& manager = *workshop->compartments;
  if (file_exists(context.files, join_path(name, "compartment.toml"))) {
    auto added = manager.add(name);
    if (!added) return context.fail(added.error());
    name = std::move(*added);
  }
  const auto skill = find_skill(manager, name);
  if (!skill) return context.fail(skill.error());
  const std::string id = (*skill)->manifest.id;
  const store::Origin origin = local_origin(context, "anima skill load");
  const Status done = store::as_whole_act(*workshop->space, [&]() -> Status {
    // A loaded one only becomes active.
    if ((*skill)->state != memory::CompartmentState::kLoaded) ANIMA_TRY(manager.load(id, origin));
    return manager.activate(id, origin);
  });
  if (!done) return context.fail(done.error());
  return show(context, **skill,
              fmt::format("{} is active with {} triples\n", id, (*skill)->triple_count));
}

int run_skill_unload(Context& context, Arguments arguments) {
  std::string name;
  Options options;
  options.positional("NAME", name, "the skill").required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto workshop = open_workshop(context, Access::kWrite, "anima skill unload");
  if (!workshop) return context.fail(workshop.error());
  const auto skill = find_skill(*workshop->compartments, name);
  if (!skill) return context.fail(skill.error());
  const std::string id = (*skill)->manifest.id;
  const std::uint64_t count = (*skill)->triple_count;
  const Status done =
      workshop->compartments->unload(id, local_origin(context, "anima skill unload"));
  if (!done) return context.fail(done.error());
  return show(context, **skill, fmt::format("{} is unloaded, {} triples are gone\n", id, count));
}

int run_scaffold(Context& context, Arguments arguments) {
  std::string name;
  std::optional<std::string> directory;
  Options options;
  options.positional("NAME", name, "the id of the new skill").required();
  options.value("--dir DIR", directory, kFolderHelp);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto workshop = open_workshop(context, Access::kWrite, "anima skill scaffold", directory);
  if (!workshop) return context.fail(workshop.error());
  const auto path = workshop->compartments->create(name, CompartmentKind::kSkill);
  if (!path) return context.fail(path.error());
  const std::string after = directory ? " --dir " + *directory : std::string();
  return show(context, *workshop->compartments->find(name),
              fmt::format("made {}\nfill its triples.json, then: anima skill load {}{}\n", *path,
                          name, after));
}

}  // namespace

extern const Verb kSkillList, kSkillInfo, kSkillLoad, kSkillUnload, kSkillScaffold;
const Verb kSkillList{"skill list",  Group::kKnowledge,  "what skills there are and their state",
                      "[--dir DIR]", "anima skill list", run_skill_list};
const Verb kSkillInfo{
    "skill info",  Group::kKnowledge, "one skill", "NAME [--dir DIR]", "anima skill info astronomy",
    run_skill_info};
const Verb kSkillLoad{"skill load",
                      Group::kKnowledge,
                      "takes a skill in and lets it influence the agent",
                      "NAME|FOLDER [--dir DIR]",
                      "anima skill load ./astronomy",
                      run_skill_load};
const Verb kSkillUnload{"skill unload",
                        Group::kKnowledge,
                        "takes exactly a skill's knowledge out again",
                        "NAME",
                        "anima skill unload astronomy",
                        run_skill_unload};
const Verb kSkillScaffold{"skill scaffold",
                          Group::kKnowledge,
                          "a new skill with an example to fill",
                          "NAME [--dir DIR]",
                          "anima skill scaffold gardening",
                          run_scaffold};

}  // namespace anima::cli
