// load DATA: files that nobody prepared, in one log entry or not at all.
#include <anima/memory.h>

#include <iostream>

int main(int, char** arguments) {
  const std::string data = arguments[1];
  auto memory = anima::Memory::in_memory().value();
  const anima::LoadRequest files{.files = {data + "/hosts.csv", data + "/services.csv"}};
  const anima::LoadReport report = memory.load(files).value();
  for (const anima::LoadedTable& table : report.tables)
    std::cout << table.rows << ' ' << table.type << '\n';

  // The same files again change nothing. The mapping that was found can be kept and given.
  const anima::LoadRequest again{.files = files.files, .mapping = report.mapping};
  std::cout << "changed: " << std::boolalpha << memory.load(again)->changed << '\n';
  const auto lost = memory.load({.files = {data + "/nothing.csv"}});
  std::cout << lost.error().describe() << '\n';
}
