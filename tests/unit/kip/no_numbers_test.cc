// Sums, averages and comparisons over texts are refused or told, never 0 or nothing in silence.
#include <gtest/gtest.h>

#include "kip/engine.h"

namespace anima::kip {
namespace {

class NoNumbers : public ::testing::Test {
 protected:
  void SetUp() override {
    engine_ = Engine::open(store::Space::in_memory().value()).value();
    run(R"(UPSERT { CONCEPT { {type: "$ConceptType", name: "Host"} } })");
    run(R"(UPSERT {
      CONCEPT { {type: "Host", name: "a"} SET ATTRIBUTES {ram: "8 GB", disk: 5, mixed: 1, kind: "x"} }
      CONCEPT { {type: "Host", name: "b"} SET ATTRIBUTES {ram: "lots", disk: 7, mixed: "two", kind: "y"} } })");
  }
  Json run(const std::string& command) { return engine_->execute(command, Json::object(), {}); }
  static std::string warnings(const Json& answer) {
    const Json* list = answer.find("warnings");
    return list == nullptr ? "none" : list->dump();
  }
  std::shared_ptr<Engine> engine_;
};

TEST_F(NoNumbers, RefusesToSumTexts) {
  for (const char* sum : {"SUM", "AVG"}) {
    const Json answer =
        run(std::string("FIND(") + sum + R"((?h.attributes.ram)) WHERE { ?h {type: "Host"} })");
    const Json* error = answer.find("error");
    ASSERT_NE(error, nullptr) << answer.dump();
    EXPECT_NE(error->find("message")->as_string().find("are texts such as"), std::string::npos);
  }
}

TEST_F(NoNumbers, NamesWhatASumLeftOut) {
  const Json answer = run(R"(FIND(SUM(?h.attributes.mixed)) WHERE { ?h {type: "Host"} })");
  EXPECT_EQ(answer.find("result")->as_integer(), 1);
  EXPECT_EQ(warnings(answer), R"(["SUM and AVG left out texts that are no numbers: \"two\""])");
  // A group of texts beside one of numbers is no error.
  const Json groups =
      run(R"(FIND(?h.attributes.kind, SUM(?h.attributes.mixed)) WHERE { ?h {type: "Host"} })");
  EXPECT_EQ(groups.find("error"), nullptr) << groups.dump();
  EXPECT_NE(warnings(groups), "none");
}

TEST_F(NoNumbers, NamesTextsThatNoNumberComparesWith) {
  const Json answer =
      run(R"(FIND(?h.name) WHERE { ?h {type: "Host"} FILTER(?h.attributes.ram < 9) })");
  EXPECT_EQ(answer.find("result")->as_array().size(), 0u);
  EXPECT_EQ(warnings(answer), R"(["no number compares with these texts: \"8 GB\", \"lots\""])");
}

TEST_F(NoNumbers, SaysNothingWhereAllIsWell) {
  EXPECT_EQ(warnings(run(R"(FIND(SUM(?h.attributes.disk)) WHERE { ?h {type: "Host"} })")), "none");
  EXPECT_EQ(run(R"(FIND(SUM(?h.attributes.none)) WHERE { ?h {type: "Host"} })")
                .find("result")
                ->as_integer(),
            0);
  EXPECT_EQ(
      warnings(run(R"(FIND(?h.name) WHERE { ?h {type: "Host"} FILTER(?h.attributes.ram == 5) })")),
      "none");
  EXPECT_EQ(warnings(run(
                R"(FIND(?h.name) WHERE { ?h {type: "Host"} FILTER(?h.attributes.kind > "a") })")),
            "none");
}

}  // namespace
}  // namespace anima::kip
