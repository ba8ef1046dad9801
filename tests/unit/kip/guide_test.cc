// The examples of docs/kip.md, in their order on one new space: each command runs, and where an
// answer is printed behind it, that is its answer.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "kip/engine.h"
#include "kip/parser.h"

namespace anima::kip {
namespace {

struct Fence {
  std::string language;
  std::string arguments;  // behind the language: the parameters of a command
  std::string text;
  int line = 0;
};

std::vector<Fence> fences_of(const char* path) {
  std::ifstream file(path);
  std::vector<Fence> fences;
  std::string line;
  bool inside = false;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (!inside) continue;
      const std::size_t blank = std::min(line.find(' '), line.size());
      fences.push_back({line.substr(3, blank - 3), line.substr(blank), "", number});
    } else if (inside) {
      fences.back().text += line + "\n";
    }
  }
  return fences;
}

TEST(Guide, ExamplesAnswerWhatItPrints) {
  const auto fences = fences_of(ANIMA_SOURCE_DIR "/docs/kip.md");
  auto space = store::Space::in_memory();
  ASSERT_TRUE(space);
  auto engine = Engine::open(*space);
  ASSERT_TRUE(engine);
  std::size_t commands = 0;
  for (std::size_t i = 0; i < fences.size(); ++i) {
    if (fences[i].language != "kip") continue;
    ++commands;
    SCOPED_TRACE("docs/kip.md, line " + std::to_string(fences[i].line));
    const auto parameters = parse_json(fences[i].arguments.empty() ? "{}" : fences[i].arguments);
    ASSERT_TRUE(parameters);
    const Json answer = (*engine)->execute(fences[i].text, *parameters);
    if (i + 1 == fences.size() || fences[i + 1].language != "json") {
      EXPECT_EQ(answer.find("error"), nullptr) << answer.dump();
      continue;
    }
    const auto wanted = parse_json(fences[i + 1].text);
    ASSERT_TRUE(wanted);
    EXPECT_EQ(answer.dump(), wanted->dump());
  }
  EXPECT_GE(commands, 15u);
}

// A model learns the language from the definition of the tool: its three last lines are examples.
TEST(Guide, TheToolsDefinitionHoldsExamplesThatRun) {
  auto space = store::Space::in_memory();
  ASSERT_TRUE(space);
  auto engine = Engine::open(*space);
  ASSERT_TRUE(engine);
  const Json definition = function_definitions("anthropic").as_array()[0];
  const std::string text = definition.find("description")->as_string();
  const std::size_t examples = text.find("UPSERT", text.find("Types and predicates come first"));
  ASSERT_NE(examples, std::string::npos);
  std::istringstream lines(text.substr(examples));
  Json answer;
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    answer = (*engine)->execute(line, Json(JsonObject{}));
    EXPECT_EQ(answer.find("error"), nullptr) << line << answer.dump();
  }
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(answer.dump(), R"({"result":["Bob"]})");
}

}  // namespace
}  // namespace anima::kip
