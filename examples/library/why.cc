// why DATA: a fact with its proof, down to who said it, in which log entry, from which row.
#include <anima/memory.h>

#include <iostream>

int main(int, char** arguments) {
  const std::string data = arguments[1];
  auto memory = anima::Memory::in_memory().value();
  const anima::Author ada{"ada", "", anima::TrustLevel::kOperator};
  memory.load({.files = {data + "/hosts.csv", data + "/services.csv"}}, ada).value();

  const anima::View now = memory.view().value();
  const anima::Proof proof = now.why("web runs_on").value();
  std::cout << proof.text() << "trust: " << anima::to_string(proof.trust) << '\n';
  for (const anima::ProofStep& step : proof)
    for (const anima::Assertion& by : step.asserted)
      std::cout << step.fact << " stands in entry " << by.entry << ", " << by.provenance << '\n';
  std::cout << now.why_not("web runs_on borea").value();
}
