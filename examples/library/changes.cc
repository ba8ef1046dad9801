// changes DATA: every commit as it comes, from whichever thread or process.
#include <anima/memory.h>

#include <iostream>
#include <thread>

int main(int, char** arguments) {
  const std::string data = arguments[1];
  auto memory = anima::Memory::in_memory().value();
  const anima::Author ada{"ada", "", anima::TrustLevel::kOperator};
  memory.load({.files = {data + "/hosts.csv", data + "/services.csv"}}, ada).value();

  anima::ChangeFeed feed = memory.changes().value();
  std::jthread writer([memory, ada]() mutable {
    for (const char* name : {"notos", "zephyr"})
      memory.kip(R"(UPSERT { CONCEPT { {type: "Host", name: :name} } })",
                 anima::Json::object({{"name", name}}), ada);
  });
  for (int seen = 0; seen < 2;) {
    const auto commit = feed.next({.time = std::chrono::seconds(10)}).value();
    if (!commit) return 1;  // the time is over
    for (const anima::Statement& one : commit->added)
      std::cout << commit->entry << ' ' << commit->author << ": " << one.text() << '\n';
    ++seen;
  }
  std::cout << "go on behind entry " << feed.after() << '\n';
}
