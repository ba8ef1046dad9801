// Doubt of a forgetting is settled by who forgets: without --in-doubt every text that may be of
// another thing is left as it was; with it no file has it any more, wherever it stood. 40 random
// spaces; 1,000 with ANIMA_TEST_FULL=1.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/random.h"
#include "cli/frame/program.h"
#include "support/cli_run.h"
#include "support/files_with.h"

namespace anima::cli::forgotten_doubt_test {
namespace {

struct Person {
  const char *name, *sure, *in_doubt;
};
constexpr Person kPeople[] = {
    {"Will", "I met Will there", "Will you come there?"},
    {"Rose", "I met Rose there", "Rose petals are red"},
    {"Jean", "Hier soir Jean est venu avec nous", "Hier soir Jean-Paul est parti"},
    {"Wolf", "Gestern kam Wolf zu uns und war nicht allein", "Der Wolf ist im Wald und nicht da"},
    {"Domingo", "Ayer vi a Domingo en la plaza con su hermana", "Nos vemos este domingo en casa"},
    {"Angelo", "Ieri ho visto Angelo con la sua famiglia", "Ieri ho visto D'Angelo con noi"},
    {"Александр", "Вчера я был с Александром там", "Вчера Александра была там и ушла"},
    {"李雷", "我和李雷去了上海", "昨天李雷雷来了"},
};

class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) { EXPECT_EQ(run({"init"}).code, kDone); }

  test::CliRun run(std::vector<std::string> line) {
    line.insert(line.begin(), {"--space", folder_.file("space")});
    return test::run_cli(line, environment_);
  }
  bool on_disk(const std::string& text) {
    return !test::files_with(folder_.file("space"), text).empty();
  }

  // A text with a number of its own, in a place of chance.
  std::string plant(const std::string& said) {
    const std::string text = said + ", no. z" + std::to_string(++made_);
    const std::string named = "\"thing-" + std::to_string(made_) + "\"} SET ATTRIBUTES {";
    switch (random_.next() % 5) {
      case 0:
        done({"kip", "UPSERT { CONCEPT { {type: \"Person\", name: " + named +
                         "note: " + quote_json(text) + "} } }"});
        break;
      case 1:
        done({"kip", "UPSERT { CONCEPT { {type: \"Person\", name: " + named +
                         "notes: [\"first\", " + quote_json(text) + "]} } }"});
        break;
      case 2:
        done({"kip", "UPSERT { CONCEPT { {type: \"Event\", name: " + named +
                         "event_class: \"Call\", start_time: \"2026-03-01T10:00:00Z\", summary: " +
                         quote_json(text) + "} } }"});
        break;
      case 3:
        done({"memory", "add", text});
        break;
      default:
        done({"memory", "add", text, "--partition", "SENSITIVE"});
        break;
    }
    return text;
  }
  std::size_t some(std::size_t most) { return 1 + static_cast<std::size_t>(random_.next() % most); }

 private:
  void done(const std::vector<std::string>& line) {
    const test::CliRun ran = run(line);
    ASSERT_EQ(ran.code, kDone) << ran.out << ran.err;
  }

  TemporaryDirectory folder_;
  Environment environment_{{"HOME", folder_.path()}, {"USER", "grace"}};
  SeededRandom random_;
  int made_ = 0;
};

TEST(ForgottenDoubt, WhatIsInDoubtStaysUntilItIsTakenAndIsGoneThen) {
  const char* full = std::getenv("ANIMA_TEST_FULL");
  const std::uint64_t seeds = full != nullptr && std::string_view(full) == "1" ? 1000 : 40;
  for (std::uint64_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    const Person& person = kPeople[seed % std::size(kPeople)];
    SCOPED_TRACE(std::string(person.name) + ", seed " + std::to_string(seed));
    World world(seed);
    std::vector<std::string> sure, in_doubt, others;
    for (std::size_t i = world.some(3); i > 0; --i) sure.push_back(world.plant(person.sure));
    for (std::size_t i = world.some(3); i > 0; --i)
      in_doubt.push_back(world.plant(person.in_doubt));
    others.push_back(world.plant("The tide follows the moon"));
    const test::CliRun first = world.run({"forget", person.name, "--mentions", "--confirm"});
    ASSERT_EQ(first.code, kDone) << first.out << first.err;
    for (const std::string& text : sure) EXPECT_FALSE(world.on_disk(text)) << text;
    for (const std::string& text : in_doubt) EXPECT_TRUE(world.on_disk(text)) << text;
    const test::CliRun second = world.run({"forget", person.name, "--in-doubt", "--confirm"});
    ASSERT_EQ(second.code, kDone) << second.out << second.err;
    for (const std::string& text : in_doubt) EXPECT_FALSE(world.on_disk(text)) << text;
    for (const std::string& text : others) EXPECT_TRUE(world.on_disk(text)) << text;
    (void)world.run({"undo", "last"});
    for (const std::string& text : in_doubt) EXPECT_FALSE(world.on_disk(text)) << text;
    for (const std::vector<std::string>& line :
         {std::vector<std::string>{"audit", "verify"}, {"memory", "show"}, {"doctor"}}) {
      const test::CliRun ran = world.run(line);
      EXPECT_TRUE(ran.code == kDone || ran.code == kMissing) << line[0] << ran.out << ran.err;
    }
  }
}

}  // namespace
}  // namespace anima::cli::forgotten_doubt_test
