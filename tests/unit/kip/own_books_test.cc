// What Anima keeps of itself in the graph (store/own_graphs.h) is read by KIP and not changed by
// it; and what KIP states again keeps the trust of whoever stated it.
#include <gtest/gtest.h>

#include "kip/engine.h"
#include "store/own_graphs.h"

namespace anima::kip {
namespace {

constexpr std::string_view kBook = "urn:anima:memory";

class OwnBooks : public ::testing::Test {
 protected:
  void SetUp() override {
    space_ = *store::Space::in_memory();
    engine_ = *Engine::open(space_);
    ASSERT_TRUE(space_->write({}, [](store::Transaction& transaction) -> Status {
      store::AssertOptions own;
      own.graph = transaction.graph(kBook);
      ANIMA_ASSIGN(const auto type, transaction.upsert_type("Note", own));
      ANIMA_ASSIGN(const auto note, transaction.upsert_concept(type, "n1", own));
      return set_text(transaction, note, "says", "kept", own);
    }));
  }
  static Status set_text(store::Transaction& transaction, store::EntityId entity,
                         std::string_view key, std::string_view text,
                         const store::AssertOptions& options) {
    const store::Value value = store::Value::string(text);
    ANIMA_ASSIGN(const store::Term term, transaction.term(value.view()));
    return transaction.set_attribute(entity, key, std::span(&term, 1), options);
  }
  std::string say(std::string_view command, store::Trust trust = store::Trust::kUntrusted) {
    Caller caller;
    caller.origin.trust = trust;
    const Json answer = engine_->execute(command, Json(JsonObject{}), caller);
    const Json* error = answer.find("error");
    return error == nullptr ? "ok" : error->find("code")->as_string();
  }
  std::string kept() {
    const store::Snapshot own = store::in_graph(space_->snapshot().value(), kBook);
    const auto type = own.find_type("Note");
    const auto note = type ? own.find_concept(*type, "n1") : std::nullopt;
    const auto text = note ? own.attribute(*note, "says") : std::nullopt;
    return text ? std::string(own.value(*text).text) : "(gone)";
  }
  // Of the best assertion of an attribute.
  store::Trust trust_of(std::string_view type, std::string_view name, std::string_view key) {
    const store::Snapshot now = space_->snapshot().value();
    const auto entity = now.find_concept(*now.find_type(type), name);
    const store::Triple statement{*entity, store::Predicate::attribute(*now.find_string(key)),
                                  *now.attribute(*entity, key)};
    return now.entry(now.assertions(statement).front().born).trust;
  }

  std::shared_ptr<store::Space> space_;
  std::shared_ptr<Engine> engine_;
};

TEST_F(OwnBooks, AreReadAndNotChanged) {
  constexpr std::string_view kQuestion = R"(FIND(?n.attributes.says) WHERE { ?n {type: "Note"} })";
  EXPECT_EQ(say(kQuestion), "KIP_2001");
  const Json asked = Json::object({{"command", kQuestion}, {"books", true}});
  EXPECT_NE(engine_->execute(asked).dump().find("kept"), std::string::npos);
  // A batch that writes reads like any other.
  Json commands = Json::array();
  commands.push_back(R"(UPSERT { CONCEPT { {type: "$ConceptType", name: "T"} } })");
  commands.push_back(kQuestion);
  const Json batch = Json::object({{"commands", std::move(commands)}, {"atomic", true}});
  EXPECT_EQ(engine_->execute(batch).dump().find("kept"), std::string::npos);
  for (const std::string_view command :
       {R"(UPSERT { CONCEPT { {type: "Note", name: "n1"} SET ATTRIBUTES { says: "else" } } })",
        R"(UPSERT { CONCEPT { {type: "Note", name: "n1"} } })",
        R"(UPDATE ?n SET ATTRIBUTES { says: "else" } WHERE { ?n {type: "Note"} })",
        R"(DELETE ATTRIBUTES {"says"} FROM ?n WHERE { ?n {type: "Note"} })",
        R"(DELETE CONCEPT ?n DETACH WHERE { ?n {type: "Note"} })"}) {
    EXPECT_EQ(say(command, store::Trust::kOperator), "KIP_3004") << command;
    EXPECT_EQ(kept(), "kept");
  }
}

TEST_F(OwnBooks, AreNoPartOfAMerge) {
  ASSERT_EQ(say(R"(UPSERT { CONCEPT { {type: "Note", name: "mine"} } })"), "ok");
  const std::string_view into = R"(MERGE CONCEPT ?a INTO ?b WHERE { ?a {type: "Note", name: "mine"}
                                   ?b {type: "Note", name: "n1"} })";
  const std::string_view from = R"(MERGE CONCEPT ?b INTO ?a WHERE { ?a {type: "Note", name: "mine"}
                                   ?b {type: "Note", name: "n1"} })";
  EXPECT_EQ(say(into), "KIP_3004");
  EXPECT_EQ(say(from), "KIP_3004");
  EXPECT_EQ(kept(), "kept");
}

TEST_F(OwnBooks, NoRequestNamesTheirGraph) {
  const Json request = Json::object(
      {{"command", R"(UPSERT { CONCEPT { {type: "Note", name: "n2"} } })"}, {"graph", kBook}});
  const Json answer = engine_->execute(request);
  ASSERT_NE(answer.find("error"), nullptr);
  EXPECT_EQ(answer.find("error")->find("code")->as_string(), "KIP_3004");
}

// The owner who joins two names has not said himself what a stranger said of one of them.
TEST_F(OwnBooks, MergingRaisesNoTrust) {
  ASSERT_EQ(say(R"(UPSERT { CONCEPT { {type: "$ConceptType", name: "Person2"} } })"), "ok");
  ASSERT_EQ(
      say(R"(UPSERT { CONCEPT { {type: "Person2", name: "Ada"} } })", store::Trust::kOperator),
      "ok");
  ASSERT_EQ(say(R"(UPSERT { CONCEPT { {type: "Person2", name: "ada."}
                   SET ATTRIBUTES { mail: "mallory@evil.example" } } })"),
            "ok");
  ASSERT_EQ(say(R"(MERGE CONCEPT ?a INTO ?b WHERE { ?a {type: "Person2", name: "ada."}
                   ?b {type: "Person2", name: "Ada"} })",
                store::Trust::kOperator),
            "ok");
  EXPECT_EQ(trust_of("Person2", "Ada", "mail"), store::Trust::kUntrusted);
}

}  // namespace
}  // namespace anima::kip
