// as_of DATA: the memory as it was, beside the memory as it is.
#include <anima/memory.h>

#include <iostream>

int main(int, char** arguments) {
  const std::string data = arguments[1];
  auto memory = anima::Memory::in_memory().value();
  const anima::Author ada{"ada", "", anima::TrustLevel::kOperator};
  memory.load({.files = {data + "/hosts.csv", data + "/services.csv"}}, ada).value();

  const std::string before = std::to_string(memory.newest_entry().value());
  memory.kip(R"(DELETE CONCEPT ?s DETACH WHERE { ?s {type: "Service", name: "wiki"} })", {}, ada);

  const std::string query = R"(FIND(?s.name) WHERE { ?s {type: "Service"} } ORDER BY ?s.name ASC)";
  // Also "yesterday", "2 hours ago", "2026-11-22", "2026-11-22T14:00:00Z".
  const anima::View then = memory.as_of(before).value();
  const anima::Rows now_rows = memory.find(query).value(), then_rows = then.find(query).value();
  std::cout << "now:";
  for (const auto& row : now_rows) std::cout << ' ' << row.text(0);
  std::cout << "\nas of entry " << then.entry() << ':';
  for (const auto& row : then_rows) std::cout << ' ' << row.text(0);
  std::cout << '\n' << then.ask("Which services run on atlas?")->text << '\n';
}
