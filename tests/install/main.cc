#include <anima/base/json.h>
#include <anima/base/version.h>

#include <cstdio>

int main() {
  const auto value = anima::parse_json(R"({"answer":42})");
  if (!value || value->find("answer")->as_integer() != 42) return 1;
  std::printf("a stranger uses anima %s\n", std::string(anima::version()).c_str());
  return 0;
}
