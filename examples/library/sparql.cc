// sparql DATA: RDF in, an update, SPARQL over it, and RDF out again.
#include <anima/memory.h>

#include <iostream>

int main(int, char** arguments) {
  const std::string data = arguments[1];
  auto memory = anima::Memory::in_memory().value();
  const anima::Author ada{"ada", "", anima::TrustLevel::kOperator};
  memory.load({.files = {data + "/hosts.csv", data + "/services.csv"}}, ada).value();
  const std::string rack = "@prefix e: <http://example.org/> . e:notos e:rack 7 .";
  memory.import_rdf({.text = rack, .format = "turtle"}, ada).value();

  const char* move = R"(PREFIX e: <http://example.org/>
      DELETE { ?h e:rack ?r } INSERT { ?h e:rack ?next }
      WHERE { ?h e:rack ?r BIND(?r + 1 AS ?next) })";
  const anima::SparqlChange change = memory.sparql_update(move, ada).value();
  std::cout << "entry " << change.entry << ": +" << change.inserted << " -" << change.deleted
            << '\n';

  const char* hosts = "SELECT ?host ?ram { ?host <urn:anima:attribute:ram_gb> ?ram }";
  const anima::SparqlAnswer answer = memory.sparql(hosts).value();
  for (const auto& row : answer)
    std::cout << row["host"].to_string() << " has " << row["ram"].text << " GB\n";
  std::cout << answer.text("csv").value();

  const anima::View now = memory.view().value();
  const char* racks = "CONSTRUCT WHERE { ?h <http://example.org/rack> ?r }";
  std::cout << now.sparql(racks)->text("turtle").value();
  std::cout << now.export_text("trig")->size() << " bytes of TriG\n";

  // Every row with every row of every row: more than anybody waits for.
  const auto late = memory.sparql(
      "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l FILTER(?a < ?l) }",
      {.limits = {.time = std::chrono::milliseconds(50)}});
  std::cout << anima::to_string(late.error().code) << '\n';
}
