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

// --- what sleep made of what a source said goes with the source

// Whether a name or a value of the knowledge has the text in it.
bool knows(const Memory& memory, const std::string& text) {
  const store::Snapshot now = *memory.space->snapshot();
  bool found = false;
  for (const auto kind : {store::PredicateClass::kStructural, store::PredicateClass::kAttribute,
                          store::PredicateClass::kMetadata}) {
    store::Pattern pattern;
    pattern.predicate_class = kind;
    store::each_statement(now, pattern, [&](const Triple& row) {
      const bool entity = row.object.is_entity();
      const std::string said = entity ? std::string() : now.display(row.object);
      found = found || said.find(text) != std::string::npos;
    });
  }
  return found || memory.named(text) != store::EntityId::kNone;
}

std::size_t count_of_type(const Memory& memory, const std::string& type) {
  const store::Snapshot now = *memory.space->snapshot();
  const auto known = now.find_type(type);
  store::Scratch scratch;
  return known ? now.subjects(store::kTypePredicate, store::Term::entity(*known), scratch).size()
               : 0;
}

TEST(CarriedWords, WhatAMergeCarriedOnGoesWithItsSource) {
  for (const bool kept_is_gone : {false, true}) {
    Memory memory;
    memory.tell("UPSERT { CONCEPT { {type: \"$PropositionType\", name: \"far\"} } }");
    const std::string own = kept_is_gone ? "crm" : "book", other = kept_is_gone ? "book" : "crm";
    memory.say(
        "UPSERT { CONCEPT { {type: \"City\", name: \"North Town\"} SET ATTRIBUTES {mayor: "
        "\"Quimby\"} SET PROPOSITIONS { (\"far\", {type: \"City\", name: \"Oslo\"}) (\"far\", "
        "{type: "
        "\"City\", name: \"Rome\"}) } } }",
        Json::object(), own);
    memory.say(
        "UPSERT { CONCEPT { {type: \"City\", name: \"north town\"} SET ATTRIBUTES {pin: \"99812\"} "
        "SET "
        "PROPOSITIONS { (\"near\", {type: \"City\", name: \"Oslo\"}) } } }",
        Json::object(), other);
    memory.sleep();
    ASSERT_TRUE(memory.holds("North Town", "near", "Oslo"));
    memory.forget_source("crm");
    EXPECT_EQ(memory.holds("North Town", "near", "Oslo"), kept_is_gone);
    EXPECT_EQ(memory.holds("North Town", "far", "Rome"), !kept_is_gone);
    EXPECT_EQ(knows(memory, "99812"), kept_is_gone);
    EXPECT_EQ(knows(memory, "Quimby"), !kept_is_gone);
    EXPECT_EQ(knows(memory, "north town"), kept_is_gone);
  }
}

void tell_event(Memory& memory, const std::string& name, const std::string& text,
                const std::string& source) {
  memory.say(
      "UPSERT { CONCEPT { {type: \"Event\", name: :n} SET ATTRIBUTES {event_class: "
      "\"Conversation\", "
      "start_time: \"2026-02-01T10:00:00Z\", content_summary: :text, participants: [\"$self\"]} } "
      "}",
      Json::object({{"n", name}, {"text", text}}), source);
}

// A fact, a preference and a digest; of one event, or of another one beside it.
TEST(CarriedWords, WhatSleepMadeOfEventsGoesWithTheLastOfThem) {
  for (const char* text : {"Ada Berg lives in Oslo.", "Ada Berg prefers tea.", "Hello there!"}) {
    for (const bool second : {false, true}) {
      Memory memory;
      memory.tell("UPSERT { CONCEPT { {type: \"Person\", name: \"Ada Berg\"} } }");
      tell_event(memory, "talk one", text, "crm");
      if (second) tell_event(memory, "talk two", text, "book");
      memory.sleep();
      const auto made = [&] {
        return std::pair{count_of_type(memory, "Preference"),
                         memory.holds("Ada Berg", "lives_in", "Oslo")};
      };
      const auto before = made();
      memory.forget_source("crm");
      if (second) {
        EXPECT_EQ(made(), before) << text;
      } else {
        EXPECT_FALSE(memory.holds("Ada Berg", "lives_in", "Oslo")) << text;
        for (const char* type : {"Digest", "Preference", "Event"})
          EXPECT_EQ(count_of_type(memory, type), 0u) << text << type;
        EXPECT_FALSE(knows(memory, "talk one"));
      }
      EXPECT_NE(memory.named("Ada Berg"), store::EntityId::kNone);
    }
  }
}

TEST(CarriedWords, AThingThatOnlySleepFiledGoesWithItsSource) {
  Memory memory;
  memory.say("UPSERT { CONCEPT { {type: \"City\", name: \"Lonely Hill\"} } }", Json::object(),
             "crm");
  memory.say("UPSERT { CONCEPT { {type: \"City\", name: \"Busy Hill\"} } }", Json::object(), "crm");
  memory.say(
      "UPSERT { CONCEPT { {type: \"City\", name: \"Busy Hill\"} SET PROPOSITIONS { (\"near\", "
      "{type: "
      "\"City\", name: \"Oslo\"}) } } }",
      Json::object(), "book");
  memory.sleep();
  memory.forget_source("crm");
  EXPECT_FALSE(knows(memory, "Lonely Hill"));
  EXPECT_TRUE(memory.holds("Busy Hill", "near", "Oslo"));
}

}  // namespace
}  // namespace anima::sleep::kept_words_test
