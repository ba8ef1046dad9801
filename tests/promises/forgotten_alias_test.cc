// What a thing is also called takes that name, and nothing else of the thing.
#include <gtest/gtest.h>

#include <string>

#include "base/files/file.h"
#include "support/command.h"

namespace anima {
namespace {

class ForgottenAlias : public testing::Test {
 protected:
  void SetUp() override {
    test::init_space(folder_);
    tell("CONCEPT { {type: \"$ConceptType\", name: \"Cat\"} }");
    tell("CONCEPT { {type: \"Cat\", name: \"Zelda Quixby\"} SET ATTRIBUTES {colour: \"grey\"} }");
  }
  test::Ran anima(const std::string& words) {
    return test::run_anima(folder_, words, "2>&1 </dev/null");
  }
  void tell(const std::string& what) { ASSERT_EQ(anima("kip 'UPSERT { " + what + " }'").code, 0); }
  void expect_grey() {
    EXPECT_NE(anima("kip 'FIND(?x.attributes.colour) WHERE { ?x {type: \"Cat\", name: \"Zelda "
                    "Quixby\"} }'")
                  .out.find("grey"),
              std::string::npos);
  }
  TemporaryDirectory folder_{"anima-forgotten-alias"};
};

TEST_F(ForgottenAlias, OfWhatWasMergedTheOtherStays) {
  tell("CONCEPT { {type: \"Cat\", name: \"Morris Plum\"} SET ATTRIBUTES {age: 4} }");
  ASSERT_EQ(anima("sleep merge 'Zelda Quixby' 'Morris Plum'").code, 0);
  const test::Ran dry = anima("forget 'Morris Plum' --dry-run");
  EXPECT_EQ(dry.code, 0) << dry.out;
  EXPECT_EQ(dry.out.find("grey"), std::string::npos) << dry.out;
  const test::Ran done = anima("forget 'Morris Plum' --confirm");
  EXPECT_EQ(done.code, 0) << done.out;
  expect_grey();
}

TEST_F(ForgottenAlias, ANameOfAListSaysWhoseItIs) {
  tell(
      "CONCEPT { {type: \"Cat\", name: \"Zelda Quixby\"} SET ATTRIBUTES {aliases: [\"Zeldi Q\"]} "
      "}");
  const test::Ran dry = anima("forget 'Zeldi Q' --dry-run");
  EXPECT_EQ(dry.out.find("grey"), std::string::npos) << dry.out;
  EXPECT_NE(dry.out.find("Zelda Quixby"), std::string::npos) << dry.out;
  (void)anima("forget 'Zeldi Q' --confirm");
  expect_grey();
}

TEST_F(ForgottenAlias, ByItsNameOrIdTheThingGoes) {
  const test::Ran dry = anima("forget 'Zelda Quixby' --dry-run");
  EXPECT_NE(dry.out.find("grey"), std::string::npos) << dry.out;
  EXPECT_EQ(anima("forget 'zelda quixby' --dry-run").out, dry.out);
}

}  // namespace
}  // namespace anima
