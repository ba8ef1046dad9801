// What stands on something that stands on something: links about links, clauses behind clauses.
// Nothing that goes over them may be as deep as they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "kip/engine.h"
#include "kip/parser.h"

namespace anima::kip {
namespace {

class Deep : public testing::Test {
 protected:
  void SetUp() override { engine_ = fresh(); }
  static std::shared_ptr<Engine> fresh() {
    auto space = store::Space::in_memory();
    EXPECT_TRUE(space);
    auto engine = Engine::open(*space, {});
    EXPECT_TRUE(engine);
    return *engine;
  }
  // The member `result`, or null and a failed test.
  static Json ask(Engine& engine, std::string_view command,
                  const Json& parameters = Json(JsonObject{})) {
    const Json answer = engine.execute(command, parameters);
    const Json* result = answer.find("result");
    EXPECT_NE(result, nullptr) << answer.dump().substr(0, 500);
    return result == nullptr ? Json() : *result;
  }
  Json ask(std::string_view command) { return ask(*engine_, command); }
  std::uint64_t links() const {
    store::Pattern all;
    all.predicate_class = store::PredicateClass::kLink;
    return engine_->space().snapshot().value().count(all);
  }
  static std::string person(const std::string& name) {
    return "{type: \"Person\", name: \"" + name + "\"}";
  }
  // A link about a person, a link about that link, and so on: `depth` of them; the last one's id.
  std::string pile(std::size_t depth) {
    ask("UPSERT { CONCEPT { " + person("a") + " } CONCEPT { " + person("b") + " } CONCEPT { " +
        person("x") + " } }");
    std::string below = person("a");
    for (std::size_t made = 0; made < depth;) {
      std::string text = "UPSERT {";
      const std::size_t until = std::min(depth, made + 2000);
      for (std::size_t i = made; i < until; ++i) {
        text += " PROPOSITION ?l" + std::to_string(i) + " { (" + below + ", \"mentions\", " +
                person("x") + ") }";
        below = "?l" + std::to_string(i);
      }
      made = until;
      const Json links = *ask(text + " }").find("upsert_proposition_links");
      below = "(id: " + links.as_array().back().dump() + ")";
    }
    return below;
  }
  std::shared_ptr<Engine> engine_;
};

TEST_F(Deep, LinksAboutLinksAreMergedAndDeletedAtAnyDepth) {
  const std::size_t depth = std::getenv("ANIMA_TEST_FULL") != nullptr ? 100'000 : 20'000;
  const std::uint64_t before = links();
  pile(depth);
  ASSERT_EQ(links(), before + depth);
  const Json merged =
      ask("MERGE CONCEPT ?a INTO ?b WHERE { ?a " + person("a") + " ?b " + person("b") + " }");
  EXPECT_EQ(merged.find("links_repointed")->as_integer(), static_cast<std::int64_t>(depth));
  ASSERT_EQ(links(), before + depth);
  const Json deleted = ask("DELETE CONCEPT ?b DETACH WHERE { ?b " + person("b") + " }");
  EXPECT_EQ(deleted.find("deleted_propositions")->as_integer(), static_cast<std::int64_t>(depth));
  EXPECT_EQ(links(), before);
}

TEST_F(Deep, ALinkThatStandsOnTwoMergedThingsIsMovedOnce) {
  ask("UPSERT { CONCEPT { " + person("a") + " } CONCEPT { " + person("b") + " } CONCEPT { " +
      person("x") + " } PROPOSITION ?l { (" + person("a") + ", \"mentions\", " + person("x") +
      ") } PROPOSITION { (?l, \"mentions\", " + person("a") + ") } }");
  const std::uint64_t before = links();
  ask("MERGE CONCEPT ?a INTO ?b WHERE { ?a " + person("a") + " ?b " + person("b") + " }");
  EXPECT_EQ(links(), before);
  EXPECT_EQ(ask("FIND(COUNT(?l)) WHERE { ?l ((" + person("b") + ", \"mentions\", " + person("x") +
                "), \"mentions\", " + person("b") + ") }")
                .as_integer(),
            1);
}

TEST_F(Deep, WhatIsExportedCanBeReadBackWhateverItStandsOn) {
  constexpr std::size_t kDepth = 1'000;
  const std::string top = pile(kDepth);
  const Json exported = ask("EXPORT ?l WHERE { ?l " + top + " }");
  EXPECT_EQ(exported.find("links")->as_integer(), static_cast<std::int64_t>(kDepth));
  const std::string capsule = exported.find("capsule")->as_string();
  ASSERT_LT(capsule.size(), kMaxTextBytes);
  const auto other = fresh();
  ask(*other, "UPSERT { CONCEPT { " + person("a") + " } CONCEPT { " + person("x") + " } }");
  const Json read = ask(*other, capsule);
  EXPECT_EQ(read.find("upsert_proposition_links")->as_array().size(), kDepth);
}

TEST_F(Deep, WhatStandsTwiceOnOneLinkIsExportedOnce) {
  std::string text = "UPSERT { CONCEPT { " + person("a") + " } PROPOSITION ?l0 { (" + person("a") +
                     ", \"mentions\", " + person("a") + ") }";
  constexpr int kLevels = 60;  // written out, the last one would be 2^60 links long
  for (int i = 1; i < kLevels; ++i) {
    const std::string below = "?l" + std::to_string(i - 1);
    text +=
        " PROPOSITION ?l" + std::to_string(i) + " { (" + below + ", \"mentions\", " + below + ") }";
  }
  const Json made = *ask(text + " }").find("upsert_proposition_links");
  const Json exported = ask("EXPORT ?l WHERE { ?l (id: " + made.as_array().back().dump() + ") }");
  EXPECT_EQ(exported.find("links")->as_integer(), kLevels);
  EXPECT_LT(exported.find("capsule")->as_string().size(), 50'000u);
}

TEST_F(Deep, AValueAsDeepAsATextMayHaveItIsExportedAndReadBack) {
  Json deep(1);
  for (int i = 0; i < 63; ++i) deep = Json::array({std::move(deep)});
  const std::string write = "UPSERT { CONCEPT { " + person("a") + " SET ATTRIBUTES {deep: :v} } }";
  ask(*engine_, write, Json::object({{"v", deep}}));
  const Json exported = ask("EXPORT ?x WHERE { ?x " + person("a") + " }");
  const auto other = fresh();
  ask(*other, exported.find("capsule")->as_string());
  EXPECT_EQ(ask(*other, "FIND(?x.attributes.deep) WHERE { ?x " + person("a") + " }"),
            ask("FIND(?x.attributes.deep) WHERE { ?x " + person("a") + " }"));
}

TEST_F(Deep, AsManyClausesAsATextHoldsAreAnAnswerOrAnError) {
  const auto repeat = [](std::string_view part, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += part;
    return text;
  };
  ask("UPSERT { CONCEPT { " + person("a") + " } }");
  const std::string begin = "FIND(?x) WHERE { ?x " + person("a") + " ";
  EXPECT_EQ(ask(begin + repeat("UNION{?x " + person("a") + "}", 100) + "}").as_array().size(), 1u);
  for (const std::string_view part :
       {"UNION{?x{}}", "NOT{?x{}}", "OPTIONAL{?x{}}", "?x{}", "(?x,\"mentions\",?x)",
        "(?x,\"mentions\"{0,},?x)", "FILTER(?x.name==\"a\")", "UNION{?x{}}?x{}"}) {
    const std::size_t times = (kMaxTextBytes - begin.size() - 1) / part.size();
    for (const bool explain : {false, true}) {
      const std::string text = begin + repeat(part, times) + "}";
      if (explain) {
        (void)engine_->explain(text, Json(JsonObject{}), false);
        continue;
      }
      const Json answer = engine_->execute(text, Json(JsonObject{}));
      const Json* error = answer.find("error");
      if (error == nullptr) continue;
      EXPECT_EQ(error->find("code")->as_string(), "KIP_4002") << answer.dump().substr(0, 300);
    }
  }
}

}  // namespace
}  // namespace anima::kip
