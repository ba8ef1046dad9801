// The psyche: how an agent speaks (persona), what it must not do (shadow), what it tends to do
// (archetypes) and how it has grown (self-integration).
//
// Invariants: a psyche always exists, and its vetoes are never lost by omission: a file that says
// nothing about a default pattern keeps it, one that names a pattern replaces it, and only
// `drop_vetoes` takes one away. Archetype weights lie in [0, 1]; evolution keeps them in
// [0.1, 0.95] and never touches the shadow. The dominant archetype is always computed.
//
// Source: the psyche document of the specification, parts 2 and 4; learning_and_psyche 2.5.
// Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"

namespace anima::agent {

struct Persona {
  std::string name = "Scholar";
  std::string grammar_preference = "narrative";  // a grammar's name, or the path of a file
  std::vector<std::string> traits = {"precise", "curious", "thorough"};
  std::vector<std::string> tone = {"clear", "methodical"};
  bool operator==(const Persona&) const = default;
};

// Any trigger that is a case-insensitive part of the action's text fires the pattern.
struct ShadowPattern {
  std::string name;
  std::vector<std::string> triggers;
  double severity = 1.0;  // 0 .. 1
  std::string explanation;
  bool operator==(const ShadowPattern&) const = default;
};

// What an action that it forbids has as its result.
std::string veto_text(const ShadowPattern& pattern);

struct Shadow {
  std::vector<ShadowPattern> veto_patterns;  // the first that matches is the one reported
  std::vector<ShadowPattern> bias_patterns;  // all that match are added up
  bool operator==(const Shadow&) const = default;
};

// In the order that settles a tie for the dominant one.
enum class Archetype : std::uint8_t { kSage, kHealer, kGuardian, kExplorer };
inline constexpr Archetype kArchetypes[] = {Archetype::kSage, Archetype::kHealer,
                                            Archetype::kGuardian, Archetype::kExplorer};
std::string_view to_string(Archetype archetype);
// Nothing for a tool that no archetype prefers.
std::optional<Archetype> archetype_of(std::string_view tool);

struct ArchetypeWeights {
  double healer = 0.5;
  double sage = 0.7;
  double guardian = 0.4;
  double explorer = 0.5;
  double& of(Archetype archetype);
  double of(Archetype archetype) const;
  bool operator==(const ArchetypeWeights&) const = default;
};

// Whether growth counts the encounters of a lifetime or those since the last evolution.
enum class IndividuationBasis : std::uint8_t { kCumulative, kSinceLast };

struct SelfIntegration {
  double individuation_level = 0.1;  // 0 .. 1
  std::uint64_t last_evolution_cycle = 0;
  std::uint64_t shadow_encounters = 0;
  std::uint64_t rebalance_count = 0;
  std::uint64_t encounters_at_last_evolution = 0;
  IndividuationBasis basis = IndividuationBasis::kCumulative;
  bool operator==(const SelfIntegration&) const = default;
};

// The three texts that triggers are looked for in: `tool=<name> input={"k": "v", ..}` with sorted
// keys and JSON escapes; the values as they are, joined by blanks; and those with white space
// collapsed, so that neither a tab nor an escaped quote hides a trigger. All folded to lower case.
struct ActionText {
  std::string description;  // as written, for records
  std::string folded[3];
};
ActionText describe_action(std::string_view tool, const std::map<std::string, std::string>& input);

// What the tools did since the last look; the counts of one tool.
struct ToolUse {
  std::string tool;
  std::uint32_t invocations = 0;
  std::uint32_t successes = 0;
  bool operator==(const ToolUse&) const = default;
};

class Psyche {
 public:
  Psyche();  // the defaults

  Persona persona;
  Shadow shadow;
  ArchetypeWeights archetypes;
  SelfIntegration self_integration;

  // The first veto pattern that the action fires, or null. O(patterns x text).
  const ShadowPattern* check_veto(const ActionText& action) const;
  // The veto pattern of this name, or null.
  const ShadowPattern* veto_named(std::string_view name) const;
  // The severities of all bias patterns that the action fires, added up.
  double check_bias(const ActionText& action) const;
  // (weight - 0.5) x 0.15; 0 for a tool of no archetype.
  double archetype_bonus(std::string_view tool) const;
  Archetype dominant_archetype() const;
  void record_shadow_encounter() { ++self_integration.shadow_encounters; }

  // Learns from a reflection. Answers what changed, for the record: "reflection: sage +0.02", or
  // "reflection: no change".
  std::string evolve(std::span<const ToolUse> tools, std::uint64_t abandon_suggestions,
                     std::uint64_t cycle);

  bool operator==(const Psyche&) const = default;
};

// Text of a psyche.toml laid over `defaults`. Errors: kSyntax, kInvalidArgument with the place of
// the key; unknown keys are reported in `warnings` with a near name.
Result<Psyche> parse_psyche(std::string_view toml, const std::string& source,
                            const Psyche& defaults = {},
                            std::vector<std::string>* warnings = nullptr);
// A complete psyche.toml; parse_psyche gives the same psyche back.
std::string to_toml(const Psyche& psyche);
Json to_json(const Psyche& psyche);
// The counterpart of to_json, for what was stored: nothing is merged.
Result<Psyche> psyche_from_json(const Json& json);

}  // namespace anima::agent
