// anima psyche: show, export, set, reload, drop-veto, history, reset.
#include <fmt/format.h>

#include "agent/loop/psyche_history.h"
#include "agent/mind/psyche_change.h"
#include "base/files/output_file.h"
#include "base/json/text_array.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"

namespace anima::cli {
namespace {

struct PsycheOwner {
  Workshop workshop;
  std::unique_ptr<agent::Agent> agent;
};

Result<PsycheOwner> open_psyche(Context& context, Access access, bool about_changes = true,
                                bool anew = false) {
  PsycheOwner owner;
  ANIMA_ASSIGN(owner.workshop, open_workshop(context, access, "anima psyche"));
  if (!about_changes) owner.workshop.compartments->follow_psyche(false);
  agent::AgentConfig config;
  config.origin = local_origin(context, "anima psyche");
  config.psyche_anew = anew;
  ANIMA_ASSIGN(owner.agent,
               agent::Agent::create(*owner.workshop.space, *owner.workshop.compartments,
                                    context.files, std::move(config)));
  for (const std::string& warning : owner.agent->take_warnings()) {
    if (about_changes) context.warn(warning);
  }
  return owner;
}

std::string patterns(const std::vector<agent::ShadowPattern>& list) {
  std::string out;
  for (const agent::ShadowPattern& pattern : list) {
    out += fmt::format("    {} ({:.1f}): {}\n", pattern.name, pattern.severity,
                       join(pattern.triggers, ", "));
  }
  return out.empty() ? "    none\n" : out;
}

int run_psyche_show(Context& context, Arguments arguments) {
  Options options;
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto owner = open_psyche(context, Access::kAsItGoes);
  if (!owner) return context.fail(owner.error());
  const agent::Psyche& psyche = owner->agent->psyche();
  if (context.json) {
    context.print_json(agent::to_json(psyche));
    return kDone;
  }
  const agent::SelfIntegration& self = psyche.self_integration;
  context.print(fmt::format(
      "persona      {} ({}), {}; {}\nvetoes\n{}biases\n{}archetypes   healer {:.2f}, sage {:.2f}, "
      "guardian {:.2f}, explorer {:.2f}; dominant: {}\nself         individuation {:.2f}, {} "
      "shadow "
      "encounters, {} rebalances, last evolved in cycle {}\n",
      psyche.persona.name, psyche.persona.grammar_preference, join(psyche.persona.traits, ", "),
      join(psyche.persona.tone, ", "), patterns(psyche.shadow.veto_patterns),
      patterns(psyche.shadow.bias_patterns), psyche.archetypes.healer, psyche.archetypes.sage,
      psyche.archetypes.guardian, psyche.archetypes.explorer,
      agent::to_string(psyche.dominant_archetype()), self.individuation_level,
      self.shadow_encounters, self.rebalance_count, self.last_evolution_cycle));
  return kDone;
}

int run_psyche_export(Context& context, Arguments arguments) {
  std::string path;
  Options options;
  options.positional("FILE", path, "where to write it; - is standard output").output().required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto owner = open_psyche(context, Access::kAsItGoes);
  if (!owner) return context.fail(owner.error());
  const std::string text = agent::to_toml(owner->agent->psyche());
  if (path == "-") {
    context.print(text);
    return kDone;
  }
  if (Status written = write_output(context.files, path, text); !written) {
    return context.fail(written.error());
  }
  context.note("wrote " + path);
  return kDone;
}

int change(Context& context, PsycheOwner& owner, agent::Psyche psyche) {
  const std::vector<std::string> told = agent::differences(owner.agent->psyche(), psyche);
  if (Status done = owner.agent->set_psyche(std::move(psyche)); !done)
    return context.fail(done.error());
  if (context.json) {
    context.print_json(agent::to_json(owner.agent->psyche()));
    return kDone;
  }
  for (const std::string& one : told) context.print(one + "\n");
  if (told.empty()) context.print("Nothing changed.\n");
  return kDone;
}

int run_set(Context& context, Arguments arguments) {
  std::string path;
  Options options;
  options.positional("FILE", path, "a psyche.toml; what it leaves out stays as it is").required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto text = context.read_input(path, std::uint64_t{1} << 20);
  if (!text) return context.fail(text.error());
  auto owner = open_psyche(context, Access::kWrite, /*about_changes=*/true, /*anew=*/true);
  if (!owner) return context.fail(owner.error());
  std::vector<std::string> warnings;
  auto psyche = agent::lay_over(owner->agent->psyche(), *text, path, &warnings);
  if (!psyche) return context.fail(psyche.error());
  for (const std::string& warning : warnings) context.warn(warning);
  return change(context, *owner, std::move(*psyche));
}

// The files of the Core compartments, as they are now.
int run_reload(Context& context, Arguments arguments) {
  Options options;
  if (const auto exit = options.parse(context, arguments)) return *exit;
  auto owner = open_psyche(context, Access::kWrite, /*about_changes=*/false);
  if (!owner) return context.fail(owner.error());
  agent::Psyche psyche = owner->agent->psyche();
  const auto changed = owner->workshop.compartments->changed_psyches();
  for (const auto& file : changed) {
    if (file.unreadable) return context.fail(*file.unreadable);
    std::vector<std::string> warnings;
    auto laid = agent::lay_over(psyche, file.text, file.path, &warnings);
    if (!laid) return context.fail(laid.error());
    for (const std::string& warning : warnings) context.warn(warning);
    const std::string& read = owner->workshop.compartments->find(file.compartment)->content.psyche;
    const auto lost = agent::lost_vetoes(psyche, read, file.text, file.path);
    if (!lost.empty())
      context.warn(fmt::format(
          "{} no longer has, or has weaker, what is vetoed: {}. It stays vetoed; `anima psyche "
          "drop-veto {}` removes a veto",
          file.path, join(lost, ", "), lost.front()));
    psyche = std::move(*laid);
  }
  if (const int exit = change(context, *owner, std::move(psyche)); exit != kDone) return exit;
  const store::Origin origin = local_origin(context, "anima psyche");
  for (const auto& file : changed) {
    if (Status noted = owner->workshop.compartments->note_psyche(file, origin); !noted)
      return context.fail(noted.error());
  }
  return kDone;
}

int run_drop_veto(Context& context, Arguments arguments) {
  std::vector<std::string> names;
  Options options;
  options.positional("NAME", names, "the vetoes that go").required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  auto owner = open_psyche(context, Access::kWrite, /*about_changes=*/false);
  if (!owner) return context.fail(owner.error());
  auto psyche = agent::without_vetoes(owner->agent->psyche(), names);
  if (!psyche) return context.fail(psyche.error());
  return change(context, *owner, std::move(*psyche));
}

int run_history(Context& context, Arguments arguments) {
  Options options;
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  const auto history = agent::psyche_history(**space, agent::AgentConfig().name);
  if (!history) return context.fail(history.error());
  Json list = Json::array();
  for (const agent::PsycheChange& change : *history) {
    const auto entry = static_cast<std::uint64_t>(change.entry);
    list.push_back(Json::object({{"entry", entry},
                                 {"time", format_timestamp(change.time)},
                                 {"author", change.author},
                                 {"source", change.source},
                                 {"changes", text_array(change.changes)}}));
    if (context.json) continue;
    context.print(fmt::format("entry {} of {}, by {} ({})\n", entry, format_timestamp(change.time),
                              change.author, change.source));
    for (const std::string& one : change.changes) context.print("  " + one + "\n");
  }
  if (context.json) {
    context.print_json(list);
  } else if (history->empty()) {
    context.print("The psyche was never changed.\n");
  }
  return kDone;
}

int run_reset(Context& context, Arguments arguments) {
  bool confirm = false;
  Options options;
  options.flag("--confirm", confirm, "yes: what the psyche has learnt is lost; vetoes stay");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (!confirm) {
    return context.fail(
        {ErrorCode::kDenied, "this forgets how the psyche has evolved", {}, "add --confirm"});
  }
  auto owner = open_psyche(context, Access::kWrite);
  if (!owner) return context.fail(owner.error());
  return change(context, *owner, agent::default_with_vetoes(owner->agent->psyche()));
}

}  // namespace

extern const Verb kPsycheShow, kPsycheExport, kPsycheSet, kPsycheReload, kPsycheDropVeto,
    kPsycheHistory, kPsycheReset;
const Verb kPsycheShow{
    "psyche show", Group::kActing,      "the agent's persona, shadow and archetypes",
    "[--json]",    "anima psyche show", run_psyche_show};
const Verb kPsycheExport{"psyche export",
                         Group::kActing,
                         "writes the evolved psyche as a psyche.toml",
                         "FILE",
                         "anima psyche export psyche.toml",
                         run_psyche_export};
const Verb kPsycheSet{"psyche set",
                      Group::kActing,
                      "lays a psyche.toml over what is in force, its vetoes added",
                      "FILE",
                      "anima psyche set psyche.toml",
                      run_set};
const Verb kPsycheReload{"psyche reload",
                         Group::kActing,
                         "takes the psyche.toml of the Core compartment that changed",
                         "",
                         "anima psyche reload",
                         run_reload};
const Verb kPsycheDropVeto{"psyche drop-veto",
                           Group::kActing,
                           "removes vetoes, by their names",
                           "NAME..",
                           "anima psyche drop-veto no_shell",
                           run_drop_veto};
const Verb kPsycheHistory{
    "psyche history", Group::kActing,         "what changed the psyche, entry by entry",
    "[--json]",       "anima psyche history", run_history};
const Verb kPsycheReset{"psyche reset",
                        Group::kActing,
                        "goes back to the default psyche; vetoes stay",
                        "--confirm",
                        "anima psyche reset --confirm",
                        run_reset};

}  // namespace anima::cli
