// export DATA FILE: everything as text that reads back, equal for equal knowledge.
#include <anima/memory.h>

#include <iostream>

int main(int, char** arguments) {
  const std::string data = arguments[1];
  auto memory = anima::Memory::in_memory().value();
  const anima::Author ada{"ada", "", anima::TrustLevel::kOperator};
  memory.load({.files = {data + "/hosts.csv", data + "/services.csv"}}, ada).value();

  const anima::View now = memory.view().value();
  for (const char* format : {"ntriples", "nquads", "triples.json", "mcp-memory"})
    std::cout << format << ": " << now.export_text(format)->size() << " bytes\n";
  const std::string file = arguments[2];  // its ending says the format: .nt, .nq, .json, .jsonl
  const anima::Status written = now.export_file(file);
  if (!written) return std::cerr << written.error().describe() << '\n', 1;
  std::cout << "wrote " << file << '\n';
}
