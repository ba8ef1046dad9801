// what_if DATA: what a question would answer after a change that nobody makes.
#include <anima/memory.h>

#include <iostream>

int main(int, char** arguments) {
  const std::string data = arguments[1];
  auto memory = anima::Memory::in_memory().value();
  const anima::Author ada{"ada", "", anima::TrustLevel::kOperator};
  memory.load({.files = {data + "/hosts.csv", data + "/services.csv"}}, ada).value();

  const std::string query = R"(FIND(?s.name) WHERE {
      ?s {type: "Service"} (?s, "runs_on", {type: "Host", name: "atlas"}) } ORDER BY ?s.name ASC)";
  const anima::Rows without =
      memory
          .what_if(R"(DELETE CONCEPT ?s DETACH WHERE { ?s {type: "Service", name: "wiki"} })",
                   query)
          .value();
  for (const auto& row : without) std::cout << "would stay: " << row.text(0) << '\n';
  const anima::Rows now = memory.find(query).value();
  for (const auto& row : now) std::cout << "is there:   " << row.text(0) << '\n';

  // With rules a question in plain words will do.
  memory.load_pack(data + "/pack", ada).value();
  std::cout << memory.ask("What happens if borea goes down?")->text << '\n';
}
