// What sleep writes again stays the word of who said it: its author, source and time, what holds by
// them, what is forgotten with them and what an undo of them takes back.
#include "memory/contradiction.h"
#include "memory/forgetting.h"
#include "store/forget.h"
#include "store/statements.h"
#include "support/sleep_world.h"

namespace anima::sleep::kept_words_test {
namespace {

using store::Sequence;
using store::Triple;
using test_support::SleepWorld;

constexpr std::string_view kCities =
    "UPSERT { CONCEPT { {type: \"$PropositionType\", name: \"near\"} SET ATTRIBUTES {functional: "
    "true} } CONCEPT { {type: \"City\", name: \"Oslo\"} } CONCEPT { {type: \"City\", name: "
    "\"Rome\"} } CONCEPT { {type: \"City\", name: \"Bergen\"} } }";
constexpr std::string_view kNear =
    "UPSERT { CONCEPT { {type: \"City\", name: \"Bergen\"} SET PROPOSITIONS { (\"near\", {type: "
    "\"City\", name: :object}) } } } WITH METADATA {observed_at: :at}";
constexpr std::string_view kNearUndated =
    "UPSERT { CONCEPT { {type: \"City\", name: \"Bergen\"} SET PROPOSITIONS { (\"near\", {type: "
    "\"City\", name: :object}) } } }";

class Memory : public SleepWorld {
 public:
  Memory() {
    tell(kCities);
    sleep();
  }

  // Gives the entry that says it.
  Sequence say(std::string_view command, const Json& parameters, const std::string& source) {
    kip::Caller caller;
    caller.origin = {"mcp:local", source, store::Trust::kStandard, Sequence::kNone};
    const Json answer = engine->execute(command, parameters, caller);
    EXPECT_FALSE(kip::has_error(answer)) << answer.dump();
    return space->snapshot()->sequence();
  }
  Sequence say_near(const std::string& object, const std::string& source) {
    return say(kNearUndated, Json::object({{"object", object}}), source);
  }

  void forget(const memory::ForgetRequest& request) {
    const auto plan = memory::plan_forgetting(*space, request);
    ASSERT_TRUE(plan) << plan.error().describe();
    const auto gone = store::forget(*space, {"tester", "test", store::Trust::kOperator, {}},
                                    plan->what, clock->now(), false);
    ASSERT_TRUE(gone) << gone.error().describe();
  }
  void forget_source(const std::string& source) {
    memory::ForgetRequest request;
    request.source = source;
    forget(request);
  }

  store::EntityId named(const std::string& name) const {
    const store::Snapshot now = *space->snapshot();
    for (std::uint32_t id = 1; id < now.entity_bound(); ++id) {
      const store::EntityId entity{id};
      if (now.kind(entity) == store::EntityKind::kConcept && now.exists(entity) &&
          now.name(entity) == name)
        return entity;
    }
    return store::EntityId::kNone;
  }
  std::optional<Triple> link(const std::string& subject, const std::string& predicate,
                             const std::string& object) const {
    const store::Snapshot now = *space->snapshot();
    const auto relation = now.find_predicate(predicate);
    if (!relation) return std::nullopt;
    return Triple{named(subject), store::Predicate::link(*relation),
                  store::Term::entity(named(object))};
  }
  bool holds(const std::string& subject, const std::string& predicate,
             const std::string& object) const {
    const auto triple = link(subject, predicate, object);
    return triple && space->snapshot()->contains(*triple);
  }
  store::Assertion word(const std::string& subject, const std::string& predicate,
                        const std::string& object) const {
    const auto said = space->snapshot()->assertions(*link(subject, predicate, object));
    EXPECT_EQ(said.size(), 1u);
    return said.empty() ? store::Assertion() : said.front();
  }
};

TEST(KeptWords, AFadedFactIsTheWordOfWhoSaidIt) {
  Memory memory;
  const Sequence said = memory.say_near("Oslo", "crm");
  for (const std::int64_t days : {8, 20}) {
    memory.pass_days(days);
    memory.sleep();
    const store::Assertion word = memory.word("Bergen", "near", "Oslo");
    EXPECT_EQ(word.born, said);
    EXPECT_LT(word.confidence, 1.0);
  }
}

// With a cycle between or without, at any place, the same one holds.
TEST(KeptWords, WhatHoldsIsTheSameAsWithoutFading) {
  for (const bool after : {false, true}) {
    Memory memory;
    const std::string fifth_day =
        format_timestamp({memory.clock->now().microseconds + 5 * kMicrosecondsPerDay});
    memory.say_near("Oslo", "crm");
    const auto rome = [&] {
      memory.say(kNear, Json::object({{"object", "Rome"}, {"at", fifth_day}}), "crm");
    };
    memory.pass_days(6);
    if (!after) rome();
    memory.pass_days(2);
    Request fading;
    fading.phases = {7};
    memory.sleep(fading);
    memory.pass_days(1);
    if (after) rome();
    ASSERT_LT(memory.word("Bergen", "near", "Oslo").confidence, 1.0);
    const memory::Contradictions contradictions(*memory.space->snapshot());
    EXPECT_FALSE(contradictions.superseded(*memory.link("Bergen", "near", "Oslo")).empty());
    EXPECT_TRUE(contradictions.superseded(*memory.link("Bergen", "near", "Rome")).empty());
  }
}

TEST(KeptWords, WhatFadedIsForgottenWithItsSourceOrItsDay) {
  for (const bool by_day : {false, true}) {
    Memory memory;
    memory.pass_days(1);
    memory.say_near("Oslo", "crm");
    const Timestamp day = memory.clock->now();
    memory.pass_days(22);
    memory.sleep();
    memory::ForgetRequest request;
    if (by_day) {
      request.between = {day, day};
    } else {
      request.source = "crm";
    }
    memory.forget(request);
    EXPECT_FALSE(memory.holds("Bergen", "near", "Oslo"));
  }
}

TEST(KeptWords, AnUndoOfWhatFadedTakesItBack) {
  Memory memory;
  const Sequence said = memory.say_near("Oslo", "crm");
  memory.pass_days(8);
  memory.sleep();
  const auto undone = memory.space->undo({"tester", "test"}, said, said, false, false);
  ASSERT_TRUE(undone) << undone.error().describe();
  EXPECT_FALSE(memory.holds("Bergen", "near", "Oslo"));
}

}  // namespace
}  // namespace anima::sleep::kept_words_test
