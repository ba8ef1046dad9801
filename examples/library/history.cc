// history DATA: what changed about a thing: when, by whom, from where.
#include <anima/memory.h>

#include <iostream>

int main(int, char** arguments) {
  const std::string data = arguments[1];
  auto memory = anima::Memory::in_memory().value();
  const anima::Author ada{"ada", "", anima::TrustLevel::kOperator};
  memory.load({.files = {data + "/hosts.csv", data + "/services.csv"}}, ada).value();

  const anima::Author bo{"bo", "the workshop", anima::TrustLevel::kOperator};
  memory.kip(R"(UPDATE ?h SET ATTRIBUTES {ram_gb: 128} WHERE { ?h {type: "Host", name: "borea"} })",
             {}, bo);
  const auto commits = memory.view()->history("borea").value();
  for (const anima::Commit& commit : commits) {
    std::cout << "entry " << commit.entry << " by " << commit.author << " (" << commit.source
              << ")\n";
    for (const anima::Statement& one : commit.removed) std::cout << "  - " << one.text() << '\n';
    for (const anima::Statement& one : commit.added) std::cout << "  + " << one.text() << '\n';
  }
}
