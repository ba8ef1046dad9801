// An event and what a person tells read alike: what `anima remember` states of things that are
// known, sleep makes of an event with the same words.
#include "agent/telling/told_facts.h"
#include "base/files/file.h"
#include "support/sleep_world.h"

namespace anima::sleep::event_reading_test {
namespace {

using test_support::SleepWorld;

struct Said {
  const char *text, *relation, *object;
};
constexpr Said kSaid[] = {{"Ada Berg lives in Rome.", "lives_in", "Rome"},
                          {"Ada Berg works at Initech.", "works_at", "Initech"},
                          {"Ada Berg likes Rome.", "likes", "Rome"},
                          {"Ada Berg likes Bob Hill.", "likes", "Bob Hill"},
                          {"Ada Berg loves Rome.", "likes", "Rome"},
                          {"Ada Berg hates Rome.", "dislikes", "Rome"}};

void tell_things(SleepWorld& world) {
  world.tell(
      "UPSERT { CONCEPT { {type: \"Person\", name: \"Ada Berg\"} } CONCEPT { {type: \"Person\", "
      "name: \"Bob Hill\"} } CONCEPT { {type: \"Place\", name: \"Rome\"} } CONCEPT { {type: "
      "\"Organization\", name: \"Initech\"} } }");
}

bool states(const SleepWorld& world, const Said& said) {
  const store::Snapshot now = world.space->snapshot().value();
  const auto relation = now.find_predicate(said.relation);
  const auto subjects = now.concepts_named("Ada Berg"), objects = now.concepts_named(said.object);
  return relation && subjects.size() == 1 && objects.size() == 1 &&
         now.contains(
             {subjects[0], store::Predicate::link(*relation), store::Term::entity(objects[0])});
}

TEST(EventReading, IsThatOfWhatIsTold) {
  for (const Said& said : kSaid) {
    SleepWorld told;
    tell_things(told);
    agent::LastFacts last;
    agent::ToldFacts facts(told.space, system_files(), *told.clock, last);
    memory::NewMemory item;
    item.content = said.text;
    item.speaker = item.created_by = "Eva";
    item.source = "talk";
    item.trust = store::Trust::kOperator;
    const auto kept = facts.keep(item, nullptr, "Eva");
    ASSERT_TRUE(kept) << kept.error().describe();
    EXPECT_TRUE(states(told, said)) << said.text << " " << kept->asks;

    SleepWorld slept;
    tell_things(slept);
    slept.tell(
        "UPSERT { CONCEPT { {type: \"Event\", name: \"talk\"} SET ATTRIBUTES {event_class: "
        "\"Conversation\", start_time: \"2026-02-01T10:00:00Z\", content_summary: :text, "
        "participants: [\"$self\"]} } }",
        Json::object({{"text", said.text}}));
    slept.sleep();
    EXPECT_TRUE(states(slept, said)) << said.text;
  }
}

}  // namespace
}  // namespace anima::sleep::event_reading_test
