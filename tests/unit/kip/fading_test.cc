// What is left of a confidence after some weeks, computed when it is asked for.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "kip/engine.h"
#include "support/lent_clock.h"

namespace anima::kip::fading_test {
namespace {

class Fading : public ::testing::Test {
 protected:
  void SetUp() override {
    EngineOptions options;
    options.clock = clock_;
    engine_ = Engine::open(space_, options).value();
    ask("UPSERT { CONCEPT { {type: \"$PropositionType\", name: \"knows\"} } }");
    ask("UPSERT { CONCEPT ?a { {type: \"Person\", name: \"Ada\"} } CONCEPT { {type: \"Person\", "
        "name: \"Ben\"} SET PROPOSITIONS { (\"knows\", ?a) WITH METADATA {confidence: 0.8, "
        "observed_at: \"2026-03-01T00:00:00Z\"} } } CONCEPT { {type: \"Person\", name: \"Carl\"} "
        "SET "
        "PROPOSITIONS { (\"knows\", ?a) WITH METADATA {confidence: 0.8, verified_by: \"Ada\", "
        "observed_at: \"2026-03-01T00:00:00Z\"} } } }");
  }
  Json ask(const std::string& command, const Json& factor = {}) {
    Json request = Json::object({{"command", command}});
    if (!factor.is_null()) request.set("decay_factor", factor);
    Caller caller;
    caller.origin.trust = store::Trust::kStandard;
    const Json answer = engine_->execute(request, caller);
    const Json* result = answer.find("result");
    return result == nullptr ? answer : *result;
  }
  double faded(const std::string& name, const Json& factor = {}) {
    const Json result = ask("FIND(?l.metadata._faded_confidence) WHERE { ?l ({name: \"" + name +
                                "\"}, \"knows\", ?q) }",
                            factor);
    return result.is_array() && result.as_array().size() == 1 ? result.as_array()[0].as_number()
                                                              : -1;
  }

  std::shared_ptr<ManualClock> clock_ =
      std::make_shared<ManualClock>(parse_timestamp("2026-03-01T00:00:00Z").value());
  std::shared_ptr<store::Space> space_ =
      store::Space::in_memory({.clock = test::lent(*clock_)}).value();
  std::shared_ptr<Engine> engine_;
};

TEST_F(Fading, IsAFunctionOfTheAge) {
  EXPECT_DOUBLE_EQ(faded("Ben"), 0.8);
  clock_->advance(std::int64_t{6} * 24 * 3'600 * 1'000'000);
  EXPECT_DOUBLE_EQ(faded("Ben"), 0.8);  // whole weeks
  clock_->advance(std::int64_t{15} * 24 * 3'600 * 1'000'000);
  EXPECT_DOUBLE_EQ(faded("Ben"), 0.8 * std::pow(0.95, 3));
  EXPECT_DOUBLE_EQ(faded("Ben"), 0.8 * std::pow(0.95, 3));  // asking changes nothing
  EXPECT_DOUBLE_EQ(faded("Ben", 0.5), 0.8 * 0.125);
  EXPECT_DOUBLE_EQ(faded("Carl"), 0.8);  // somebody has verified it
}

TEST_F(Fading, SparesWhatSleepSpares) {
  const std::vector<std::pair<const char*, bool>> said = {
      {"reviewed: true", true},       {"status: \"pinned\"", true}, {"status: \"verified\"", true},
      {"reviewed_by: \"Ada\"", true}, {"reviewed: false", false},   {"status: \"draft\"", false},
      {"verified_by: \"\"", false}};
  clock_->advance(std::int64_t{70} * 24 * 3'600 * 1'000'000);
  for (const auto& [metadata, spared] : said) {
    ask("UPSERT { CONCEPT { {type: \"Person\", name: \"Dora\"} SET PROPOSITIONS { (\"knows\", "
        "{type: \"Person\", name: \"Ada\"}) WITH METADATA {confidence: 0.8, created_at: "
        "\"2026-03-01T00:00:00Z\", " +
        std::string(metadata) + "} } } }");
    EXPECT_DOUBLE_EQ(faded("Dora"), spared ? 0.8 : 0.8 * std::pow(0.95, 10)) << metadata;
    ask("DELETE CONCEPT ?d DETACH WHERE { ?d {type: \"Person\", name: \"Dora\"} }");
  }
}

// What a person told stands in a graph of its own, and so does what a compartment states.
TEST_F(Fading, SparesWhatAnotherGraphStates) {
  for (const bool beside : {false, true}) {
    const std::string name = beside ? "Emil" : "Fay";
    const std::string command =
        "UPSERT { CONCEPT { {type: \"Person\", name: \"" + name +
        "\"} SET PROPOSITIONS { (\"knows\", {type: \"Person\", name: \"Ada\"}) WITH METADATA "
        "{confidence: 0.8, observed_at: \"2026-03-01T00:00:00Z\"} } } }";
    Caller caller;
    caller.origin.trust = store::Trust::kStandard;
    for (const bool other : {false, true}) {
      if (!other && !beside) continue;
      Json request = Json::object({{"command", command}});
      if (other) request.set("graph", "urn:told");
      const Json answer = engine_->execute(request, caller);
      ASSERT_FALSE(has_error(answer)) << answer.dump();
    }
    clock_->advance(std::int64_t{70} * 24 * 3'600 * 1'000'000);
    EXPECT_DOUBLE_EQ(faded(name), 0.8) << name;
  }
  EXPECT_LT(faded("Ben"), 0.8);
}

TEST_F(Fading, FiltersAndSorts) {
  clock_->advance(std::int64_t{70} * 24 * 3'600 * 1'000'000);
  EXPECT_EQ(ask("FIND(?p.name) WHERE { ?l (?p, \"knows\", ?q) "
                "FILTER(?l.metadata._faded_confidence < 0.6) }")
                .dump(),
            "[\"Ben\"]");
  EXPECT_EQ(ask("FIND(?p.name) WHERE { ?l (?p, \"knows\", ?q) } "
                "ORDER BY ?l.metadata._faded_confidence DESC")
                .dump(),
            "[\"Carl\",\"Ben\"]");
  EXPECT_NE(ask("FIND(?p.name) WHERE { ?l (?p, \"knows\", ?q) }", 1.5).find("error"), nullptr);
}

}  // namespace
}  // namespace anima::kip::fading_test
