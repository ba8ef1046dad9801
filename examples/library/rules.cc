// rules DATA: Datalog over the memory, a text of your own and a pack that stays.
#include <anima/memory.h>

#include <iostream>

int main(int, char** arguments) {
  const std::string data = arguments[1];
  auto memory = anima::Memory::in_memory().value();
  const anima::Author ada{"ada", "", anima::TrustLevel::kOperator};
  memory.load({.files = {data + "/hosts.csv", data + "/services.csv"}}, ada).value();

  const anima::Rules rules =
      memory.view()->rules({{"big.mg", "big(H) :- attribute(H, \"ram_gb\", N), N > 32."}}).value();
  const anima::Rows big = rules.query("big(H)").value();
  for (const auto& row : big) std::cout << row.text("H") << " is big\n";

  // The rules of a pack count from now on, in questions and proofs too, also for the shell.
  memory.load_pack(data + "/pack", ada).value();
  const anima::View now = memory.view().value();
  const anima::Rows down = now.rules()->query("goes_down_with(S, \"borea\")").value();
  for (const auto& row : down) std::cout << row.text("S") << " goes down with borea\n";
  std::cout << now.why("goes_down_with(\"web\", \"borea\")")->text();
}
