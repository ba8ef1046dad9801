// The psyche as a file: reading psyche.toml over the defaults, writing it whole, and its JSON form.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "agent/mind/psyche.h"
#include "base/json/text_array.h"
#include "base/json/toml.h"

namespace anima::agent {
namespace {

class Reader {
 public:
  Reader(const TomlDocument& document, std::vector<std::string>* warnings)
      : document_(document), warnings_(warnings) {}

  Status read(Psyche& psyche) {
    warn_unknown("", {"persona", "shadow", "archetypes", "self_integration"});
    ANIMA_TRY(read_persona(psyche.persona));
    ANIMA_TRY(read_shadow(psyche.shadow));
    ANIMA_TRY(read_archetypes(psyche.archetypes));
    return read_self(psyche.self_integration);
  }

 private:
  Unexpected<Error> wrong(const std::string& key, const std::string& expected) const {
    return fail(ErrorCode::kInvalidArgument, fmt::format("`{}` must be {}", key, expected),
                document_.where(key));
  }

  void warn_unknown(std::string_view prefix, std::initializer_list<std::string_view> known) {
    if (warnings_ == nullptr) return;
    const std::vector<std::string_view> names(known);
    for (const Error& error : unknown_toml_keys(document_, prefix, names)) {
      warnings_->push_back(error.describe());
    }
  }

  // The table, or null when it is missing; an error when the key is something else.
  Result<const Json*> table(std::string_view key) const {
    const Json* found = document_.root.find(key);
    if (found != nullptr && !found->is_object()) return wrong(std::string(key), "a table");
    return found;
  }

  Status text(const Json& table, const std::string& prefix, std::string_view key,
              std::string& out) const {
    const Json* found = table.find(key);
    if (found == nullptr) return {};
    if (!found->is_string()) return wrong(prefix + "." + std::string(key), "a string");
    out = found->as_string();
    return {};
  }

  Status texts(const Json& table, const std::string& prefix, std::string_view key,
               std::vector<std::string>& out) const {
    const Json* found = table.find(key);
    if (found == nullptr) return {};
    const std::string name = prefix + "." + std::string(key);
    if (!found->is_array()) return wrong(name, "a list of strings");
    std::vector<std::string> items;
    for (const Json& item : found->as_array()) {
      if (!item.is_string()) return wrong(name, "a list of strings");
      items.push_back(item.as_string());
    }
    out = std::move(items);
    return {};
  }

  Status fraction(const Json& table, const std::string& prefix, std::string_view key,
                  double& out) const {
    const Json* found = table.find(key);
    if (found == nullptr) return {};
    const double number = found->is_number() ? found->as_number() : std::nan("");
    if (!(number >= 0.0 && number <= 1.0)) {
      return wrong(prefix + "." + std::string(key), "a number from 0 to 1");
    }
    out = number;
    return {};
  }

  Status counter(const Json& table, const std::string& prefix, std::string_view key,
                 std::uint64_t& out) const {
    const Json* found = table.find(key);
    if (found == nullptr) return {};
    if (!found->is_integer() || found->as_integer() < 0) {
      return wrong(prefix + "." + std::string(key), "a whole number from 0 on");
    }
    out = static_cast<std::uint64_t>(found->as_integer());
    return {};
  }

  Status read_persona(Persona& persona) {
    ANIMA_ASSIGN(const Json* found, table("persona"));
    if (found == nullptr) return {};
    warn_unknown("persona", {"name", "grammar_preference", "traits", "tone"});
    ANIMA_TRY(text(*found, "persona", "name", persona.name));
    ANIMA_TRY(text(*found, "persona", "grammar_preference", persona.grammar_preference));
    ANIMA_TRY(texts(*found, "persona", "traits", persona.traits));
    return texts(*found, "persona", "tone", persona.tone);
  }

  Status read_shadow(Shadow& shadow) {
    ANIMA_ASSIGN(const Json* found, table("shadow"));
    if (found == nullptr) return {};
    warn_unknown("shadow", {"veto_patterns", "bias_patterns", "drop_vetoes", "drop_biases"});
    std::vector<std::string> dropped;
    ANIMA_TRY(texts(*found, "shadow", "drop_vetoes", dropped));
    drop(shadow.veto_patterns, dropped);
    dropped.clear();
    ANIMA_TRY(texts(*found, "shadow", "drop_biases", dropped));
    drop(shadow.bias_patterns, dropped);
    ANIMA_TRY(read_patterns(*found, "veto_patterns", shadow.veto_patterns));
    return read_patterns(*found, "bias_patterns", shadow.bias_patterns);
  }

  static void drop(std::vector<ShadowPattern>& patterns, const std::vector<std::string>& names) {
    std::erase_if(patterns, [&](const ShadowPattern& pattern) {
      return std::find(names.begin(), names.end(), pattern.name) != names.end();
    });
  }

  // A pattern of a known name replaces it in its place; a new one comes behind.
  Status read_patterns(const Json& table, std::string_view key,
                       std::vector<ShadowPattern>& patterns) {
    const Json* found = table.find(key);
    if (found == nullptr) return {};
    const std::string list = "shadow." + std::string(key);
    if (!found->is_array()) return wrong(list, "a list of tables");
    for (std::size_t i = 0; i < found->as_array().size(); ++i) {
      const Json& item = found->as_array()[i];
      const std::string place = fmt::format("{}[{}]", list, i);
      if (!item.is_object()) return wrong(place, "a table");
      warn_unknown(place, {"name", "triggers", "action_triggers", "severity", "explanation"});
      ShadowPattern pattern;
      ANIMA_TRY(text(item, place, "name", pattern.name));
      ANIMA_TRY(texts(item, place, "action_triggers", pattern.triggers));
      ANIMA_TRY(texts(item, place, "triggers", pattern.triggers));
      ANIMA_TRY(fraction(item, place, "severity", pattern.severity));
      ANIMA_TRY(text(item, place, "explanation", pattern.explanation));
      if (pattern.name.empty()) return wrong(place + ".name", "there and not empty");
      const auto known = std::find_if(patterns.begin(), patterns.end(), [&](const auto& other) {
        return other.name == pattern.name;
      });
      if (known != patterns.end()) {
        *known = std::move(pattern);
      } else {
        patterns.push_back(std::move(pattern));
      }
    }
    return {};
  }

  Status read_archetypes(ArchetypeWeights& weights) {
    ANIMA_ASSIGN(const Json* found, table("archetypes"));
    if (found == nullptr) return {};
    warn_unknown("archetypes", {"healer", "sage", "guardian", "explorer"});
    for (const Archetype archetype : kArchetypes) {
      ANIMA_TRY(fraction(*found, "archetypes", to_string(archetype), weights.of(archetype)));
    }
    return {};
  }

  Status read_self(SelfIntegration& self) {
    ANIMA_ASSIGN(const Json* found, table("self_integration"));
    if (found == nullptr) return {};
    const std::string prefix = "self_integration";
    warn_unknown(prefix, {"individuation_level", "last_evolution_cycle", "shadow_encounters",
                          "rebalance_count", "dominant_archetype", "individuation_basis",
                          "encounters_at_last_evolution"});
    ANIMA_TRY(fraction(*found, prefix, "individuation_level", self.individuation_level));
    ANIMA_TRY(counter(*found, prefix, "last_evolution_cycle", self.last_evolution_cycle));
    ANIMA_TRY(counter(*found, prefix, "shadow_encounters", self.shadow_encounters));
    ANIMA_TRY(counter(*found, prefix, "rebalance_count", self.rebalance_count));
    ANIMA_TRY(
        counter(*found, prefix, "encounters_at_last_evolution", self.encounters_at_last_evolution));
    std::string basis = self.basis == IndividuationBasis::kCumulative ? "cumulative" : "since_last";
    ANIMA_TRY(text(*found, prefix, "individuation_basis", basis));
    if (basis != "cumulative" && basis != "since_last") {
      return wrong(prefix + ".individuation_basis", "\"cumulative\" or \"since_last\"");
    }
    self.basis =
        basis == "cumulative" ? IndividuationBasis::kCumulative : IndividuationBasis::kSinceLast;
    return {};
  }

  const TomlDocument& document_;
  std::vector<std::string>* warnings_;
};

Json patterns_to_json(const std::vector<ShadowPattern>& patterns) {
  Json array = Json::array();
  for (const ShadowPattern& pattern : patterns) {
    array.push_back(Json::object({{"name", pattern.name},
                                  {"triggers", text_array(pattern.triggers)},
                                  {"severity", pattern.severity},
                                  {"explanation", pattern.explanation}}));
  }
  return array;
}

// JSON's string and array notation is TOML's too, but for two escapes that JSON text never needs.
void append_patterns(std::string& out, std::string_view key,
                     const std::vector<ShadowPattern>& patterns) {
  for (const ShadowPattern& pattern : patterns) {
    out +=
        fmt::format("\n[[shadow.{}]]\nname = {}\ntriggers = {}\nseverity = {}\nexplanation = {}\n",
                    key, quote_json(pattern.name), text_array(pattern.triggers).dump(),
                    Json(pattern.severity).dump(), quote_json(pattern.explanation));
  }
}

// Default patterns that this psyche has not: they must be named, or reading would bring them back.
void append_dropped(std::string& out, std::string_view key,
                    const std::vector<ShadowPattern>& defaults,
                    const std::vector<ShadowPattern>& patterns) {
  std::vector<std::string> dropped;
  for (const ShadowPattern& pattern : defaults) {
    const auto same = [&](const ShadowPattern& other) { return other.name == pattern.name; };
    if (std::none_of(patterns.begin(), patterns.end(), same)) dropped.push_back(pattern.name);
  }
  if (!dropped.empty()) out += fmt::format("{} = {}\n", key, text_array(dropped).dump());
}

Psyche bare() {
  Psyche psyche;
  psyche.shadow = {};
  return psyche;
}

std::string decimal(double number) {
  std::string text = Json(number).dump();
  if (text.find_first_of(".eE") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

Result<Psyche> parse_psyche(std::string_view toml, const std::string& source,
                            const Psyche& defaults, std::vector<std::string>* warnings) {
  ANIMA_ASSIGN(const TomlDocument document, parse_toml(toml, source));
  Psyche psyche = defaults;
  ANIMA_TRY(Reader(document, warnings).read(psyche));
  return psyche;
}

std::string to_toml(const Psyche& psyche) {
  const SelfIntegration& self = psyche.self_integration;
  std::string out = fmt::format(
      "[persona]\nname = {}\ngrammar_preference = {}\ntraits = {}\ntone = {}\n\n[shadow]\n",
      quote_json(psyche.persona.name), quote_json(psyche.persona.grammar_preference),
      text_array(psyche.persona.traits).dump(), text_array(psyche.persona.tone).dump());
  const Psyche defaults;
  append_dropped(out, "drop_vetoes", defaults.shadow.veto_patterns, psyche.shadow.veto_patterns);
  append_dropped(out, "drop_biases", defaults.shadow.bias_patterns, psyche.shadow.bias_patterns);
  append_patterns(out, "veto_patterns", psyche.shadow.veto_patterns);
  append_patterns(out, "bias_patterns", psyche.shadow.bias_patterns);
  out += fmt::format("\n[archetypes]\nhealer = {}\nsage = {}\nguardian = {}\nexplorer = {}\n",
                     decimal(psyche.archetypes.healer), decimal(psyche.archetypes.sage),
                     decimal(psyche.archetypes.guardian), decimal(psyche.archetypes.explorer));
  out += fmt::format(
      "\n[self_integration]\nindividuation_level = {}\nlast_evolution_cycle = {}\n"
      "shadow_encounters = {}\nrebalance_count = {}\nencounters_at_last_evolution = {}\n"
      "individuation_basis = \"{}\"\ndominant_archetype = \"{}\"\n",
      decimal(self.individuation_level), self.last_evolution_cycle, self.shadow_encounters,
      self.rebalance_count, self.encounters_at_last_evolution,
      self.basis == IndividuationBasis::kCumulative ? "cumulative" : "since_last",
      to_string(psyche.dominant_archetype()));
  return out;
}

Json to_json(const Psyche& psyche) {
  const SelfIntegration& self = psyche.self_integration;
  return Json::object(
      {{"persona", Json::object({{"name", psyche.persona.name},
                                 {"grammar_preference", psyche.persona.grammar_preference},
                                 {"traits", text_array(psyche.persona.traits)},
                                 {"tone", text_array(psyche.persona.tone)}})},
       {"shadow", Json::object({{"veto_patterns", patterns_to_json(psyche.shadow.veto_patterns)},
                                {"bias_patterns", patterns_to_json(psyche.shadow.bias_patterns)}})},
       {"archetypes", Json::object({{"healer", psyche.archetypes.healer},
                                    {"sage", psyche.archetypes.sage},
                                    {"guardian", psyche.archetypes.guardian},
                                    {"explorer", psyche.archetypes.explorer}})},
       {"self_integration",
        Json::object({{"individuation_level", self.individuation_level},
                      {"last_evolution_cycle", self.last_evolution_cycle},
                      {"shadow_encounters", self.shadow_encounters},
                      {"rebalance_count", self.rebalance_count},
                      {"encounters_at_last_evolution", self.encounters_at_last_evolution},
                      {"individuation_basis",
                       self.basis == IndividuationBasis::kCumulative ? "cumulative" : "since_last"},
                      {"dominant_archetype", to_string(psyche.dominant_archetype())}})}});
}

Result<Psyche> psyche_from_json(const Json& json) {
  if (!json.is_object()) return fail(ErrorCode::kCorrupt, "a stored psyche is no object");
  TomlDocument document;
  document.root = json;
  document.source = "stored psyche";
  Psyche psyche = bare();
  ANIMA_TRY(Reader(document, nullptr).read(psyche));
  return psyche;
}

}  // namespace anima::agent
