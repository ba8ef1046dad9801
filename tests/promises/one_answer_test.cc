// What one door knows the others know: a thing by its other names, what ended, and who reads what.
#include <gtest/gtest.h>

#include <string>

#include "base/files/file.h"
#include "support/command.h"

namespace anima::one_answer_test {
namespace {

class OneAnswer : public testing::Test {
 protected:
  void SetUp() override { test::init_space(folder_); }
  test::Ran anima(const std::string& arguments) {
    return test::run_command("HOME=" + folder_.path() +
                             " USER=Ada ANIMA_SPACE=" + folder_.file("space") + " " +
                             ANIMA_BINARY_DIR + "/anima " + arguments + " 2>&1 </dev/null");
  }
  static bool says(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }

  TemporaryDirectory folder_{"anima-one-answer"};
};

TEST_F(OneAnswer, AThingIsKnownByTheNamesThatWereMergedIntoIt) {
  anima(
      "kip 'UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"Person\"} } CONCEPT { {type: "
      "\"$PropositionType\", name: \"knows\"} } CONCEPT { {type: \"Person\", name: \"Eva\"} } "
      "CONCEPT ?m { {type: \"Person\", name: \"Maria Berg\"} SET ATTRIBUTES {phone: \"17\", "
      "aliases: [\"M. Berg\"]} SET PROPOSITIONS { (\"knows\", {type: \"Person\", name: "
      "\"Eva\"}) } } }'");
  for (const std::string name : {"Maria Berg", "M. Berg"}) {
    const test::Ran history = anima("history '" + name + "'");
    EXPECT_EQ(history.code, 0) << name << history.out;
    EXPECT_TRUE(says(history.out, ".phone")) << name << history.out;
    const test::Ran link = anima("why '" + name + "' knows Eva");
    EXPECT_EQ(link.code, 0) << name << link.out;
    EXPECT_TRUE(says(link.out, "Maria Berg")) << link.out;
    const test::Ran value = anima("why '" + name + "' phone 17");
    EXPECT_EQ(value.code, 0) << name << value.out;
  }
  EXPECT_NE(anima("history 'N. Berg'").code, 0);
}

TEST_F(OneAnswer, ForgettingSaysWhichMemoriesAReaderHas) {
  const std::string id = anima("memory add --json --reader 'Oda Rask' 'The code is 17'")
                             .json()
                             .find("id")
                             ->as_string();
  const test::Ran refused = anima("forget 'Oda Rask' --confirm");
  EXPECT_EQ(refused.code, 3) << refused.out;
  EXPECT_TRUE(says(refused.out, id)) << refused.out;
  EXPECT_EQ(anima("forget " + id + " --confirm").code, 0);
  EXPECT_EQ(anima("forget 'Oda Rask' --dry-run").code, 6);
}

}  // namespace
}  // namespace anima::one_answer_test
