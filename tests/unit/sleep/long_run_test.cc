// Sleep over a long time and in a large memory: nothing grows that does not have to, and a cycle
// costs what changed, not what there is.
//
// ANIMA_TEST_FULL=1: a million untouched facts; otherwise forty thousand.
#include <cstdlib>
#include <ctime>

#include "memory/merge_conflicts.h"
#include "support/assistant_year.h"
#include "support/needs.h"
#include "support/sleep_world.h"

namespace anima::sleep::long_run_test {
namespace {

using test_support::SleepWorld;

void tell_week(SleepWorld& world, int week) {
  static constexpr const char* kSaid[] = {"Ada prefers green tea.", "Ben likes long walks.",
                                          "We looked at the sea.", "Ada works at Initech.",
                                          "The weather was fine."};
  for (int i = 0; i < 20; ++i) {
    const Timestamp at{world.clock->now().microseconds + i * 3'600 * kMicrosecondsPerSecond};
    world.tell(
        "UPSERT { CONCEPT { {type: \"Event\", name: :n} SET ATTRIBUTES {event_class: "
        "\"Conversation\", start_time: :at, content_summary: :text, participants: [\"$self\", "
        "\"Ada\"]} } }",
        Json::object({{"n", "talk " + std::to_string(week) + " " + std::to_string(i)},
                      {"at", format_timestamp(at)},
                      {"text", kSaid[i % 5]}}));
  }
}

TEST(SleepLongRun, AHundredCyclesOfUseLevelOff) {
  SleepWorld world("2025-01-06T00:00:00Z");
  world.tell(
      "UPSERT { CONCEPT { {type: \"Person\", name: \"Ada\"} } CONCEPT { {type: \"Person\", name: "
      "\"Ben\"} } CONCEPT { {type: \"Company\", name: \"Initech\"} } }");
  Request request;
  request.policy.remove_archived_after_days = 28;
  std::vector<Metrics> metrics;
  for (int week = 0; week < 100; ++week) {
    tell_week(world, week);
    world.pass_days(7);
    metrics.push_back(world.sleep(request).after);
  }
  const Metrics& middle = metrics[60];
  const Metrics& last = metrics[99];
  EXPECT_LE(last.concepts, middle.concepts + middle.concepts / 10);
  EXPECT_LE(last.links, middle.links + middle.links / 10);
  EXPECT_EQ(last.orphans, middle.orphans);
  EXPECT_EQ(last.unsorted, middle.unsorted);
  EXPECT_EQ(last.stale_events, 0);
  EXPECT_GT(last.average_confidence(), 0.6);
  // That weeks differ which became one quarter is no contradiction.
  EXPECT_TRUE(memory::merge_conflicts(world.space->snapshot().value()).empty());
  EXPECT_EQ(world.ask("FIND(COUNT(?d)) WHERE { ?d {type: \"Digest\"} "
                      "FILTER(!IS_NULL(?d.attributes.merge_conflicts)) }"),
            "0");
  std::cout << "after 60 and 100 cycles: " << middle.concepts << ", " << last.concepts
            << " concepts; " << middle.links << ", " << last.links << " links\n";
}

TEST(SleepLongRun, TheSameTextAThousandTimesAddsNoFact) {
  SleepWorld world("2025-01-06T00:00:00Z");
  world.tell(
      "UPSERT { CONCEPT { {type: \"Person\", name: \"Ada\"} } CONCEPT { {type: \"Company\", name: "
      "\"Initech\"} } }");
  constexpr std::string_view kFacts = "FIND(COUNT(?l)) WHERE { ?l ({name: \"Ada\"}, ?p, ?o) }";
  constexpr std::string_view kConcepts = "FIND(COUNT(?p)) WHERE { ?p {type: \"Preference\"} }";
  const auto replay = [&](int from, int to) {
    for (int i = from; i < to; ++i)
      world.tell(
          "UPSERT { CONCEPT { {type: \"Event\", name: :n} SET ATTRIBUTES {event_class: \"Recall\", "
          "start_time: \"2025-01-07T00:00:00Z\", content_summary: \"Ada prefers green tea. Ada "
          "works at Initech.\"} } }",
          Json::object({{"n", "replay " + std::to_string(i)}}));
  };
  replay(0, 1);
  world.pass_days(10);
  world.sleep();
  const std::string facts = world.ask(kFacts), concepts = world.ask(kConcepts);
  replay(1, 1001);
  world.sleep();
  EXPECT_EQ(world.ask(kFacts), facts);
  EXPECT_EQ(world.ask(kConcepts), concepts);
  // The fact has some witnesses, not a thousand.
  EXPECT_EQ(world.ask("FIND(COUNT(?e)) WHERE { ({type: \"Preference\"}, \"derived_from\", ?e) }"),
            "8");
}

// The least processor time of three cycles after the same changes, beside so many untouched facts.
double milliseconds_of_a_cycle(int untouched) {
  SleepWorld world("2025-01-06T00:00:00Z");
  test_support::YearOptions options;
  options.concepts = 450;
  options.events = 300;
  options.weeks = 4;
  options.untouched = untouched;
  test_support::AssistantYear year(options);
  year.tell(*world.engine, *world.clock);
  world.sleep();
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 300; ++i)
      world.tell(
          "UPSERT { CONCEPT { {type: \"Recipe\", name: :n} SET PROPOSITIONS { (\"near\", "
          "{type: \"Domain\", name: \"Archived\"}) } } }",
          Json::object({{"n", "dish " + std::to_string(round * 1000 + i)}}));
    const std::clock_t began = std::clock();
    EXPECT_GE(world.sleep().changes(), 300u);
    const double worked = static_cast<double>(std::clock() - began);
    best = std::min(best, worked * 1000 / CLOCKS_PER_SEC);
  }
  return best;
}

// Each fact fades on its own day, whatever day sleep came by and whoever else was looked at.
TEST(SleepLongRun, EachFactFadesWhenItIsDue) {
  SleepWorld world("2025-01-06T00:00:00Z");
  world.tell("UPSERT { CONCEPT { {type: \"Company\", name: \"Initech\"} } }");
  const auto confidences = [&] {
    return world.ask(
        "FIND(?l.metadata.confidence) WHERE { ?l ({type: \"Person\"}, \"uses\", ?o) } ORDER BY "
        "?l.id "
        "ASC");
  };
  for (int day = 0; day < 5; ++day) {
    world.tell(
        "UPSERT { CONCEPT { {type: \"Person\", name: :n} SET PROPOSITIONS { (\"uses\", {type: "
        "\"Company\", name: \"Initech\"}) } } } WITH METADATA {confidence: 0.8}",
        Json::object({{"n", "person " + std::string(1, static_cast<char>('A' + day))}}));
    world.sleep();
    world.pass_days(1);
  }
  // The fifth day has passed; the first fact is due on the seventh.
  world.pass_days(1);
  world.sleep();
  EXPECT_EQ(confidences(), "[0.8,0.8,0.8,0.8,0.8]");
  const char* const expected[] = {"[0.76,0.8,0.8,0.8,0.8]", "[0.76,0.76,0.8,0.8,0.8]",
                                  "[0.76,0.76,0.76,0.8,0.8]"};
  for (const char* const wanted : expected) {
    world.pass_days(1);
    EXPECT_EQ(world.sleep().changes(), 2u);  // with the log of $system
    EXPECT_EQ(confidences(), wanted);
    EXPECT_EQ(world.sleep().cycle, 0u);
  }
  // A fact that was written anew waits for a week of its own; one that was missed is not.
  world.tell(
      "UPSERT { PROPOSITION { ({type: \"Person\", name: \"person E\"}, \"uses\", {type: "
      "\"Company\", "
      "name: \"Initech\"}) } } WITH METADATA {confidence: 0.9, observed_at: :now}",
      Json::object({{"now", format_timestamp(world.clock->now())}}));
  world.pass_days(3);
  world.sleep();
  EXPECT_EQ(confidences(), "[0.76,0.76,0.76,0.76,0.9]");
  // What was taken back waits for a week.
  const std::uint64_t cycle = world.sleeper->cycles().value().back().cycle;
  ASSERT_TRUE(world.sleeper->undo({"tester", "test"}, {cycle}, false, false));
  EXPECT_EQ(confidences(), "[0.76,0.76,0.76,0.8,0.9]");
  world.sleep();
  EXPECT_EQ(confidences(), "[0.76,0.76,0.76,0.8,0.9]");
  world.pass_days(3);
  world.sleep();
  EXPECT_EQ(confidences().substr(0, 5), "[0.72");
  EXPECT_NE(confidences().find(",0.8,"), std::string::npos) << confidences();
  world.pass_days(4);
  world.sleep();
  EXPECT_EQ(confidences().find(",0.8,"), std::string::npos) << confidences();
}

// A time, so it decides in the long run alone.
TEST(SleepLongRun, ACycleCostsWhatChanged) {
  ANIMA_NEEDS(test::kLongForm, std::getenv("ANIMA_TEST_FULL") != nullptr);
  constexpr int few = 10'000, many = 1'000'000;
  const double small = milliseconds_of_a_cycle(few);
  const double large = milliseconds_of_a_cycle(many);
  std::cout << "a cycle beside " << few << " facts: " << small << " ms, beside " << many << ": "
            << large << " ms\n";
  EXPECT_LE(large, 1.5 * small + 5);
}

}  // namespace
}  // namespace anima::sleep::long_run_test
