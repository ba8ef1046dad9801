// Batches and scripts that write: each statement an entry of its own, in order, up to the first
// error; one answer a statement.
#include <gtest/gtest.h>

#include "kip/engine.h"
#include "store/log.h"

namespace anima::kip {
namespace {

class Series : public testing::Test {
 protected:
  void SetUp() override {
    auto space = store::Space::in_memory();
    ASSERT_TRUE(space);
    auto engine = Engine::open(*space);
    ASSERT_TRUE(engine);
    engine_ = *engine;
    define("City");
  }
  void define(const std::string& type) {
    const Json answer =
        say(R"(UPSERT { CONCEPT { {type: "$ConceptType", name: ")" + type + R"("} } })");
    ASSERT_NE(answer.find("result"), nullptr) << answer.dump();
  }
  static std::string city(const std::string& name) {
    return R"(UPSERT { CONCEPT { {type: "City", name: ")" + name + R"("} } })";
  }
  static std::string count() { return R"(FIND(COUNT(?c)) WHERE { ?c {type: "City"} })"; }
  std::uint64_t entries() const {
    return static_cast<std::uint64_t>(engine_->space().snapshot().value().sequence());
  }
  Json batch(std::vector<std::string> commands) {
    JsonArray list;
    for (std::string& command : commands) list.emplace_back(std::move(command));
    return engine_->execute(Json::object({{"commands", Json(std::move(list))}}));
  }
  static const JsonArray& answers(const Json& answer) { return answer.find("result")->as_array(); }
  // "ok" or the code of the error, one after the other.
  static std::string outcome(const Json& answer) {
    std::string text;
    for (const Json& one : answers(answer)) {
      const Json* error = one.find("error");
      text += (text.empty() ? "" : " ") +
              (error == nullptr ? std::string("ok") : error->find("code")->as_string());
    }
    return text;
  }
  Json say(const std::string& command) { return engine_->execute(command, Json(JsonObject{})); }
  std::shared_ptr<Engine> engine_;
};

TEST_F(Series, EachStatementIsAnEntryOfItsOwn) {
  const std::uint64_t before = entries();
  EXPECT_EQ(outcome(batch({city("Bern"), city("Rome"), city("Oslo")})), "ok ok ok");
  EXPECT_EQ(entries(), before + 3);
  const Json undone = say(count());
  EXPECT_EQ(undone.find("result")->as_integer(), 3);
  ASSERT_TRUE(engine_->space().undo({}, store::Sequence{before + 2}, store::Sequence{before + 2},
                                    false, false));
  EXPECT_EQ(say(count()).find("result")->as_integer(), 2);
}

TEST_F(Series, WhatIsReadInBetweenSeesWhatWasWrittenBefore) {
  const Json answer =
      batch({city("Bern"), city("Rome"), count(), city("Oslo"), count(), city("Rome")});
  EXPECT_EQ(outcome(answer), "ok ok ok ok ok ok");
  EXPECT_EQ(answers(answer)[2].find("result")->as_integer(), 2);
  EXPECT_EQ(answers(answer)[4].find("result")->as_integer(), 3);
}

TEST_F(Series, TheFirstErrorEndsIt) {
  const std::uint64_t before = entries();
  const std::string wrong = R"(UPSERT { CONCEPT { {type: "Town", name: "x"} } })";
  const Json answer = batch({city("Bern"), city("Rome"), wrong, city("Oslo")});
  EXPECT_EQ(outcome(answer), "ok ok KIP_2001");
  const Json& place = *answers(answer)[2].find("error")->find("data");
  EXPECT_EQ(place.find("line")->as_integer(), 1);
  EXPECT_GT(place.find("column")->as_integer(), 1);
  EXPECT_EQ(entries(), before + 2);
  EXPECT_EQ(say(count()).find("result")->as_integer(), 2);
}

TEST_F(Series, ATextThatDoesNotParseEndsItInItsTurn) {
  EXPECT_EQ(outcome(batch({city("Bern"), "UPSERT {", city("Oslo")})), "ok KIP_1001");
  EXPECT_EQ(say(count()).find("result")->as_integer(), 1);
}

TEST_F(Series, AnItemThatAnEarlierStatementMadeIsFound) {
  const Json answer =
      batch({R"(UPSERT { CONCEPT { {type: "$PropositionType", name: "near"} } })", city("Bern"),
             R"(UPSERT { CONCEPT { {type: "City", name: "Thun"} }
           PROPOSITION { ({type: "City", name: "Thun"}, "near", {type: "City", name: "Bern"}) }
           PROPOSITION { ({type: "City", name: "Bern"}, "near",
                          ({type: "City", name: "Thun"}, "near", {type: "City", name: "Bern"})) } })"});
  EXPECT_EQ(outcome(answer), "ok ok ok");
  const Json found = say(R"(FIND(?a.name) WHERE { (?a, "near", (?b, "near", ?c)) })");
  EXPECT_EQ(found.find("result")->dump(), R"(["Bern"])");
}

TEST_F(Series, AScriptAnswersEachOfItsStatements) {
  const Json script = say(city("Bern") + ";" + count() + city("Rome") + count());
  EXPECT_EQ(outcome(script), "ok ok ok ok");
  EXPECT_EQ(answers(script)[3].find("result")->as_integer(), 2);
  const Json nested = batch({city("Oslo") + ";" + count(), "// nothing", count()});
  ASSERT_EQ(answers(nested).size(), 3u);
  EXPECT_EQ(answers(answers(nested)[0]).size(), 2u);
  EXPECT_TRUE(answers(answers(nested)[1]).empty());
  EXPECT_EQ(answers(nested)[2].find("result")->as_integer(), 3);
}

// Commands of this length are parsed while the ones before them run.
TEST_F(Series, LongCommandsRunInTheirOrder) {
  std::vector<std::string> commands;
  for (int command = 0; command < 12; ++command) {
    std::string items;
    for (int i = 0; i < 500; ++i) {
      items += R"( CONCEPT { {type: "City", name: "city )" + std::to_string(command * 400 + i) +
               R"("} SET ATTRIBUTES { by: )" + std::to_string(command) + " } }";
    }
    commands.push_back("UPSERT {" + items + " }");
  }
  commands.push_back(count());
  const std::uint64_t before = entries();
  const Json answer = batch(commands);
  EXPECT_EQ(entries(), before + 12);
  EXPECT_EQ(answers(answer).back().find("result")->as_integer(), 11 * 400 + 500);
  // The later of two that name one city has the last word.
  const Json last = say(R"(FIND(?c.attributes.by) WHERE { ?c {type: "City", name: "city 450"} })");
  EXPECT_EQ(last.find("result")->dump(), "[1]");
  commands[5] += "}";
  EXPECT_EQ(outcome(batch(commands)), "ok ok ok ok ok KIP_1001");
}

TEST_F(Series, ReadOnlyAndDryRunsWriteNothing) {
  const std::uint64_t before = entries();
  for (const char* flag : {"readonly", "dry_run"}) {
    engine_->execute(Json::object(
        {{"commands", Json(JsonArray{Json(city("Bern")), Json(city("Rome"))})}, {flag, true}}));
    EXPECT_EQ(entries(), before) << flag;
  }
}

}  // namespace
}  // namespace anima::kip
