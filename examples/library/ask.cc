// ask DATA: a question in plain words, answered exactly and without a model.
#include <anima/memory.h>

#include <iostream>

int main(int, char** arguments) {
  const std::string data = arguments[1];
  auto memory = anima::Memory::in_memory().value();
  const anima::Author ada{"ada", "", anima::TrustLevel::kOperator};
  memory.load({.files = {data + "/hosts.csv", data + "/services.csv"}}, ada).value();

  const anima::QuestionAnswer answer = memory.ask("Which services run on atlas?").value();
  for (const auto& row : answer) std::cout << row.text(0) << '\n';
  std::cout << "read as " << answer.reading << "\nby " << answer.query << '\n';

  // A session goes on; what nothing here explains is named.
  memory.ask("Which services depend on db?", {.session = "mine"}).value();
  std::cout << memory.ask("How many?", {.session = "mine"})->text << '\n';
  const anima::QuestionAnswer lost = memory.ask("Which zorks run on atlas?").value();
  std::cout << anima::to_string(lost.status) << ": " << lost.unknown.front() << '\n';
}
