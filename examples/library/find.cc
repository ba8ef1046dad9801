// find DATA: tells the memory something in KIP, and reads it back row by row.
#include <anima/memory.h>

#include <iostream>

int main(int, char** arguments) {
  const std::string data = arguments[1];
  auto memory = anima::Memory::in_memory().value();
  const anima::Author ada{"ada", "", anima::TrustLevel::kOperator};
  memory.load({.files = {data + "/hosts.csv", data + "/services.csv"}}, ada).value();

  const anima::Json told = memory.kip(
      R"(UPSERT { CONCEPT { {type: "Host", name: :name} SET ATTRIBUTES {ram_gb: :ram} } })",
      anima::Json::object({{"name", "notos"}, {"ram", 32}}), ada);
  if (told.find("error") != nullptr) return std::cerr << told.dump() << '\n', 1;

  const anima::Rows rows = memory
                               .find(R"(FIND(?h.name, ?h.attributes.ram_gb)
      WHERE { ?h {type: "Host"} } ORDER BY ?h.attributes.ram_gb DESC)")
                               .value();
  for (const auto& row : rows)
    std::cout << row.text("?h.name") << ": " << row[1].as_integer() << " GB\n";
}
