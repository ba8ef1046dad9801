// What a client may ask of the engine beside the language: to define what it uses, and short hits.
#include <gtest/gtest.h>

#include "kip/engine.h"

namespace anima::kip {
namespace {

class CallerOptions : public testing::Test {
 protected:
  CallerOptions() {
    caller_.origin.author = "mcp:ada";
    caller_.origin.trust = store::Trust::kStandard;
  }
  Json send(const std::string& command, std::initializer_list<JsonMember> more = {}) {
    Json request = Json::object({{"command", command}});
    for (const JsonMember& each : more) request.set(each.first, each.second);
    return engine_->execute(request, caller_);
  }
  Json found(const std::string& command) {
    const Json answer = send(command);
    EXPECT_NE(answer.find("result"), nullptr) << answer.dump();
    return answer.find("result") == nullptr ? Json::array() : *answer.find("result");
  }
  store::Sequence sequence() { return engine_->space().snapshot().value().sequence(); }
  static std::string code_of(const Json& answer) {
    const Json* error = answer.find("error");
    return error == nullptr ? "ok" : error->find("code")->as_string();
  }

  std::shared_ptr<Engine> engine_ = Engine::open(store::Space::in_memory().value()).value();
  Caller caller_;
};

constexpr const char* kBoss =
    R"(UPSERT { CONCEPT ?a { {type: "Worker", name: "Alice"} }
                CONCEPT { {type: "Worker", name: "Bob"} SET PROPOSITIONS { ("directs", ?a) } } })";
constexpr const char* kWhose =
    R"(FIND(?b.name) WHERE { (?b, "directs", {type: "Worker", name: "Alice"}) })";

TEST_F(CallerOptions, NothingIsDefinedUnasked) {
  const auto before = sequence();
  EXPECT_EQ(code_of(send(kBoss)), "KIP_2001");
  EXPECT_EQ(sequence(), before);
}

TEST_F(CallerOptions, AnUpsertDefinesWhatItUsesInItsOwnEntryAndSaysSo) {
  caller_.define_on_use = true;
  const auto before = static_cast<std::uint64_t>(sequence());
  const Json answer = send(kBoss);
  ASSERT_EQ(code_of(answer), "ok") << answer.dump();
  EXPECT_EQ(answer.find("defined")->dump(), R"([{"type":"$ConceptType","name":"Worker"},)"
                                            R"({"type":"$PropositionType","name":"directs"}])");
  EXPECT_EQ(static_cast<std::uint64_t>(sequence()), before + 1);
  EXPECT_EQ(found(kWhose).dump(), R"(["Bob"])");
  const Json who = found(
      R"(FIND(?t.metadata._author, ?t.metadata._trust)
         WHERE { ?t {type: "$ConceptType", name: "Worker"} })");
  EXPECT_EQ(who.as_array()[0].as_array()[0].as_string(), "mcp:ada") << who.dump();
  EXPECT_EQ(who.as_array()[1].as_array()[0].as_integer(),
            static_cast<std::int64_t>(store::Trust::kStandard));
  EXPECT_EQ(send(kBoss).find("defined"), nullptr);  // they are there now
}

TEST_F(CallerOptions, ASlipOfThePenIsToldWhatItIsNear) {
  caller_.define_on_use = true;
  const Json answer = send(R"(UPSERT { CONCEPT { {type: "Persn", name: "Eve"} } })");
  EXPECT_EQ(answer.find("defined")->dump(),
            R"([{"type":"$ConceptType","name":"Persn","near":["Person"]}])");
}

TEST_F(CallerOptions, WhatFailsDefinesNothing) {
  caller_.define_on_use = true;
  const auto before = sequence();
  EXPECT_EQ(code_of(send(R"(UPSERT { CONCEPT { {type: "Worker", name: "Bob"}
      SET PROPOSITIONS { ("directs", {type: "Worker", name: "nobody"}) } } })")),
            "KIP_3002");
  EXPECT_EQ(code_of(send(R"(UPSERT { CONCEPT { {type: "$Worker", name: "Bob"} } })")), "KIP_2001");
  EXPECT_EQ(code_of(send(R"(UPSERT { CONCEPT { {type: "", name: "Bob"} } })")), "KIP_2001");
  EXPECT_EQ(code_of(send(R"(FIND(?x) WHERE { ?x {type: "Worker"} })")), "KIP_2001");
  caller_.readonly = true;
  EXPECT_EQ(code_of(send(kBoss)), "KIP_1001");
  EXPECT_EQ(sequence(), before);
}

TEST_F(CallerOptions, ADryRunTellsWhatItWouldDefine) {
  caller_.define_on_use = true;
  const auto before = sequence();
  const Json answer = send(kBoss, {{"dry_run", true}});
  EXPECT_EQ(answer.find("defined")->as_array().size(), 2u) << answer.dump();
  EXPECT_EQ(sequence(), before);
}

TEST_F(CallerOptions, ABatchDefinesOnceAndAFailedAtomicOneNothing) {
  caller_.define_on_use = true;
  const Json batch =
      Json::array({kBoss, R"(UPSERT { CONCEPT { {type: "Worker", name: "Carol"} } })"});
  const Json answer =
      engine_->execute(Json::object({{"commands", batch}, {"atomic", true}}), caller_);
  const JsonArray& answers = answer.find("result")->as_array();
  ASSERT_EQ(answers.size(), 2u) << answer.dump();
  EXPECT_NE(answers[0].find("defined"), nullptr);
  EXPECT_EQ(answers[1].find("defined"), nullptr);
  const auto before = sequence();
  const Json failing =
      Json::array({R"(UPSERT { CONCEPT { {type: "Ship", name: "Mole"} } })", "FIND("});
  engine_->execute(Json::object({{"commands", failing}, {"atomic", true}}), caller_);
  EXPECT_EQ(sequence(), before);
  EXPECT_EQ(code_of(send(R"(FIND(?x) WHERE { ?x {type: "Ship"} })")), "KIP_2001");
}

// --- short hits

TEST_F(CallerOptions, AShortHitSaysWhatMattersOnALine) {
  caller_.define_on_use = true;
  const std::string text(400, 'x');
  send(
      R"(UPSERT { CONCEPT { {type: "Worker", name: "Bob"} SET ATTRIBUTES {role: "baker", age: 40} } }
          UPSERT { CONCEPT { {type: "Worker", name: "Bobby"}
            SET ATTRIBUTES {age: 4, description: ")" +
      text + R"("} } } )");
  send(kBoss);
  const std::string search = R"(SEARCH CONCEPT "Bob" WITH TYPE "Worker")";
  EXPECT_NE(found(search).as_array()[0].find("metadata"), nullptr);
  caller_.short_hits = true;
  const JsonArray hits = found(search).as_array();
  ASSERT_EQ(hits.size(), 2u);
  EXPECT_EQ(hits[0].find("name")->as_string(), "Bob");
  EXPECT_EQ(hits[0].find("type")->as_string(), "Worker");
  EXPECT_EQ(hits[0].find("about")->as_string(), "role: baker; age: 40");
  EXPECT_NE(hits[0].find("id"), nullptr);
  EXPECT_GT(hits[0].find("score")->as_number(), 0);
  EXPECT_EQ(hits[0].as_object().size(), 5u);
  EXPECT_LT(hits[1].find("about")->as_string().size(), 170u);
  EXPECT_NE(send(search, {{"full", true}}).find("result")->as_array()[0].find("metadata"), nullptr);
  const JsonArray links = found(R"(SEARCH PROPOSITION "directs")").as_array();
  for (const Json& link : links) {
    if (link.find("subject") == nullptr) continue;
    EXPECT_EQ(link.find("subject")->as_string(), "Bob");
    EXPECT_EQ(link.find("predicate")->as_string(), "directs");
    EXPECT_EQ(link.find("object")->as_string(), "Alice");
  }
  EXPECT_FALSE(links.empty());
}

TEST_F(CallerOptions, ShortHitsAreTenUnlessMoreAreAskedFor) {
  caller_.define_on_use = true;
  std::string items;
  for (int i = 0; i < 30; ++i)
    items += R"(CONCEPT { {type: "Worker", name: "Bob )" + std::to_string(i) + R"("} } )";
  ASSERT_EQ(code_of(send("UPSERT { " + items + "}")), "ok");
  EXPECT_EQ(found(R"(SEARCH CONCEPT "Bob")").as_array().size(), 30u);
  caller_.short_hits = true;
  const Json answer = send(R"(SEARCH CONCEPT "Bob")");
  EXPECT_EQ(answer.find("result")->as_array().size(), 10u);
  EXPECT_NE(answer.find("notice"), nullptr);
  const Json more = send(R"(SEARCH CONCEPT "Bob" LIMIT 25)");
  EXPECT_EQ(more.find("result")->as_array().size(), 25u);
  EXPECT_EQ(more.find("notice"), nullptr);
}

TEST(MayChange, IsFalseOnlyOfWhatIsKnownToRead) {
  const auto one = [](std::string text) { return Json::object({{"command", std::move(text)}}); };
  const auto several = [](std::string first, std::string second) {
    return Json::object({{"commands", Json::array({std::move(first), std::move(second)})}});
  };
  const std::string find = "FIND(?d) WHERE { ?d {type: \"Domain\"} }";
  const std::string upsert = "UPSERT { CONCEPT { {type: \"Domain\", name: \"UPSERT\"} } }";
  EXPECT_FALSE(may_change(one(find)));
  EXPECT_FALSE(may_change(one("DESCRIBE PRIMER")));
  EXPECT_FALSE(may_change(several(find, "SEARCH CONCEPT \"UPSERT\"")));
  EXPECT_TRUE(may_change(one(upsert)));
  EXPECT_TRUE(may_change(several(find, upsert)));
  EXPECT_TRUE(may_change(one(find + "\n" + upsert)));
  EXPECT_TRUE(may_change(one("no command")));
  EXPECT_TRUE(may_change(Json()));
  EXPECT_TRUE(may_change(one(std::string(std::size_t{65} << 10, ' ') + find))) << "not read";
}

}  // namespace
}  // namespace anima::kip
