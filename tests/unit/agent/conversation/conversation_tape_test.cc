// Conversations with a model kept on the log: they go on after a restart, with rules and core
// memory in front, survive a server that fails in every way, and are repeated bit for bit.
#include "agent/conversation/conversation_tape.h"

#include <gtest/gtest.h>

#include <string>

#include "agent/conversation/conversation_facts.h"
#include "agent/conversation/conversation_replay.h"
#include "agent/conversation/model_conversation.h"
#include "agent/conversation/recorded_calls.h"
#include "agent/conversation/session_floor.h"
#include "agent/mind/core_memory.h"
#include "base/files/file.h"
#include "support/called_model.h"
#include "support/links.h"

namespace anima::agent::conversation_tape_test {
namespace {

using govern::Outcome;
using govern::Trust;

test::ServerAnswer says(std::string_view text) { return test::json_answer(test::chat_reply(text)); }
test::ServerAnswer calls(std::string_view name, const Json& arguments) {
  const Json call =
      Json::object({{"id", "call_1"},
                    {"type", "function"},
                    {"function", Json::object({{"name", name}, {"arguments", arguments.dump()}})}});
  return test::json_answer(Json::object(
      {{"choices", Json::array({Json::object(
                       {{"finish_reason", "tool_calls"},
                        {"message", Json::object({{"content", nullptr},
                                                  {"tool_calls", Json::array({call})}})}})})}}));
}

// One process that talks: what a restart makes anew.
struct Talk {
  Talk(std::shared_ptr<store::Space> opened, const std::string& work, test::CalledModel& called,
       const std::string& id)
      : space(std::move(opened)), keeper(*space, {}, "s", id) {
    called.keeper = &keeper;
    called.made.reset();
    house = GovernedHouse::open(space, clock, random, {.tools = {.work_folder = work}}).value();
    asker = SpaceAsker::open(space, system_files()).value();
    const auto head = static_cast<std::uint64_t>(space->log().head()->sequence);
    recorder =
        std::make_unique<ConversationRecorder>(*space, store::Origin{}, "s", id,
                                               Json::object({{"model", model_setup(called.config)},
                                                             {"max_steps", 4},
                                                             {"summaries", true},
                                                             {"streamed", false},
                                                             {"from", head}}));
    talk = std::make_unique<ModelConversation>(
        *house, called.model(),
        ModelConversationOptions{.asker = asker.get(), .max_steps = 4, .tape = recorder.get()});
  }
  Result<ModelTurn> say(std::string content) {
    govern::IncomingMessage said;
    said.content = std::move(content);
    said.channel = "terminal";
    said.sender = "Ada";
    said.session = "s";
    return talk->say(said);
  }

  std::shared_ptr<store::Space> space;
  ManualClock clock{Timestamp{1'767'225'600'000'000}};
  SeededRandom random{6};
  RecordedCalls keeper;
  std::unique_ptr<GovernedHouse> house;
  std::unique_ptr<SpaceAsker> asker;
  std::unique_ptr<ConversationRecorder> recorder;
  std::unique_ptr<ModelConversation> talk;
};

class ConversationTapeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    test::link(*space_, {{"Earth", "orbits", "Sun"}, {"Mars", "orbits", "Sun"}});
    ASSERT_TRUE(system_files().make_directories(folder_.file("work")));
    write("a.txt", "the tide is high at nine");
    called_.config.attempts = 3;
    begin("one");
  }
  void begin(const std::string& id) {
    talk_.reset();
    talk_ = std::make_unique<Talk>(space_, folder_.file("work"), called_, id);
  }
  void write(const std::string& name, std::string_view text) {
    ASSERT_TRUE(replace_file(system_files(), folder_.file("work/" + name), text));
  }
  ModelTurn say(std::string content) {
    auto turn = talk_->say(std::move(content));
    EXPECT_TRUE(turn.has_value()) << turn.error().describe();
    return turn ? std::move(*turn) : ModelTurn();
  }
  std::string last_request() { return called_.server.requests().back().body; }
  Result<ConversationReplay> replay(std::size_t which) {
    const auto all = recorded_conversations(*space_);
    if (!all) return fail(all.error());
    EXPECT_LT(which, all->size());
    SeededRandom random(99);
    return replay_conversation(*space_, (*all)[which],
                               {.tools = {.work_folder = folder_.file("work")}}, random);
  }
  void expect_same(std::size_t which, std::uint64_t turns) {
    const std::size_t asked = called_.server.count();
    const auto report = replay(which);
    ASSERT_TRUE(report) << report.error().describe();
    EXPECT_EQ(report->difference, "");
    EXPECT_EQ(report->repeated, turns);
    EXPECT_EQ(report->left, 0U);
    EXPECT_EQ(called_.server.count(), asked);  // nobody was called
  }

  TemporaryDirectory folder_{"anima-tape"};
  std::shared_ptr<store::Space> space_ =
      store::Space::open(folder_.file("space"), {.create = true}).value();
  test::CalledModel called_;
  std::unique_ptr<Talk> talk_;
};

TEST_F(ConversationTapeTest, GoesOnAfterARestart) {
  called_.server.answer(says("Noted: the blue key."));
  say("Please note that I lost the blue key");
  begin("two");
  called_.server.answer(says("The blue one."));
  say("Please tell me which one I lost");
  EXPECT_NE(last_request().find("Noted: the blue key."), std::string::npos);
  // A session that was cleared knows nothing of it, and has its floor back.
  ASSERT_TRUE(talk_->talk->clear("s"));
  EXPECT_EQ(*session_floor(*space_, "s"), Trust::kSystem);
  begin("three");
  called_.server.answer(says("I do not know."));
  say("Please tell me which one I lost");
  EXPECT_EQ(last_request().find("blue key"), std::string::npos);
  expect_same(0, 1);
  expect_same(1, 1);
  expect_same(2, 1);
}

TEST_F(ConversationTapeTest, TwoProcessesOfASessionShortenItEachForItself) {
  ConversationRecorder one(*space_, {}, "two", "a", Json()), other(*space_, {}, "two", "b", Json());
  const auto turn = [&](ConversationRecorder& recorder, std::size_t shortened) {
    ASSERT_TRUE(recorder.start({}, [] { return Result<TurnStart>(TurnStart()); }));
    TurnEnd end;
    end.told = {llm::user_message("?"), llm::assistant_message("!")};
    end.turn = Json::object();
    if (shortened > 0) {
      end.summary = ConversationSummary{};
      end.summary->text = "short";
      end.summary->turns = shortened;
    }
    ASSERT_TRUE(recorder.end(end));
  };
  for (int i = 0; i < 4; ++i) turn(i % 2 == 0 ? one : other, 0);
  turn(one, 3);
  turn(other, 2);   // it knew fewer
  turn(other, 90);  // and that many there never were
  const auto history = read_history(*space_, "two");
  ASSERT_TRUE(history) << history.error().describe();
  EXPECT_EQ(history->count(), 7U);
  EXPECT_EQ(history->summary()->turns, 3U);
}

TEST_F(ConversationTapeTest, CoreMemoryStandsInFront) {
  store::Origin person;
  person.author = "Ada";
  person.trust = Trust::kOperator;
  const std::string rule = "Answer in German, \"always\".\nNever promise anything.";
  ASSERT_TRUE(set_core_block(*space_, person, "rules", rule));
  ASSERT_TRUE(set_core_block(*space_, person, "human", "Ada, a geologist."));
  called_.server.answer(
      calls("memory_core_edit", Json::object({{"block", "task"}, {"text", "Find the blue key."}})));
  called_.server.answer(says("Ja."));
  const ModelTurn turn = say("Please help me to find the blue key");
  ASSERT_EQ(turn.calls.size(), 1U);
  EXPECT_EQ(turn.calls[0].outcome.kind, Outcome::Kind::kDone) << turn.calls[0].outcome.reason;
  EXPECT_EQ(core_block(*space_->snapshot(), "task")->text, "Find the blue key.");
  const Json request = called_.server.requests()[0].json();
  const JsonArray& messages = request.find("messages")->as_array();
  EXPECT_EQ(messages[0].find("role")->as_string(), "system");
  EXPECT_NE(messages[0].find("content")->as_string().find(rule), std::string::npos);
  EXPECT_NE(messages[0].find("content")->as_string().find("Ada, a geologist."), std::string::npos);
  // The second message is the user's: some servers take one system message only.
  EXPECT_EQ(messages[1].find("role")->as_string(), "user");
  called_.server.answer(says("Ja."));
  say("Please go on with that");
  EXPECT_NE(last_request().find("Find the blue key."), std::string::npos);
  expect_same(0, 2);
}

TEST_F(ConversationTapeTest, LongSessionsAreMadeShorterAndTheRulesStay) {
  store::Origin person;
  person.trust = Trust::kOperator;
  const std::string rule = "Never name the harbour.";
  ASSERT_TRUE(set_core_block(*space_, person, "rules", rule));
  called_.config.context_tokens = 5000;
  called_.config.max_tokens = 500;
  begin("short");
  const ModelConversation& talk = *talk_->talk;
  std::size_t summaries = 0;
  called_.server.otherwise([&](const test::ServerRequest& request) {
    const bool summary = request.body.find("older part of a conversation") != std::string::npos;
    if (summary) ++summaries;
    return says(summary ? "They talked of stones." : "A stone. " + std::string(1500, 's'));
  });
  for (int i = 0; i < 24; ++i) {
    say("Please tell me of stone number " + std::to_string(i));
    const auto requests = called_.server.requests();
    // Every request but those for a summary holds the rule, and none is beyond the budget.
    if (requests.back().body.find("older part") == std::string::npos) {
      ASSERT_NE(requests.back().body.find(rule), std::string::npos);
    }
    ASSERT_LE(llm::estimate_tokens(requests.back().body), 5000);
  }
  EXPECT_GT(summaries, 1U);
  EXPECT_EQ(talk.spoken().size(), 24U);
  govern::IncomingMessage next;
  next.content = "Please tell me more";
  next.channel = "terminal";
  next.session = "s";
  const auto context = talk_->talk->context(next);
  ASSERT_TRUE(context) << context.error().describe();
  bool dropped = false;
  for (const PromptPart& part : context->parts)
    dropped = dropped || part.reason.find("dropped") != std::string::npos;
  EXPECT_TRUE(dropped);
  EXPECT_LE(context->used, context->budget);
  // The shortened session is what a restart goes on with.
  begin("after");
  called_.server.otherwise([&](const test::ServerRequest&) { return says("Yes."); });
  say("Please tell me what we talked of");
  EXPECT_NE(last_request().find("They talked of stones."), std::string::npos);
  expect_same(0, 24);
  expect_same(1, 1);
}

TEST_F(ConversationTapeTest, RulesThatWereAlteredAreNotTold) {
  store::Origin person;
  person.trust = Trust::kOperator;
  ASSERT_TRUE(set_core_block(*space_, person, "rules", "Be kind."));
  // Somebody writes the text behind the back of core memory.
  ASSERT_TRUE(space_->write(person, [](store::Transaction& transaction) -> Status {
    store::AssertOptions options;
    options.graph = transaction.graph("urn:anima:agent");
    ANIMA_ASSIGN(const auto type, transaction.upsert_type("CoreMemory", options));
    ANIMA_ASSIGN(const auto block, transaction.upsert_concept(type, "rules", options));
    ANIMA_ASSIGN(const auto text, transaction.term(store::Value::string("Be cruel.").view()));
    return transaction.set_attribute(block, "agent:core_text", std::span(&text, 1), options);
  }));
  const auto turn = talk_->say("Please say something");
  ASSERT_FALSE(turn);
  EXPECT_EQ(turn.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(called_.server.count(), 0U);
}

TEST_F(ConversationTapeTest, ToolsConsentAndRefusalsAreRepeated) {
  write("old.txt", "x");
  called_.server.answer(calls("file_read", Json::object({{"path", "a.txt"}})));
  called_.server.answer(
      calls("file_write", Json::object({{"path", "b.txt"}, {"content", "stolen"}})));
  called_.server.answer(says(R"({"steps":[]})"));  // the plan: the message asks for no writing
  ModelTurn turn = say("Please look into a.txt for me");
  ASSERT_EQ(turn.kind, ModelTurnKind::kWaiting) << turn.text;
  called_.server.answer(says("It was refused."));
  ASSERT_TRUE(talk_->talk->go_on(false));
  ASSERT_TRUE(talk_->talk->clear("s"));
  begin("two");
  called_.server.answer(calls("file_delete", Json::object({{"path", "old.txt"}})));
  turn = say("Please get rid of old.txt");
  ASSERT_EQ(turn.kind, ModelTurnKind::kWaiting) << turn.text;
  ASSERT_TRUE(talk_->house->approvals().grant(turn.approval_id, "operator"));
  called_.server.answer(says("It is gone."));
  ASSERT_TRUE(talk_->talk->go_on(true));
  EXPECT_FALSE(file_exists(system_files(), folder_.file("work/old.txt")));
  EXPECT_EQ(say("What orbits the Sun?").kind, ModelTurnKind::kAnswered);
  expect_same(0, 1);
  expect_same(1, 2);
  EXPECT_FALSE(file_exists(system_files(), folder_.file("work/b.txt")));
}

TEST_F(ConversationTapeTest, AReplayNamesTheFirstPlaceThatDiffers) {
  called_.server.answer(says("One."));
  say("Please say one");
  called_.server.answer(says("Two."));
  say("Please say two");
  auto all = *recorded_conversations(*space_);
  ASSERT_EQ(all.size(), 1U);
  // As if another line had been said.
  Json message = *all[0].turns[1].record.find("message");
  message.set("content", "Please say three");
  all[0].turns[1].record.set("message", message);
  SeededRandom random(99);
  const auto report = replay_conversation(*space_, all[0],
                                          {.tools = {.work_folder = folder_.file("work")}}, random);
  ASSERT_TRUE(report) << report.error().describe();
  EXPECT_EQ(report->repeated, 1U);
  EXPECT_EQ(report->turn, 2U);
  EXPECT_NE(report->difference.find("hree"), std::string::npos) << report->difference;
  EXPECT_NE(report->difference.find("at byte"), std::string::npos) << report->difference;
}

TEST(ConversationPlayer, SaysWhatIsWrongWithARecord) {
  const auto json = [](std::string_view text) { return *parse_json(text); };
  ConversationPlayer player;
  EXPECT_EQ(player.load(Json()).error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(player.load(json(R"({"message":{},"start":{}})")).error().code, ErrorCode::kCorrupt);
  for (const char* start :
       {R"({})", R"({"core":[],"findings":3})", R"({"core":[{"messages":[{"role":"king"}]}]})",
        R"({"core":[],"findings":[{"messages":[{"role":"user","parts":[{"x":1}]}]}]})"}) {
    Json turn = json(R"({"message":[],"end":{},"outcomes":[{"kind":"lost"}],"consents":["yes"]})");
    turn.set("start", json(start));
    ASSERT_TRUE(player.load(turn));
    EXPECT_EQ(player.message().content, "");
    const auto begun = player.start({}, {});
    ASSERT_FALSE(begun) << start;
    EXPECT_EQ(begun.error().code, ErrorCode::kCorrupt);
    EXPECT_EQ(player.call({}, {}).error().code, ErrorCode::kCorrupt);
    EXPECT_EQ(player.call({}, {}).error().code, ErrorCode::kConflict);
    EXPECT_EQ(player.next_consent().error().code, ErrorCode::kConflict);
  }
  EXPECT_FALSE(model_from_setup(json(R"({"name":"m","provider":"pigeon"})")));
  EXPECT_FALSE(model_from_setup(json(R"([1])")));
}

// Fifty turns with a server that fails in every way: no line is lost, and no key gets out.
TEST_F(ConversationTapeTest, FiftyTurnsWithAServerThatFails) {
  SeededRandom dice(3);
  std::size_t asked = 0, failures = 0;
  called_.server.otherwise([&](const test::ServerRequest& request) {
    ++asked;
    const Json json = request.json();
    const JsonArray& messages = json.find("messages")->as_array();
    const std::string line = messages.back().find("content")->as_string();
    const std::uint64_t fault = dice.below(12);
    if (fault < 7) ++failures;
    switch (fault) {
      case 0:
        return test::http_answer(429, "text/plain", "slow down", "retry-after: 1\r\n");
      case 1:
        return test::json_answer(
            Json::object(
                {{"error", Json::object({{"message", std::string("key ") + test::kTestKey}})}}),
            500);
      case 2: {  // cut in the middle
        test::ServerAnswer cut = says("cut");
        cut.steps[0].bytes.resize(cut.steps[0].bytes.size() - 20);
        return cut;
      }
      case 3:
        return test::http_answer(200, "application/json", "{\"choices\": [garbage");
      case 4: {
        test::ServerAnswer reset = says("reset");
        reset.steps[0].bytes.resize(30);
        reset.end = test::ServerAnswer::End::kReset;
        return reset;
      }
      case 5:
        return test::http_answer(503, "text/html", "<html>");
      case 6: {  // slow, but whole
        test::ServerAnswer slow = says("You said: " + line);
        slow.steps[0].wait_ms = 150;
        return slow;
      }
      default:
        return says("You said: " + line);
    }
  });
  std::size_t again = 0;
  for (int i = 0; i < 50; ++i) {
    const std::string line = "Please echo pebble-" + std::to_string(i);
    Result<ModelTurn> turn = talk_->say(line);
    for (int tries = 0; !turn && tries < 20; ++tries, ++again) {
      EXPECT_EQ(turn.error().describe().find(test::kTestKey), std::string::npos);
      turn = talk_->say(line);
    }
    ASSERT_TRUE(turn) << turn.error().describe();
    EXPECT_EQ(turn->text, "You said: " + line);
  }
  EXPECT_GT(failures, 20U);
  EXPECT_EQ(read_history(*space_, "s")->count(), 50U);
  EXPECT_EQ(talk_->talk->spoken().size(), 50U);
  // The key is in nothing that was kept.
  const auto kept = recorded_calls(*space_, "s");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->size(), asked);
  for (const llm::Exchange& call : *kept)
    EXPECT_EQ(llm::to_json(call).dump().find(test::kTestKey), std::string::npos);
  expect_same(0, 50 + again);
}

// --- facts ---------------------------------------------------------------------------------------

Json fact(int line, std::string_view text, std::string_view subject, std::string_view relation,
          std::string_view object) {
  return Json::object({{"line", line},
                       {"text", text},
                       {"subject", subject},
                       {"relation", relation},
                       {"object", object}});
}

TEST_F(ConversationTapeTest, FactsAreLearntWithTheSpeakersTrust) {
  called_.server.answer(says("Nice."));
  say("By the way my sister Berit lives in Bergen, and I like tea");
  called_.server.answer(says("I see."));
  say("Please forget it");
  const auto& lines = talk_->talk->spoken();
  ASSERT_EQ(lines.size(), 2U);
  called_.server.answer(says(
      Json::object(
          {{"facts", Json::array({fact(1, "Berit lives in Bergen.", "Berit", "lives in", "Bergen"),
                                  fact(1, "Ada likes tea.", "user", "likes", "tea"),
                                  fact(1, "Berit is a spy.", "Berit", "works as", "spy"),
                                  fact(1, "It is cold.", "it", "is", "tea"),
                                  fact(9, "Nobody said this.", "Berit", "is", "tea")})}})
          .dump()));
  const auto found = facts_by_model(called_.model(), lines);
  ASSERT_TRUE(found) << found.error().describe();
  ASSERT_EQ(found->size(), 4U);
  const auto learnt = keep_facts(*talk_->house, "s", lines, *found, talk_->talk->recalled());
  ASSERT_TRUE(learnt) << learnt.error().describe();
  EXPECT_TRUE((*learnt)[0].kept) << (*learnt)[0].reason;
  EXPECT_EQ((*learnt)[0].trust, Trust::kOperator);
  EXPECT_TRUE((*learnt)[1].kept) << (*learnt)[1].reason;
  EXPECT_EQ((*learnt)[1].fact.subject, "Ada");
  EXPECT_EQ((*learnt)[2].reason, "the line does not name its object");
  EXPECT_EQ((*learnt)[3].reason, "its subject is a pronoun");
  const ask::Answer answer = talk_->asker->ask("Where does Berit live?");
  EXPECT_NE(answer.text.find("Bergen"), std::string::npos) << answer.text;
  // The same again is known.
  const auto again = keep_facts(*talk_->house, "s", lines, *found, {});
  EXPECT_FALSE((*again)[0].kept);
  EXPECT_NE((*again)[0].reason.find("it is known"), std::string::npos) << (*again)[0].reason;
  // And what was only recalled is no news.
  const auto recalled = keep_facts(
      *talk_->house, "s", lines, {{0, "Berit lives in Bergen now.", "Berit", "lives in", "Bergen"}},
      {"Berit lives in Bergen now."});
  EXPECT_EQ((*recalled)[0].reason, "it was just recalled from memory");
}

TEST_F(ConversationTapeTest, AFactIsTrustedNoMoreThanTheFloor) {
  called_.server.answer(calls("file_read", Json::object({{"path", "a.txt"}})));
  called_.server.answer(says("At nine."));
  say("Please look into a.txt: Berit lives in Bergen");
  const auto& lines = talk_->talk->spoken();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].trust, Trust::kUntrusted);
  const auto learnt =
      *keep_facts(*talk_->house, "s", lines,
                  {{0, "Berit lives in Bergen.", "Berit", "lives in", "Bergen"}}, {});
  ASSERT_EQ(learnt.size(), 1U);
  EXPECT_TRUE(learnt[0].kept) << learnt[0].reason;
  EXPECT_EQ(learnt[0].trust, Trust::kUntrusted);
}

TEST_F(ConversationTapeTest, WithoutAModelTheWordsOfTheSpaceState) {
  const std::vector<SpokenLine> lines = {
      {1, "Hello there. Venus orbits the Sun! Does Mars orbit it?", "Ada", Trust::kOperator},
      {2, "Earth orbits Mars", "Ada", Trust::kOperator},
      {3, "Mars orbits Earth. Not.", "Ada", Trust::kOperator}};
  const auto found = facts_by_rules(*talk_->asker, lines, Timestamp{});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].text, "Earth orbits Mars");
  const auto learnt = *keep_facts(*talk_->house, "s", lines, found, {});
  ASSERT_EQ(learnt.size(), 1U);
  EXPECT_TRUE(learnt[0].kept);
  EXPECT_NE(learnt[0].stated, "");
}

}  // namespace
}  // namespace anima::agent::conversation_tape_test
