// undo DATA: takes a change back, as a change of its own; nothing is lost.
#include <anima/memory.h>

#include <iostream>

int main(int, char** arguments) {
  const std::string data = arguments[1];
  auto memory = anima::Memory::in_memory().value();
  const anima::Author ada{"ada", "", anima::TrustLevel::kOperator};
  memory.load({.files = {data + "/hosts.csv", data + "/services.csv"}}, ada).value();

  memory.kip(R"(DELETE CONCEPT ?h DETACH WHERE { ?h {type: "Host", name: "atlas"} })", {}, ada);
  const std::uint64_t mistake = memory.newest_entry().value();
  std::cout << memory.ask("How many hosts are there?")->text << '\n';

  const anima::Status undone = memory.undo(mistake, mistake);
  if (!undone) return std::cerr << undone.error().describe() << '\n', 1;
  std::cout << memory.ask("How many hosts are there?")->text << '\n';
  std::cout << "entries " << mistake << " and " << memory.newest_entry().value() << " both stay; "
            << (memory.verify() ? "the log is whole\n" : "the log is damaged\n");
}
