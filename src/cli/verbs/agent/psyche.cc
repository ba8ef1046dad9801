// anima psyche: show, export, set, reset.
#include <fmt/format.h>

#include "base/files/output_file.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"

namespace anima::cli {
namespace {

struct PsycheOwner {
  Workshop workshop;
  std::unique_ptr<agent::Agent> agent;
};

Result<PsycheOwner> open_psyche(Context& context) {
  PsycheOwner owner;
  ANIMA_ASSIGN(owner.workshop, open_workshop(context, "anima psyche"));
  agent::AgentConfig config;
  config.origin = local_origin(context, "anima psyche");
  ANIMA_ASSIGN(owner.agent,
               agent::Agent::create(*owner.workshop.space, *owner.workshop.compartments,
                                    context.files, std::move(config)));
  for (const std::string& warning : owner.agent->take_warnings()) context.warn(warning);
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
  const auto owner = open_psyche(context);
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
  options.positional("FILE", path, "where to write it; - is standard output").required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto owner = open_psyche(context);
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

int change(Context& context, agent::Psyche psyche) {
  auto owner = open_psyche(context);
  if (!owner) return context.fail(owner.error());
  if (Status done = owner->agent->set_psyche(std::move(psyche)); !done) {
    return context.fail(done.error());
  }
  if (context.json) context.print_json(agent::to_json(owner->agent->psyche()));
  return kDone;
}

int run_set(Context& context, Arguments arguments) {
  std::string path;
  Options options;
  options.positional("FILE", path, "a psyche.toml; what it leaves out takes the defaults")
      .required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto text = context.read_input(path, std::uint64_t{1} << 20);
  if (!text) return context.fail(text.error());
  std::vector<std::string> warnings;
  auto psyche = agent::parse_psyche(*text, path, {}, &warnings);
  if (!psyche) return context.fail(psyche.error());
  for (const std::string& warning : warnings) context.warn(warning);
  return change(context, std::move(*psyche));
}

int run_reset(Context& context, Arguments arguments) {
  bool confirm = false;
  Options options;
  options.flag("--confirm", confirm, "yes: what the psyche has learnt is lost");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (!confirm) {
    return context.fail(
        {ErrorCode::kDenied, "this forgets how the psyche has evolved", {}, "add --confirm"});
  }
  return change(context, agent::Psyche());
}

}  // namespace

extern const Verb kPsycheShow, kPsycheExport, kPsycheSet, kPsycheReset;
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
                      "takes a psyche.toml over, its vetoes added",
                      "FILE",
                      "anima psyche set psyche.toml",
                      run_set};
const Verb kPsycheReset{"psyche reset",
                        Group::kActing,
                        "goes back to the default psyche",
                        "--confirm",
                        "anima psyche reset --confirm",
                        run_reset};

}  // namespace anima::cli
