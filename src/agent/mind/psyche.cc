#include "agent/mind/psyche.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"

namespace anima::agent {
namespace {

constexpr double kStep = 0.02;
constexpr double kLowest = 0.1;
constexpr double kHighest = 0.95;
constexpr double kGoodRate = 0.70;
constexpr double kBadRate = 0.30;
constexpr std::uint32_t kEnoughUses = 2;

struct Preference {
  std::string_view tool;
  Archetype archetype;
};

// kg_mutate stands for the source's `synthesize_triple`, the function that feeds it.
constexpr Preference kPreferences[] = {
    {"kg_query", Archetype::kSage},
    {"infer_rules", Archetype::kSage},
    {"reason", Archetype::kSage},
    {"kg_mutate", Archetype::kSage},
    {"gap_analysis", Archetype::kHealer},
    {"user_interact", Archetype::kHealer},
    {"memory_recall", Archetype::kGuardian},
    {"similarity_search", Archetype::kGuardian},
    {"file_io", Archetype::kExplorer},
    {"http_fetch", Archetype::kExplorer},
    {"shell_exec", Archetype::kExplorer},
};

std::string collapse_blanks(std::string_view text) {
  std::string out;
  bool blank = false;
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f') {
      blank = true;
      continue;
    }
    if (blank && !out.empty()) out += ' ';
    blank = false;
    out += c;
  }
  return out;
}

bool fires(const ShadowPattern& pattern, const ActionText& action) {
  for (const std::string& trigger : pattern.triggers) {
    const std::string folded = to_lower(trigger);
    if (folded.empty()) continue;
    for (const std::string& text : action.folded) {
      if (text.find(folded) != std::string::npos) return true;
    }
  }
  return false;
}

}  // namespace

std::string_view to_string(Archetype archetype) {
  switch (archetype) {
    case Archetype::kSage:
      return "sage";
    case Archetype::kHealer:
      return "healer";
    case Archetype::kGuardian:
      return "guardian";
    case Archetype::kExplorer:
      return "explorer";
  }
  return "sage";
}

std::optional<Archetype> archetype_of(std::string_view tool) {
  for (const Preference& preference : kPreferences) {
    if (preference.tool == tool) return preference.archetype;
  }
  return std::nullopt;
}

double& ArchetypeWeights::of(Archetype archetype) {
  switch (archetype) {
    case Archetype::kSage:
      return sage;
    case Archetype::kHealer:
      return healer;
    case Archetype::kGuardian:
      return guardian;
    case Archetype::kExplorer:
      return explorer;
  }
  return sage;
}

double ArchetypeWeights::of(Archetype archetype) const {
  return const_cast<ArchetypeWeights*>(this)->of(archetype);
}

ActionText describe_action(std::string_view tool, const std::map<std::string, std::string>& input) {
  ActionText action;
  std::string values;
  action.description = fmt::format("tool={} input={{", tool);
  bool first = true;
  for (const auto& [key, value] : input) {
    if (!first) {
      action.description += ", ";
      values += ' ';
    }
    first = false;
    append_quoted_json(action.description, key);
    action.description += ": ";
    append_quoted_json(action.description, value);
    values += value;
  }
  action.description += '}';
  action.folded[0] = to_lower(action.description);
  action.folded[1] = to_lower(values);
  action.folded[2] = collapse_blanks(action.folded[1]);
  return action;
}

Psyche::Psyche() {
  shadow.veto_patterns.push_back({"destructive_action",
                                  {"delete all", "drop table", "rm -rf"},
                                  1.0,
                                  "Destructive actions require explicit user confirmation."});
  shadow.bias_patterns.push_back({"repetitive_loop",
                                  {"same tool", "repeated"},
                                  0.3,
                                  "This looks like a loop: another approach may do better."});
}

const ShadowPattern* Psyche::check_veto(const ActionText& action) const {
  for (const ShadowPattern& pattern : shadow.veto_patterns) {
    if (fires(pattern, action)) return &pattern;
  }
  return nullptr;
}

const ShadowPattern* Psyche::veto_named(std::string_view name) const {
  for (const ShadowPattern& pattern : shadow.veto_patterns) {
    if (!name.empty() && pattern.name == name) return &pattern;
  }
  return nullptr;
}

std::string veto_text(const ShadowPattern& pattern) {
  return fmt::format("VETOED by Shadow pattern '{}': {}", pattern.name, pattern.explanation);
}

double Psyche::check_bias(const ActionText& action) const {
  double severity = 0;
  for (const ShadowPattern& pattern : shadow.bias_patterns) {
    if (fires(pattern, action)) severity += pattern.severity;
  }
  return severity;
}

double Psyche::archetype_bonus(std::string_view tool) const {
  const std::optional<Archetype> archetype = archetype_of(tool);
  return archetype ? (archetypes.of(*archetype) - 0.5) * 0.15 : 0.0;
}

Archetype Psyche::dominant_archetype() const {
  Archetype best = Archetype::kSage;
  for (const Archetype archetype : kArchetypes) {
    if (archetypes.of(archetype) > archetypes.of(best)) best = archetype;
  }
  return best;
}

std::string Psyche::evolve(std::span<const ToolUse> tools, std::uint64_t abandon_suggestions,
                           std::uint64_t cycle) {
  std::string changes;
  for (const Archetype archetype : kArchetypes) {
    std::uint32_t invocations = 0, successes = 0;
    for (const ToolUse& use : tools) {
      if (archetype_of(use.tool) != archetype) continue;
      invocations += use.invocations;
      successes += use.successes;
    }
    if (invocations < kEnoughUses) continue;
    const double rate = static_cast<double>(successes) / invocations;
    const double step = rate > kGoodRate ? kStep : rate < kBadRate ? -kStep : 0.0;
    double& weight = archetypes.of(archetype);
    const double moved = std::clamp(weight + step, kLowest, kHighest);
    if (step == 0.0 || moved == weight) continue;
    changes += fmt::format("{}{} {:+.2f}", changes.empty() ? "" : ", ", to_string(archetype),
                           moved - weight);
    weight = moved;
  }
  if (!changes.empty()) ++self_integration.rebalance_count;

  SelfIntegration& self = self_integration;
  self.shadow_encounters += abandon_suggestions;
  const std::uint64_t counted =
      self.basis == IndividuationBasis::kCumulative
          ? self.shadow_encounters
          : self.shadow_encounters -
                std::min(self.shadow_encounters, self.encounters_at_last_evolution);
  self.individuation_level =
      std::min(1.0, self.individuation_level +
                        0.01 * static_cast<double>(std::min<std::uint64_t>(counted, 5)));
  self.encounters_at_last_evolution = self.shadow_encounters;
  self.last_evolution_cycle = cycle;
  return "reflection: " + (changes.empty() ? std::string("no change") : changes);
}

}  // namespace anima::agent
