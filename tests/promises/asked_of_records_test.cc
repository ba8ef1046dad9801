// A question is about what is known: where that counts no more, it is not asked, and an answer to
// it notes nothing; where it counts again, it is asked again.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "support/command.h"

namespace anima::asked_of_records_test {
namespace {

class AskedOfRecords : public testing::Test {
 protected:
  void begin() {
    folder_ = std::make_unique<TemporaryDirectory>("anima-asked");
    test::init_space(*folder_);
  }
  test::Ran anima(const std::string& arguments) {
    return test::run_command("HOME=" + folder_->path() +
                             " USER=Ada ANIMA_SPACE=" + folder_->file("space") + " " +
                             ANIMA_BINARY_DIR + "/anima " + arguments + " 2>&1 </dev/null");
  }
  std::string remember(const std::string& text) {
    return anima("remember --json \"" + text + "\"").json().find("id")->as_string();
  }
  std::vector<Json> questions() {
    const Json listed = anima("memory review --json").json();
    const auto& list = listed.find("questions")->as_array();
    return {list.begin(), list.end()};
  }
  std::unique_ptr<TemporaryDirectory> folder_;
};

struct Case {
  std::string known, asks, answer;  // the last as one of the choices
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      {"Lena Brandt moved to Rome in 2015.", "Lena Brandt moved to Rome in 2018.", "both"},
      {"Lena Brandt moved to Bergen in June 2024.", "Lena Brandt moved to Oslo in May 2024.",
       "Bergen"},
      {"Bob Smith works at Globex.", "Bob lives in Oslo.", "yes"},
      {"My sister is Lena.", "My colleague Lena lives in Oslo.", "yes"},
      {"Martin Berg lives in Oslo.", "Martín Berg works at Globex.", "yes"},
  };
  return kCases;
}

TEST_F(AskedOfRecords, WhatIsUndoneIsNotAskedAboutUntilItIsBack) {
  for (const Case& one : cases()) {
    begin();
    remember(one.known);
    const Json acts = anima("undo last --dry-run --json").json();
    const auto act = acts.find("acts")->as_array().front().find("act")->as_integer();
    remember(one.asks);
    const auto open = questions();
    ASSERT_EQ(open.size(), 1u) << one.asks;
    const std::string id = open.front().find("id")->as_string();
    const auto gone = anima("undo " + std::to_string(act));
    ASSERT_EQ(gone.code, 0) << gone.out;
    EXPECT_TRUE(questions().empty()) << one.asks << anima("memory review").out;
    const std::string before = anima("export").out;
    const auto refused = anima("memory review " + id + " " + one.answer);
    EXPECT_EQ(refused.code, 6) << one.asks << refused.out;
    EXPECT_EQ(anima("export").out, before) << one.asks;
    const std::size_t at = gone.out.rfind("anima undo ");
    ASSERT_NE(at, std::string::npos) << gone.out;
    ASSERT_EQ(anima("undo " + std::to_string(std::stoi(gone.out.substr(at + 11)))).code, 0);
    EXPECT_EQ(questions().size(), 1u) << one.asks;
    const auto answered = anima("memory review " + id + " " + one.answer);
    EXPECT_EQ(answered.code, 0) << one.asks << answered.out;
  }
}

TEST_F(AskedOfRecords, WhatIsForgottenOrDeletedIsNotAskedAbout) {
  const std::vector<std::function<void(const std::string&)>> doors = {
      [&](const std::string& id) { EXPECT_EQ(anima("memory forget " + id).code, 0); },
      [&](const std::string&) {
        EXPECT_EQ(anima("kip 'DELETE PROPOSITIONS ?l WHERE { ?l ({type: \"Person\", name: \"Lena "
                        "Brandt\"}, \"lives_in\", {type: \"Place\", name: \"Rome\"}) }'")
                      .code,
                  0);
      },
      [&](const std::string&) { EXPECT_EQ(anima("forget Rome --mentions --confirm").code, 0); },
  };
  for (const auto& door : doors) {
    begin();
    const std::string known = remember("Lena Brandt moved to Rome in 2015.");
    remember("Lena Brandt moved to Rome in 2018.");
    ASSERT_EQ(questions().size(), 1u);
    const std::string id = questions().front().find("id")->as_string();
    door(known);
    EXPECT_TRUE(questions().empty()) << anima("memory review").out;
    EXPECT_EQ(anima("memory review " + id + " both").code, 6);
  }
}

TEST_F(AskedOfRecords, WhoIsMergedIsNotAskedAbout) {
  begin();
  remember("Bob Smith works at Globex.");
  remember("Bob lives in Oslo.");
  ASSERT_EQ(questions().size(), 1u);
  anima("kip 'UPSERT { CONCEPT { {type: \"Person\", name: \"Bob\"} } }'");
  EXPECT_EQ(anima("kip 'MERGE CONCEPT ?o INTO ?k WHERE { ?o {type: \"Person\", name: \"Bob "
                  "Smith\"} ?k {type: \"Person\", name: \"Bob\"} }'")
                .code,
            0);
  EXPECT_TRUE(questions().empty()) << anima("memory review").out;
}

}  // namespace
}  // namespace anima::asked_of_records_test
