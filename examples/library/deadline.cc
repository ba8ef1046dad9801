// deadline DATA: ends a call in time, or when another thread says so.
#include <anima/memory.h>

#include <iostream>

int main(int, char** arguments) {
  const std::string data = arguments[1];
  auto memory = anima::Memory::in_memory().value();
  const anima::Author ada{"ada", "", anima::TrustLevel::kOperator};
  memory.load({.files = {data + "/hosts.csv", data + "/services.csv"}}, ada).value();

  // Some nine million pairs: more than anybody waits for.
  const anima::RuleText endless{"endless.mg",
                                "n(0). n(M) :- n(N), N < 3000, M = fn:plus(N, 1).\n"
                                "pair(A, B) :- n(A), n(B)."};
  const anima::View now = memory.view().value();
  const auto late = now.rules({endless}, {.time = std::chrono::milliseconds(50)});
  std::cout << anima::to_string(late.error().code) << ": " << late.error().describe() << '\n';

  std::stop_source stop;
  stop.request_stop();  // from any thread, before the call or while it runs
  const auto ended =
      memory.find(R"(FIND(?h) WHERE { ?h {type: "Host"} })", {}, {.stop = stop.get_token()});
  std::cout << anima::to_string(ended.error().code) << '\n';
}
