// What makes a cycle due in a space that nobody writes to: only the days that pass.
#include "support/sleep_world.h"

namespace anima::sleep::due_test {
namespace {

using test_support::SleepWorld;

constexpr std::string_view kFact =
    "UPSERT { CONCEPT ?o { {type: \"City\", name: \"Oslo\"} } CONCEPT { {type: \"City\", name: "
    "\"Bergen\"} SET PROPOSITIONS { (\"near\", ?o) } } }";
constexpr std::string_view kEvent =
    "UPSERT { CONCEPT { {type: \"Event\", name: \"talk\"} SET ATTRIBUTES {event_class: "
    "\"Conversation\", start_time: \"2026-03-02T00:00:00Z\", content_summary: \"Hello!\"} } }";

// With a schedule, a cycle is due exactly on the days on which one would change something.
TEST(SleepDue, AScheduleSeesWhatOnlyTimeMakesDue) {
  for (const std::string_view told : {kFact, kEvent}) {
    SleepWorld world;
    world.tell(told);
    world.sleep();
    for (int day = 1; day <= 17; ++day) {
      world.pass_days(1);
      Request rehearsal;
      rehearsal.dry_run = true;
      const bool changes = world.sleep(rehearsal).changes() > 0;
      EXPECT_EQ(world.sleeper->due({}, 24).value().due, changes) << "day " << day << " " << told;
      EXPECT_FALSE(world.sleeper->due({}, 0).value().due) << "day " << day;
      if (changes) world.sleep();
    }
  }
}

TEST(SleepDue, NothingFadesWhereItIsSwitchedOff) {
  SleepWorld world;
  world.tell(kFact);
  Request request;
  request.policy.decay_factor = 1.0;
  world.sleep(request);
  world.pass_days(30);
  EXPECT_FALSE(world.sleeper->due(request.policy, 24).value().due);
  EXPECT_TRUE(world.sleeper->due({}, 24).value().due);  // with the usual factor
}

}  // namespace
}  // namespace anima::sleep::due_test
