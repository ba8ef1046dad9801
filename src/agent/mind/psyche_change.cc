#include "agent/mind/psyche_change.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files/file.h"
#include "base/text/text.h"

namespace anima::agent {
namespace {

using Patterns = std::vector<ShadowPattern>;

const ShadowPattern* find(const Patterns& patterns, std::string_view name) {
  const auto found = std::find_if(patterns.begin(), patterns.end(),
                                  [&](const ShadowPattern& one) { return one.name == name; });
  return found == patterns.end() ? nullptr : &*found;
}

bool has_all(const ShadowPattern& pattern, const std::vector<std::string>& triggers) {
  return std::all_of(triggers.begin(), triggers.end(), [&](const std::string& trigger) {
    return std::find(pattern.triggers.begin(), pattern.triggers.end(), trigger) !=
           pattern.triggers.end();
  });
}

void compare(std::vector<std::string>& told, std::string_view what, const std::string& before,
             const std::string& after) {
  if (before == after) return;
  told.push_back(fmt::format("{}: {}, was {}", what, after.empty() ? "nothing" : after,
                             before.empty() ? "nothing" : before));
}

void compare(std::vector<std::string>& told, std::string_view kind, const Patterns& before,
             const Patterns& after) {
  for (const ShadowPattern& one : before) {
    if (find(after, one.name) == nullptr)
      told.push_back(fmt::format("{} {} removed", kind, one.name));
  }
  for (const ShadowPattern& one : after) {
    const ShadowPattern* old = find(before, one.name);
    if (old == nullptr) {
      told.push_back(fmt::format("{} {} added: {}", kind, one.name, join(one.triggers, ", ")));
    } else if (!(*old == one)) {
      told.push_back(fmt::format("{} {} changed: {}", kind, one.name, join(one.triggers, ", ")));
    }
  }
}

void compare(std::vector<std::string>& told, const SelfIntegration& before,
             const SelfIntegration& after) {
  const auto number = [&](std::string_view what, double old, double now) {
    compare(told, what, fmt::format("{:.3f}", old), fmt::format("{:.3f}", now));
  };
  const auto count = [&](std::string_view what, std::uint64_t old, std::uint64_t now) {
    compare(told, what, std::to_string(old), std::to_string(now));
  };
  number("individuation_level", before.individuation_level, after.individuation_level);
  count("last_evolution_cycle", before.last_evolution_cycle, after.last_evolution_cycle);
  count("shadow_encounters", before.shadow_encounters, after.shadow_encounters);
  count("rebalance_count", before.rebalance_count, after.rebalance_count);
}

}  // namespace

std::vector<std::string> lost_vetoes(const Psyche& in_force, const Psyche& other) {
  std::vector<std::string> lost;
  for (const ShadowPattern& veto : in_force.shadow.veto_patterns) {
    const ShadowPattern* kept = find(other.shadow.veto_patterns, veto.name);
    if (kept == nullptr || !has_all(*kept, veto.triggers)) lost.push_back(veto.name);
  }
  return lost;
}

Result<Psyche> read_psyche(std::string_view toml, const std::string& path, const Psyche& defaults,
                           std::vector<std::string>* warnings) {
  ANIMA_ASSIGN(Psyche psyche, parse_psyche(toml, path, defaults, warnings));
  std::string& grammar = psyche.persona.grammar_preference;
  const bool is_path = grammar.ends_with(".toml") || grammar.find('/') != std::string::npos;
  const std::size_t folder = path.rfind('/');
  if (is_path && !grammar.starts_with('/') && folder != std::string::npos &&
      grammar != defaults.persona.grammar_preference)
    grammar = join_path(path.substr(0, folder), grammar);
  return psyche;
}

std::vector<std::string> lost_vetoes(const Psyche& in_force, std::string_view read,
                                     std::string_view now, const std::string& path) {
  if (read.empty()) return {};
  const Result<Psyche> had = read_psyche(read, path, {}), has = read_psyche(now, path, {});
  if (!had || !has) return {};
  std::vector<std::string> lost = lost_vetoes(*had, *has);
  std::erase_if(lost, [&](const std::string& name) {
    return find(in_force.shadow.veto_patterns, name) == nullptr;
  });
  return lost;
}

Result<Psyche> lay_over(const Psyche& in_force, std::string_view toml, const std::string& path,
                        std::vector<std::string>* warnings) {
  ANIMA_ASSIGN(Psyche laid, read_psyche(toml, path, in_force, warnings));
  const std::vector<std::string> lost = lost_vetoes(in_force, laid);
  if (lost.empty()) return laid;
  return fail(ErrorCode::kDenied,
              fmt::format("the file would remove or weaken what is vetoed: {}", join(lost, ", ")),
              path, "remove it by its name first: anima psyche drop-veto " + lost.front());
}

Psyche default_with_vetoes(const Psyche& in_force) {
  Psyche psyche;
  Patterns& vetoes = psyche.shadow.veto_patterns;
  for (const ShadowPattern& veto : in_force.shadow.veto_patterns) {
    const auto known = std::find_if(vetoes.begin(), vetoes.end(), [&](const ShadowPattern& one) {
      return one.name == veto.name;
    });
    if (known == vetoes.end()) {
      vetoes.push_back(veto);
    } else {
      *known = veto;
    }
  }
  return psyche;
}

Result<Psyche> without_vetoes(const Psyche& in_force, const std::vector<std::string>& names) {
  Psyche psyche = in_force;
  Patterns& vetoes = psyche.shadow.veto_patterns;
  for (const std::string& name : names) {
    const auto gone =
        std::erase_if(vetoes, [&](const ShadowPattern& one) { return one.name == name; });
    if (gone != 0) continue;
    std::vector<std::string> known;
    for (const ShadowPattern& one : vetoes) known.push_back(one.name);
    const std::string near = did_you_mean(nearest_names(name, known));
    return fail(ErrorCode::kNotFound, fmt::format("there is no veto \"{}\"", name), {},
                near.empty() ? "see: anima psyche show" : near);
  }
  return psyche;
}

std::vector<std::string> differences(const Psyche& before, const Psyche& after) {
  std::vector<std::string> told;
  compare(told, "persona.name", before.persona.name, after.persona.name);
  compare(told, "persona.grammar_preference", before.persona.grammar_preference,
          after.persona.grammar_preference);
  compare(told, "persona.traits", join(before.persona.traits, ", "),
          join(after.persona.traits, ", "));
  compare(told, "persona.tone", join(before.persona.tone, ", "), join(after.persona.tone, ", "));
  compare(told, "veto", before.shadow.veto_patterns, after.shadow.veto_patterns);
  compare(told, "bias", before.shadow.bias_patterns, after.shadow.bias_patterns);
  for (const Archetype archetype : kArchetypes) {
    compare(told, to_string(archetype), fmt::format("{:.3f}", before.archetypes.of(archetype)),
            fmt::format("{:.3f}", after.archetypes.of(archetype)));
  }
  compare(told, before.self_integration, after.self_integration);
  return told;
}

}  // namespace anima::agent
