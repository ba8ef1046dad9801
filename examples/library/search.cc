// search DATA: concepts by their words, with typos and beginnings of words.
#include <anima/memory.h>

#include <iostream>

int main(int, char** arguments) {
  const std::string data = arguments[1];
  auto memory = anima::Memory::in_memory().value();
  const anima::Author ada{"ada", "", anima::TrustLevel::kOperator};
  memory.load({.files = {data + "/hosts.csv", data + "/services.csv"}}, ada).value();

  const anima::View now = memory.view().value();
  const auto hits = now.search("borae").value();
  for (const anima::Hit& hit : hits)
    std::cout << hit.id << ' ' << hit.type << ' ' << hit.name << '\n';
  std::cout << now.search("wik", {.type = "Service", .limit = 1})->front().name << '\n';
  std::cout << now.search("borae", {.exact = true})->size() << " exactly\n";
}
