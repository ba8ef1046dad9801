// A link that a file states and a text tells: each is undone by itself, and a file that says an
// ended one again has it hold again.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/files/file.h"
#include "support/command.h"

namespace anima {
namespace {

class StatedTwice : public testing::Test {
 protected:
  void SetUp() override { test::init_space(folder_); }
  std::string anima(const std::string& words) {
    const test::Ran ran = test::run_anima(folder_, words, "2>&1 </dev/null");
    EXPECT_EQ(ran.code, 0) << words << "\n" << ran.out;
    return ran.out;
  }
  void load(const std::string& home) {
    const std::string file = folder_.file("people.csv");
    std::ofstream(file) << "name,lives_in\nAnn," << home << "\n";
    anima("load --yes --trust operator --type Person --key name --link lives_in=Place.lives_in " +
          file);
  }
  std::string home() {
    const std::string answer = anima("ask \"Where does Ann live?\"");
    return answer.substr(0, answer.find('\n'));
  }
  TemporaryDirectory folder_{"anima-stated-twice"};
};

TEST_F(StatedTwice, WhatWasToldGoesWithItsUndo) {
  load("Bergen");
  anima("remember \"I live in Bergen.\" --speaker Ann");
  anima("undo last");
  EXPECT_EQ(anima("why Ann lives_in Bergen").find("Told("), std::string::npos);
  load("Rome");
  EXPECT_EQ(home(), "Rome");
}

TEST_F(StatedTwice, AFileThatSaysAnEndedHomeAgainHasItHold) {
  anima(R"(kip 'UPSERT { CONCEPT { {type:"$ConceptType",name:"Place"} }
        CONCEPT { {type:"$PropositionType",name:"lives_in"} SET ATTRIBUTES {functional:true} }
        CONCEPT { {type:"Place",name:"Oslo"} }
        CONCEPT { {type:"Person",name:"Ann"}
          SET PROPOSITIONS { ("lives_in",{type:"Place",name:"Oslo"}) } } }')");
  load("Paris");
  anima("sleep");
  EXPECT_EQ(home(), "Paris");
  load("Oslo");
  EXPECT_EQ(home(), "Oslo");
}

}  // namespace
}  // namespace anima
