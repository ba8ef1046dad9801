// The first screen of README.md and the walk of examples/homelab, run as printed.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "support/command.h"

namespace anima::homelab_test {
namespace {

struct Step {
  std::string command;
  std::string output;
};

// The commands of the first fenced block, with what is printed behind each.
std::vector<Step> first_screen() {
  std::ifstream file(ANIMA_SOURCE_DIR "/README.md");
  std::vector<Step> steps;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      if (inside) break;
      inside = true;
    } else if (inside && line.starts_with("$ anima ")) {
      steps.push_back({line.substr(8), {}});
    } else if (inside && !steps.empty()) {
      steps.back().output += line + '\n';
    }
  }
  return steps;
}

// What differs from run to run: times, and where the space lies.
std::string settled(std::string text, const std::string& space) {
  text = std::regex_replace(text, std::regex(R"(\d{4}-\d\d-\d\dT[0-9:.]+Z)"), "TIME");
  text = std::regex_replace(text, std::regex(R"( of \d\d:\d\d:)"), " of TIME:");
  for (std::size_t at = 0; (at = text.find(space, at)) != std::string::npos;)
    text.replace(at, space.size(), "/tmp/homelab");
  return text;
}

std::string in_source(const std::string& command) {
  return "cd " ANIMA_SOURCE_DIR " && " + command;
}

TEST(Homelab, TheFirstScreenOfTheReadmeIsWhatIsPrinted) {
  const TemporaryDirectory folder;
  const std::string space = folder.file("space");
  const std::vector<Step> steps = first_screen();
  ASSERT_GE(steps.size(), 8u);
  for (const Step& step : steps) {
    SCOPED_TRACE(step.command);
    const test::Ran ran = test::run_command(in_source(
        "env -u USER ANIMA_SPACE=" + space + " " ANIMA_BINARY_DIR "/anima " + step.command));
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(settled(ran.out, space), settled(step.output, space));
  }
}

TEST(Homelab, TheExampleAnswersExplainsAndUndoes) {
  const TemporaryDirectory folder;
  const test::Ran ran =
      test::run_command(in_source("env ANIMA_SPACE=" + folder.file("space") +
                                  " examples/homelab/run.sh " ANIMA_BINARY_DIR "/anima 2>&1"));
  EXPECT_EQ(ran.code, 0);
  const std::string runs = "gitea; keycloak; nextcloud; paperless; traefik\n";
  EXPECT_NE(ran.out.find("What breaks if cirrus is removed?\"\nauthelia; freshrss; mealie"),
            std::string::npos)
      << ran.out;
  EXPECT_NE(ran.out.find("I do not know the word: borea"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.rfind(runs), ran.out.find(runs)) << ran.out;  // back after the undo
}

}  // namespace
}  // namespace anima::homelab_test
