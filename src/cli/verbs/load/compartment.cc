// anima compartment: list, info, discover, create, load, unload, activate, deactivate.
#include <fmt/format.h>

#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/compartment_view.h"
#include "cli/render/table.h"
#include "store/act.h"

namespace anima::cli {
namespace {

using memory::Compartment;

int run_compartment_list(Context& context, Arguments arguments) {
  std::optional<std::string> directory;
  Options options;
  options.value("--dir DIR", directory, "the folder of compartments (<space>/compartments)");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto workshop =
      open_workshop(context, Access::kAsItGoes, "anima compartment list", directory);
  if (!workshop) return context.fail(workshop.error());
  Json list = Json::array();
  Table table({"id", "kind", "state", "triples", "name"});
  table.align_right(3);
  for (const Compartment* compartment : workshop->compartments->all()) {
    list.push_back(compartment_json(*compartment));
    table.add({compartment->manifest.id, std::string(memory::to_string(compartment->manifest.kind)),
               std::string(memory::to_string(compartment->state)),
               std::to_string(compartment->triple_count), compartment->manifest.name});
  }
  if (context.json) {
    context.print_json(list);
  } else if (table.empty()) {
    context.print("There is no compartment yet. Make one: anima compartment create NAME\n");
  } else {
    context.print(table.render(context));
  }
  return kDone;
}

int run_compartment_info(Context& context, Arguments arguments) {
  std::string id;
  Options options;
  options.positional("ID", id, "the compartment").required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto workshop = open_workshop(context, Access::kAsItGoes, "anima compartment info");
  if (!workshop) return context.fail(workshop.error());
  const Compartment* compartment = workshop->compartments->find(id);
  if (compartment == nullptr) {
    return context.fail(memory::compartment_error(
        memory::CompartmentFault::kNotFound, fmt::format("there is no compartment \"{}\"", id)));
  }
  if (context.json) {
    context.print_json(compartment_json(*compartment));
    return kDone;
  }
  context.print(show_compartment(*compartment));
  return kDone;
}

int run_discover(Context& context, Arguments arguments) {
  std::optional<std::string> directory;
  Options options;
  options.value("--dir DIR", directory, "the folder of compartments (<space>/compartments)");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto workshop =
      open_workshop(context, Access::kAsItGoes, "anima compartment discover", directory);
  if (!workshop) return context.fail(workshop.error());
  Json errors = Json::array();
  for (const Error& error : workshop->compartments->discovery_errors()) {
    errors.push_back(error_json(error));
  }
  const std::size_t count = workshop->compartments->all().size();
  if (context.json) {
    context.print_json(Json::object({{"found", count}, {"errors", std::move(errors)}}));
  } else {
    context.print(fmt::format("{} compartment{}\n", count, count == 1 ? "" : "s"));
  }
  return kDone;
}

int run_create(Context& context, Arguments arguments) {
  std::string id;
  std::string kind = "Skill";
  Options options;
  options.positional("NAME", id, "the id of the new compartment").required();
  options.value("--kind KIND", kind, "Core, Skill or Project (Skill)")
      .choices({"Core", "Skill", "Project"});
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto workshop = open_workshop(context, Access::kWrite, "anima compartment create");
  if (!workshop) return context.fail(workshop.error());
  const auto path = workshop->compartments->create(id, *memory::compartment_kind(kind));
  if (!path) return context.fail(path.error());
  if (context.json) {
    context.print_json(Json::object({{"id", id}, {"directory", *path}}));
  } else {
    context.print(fmt::format("made {}\nfill its triples.json, then: anima compartment load {}\n",
                              *path, id));
  }
  return kDone;
}

// load, unload, activate and deactivate differ in one call.
enum class Step : std::uint8_t { kLoad, kUnload, kActivate, kDeactivate, kSwitch };

using UnloadProof = memory::CompartmentManager::UnloadProof;

struct StepOptions {
  std::string id;
  std::optional<std::string> directory;
  bool force = false, activate = false, prove = false;
};

// Each command that writes loads and activates the Core compartments.
bool is_loaded_core(const memory::CompartmentManager& manager, std::string_view id) {
  const Compartment* known = manager.find(id);
  return known != nullptr && known->manifest.kind == memory::CompartmentKind::kCore &&
         known->state != memory::CompartmentState::kDormant;
}

// Takes the step; a path of a folder becomes the id of its compartment. With --prove, `proof` says
// what unloading left alone.
Status take_step(const Context& context, memory::CompartmentManager& manager, Step step,
                 StepOptions& wanted, std::optional<UnloadProof>& proof) {
  const store::Origin origin = local_origin(context, "anima compartment");
  switch (step) {
    case Step::kLoad:
      if (file_exists(context.files, join_path(wanted.id, "compartment.toml"))) {
        ANIMA_ASSIGN(wanted.id, manager.add(wanted.id));
      }
      if (wanted.activate && is_loaded_core(manager, wanted.id))
        return manager.activate(wanted.id, origin);
      ANIMA_TRY(manager.load(wanted.id, origin));
      return wanted.activate ? manager.activate(wanted.id, origin) : Status();
    case Step::kUnload: {
      if (!wanted.prove) return manager.unload(wanted.id, origin, wanted.force);
      ANIMA_ASSIGN(proof, manager.unload_proved(wanted.id, origin, wanted.force));
      return {};
    }
    case Step::kActivate:
      return manager.activate(wanted.id, origin);
    case Step::kDeactivate:
      return manager.deactivate(wanted.id, origin);
    case Step::kSwitch:
      return manager.switch_project(wanted.id, origin);
  }
  return {};
}

void show_step(Context& context, const Compartment& compartment,
               const std::optional<UnloadProof>& proof) {
  if (context.json) {
    Json json = compartment_json(compartment);
    if (proof) {
      json.set("proof", Json::object({{"before", to_hex(proof->before)},
                                      {"after", to_hex(proof->after)},
                                      {"assertions", proof->assertions},
                                      {"exact", proof->exact()}}));
    }
    context.print_json(json);
    return;
  }
  context.print(fmt::format("{} is {} with {} triples\n", compartment.manifest.id,
                            memory::to_string(compartment.state), compartment.triple_count));
  if (!proof) return;
  context.print(fmt::format("{} other assertions before {}\n{:>{}} after  {}\n", proof->assertions,
                            to_hex(proof->before), "",
                            std::to_string(proof->assertions).size() + 17, to_hex(proof->after)));
}

int run_step(Context& context, Arguments arguments, Step step) {
  StepOptions wanted;
  Options options;
  options
      .positional(
          "ID", wanted.id,
          step == Step::kLoad ? "a compartment, or the path of its folder" : "the compartment")
      .required();
  options.value("--dir DIR", wanted.directory, "the folder of compartments (<space>/compartments)");
  if (step == Step::kUnload) {
    options.flag("--force", wanted.force, "also a Core compartment");
    options.flag("--prove", wanted.prove, "compare hashes of all other knowledge before and after");
  }
  if (step == Step::kLoad) options.flag("--activate", wanted.activate, "and activate it");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  auto workshop = open_workshop(context, Access::kWrite, "anima compartment", wanted.directory);
  if (!workshop) return context.fail(workshop.error());
  memory::CompartmentManager& manager = *workshop->compartments;
  std::optional<UnloadProof> proof;
  // Some are two entries: what is loaded and then activated, the project that goes and the one that
  // comes.
  const Status done = store::as_whole_act(
      *workshop->space, [&] { return take_step(context, manager, step, wanted, proof); });
  if (!done) return context.fail(done.error());
  show_step(context, *manager.find(wanted.id), proof);
  return proof && !proof->exact() ? kIntegrity : kDone;
}

int run_compartment_load(Context& context, Arguments arguments) {
  return run_step(context, arguments, Step::kLoad);
}
int run_compartment_unload(Context& context, Arguments arguments) {
  return run_step(context, arguments, Step::kUnload);
}
int run_activate(Context& context, Arguments arguments) {
  return run_step(context, arguments, Step::kActivate);
}
int run_deactivate(Context& context, Arguments arguments) {
  return run_step(context, arguments, Step::kDeactivate);
}
int run_switch(Context& context, Arguments arguments) {
  return run_step(context, arguments, Step::kSwitch);
}

}  // namespace

extern const Verb kCompartmentList, kCompartmentInfo, kCompartmentDiscover, kCompartmentCreate,
    kCompartmentLoad, kCompartmentUnload, kCompartmentActivate, kCompartmentDeactivate,
    kCompartmentSwitch;
const Verb kCompartmentList{
    "compartment list", Group::kKnowledge,        "what compartments there are and their state",
    "[--dir DIR]",      "anima compartment list", run_compartment_list};
const Verb kCompartmentInfo{"compartment info",
                            Group::kKnowledge,
                            "one compartment",
                            "ID",
                            "anima compartment info debian",
                            run_compartment_info};
const Verb kCompartmentDiscover{"compartment discover",
                                Group::kKnowledge,
                                "looks for compartments in a folder",
                                "[--dir DIR]",
                                "anima compartment discover --dir ~/compartments",
                                run_discover};
const Verb kCompartmentCreate{"compartment create",
                              Group::kKnowledge,
                              "a new compartment with an example",
                              "NAME [--kind KIND]",
                              "anima compartment create astronomy",
                              run_create};
const Verb kCompartmentLoad{"compartment load",
                            Group::kKnowledge,
                            "takes a compartment's knowledge in, all or nothing",
                            "ID|FOLDER [--activate]",
                            "anima compartment load ./astronomy --activate",
                            run_compartment_load};
const Verb kCompartmentUnload{"compartment unload",
                              Group::kKnowledge,
                              "takes exactly a compartment's knowledge out again",
                              "ID [--force] [--prove]",
                              "anima compartment unload astronomy",
                              run_compartment_unload};
const Verb kCompartmentActivate{"compartment activate",
                                Group::kKnowledge,
                                "lets a loaded compartment influence the agent",
                                "ID",
                                "anima compartment activate astronomy",
                                run_activate};
const Verb kCompartmentDeactivate{"compartment deactivate",
                                  Group::kKnowledge,
                                  "keeps its knowledge, ends its influence",
                                  "ID",
                                  "anima compartment deactivate astronomy",
                                  run_deactivate};

const Verb kCompartmentSwitch{"compartment switch",
                              Group::kKnowledge,
                              "works on this project, and unloads the others",
                              "ID",
                              "anima compartment switch garden",
                              run_switch};

}  // namespace anima::cli
