#include "cli/render/compartment_view.h"

#include <fmt/format.h>

#include "base/json/text_array.h"
#include "base/text/text.h"
#include "memory/names.h"

namespace anima::cli {

Json compartment_json(const memory::Compartment& compartment) {
  return Json::object({{"id", compartment.manifest.id},
                       {"name", compartment.manifest.name},
                       {"kind", memory::to_string(compartment.manifest.kind)},
                       {"state", memory::to_string(compartment.state)},
                       {"triple_count", compartment.triple_count},
                       {"description", compartment.manifest.description},
                       {"directory", compartment.manifest.directory},
                       {"graph", memory::compartment_graph(compartment.manifest.id)},
                       {"signed_by", compartment.manifest.signed_by},
                       {"has_rules", !compartment.content.rules.empty()},
                       {"has_questions", !compartment.content.questions.empty()},
                       {"tags", text_array(compartment.manifest.tags)}});
}

std::string show_compartment(const memory::Compartment& compartment) {
  const memory::CompartmentManifest& manifest = compartment.manifest;
  std::string out = fmt::format(
      "{} ({})\n  kind       {}\n  state      {}\n  triples    {}\n  graph      {}\n  "
      "folder     {}\n",
      manifest.id, manifest.name, memory::to_string(manifest.kind),
      memory::to_string(compartment.state), compartment.triple_count,
      memory::compartment_graph(manifest.id), manifest.directory);
  if (!manifest.signed_by.empty()) out += "  signed by  " + manifest.signed_by + "\n";
  if (!manifest.description.empty()) out += "  about      " + manifest.description + "\n";
  if (!manifest.tags.empty()) out += "  tags       " + join(manifest.tags, ", ") + "\n";
  if (!manifest.rules_file.empty()) out += "  rules      " + manifest.rules_file + "\n";
  if (compartment.content.questions.empty()) return out;
  out += "  questions\n";
  const auto patterns =
      memory::parse_questions(compartment.content.questions, manifest.questions_file);
  if (!patterns) return out;
  for (const auto& pattern : *patterns) {
    out += fmt::format("    {}?\n", memory::example_of(pattern.ask.front()));
  }
  return out;
}

}  // namespace anima::cli
