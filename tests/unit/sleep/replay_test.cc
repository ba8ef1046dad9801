// A cycle that is decided again on the state before it: the same where nothing interfered, and
// every difference named where something did.
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "support/called_model.h"
#include "support/sleep_world.h"

namespace anima::sleep::replay_test {
namespace {

using test_support::SleepWorld;

void tell_world(SleepWorld& world) {
  world.tell(
      "UPSERT { CONCEPT ?d { {type: \"Domain\", name: \"Harbour\"} } CONCEPT ?a { {type: \"Ship\", "
      "name: \"Otter\"} SET PROPOSITIONS { (\"belongs_to_domain\", ?d) } } CONCEPT { {type: "
      "\"Captain\", name: \"Ines\"} SET PROPOSITIONS { (\"sails\", ?a) } } CONCEPT { {type: "
      "\"Stone\", name: \"Pebble\"} } CONCEPT { {type: \"Person\", name: \"Ada Lovelace\"} SET "
      "ATTRIBUTES {born: 1815} } CONCEPT { {type: \"Event\", name: \"talk\"} SET ATTRIBUTES "
      "{event_class: \"Conversation\", start_time: \"2026-01-10T10:00:00Z\", content_summary: "
      "\"Ines prefers tea\", participants: [\"Ines\"]} } }");
  world.tell(
      "UPSERT { CONCEPT { {type: \"Person\", name: \"lovelace, ada\"} SET ATTRIBUTES {born: 1816} "
      "} } WITH METADATA {source: \"letter\", confidence: 0.4}");
  world.tell(
      "UPSERT { PROPOSITION { ({type: \"Person\", name: \"Ada Lovelace\"}, \"knows\", {type: "
      "\"Captain\", name: \"Ines\"}) } } WITH METADATA {confidence: 0.9, observed_at: "
      "\"2025-12-01T00:00:00Z\"}");
}

std::string words(const ReplayedCycle& report) {
  std::string text;
  for (const std::string& line : report.first_differences) text += line + "\n";
  for (const std::string& note : report.notes) text += "note: " + note + "\n";
  return text;
}

ReplayedCycle replayed(SleepWorld& world, std::uint64_t cycle, llm::Model* model = nullptr) {
  const auto head = world.space->snapshot().value().sequence();
  ReplayRequest request;
  request.model = model;
  const auto report = world.sleeper->replay(cycle, request);
  EXPECT_TRUE(report) << report.error().describe();
  EXPECT_EQ(world.space->snapshot().value().sequence(), head);
  return report ? *report : ReplayedCycle();
}

TEST(SleepReplay, DecidesEachCycleAgainAsItWas) {
  SleepWorld world;
  tell_world(world);
  Request slow;
  slow.policy.decay_factor = 0.5;  // the record keeps what was asked for
  const CycleRecord first = world.sleep(slow);
  EXPECT_GT(first.changes(), 5u);
  world.pass_days(40);
  world.tell("UPSERT { CONCEPT { {type: \"Stone\", name: \"Flint\"} } }");
  const CycleRecord second = world.sleep(slow);
  EXPECT_GT(second.changes(), 0u);
  world.tell("UPSERT { CONCEPT { {type: \"Stone\", name: \"Chalk\"} } }");
  for (const std::uint64_t cycle : {first.cycle, second.cycle}) {
    const ReplayedCycle report = replayed(world, cycle);
    EXPECT_TRUE(report.identical()) << cycle << "\n" << words(report);
    EXPECT_GT(report.statements, 0u);
    EXPECT_EQ(report.repeated.changes(), report.record.changes());
    EXPECT_TRUE(report.notes.empty()) << words(report);
  }
  ASSERT_TRUE(world.sleeper->undo({}, {second.cycle}, false, false));
  const ReplayedCycle undone = replayed(world, second.cycle);
  EXPECT_TRUE(undone.identical()) << words(undone);
  EXPECT_EQ(world.sleeper->replay(77, {}).error().code, ErrorCode::kNotFound);
}

TEST(SleepReplay, ACycleThatWasEndedEarlyIsRepeatedAsFar) {
  SleepWorld bounded;
  tell_world(bounded);
  Request few;
  few.max_changes = 3;
  const CycleRecord partial = bounded.sleep(few);
  EXPECT_EQ(partial.status, "partial");
  const ReplayedCycle again = replayed(bounded, partial.cycle);
  EXPECT_TRUE(again.identical()) << words(again);

  SleepWorld cut;
  tell_world(cut);
  std::atomic<bool> stop = false;
  Request request;
  request.stop = &stop;
  request.progress = [&](int phase) { stop = stop || phase >= 6; };
  const auto record = cut.sleeper->run(request);
  ASSERT_TRUE(record) << record.error().describe();
  EXPECT_EQ(record->status, "interrupted");
  const ReplayedCycle as_far = replayed(cut, record->cycle);
  EXPECT_TRUE(as_far.identical()) << words(as_far);
  EXPECT_EQ(as_far.repeated.changes(), record->changes());

  SleepWorld only;
  tell_world(only);
  Request orphans;
  orphans.phases = {4};
  const CycleRecord of_one = only.sleep(orphans);
  const ReplayedCycle one = replayed(only, of_one.cycle);
  EXPECT_TRUE(one.identical()) << words(one);
}

// It is the next cycle's; a difference that it makes all the same has its cause named.
TEST(SleepReplay, WhatOthersWroteMeanwhileIsNoted) {
  SleepWorld world;
  tell_world(world);
  bool written = false;
  Request request;
  request.progress = [&](int phase) {
    if (phase != 6 || written) return;
    written = true;
    world.tell(
        "UPSERT { CONCEPT { {type: \"Captain\", name: \"ines\"} SET ATTRIBUTES {rank: \"first\"} "
        "} }");
  };
  const auto record = world.sleeper->run(request);
  ASSERT_TRUE(record) << record.error().describe();
  const ReplayedCycle report = replayed(world, record->cycle);
  EXPECT_TRUE(report.identical()) << words(report);
  EXPECT_NE(words(report).find("note: others wrote 1 entries"), std::string::npos) << words(report);
}

TEST(SleepReplay, TheProposalsOfAModelArePlayed) {
  SleepWorld world;
  tell_world(world);
  world.tell(
      "UPSERT { CONCEPT { {type: \"Domain\", name: \"Boats\"} SET ATTRIBUTES {description: "
      "\"hulls\"} } CONCEPT { {type: \"Note\", name: \"qqq\"} SET PROPOSITIONS { "
      "(\"belongs_to_domain\", {type: \"Domain\", name: \"Unsorted\"}) } } }");
  test::KeptExchanges kept;
  test::CalledModel called;
  called.keeper = &kept;
  called.server.otherwise([](const test::ServerRequest& request) {
    const bool inbox = request.body.find("qqq") != std::string::npos;
    Json list = Json::array();
    if (inbox)
      list.push_back(Json::object({{"candidate", 1}, {"reason", "hulls"}, {"domain", "Boats"}}));
    return test::json_answer(
        test::chat_reply(Json::object({{"proposals", std::move(list)}}).dump()));
  });
  Request request;
  request.model = &called.model();
  const CycleRecord record = world.sleep(request);
  ASSERT_GT(record.model.taken, 0u);

  llm::PlayingTransport played(kept.exchanges);
  test::WrittenWaits waiter;
  ManualClock clock;
  SeededRandom random{3};
  const auto model = llm::make_model(called.config, {played, clock, random, waiter, {}, {}});
  const ReplayedCycle same = replayed(world, record.cycle, model.get());
  EXPECT_TRUE(same.identical()) << words(same);
  EXPECT_EQ(same.repeated.model.taken, record.model.taken);
  EXPECT_EQ(played.left(), 0u);

  const ReplayedCycle without = replayed(world, record.cycle);
  EXPECT_FALSE(without.identical());
  EXPECT_NE(words(without).find("the model: its proposals were not played"), std::string::npos)
      << words(without);
  EXPECT_NE(words(without).find("stated then, not now: Stone \"Pebble\" belongs_to_domain Domain "
                                "\"Boats\""),
            std::string::npos)
      << words(without);
}

}  // namespace
}  // namespace anima::sleep::replay_test
