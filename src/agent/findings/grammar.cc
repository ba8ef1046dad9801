#include "agent/findings/grammar.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/toml.h"
#include "base/text/text.h"

namespace anima::agent {
namespace {

using tools::Finding;
using tools::FindingKind;

struct TemplateKey {
  std::string_view name;
  std::string_view placeholders;  // separated by blanks
};

constexpr TemplateKey kTemplates[] = {
    {"triple", "subject predicate object confidence"},
    {"similarity", "entity similar_to score"},
    {"gap", "entity description severity"},
    {"inference", "expression simplified"},
    {"code_fact", "kind name detail"},
    {"code_module", "kind name detail"},
    {"code_signature", "kind name detail"},
    {"data_flow", "kind name detail"},
    {"section", "heading"},
    {"freeform", "text"},
};

Unexpected<Error> invalid(const std::string& what, std::string where) {
  return fail(ErrorCode::kInvalidArgument, "InvalidCustomGrammar: " + what, std::move(where));
}

bool lists(std::string_view names, std::string_view name) {
  for (const std::string_view each : split(names, ' ')) {
    if (each == name) return true;
  }
  return false;
}

// One placeholder or brace at `at` (a '{'): its name, empty for `{{`; npos when it never closes.
struct Mark {
  std::string_view name;
  std::size_t end = std::string_view::npos;
};

Mark read_mark(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "{{") return {{}, at + 2};
  const std::size_t close = text.find('}', at);
  if (close == std::string_view::npos) return {};
  return {text.substr(at + 1, close - at - 1), close + 1};
}

Status check_template(std::string_view text, const TemplateKey& key, const std::string& where) {
  for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at)) {
    const Mark mark = read_mark(text, at);
    if (mark.end == std::string_view::npos) {
      return invalid(fmt::format("`{}` has a brace that never closes", key.name), where);
    }
    const bool literal = mark.name.empty() && text.substr(at, 2) == "{{";
    if (!literal && !lists(key.placeholders, mark.name)) {
      return invalid(fmt::format("`{}` has the unknown placeholder {{{}}}", key.name, mark.name),
                     where);
    }
    at = mark.end;
  }
  return {};
}

using Values = std::map<std::string_view, std::string>;

std::string substitute(std::string_view text, const Values& values) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = std::min(text.find('{', at), text.size());
    out += replace_all(text.substr(at, open - at), "}}", "}");
    if (open == text.size()) break;
    const Mark mark = read_mark(text, open);
    if (mark.name.empty()) {
      out += '{';
    } else if (const auto found = values.find(mark.name); found != values.end()) {
      out += found->second;
    }
    at = std::min(mark.end, text.size());
  }
  return out;
}

std::string plural(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string_view qualifier(double confidence) {
  if (confidence > 0.9) return "";
  if (confidence > 0.7) return " (most likely)";
  if (confidence > 0.5) return " (possibly)";
  return " (uncertain)";
}

std::string heading_of(const Section& section, bool narrative) {
  switch (section.kind) {
    case SectionKind::kAnswer:
      return "Answer";
    case SectionKind::kEntity:
      return section.heading;
    case SectionKind::kCode:
      return "Code structure";
    case SectionKind::kRelated:
      return "Related concepts";
    case SectionKind::kReasoning:
      return "Reasoning results";
    case SectionKind::kGaps:
      return narrative ? "Open questions" : "Knowledge gaps";
    case SectionKind::kOther:
      return "Other findings";
  }
  return "Other findings";
}

std::string statement(const Finding& finding) {
  return fmt::format("{} {} {}", finding.subject,
                     predicate_words(finding.predicate, finding.object), finding.object);
}

// One sentence of flowing text; `named` says that it begins with a name, whose case is kept.
std::string sentence(const Finding& finding, bool& named) {
  named = true;
  switch (finding.kind) {
    case FindingKind::kTriple:
      return fmt::format("{}{}.", statement(finding), qualifier(finding.score));
    case FindingKind::kSimilar:
      return fmt::format("{} resembles {} ({:.2f}).", finding.subject, finding.object,
                         finding.score);
    case FindingKind::kReasoning:
      return fmt::format("{} comes down to {}.", finding.subject, finding.object);
    case FindingKind::kCode:
      return fmt::format("{} is a {}: {}.", finding.subject, finding.predicate, finding.text);
    case FindingKind::kGap:
      named = false;
      return fmt::format("What is still missing for {}: {}.", finding.subject, finding.text);
    case FindingKind::kInference:
      named = false;
      return fmt::format("Applying rules produced {} in {}.",
                         plural(finding.count, "new fact", "new facts"),
                         plural(finding.iterations, "pass", "passes"));
    case FindingKind::kText:
    case FindingKind::kAnswer:
      return finding.text;
  }
  return finding.text;
}

std::string bullet(const Finding& finding) {
  switch (finding.kind) {
    case FindingKind::kTriple:
      return fmt::format("{} (confidence {:.2f})", statement(finding), finding.score);
    case FindingKind::kSimilar:
      return fmt::format("{}, {} (similarity {:.2f})", finding.subject, finding.object,
                         finding.score);
    case FindingKind::kGap:
      return fmt::format("{}: {}", finding.subject, finding.text);
    case FindingKind::kInference:
      return fmt::format("Rule application: {}, {}", plural(finding.count, "new fact", "new facts"),
                         plural(finding.iterations, "iteration", "iterations"));
    case FindingKind::kReasoning:
      return fmt::format("{} simplifies to {}", finding.subject, finding.object);
    case FindingKind::kCode:
      return fmt::format("{} {}: {}", finding.predicate, finding.subject, finding.text);
    case FindingKind::kText:
    case FindingKind::kAnswer:
      return finding.text;
  }
  return finding.text;
}

std::string terse_line(const Finding& finding) {
  switch (finding.kind) {
    case FindingKind::kTriple:
      return fmt::format("{} {} {} [{:.2f}]", finding.subject, finding.predicate, finding.object,
                         finding.score);
    case FindingKind::kSimilar:
      return fmt::format("{} ~ {} [{:.2f}]", finding.subject, finding.object, finding.score);
    case FindingKind::kGap:
      return fmt::format("? {}: {}", finding.subject, finding.text);
    case FindingKind::kInference:
      return fmt::format("+{} facts / {} iter", finding.count, finding.iterations);
    case FindingKind::kReasoning:
      return fmt::format("{} => {}", finding.subject, finding.object);
    case FindingKind::kCode:
      return fmt::format("{} {}: {}", finding.predicate, finding.subject, finding.text);
    case FindingKind::kText:
    case FindingKind::kAnswer:
      return finding.text;
  }
  return finding.text;
}

std::string narrate(const Section& section) {
  static constexpr std::string_view kConnectors[] = {"", "Also, ", "In addition, ",
                                                     "Beyond that, "};
  std::string out;
  if (section.kind == SectionKind::kEntity) {
    out = fmt::format("{} comes up in {}.", section.heading,
                      plural(section.items.size(), "finding", "findings"));
  }
  std::size_t turn = 0;
  for (const Finding& finding : section.items) {
    bool named = true;
    std::string text = sentence(finding, named);
    const bool plain = finding.kind == FindingKind::kText || finding.kind == FindingKind::kAnswer;
    const std::string_view connector = plain ? "" : kConnectors[turn++ % std::size(kConnectors)];
    if (!named && !connector.empty() && text[0] >= 'A' && text[0] <= 'Z') {
      text[0] = static_cast<char>(text[0] - 'A' + 'a');
    }
    if (!out.empty()) out += plain ? '\n' : ' ';
    out += connector;
    out += text;
  }
  return out;
}

Values template_values(const Finding& finding, std::string_view& key) {
  switch (finding.kind) {
    case FindingKind::kTriple:
      key = "triple";
      return {{"subject", finding.subject},
              {"predicate", finding.predicate},
              {"object", finding.object},
              {"confidence", fmt::format("{:.2f}", finding.score)}};
    case FindingKind::kSimilar:
      key = "similarity";
      return {{"entity", finding.subject},
              {"similar_to", finding.object},
              {"score", fmt::format("{:.2f}", finding.score)}};
    case FindingKind::kGap:
      key = "gap";
      return {{"entity", finding.subject},
              {"description", finding.text},
              {"severity", fmt::format("{:.2f}", finding.score)}};
    case FindingKind::kInference:
      key = "inference";
      return {{"expression", "rules"},
              {"simplified", fmt::format("{} in {}", plural(finding.count, "new fact", "new facts"),
                                         plural(finding.iterations, "pass", "passes"))}};
    case FindingKind::kReasoning:
      key = "inference";
      return {{"expression", finding.subject}, {"simplified", finding.object}};
    case FindingKind::kCode:
      key = finding.predicate == "module"      ? "code_module"
            : finding.predicate == "signature" ? "code_signature"
            : finding.predicate == "data_flow" ? "data_flow"
                                               : "code_fact";
      return {{"kind", finding.predicate}, {"name", finding.subject}, {"detail", finding.text}};
    case FindingKind::kText:
    case FindingKind::kAnswer:
      key = "freeform";
      return {{"text", finding.text}};
  }
  return {};
}

std::string custom_line(const Finding& finding, const Grammar& grammar) {
  std::string_view key;
  const Values values = template_values(finding, key);
  const auto found = grammar.templates.find(key);
  bool named = true;
  return found == grammar.templates.end() ? sentence(finding, named)
                                          : substitute(found->second, values);
}

std::string custom_section(const Section& section, const Grammar& grammar) {
  const std::string heading = heading_of(section, true);
  const auto found = grammar.templates.find("section");
  std::string out = found == grammar.templates.end()
                        ? "## " + heading
                        : substitute(found->second, {{"heading", heading}});
  for (const Finding& finding : section.items) out += "\n" + custom_line(finding, grammar);
  return out;
}

}  // namespace

std::string_view article(std::string_view word) {
  static constexpr std::string_view kSilentH[] = {"hour", "honest", "heir", "honor", "honour"};
  static constexpr std::string_view kSpokenYou[] = {"user", "unit", "use", "uni", "eu", "one"};
  const std::string folded = to_lower(word);
  const auto starts = [&](std::string_view prefix) { return folded.starts_with(prefix); };
  if (std::any_of(std::begin(kSilentH), std::end(kSilentH), starts)) return "an";
  const bool unusual = starts("unin") || starts("unim");
  if (!unusual && std::any_of(std::begin(kSpokenYou), std::end(kSpokenYou), starts)) return "a";
  const bool vowel =
      !folded.empty() && std::string_view("aeiou").find(folded[0]) != std::string_view::npos;
  return vowel ? "an" : "a";
}

std::string predicate_words(std::string_view predicate, std::string_view object) {
  if (predicate.starts_with("code:")) predicate.remove_prefix(5);
  if (predicate == "is-a") return fmt::format("is {}", article(object));
  if (predicate == "has-a") return "has";
  if (predicate == "part-of") return "is part of";
  if (predicate == "located-in") return "is located in";
  if (predicate == "similar-to") return "is similar to";
  if (predicate == "composed-of") return "is composed of";
  if (predicate == "depends-on") return "depends on";
  if (predicate == "defined-in") return "is defined in";
  std::string words(predicate);
  std::replace(words.begin(), words.end(), '-', ' ');
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::span<const std::string_view> builtin_grammars() {
  static constexpr std::string_view kNames[] = {"narrative", "formal", "terse"};
  return kNames;
}

Result<Grammar> builtin_grammar(std::string_view name) {
  if (name == "narrative") {
    return Grammar{"narrative", "flowing prose", Grammar::Style::kNarrative, {}};
  }
  if (name == "formal") {
    return Grammar{"formal", "sections and bullets", Grammar::Style::kFormal, {}};
  }
  if (name == "terse") return Grammar{"terse", "one fact a line", Grammar::Style::kTerse, {}};
  return fail(ErrorCode::kNotFound, fmt::format("there is no grammar \"{}\"", name), {},
              did_you_mean(nearest_names(name, builtin_grammars())));
}

Result<Grammar> parse_grammar(std::string_view toml, const std::string& source) {
  ANIMA_ASSIGN(const TomlDocument document, parse_toml(toml, source));
  static constexpr std::string_view kRoot[] = {"grammar", "linearization", "parse"};
  for (const Error& error : unknown_toml_keys(document, "", kRoot)) {
    return invalid(error.message, error.where);
  }
  static constexpr std::string_view kHead[] = {"name", "description"};
  for (const Error& error : unknown_toml_keys(document, "grammar", kHead)) {
    return invalid(error.message, error.where);
  }
  Grammar grammar;
  grammar.style = Grammar::Style::kCustom;
  const Json* head = document.root.find("grammar");
  const Json* name = head == nullptr ? nullptr : head->find("name");
  if (name == nullptr || !name->is_string() || name->as_string().empty()) {
    return invalid("`grammar.name` is missing", document.where("grammar"));
  }
  grammar.name = name->as_string();
  if (const Json* text = head->find("description"); text != nullptr && text->is_string()) {
    grammar.description = text->as_string();
  }
  const Json* templates = document.root.find("linearization");
  if (templates == nullptr) return grammar;
  if (!templates->is_object()) {
    return invalid("`linearization` is no table", document.where("linearization"));
  }
  for (const auto& [key, value] : templates->as_object()) {
    const std::string where = document.where("linearization." + key);
    const auto known =
        std::find_if(std::begin(kTemplates), std::end(kTemplates),
                     [&wanted = key](const TemplateKey& each) { return each.name == wanted; });
    if (known == std::end(kTemplates)) {
      return invalid(fmt::format("unknown key `linearization.{}`", key), where);
    }
    if (!value.is_string()) return invalid(fmt::format("`{}` is no string", key), where);
    ANIMA_TRY(check_template(value.as_string(), *known, where));
    grammar.templates[key] = value.as_string();
  }
  return grammar;
}

std::string linearize(const Finding& finding, const Grammar& grammar) {
  bool named = true;
  switch (grammar.style) {
    case Grammar::Style::kNarrative:
      return sentence(finding, named);
    case Grammar::Style::kFormal:
      return bullet(finding);
    case Grammar::Style::kTerse:
      return terse_line(finding);
    case Grammar::Style::kCustom:
      break;
  }
  return custom_line(finding, grammar);
}

std::string linearize_sections(const Document& document, const Grammar& grammar) {
  std::string out;
  for (const Section& section : document.sections) {
    if (!out.empty() && grammar.style != Grammar::Style::kTerse) out += "\n";
    switch (grammar.style) {
      case Grammar::Style::kTerse:
        for (const Finding& finding : section.items) out += terse_line(finding) + "\n";
        break;
      case Grammar::Style::kNarrative:
        out += fmt::format("## {}\n{}\n", heading_of(section, true), narrate(section));
        break;
      case Grammar::Style::kFormal:
        out += fmt::format("## {}\n", heading_of(section, false));
        for (const Finding& finding : section.items) out += "- " + bullet(finding) + "\n";
        break;
      case Grammar::Style::kCustom:
        out += custom_section(section, grammar) + "\n";
    }
  }
  return out;
}

std::string linearize(const Document& document, const Grammar& grammar) {
  const std::string sections = linearize_sections(document, grammar);
  if (grammar.style == Grammar::Style::kTerse) return sections;
  return document.overview() + (sections.empty() ? "\n" : "\n\n" + sections);
}

}  // namespace anima::agent
