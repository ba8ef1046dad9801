#include "agent/conversation/recorded_calls.h"

#include <gtest/gtest.h>

#include <string>

#include "llm/models.h"
#include "support/called_model.h"

namespace anima::agent::recorded_calls_test {
namespace {

using test::CalledModel;
using test::chat_reply;
using test::json_answer;

TEST(RecordedCalls, LieInTheLogAndPlayBack) {
  const TemporaryDirectory folder;
  store::SpaceOptions made;
  made.create = true;
  const auto space = *store::Space::open(folder.file("space"), made);
  RecordedCalls calls(*space, {}, "talk");
  CalledModel called;
  called.keeper = &calls;
  called.server.answer(json_answer(Json(), 500));
  called.server.answer(json_answer(chat_reply("a sentence to be found")));
  const auto live = called.ask("?");
  ASSERT_TRUE(live) << live.error().describe();

  const auto recorded = recorded_calls(*space, "talk");
  ASSERT_TRUE(recorded) << recorded.error().describe();
  ASSERT_EQ(recorded->size(), 2U);
  EXPECT_TRUE(recorded_calls(*space, "other")->empty());

  llm::PlayingTransport playing(*recorded);
  ManualClock clock;
  SeededRandom random(1);
  llm::NoWaiter waiter;
  const auto model = llm::make_model(called.config, {playing, clock, random, waiter, {}, {}});
  llm::Request request;
  request.messages.push_back(llm::user_message("?"));
  const auto played = model->complete(request);
  ASSERT_TRUE(played) << played.error().describe();
  EXPECT_EQ(llm::to_json(*played).dump(), llm::to_json(*live).dump());
}

TEST(RecordedCalls, CanBeErasedAndHoldNoKey) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("space");
  {
    store::SpaceOptions made;
    made.create = true;
    const auto space = *store::Space::open(path, made);
    RecordedCalls calls(*space, {}, "talk");
    CalledModel called;
    called.keeper = &calls;
    called.server.answer(json_answer(chat_reply(std::string("echo ") + test::kTestKey)));
    ASSERT_TRUE(called.ask("a sentence to be found"));
    const auto recorded = recorded_calls(*space, "talk");
    ASSERT_EQ(recorded->size(), 1U);
    EXPECT_EQ(llm::to_json((*recorded)[0]).dump().find(test::kTestKey), std::string::npos);
    ASSERT_TRUE(space->erase("model-calls"));
    EXPECT_TRUE(recorded_calls(*space, "talk")->empty());
  }
  const auto entries = system_files().list(path);
  ASSERT_TRUE(entries);
  for (const DirectoryEntry& entry : *entries) {
    if (entry.kind != FileInfo::Kind::kFile) continue;
    const auto bytes = read_file(system_files(), join_path(path, entry.name));
    if (!bytes) continue;
    EXPECT_EQ(bytes->find(test::kTestKey), std::string::npos) << entry.name;
    EXPECT_EQ(bytes->find("a sentence to be found"), std::string::npos) << entry.name;
  }
}

}  // namespace
}  // namespace anima::agent::recorded_calls_test
