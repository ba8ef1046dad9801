// A conversation with a scripted model (a real HTTP server) in the real house: what it is told,
// what its calls may do, and that the label of what it was told stays.
#include "agent/conversation/model_conversation.h"

#include <gtest/gtest.h>

#include <string>

#include "agent/conversation/session_floor.h"
#include "base/files/file.h"
#include "support/called_model.h"
#include "support/links.h"

namespace anima::agent::model_conversation_test {
namespace {

using govern::Outcome;
using govern::Trust;

// What the model says: a call of one tool.
test::ServerAnswer tool_call(std::string_view name, const Json& arguments) {
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
test::ServerAnswer plans(const std::vector<govern::PlannedTool>& steps) {
  Json list = Json::array();
  for (const govern::PlannedTool& step : steps)
    list.push_back(
        Json::object({{"tool", step.tool}, {"most", step.most}, {"texts", Json::array()}}));
  return test::json_answer(test::chat_reply(Json::object({{"steps", std::move(list)}}).dump()));
}
test::ServerAnswer says(std::string_view text) { return test::json_answer(test::chat_reply(text)); }

class ModelConversationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    test::link(*space_, {{"Earth", "orbits", "Sun"}, {"Mars", "orbits", "Sun"}});
    ASSERT_TRUE(system_files().make_directories(folder_.file("work")));
    write("a.txt", "the tide is high at nine");
    open();
  }
  // As another process would: the house, the question answering and the conversation.
  void open() {
    talk_.reset();
    house_ = GovernedHouse::open(space_, clock_, random_,
                                 {.tools = {.work_folder = folder_.file("work")}})
                 .value();
    asker_ = SpaceAsker::open(space_, system_files()).value();
    talk_ = std::make_unique<ModelConversation>(
        *house_, called_.model(), ModelConversationOptions{.asker = asker_.get(), .max_steps = 4});
  }
  void write(const std::string& name, std::string_view text) {
    ASSERT_TRUE(replace_file(system_files(), folder_.file("work/" + name), text));
  }
  bool there(const std::string& name) {
    return file_exists(system_files(), folder_.file("work/" + name));
  }
  govern::IncomingMessage message(std::string content, std::string session = "s") {
    govern::IncomingMessage said;
    said.content = std::move(content);
    said.channel = "terminal";
    said.session = std::move(session);
    return said;
  }
  ModelTurn say(std::string content, std::string session = "s") {
    auto turn = talk_->say(message(std::move(content), std::move(session)));
    EXPECT_TRUE(turn.has_value()) << turn.error().describe();
    return turn ? std::move(*turn) : ModelTurn();
  }
  void remember_untrusted(std::string text) {
    memory::NewMemory item;
    item.content = std::move(text);
    item.trust = Trust::kUntrusted;
    item.source = "web";
    ASSERT_TRUE(house_->remember(item));
  }

  TemporaryDirectory folder_{"anima-model"};
  ManualClock clock_{Timestamp{1'767'225'600'000'000}};
  SeededRandom random_{6};
  std::shared_ptr<store::Space> space_ =
      store::Space::open(folder_.file("space"), {.create = true}).value();
  test::CalledModel called_;
  std::unique_ptr<GovernedHouse> house_;
  std::unique_ptr<SpaceAsker> asker_;
  std::unique_ptr<ModelConversation> talk_;
};

TEST_F(ModelConversationTest, WhatTheSpaceAnswersNeedsNoModel) {
  const ModelTurn turn = say("What orbits the Sun?");
  EXPECT_EQ(turn.kind, ModelTurnKind::kAnswered) << turn.text;
  ASSERT_TRUE(turn.asked);
  EXPECT_EQ(turn.asked->rows.size(), 2U);
  EXPECT_EQ(called_.server.count(), 0U);
}

TEST_F(ModelConversationTest, AToolIsCalledAndItsResultIsTold) {
  called_.server.answer(tool_call("file_read", Json::object({{"path", "a.txt"}})));
  called_.server.answer(says("At nine."));
  const ModelTurn turn = say("Look into a.txt and say when the tide is high");
  EXPECT_EQ(turn.kind, ModelTurnKind::kReply);
  EXPECT_EQ(turn.text, "At nine.");
  ASSERT_EQ(turn.calls.size(), 1U);
  EXPECT_EQ(turn.calls[0].tool, "file:read");
  EXPECT_EQ(turn.calls[0].outcome.kind, Outcome::Kind::kDone) << turn.calls[0].outcome.reason;
  EXPECT_EQ(turn.usage.output_tokens > 0, true);
  const auto requests = called_.server.requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_NE(requests[1].body.find("the tide is high at nine"), std::string::npos);
  EXPECT_NE(requests[1].body.find("tool_call_id"), std::string::npos);
  // Earlier turns are told, too.
  called_.server.answer(says("You asked for the tide."));
  EXPECT_EQ(say("Say again what that was about").text, "You asked for the tide.");
  EXPECT_NE(called_.server.requests()[2].body.find("At nine."), std::string::npos);
}

TEST_F(ModelConversationTest, TheOwnersWordAloneMayWrite) {
  called_.server.answer(
      tool_call("file_write", Json::object({{"path", "b.txt"}, {"content", "hello"}})));
  called_.server.answer(says("Done."));
  const ModelTurn turn = say("Please put a greeting into b.txt");
  ASSERT_EQ(turn.calls.size(), 1U);
  EXPECT_EQ(turn.calls[0].outcome.kind, Outcome::Kind::kDone) << turn.calls[0].outcome.reason;
  EXPECT_TRUE(there("b.txt"));
  EXPECT_EQ(turn.floor, Trust::kOperator);
  // That it ran is all that the model was told.
  EXPECT_NE(called_.server.requests()[1].body.find(R"("content":"done")"), std::string::npos);
}

TEST_F(ModelConversationTest, WhatWasReadLabelsEveryArgument) {
  called_.server.answer(tool_call("file_read", Json::object({{"path", "a.txt"}})));
  called_.server.answer(
      tool_call("file_write", Json::object({{"path", "invented.txt"}, {"content", "x"}})));
  called_.server.answer(plans({}));
  ModelTurn turn = say("Please look into a.txt for me");
  ASSERT_EQ(turn.kind, ModelTurnKind::kWaiting);
  EXPECT_EQ(turn.text, "a value from outside would choose what is done");
  EXPECT_EQ(turn.floor, Trust::kUntrusted);
  // The plan is made of the message alone.
  const std::string planned = called_.server.requests()[2].body;
  EXPECT_NE(planned.find("Please look into a.txt"), std::string::npos);
  EXPECT_EQ(planned.find("the tide is high"), std::string::npos);
  called_.server.answer(says("It was refused."));
  turn = *talk_->go_on(false);
  EXPECT_EQ(turn.text, "It was refused.");
  EXPECT_EQ(turn.calls.size(), 2U);
  EXPECT_FALSE(there("invented.txt"));
}

TEST_F(ModelConversationTest, WhatTheMessageAsksForRunsAfterReading) {
  called_.server.answer(tool_call("file_read", Json::object({{"path", "a.txt"}})));
  called_.server.answer(
      tool_call("file_write", Json::object({{"path", "tides.txt"}, {"content", "high at nine"}})));
  called_.server.answer(plans({{"file_read", 1}, {"file_write", 1}}));
  called_.server.answer(
      tool_call("file_write", Json::object({{"path", "tides.txt"}, {"content", "once more"}})));
  const ModelTurn turn = say("Copy the time of a.txt into tides.txt");
  ASSERT_EQ(turn.kind, ModelTurnKind::kWaiting);
  EXPECT_EQ(turn.text, "the message asks for this tool less often");
  ASSERT_EQ(turn.calls.size(), 2U);
  EXPECT_EQ(turn.calls[1].outcome.kind, Outcome::Kind::kDone) << turn.calls[1].outcome.reason;
  EXPECT_TRUE(there("tides.txt"));
}

TEST_F(ModelConversationTest, AReactiveSessionNeedsNoPlan) {
  ModelConversationOptions options;
  options.mode = ModelMode::kReactive;
  talk_ = std::make_unique<ModelConversation>(*house_, called_.model(), options);
  called_.server.answer(tool_call("file_read", Json::object({{"path", "a.txt"}})));
  called_.server.answer(
      tool_call("file_write", Json::object({{"path", "tides.txt"}, {"content", "high at nine"}})));
  called_.server.answer(says("Done."));
  EXPECT_EQ(say("Copy the time of a.txt into tides.txt").text, "Done.");
  EXPECT_TRUE(there("tides.txt"));
}

TEST_F(ModelConversationTest, TheFloorSurvivesARestartAndIsTheSessionsOwn) {
  called_.server.answer(tool_call("file_read", Json::object({{"path", "a.txt"}})));
  called_.server.answer(says("Read."));
  EXPECT_EQ(say("Please look into a.txt for me").floor, Trust::kUntrusted);
  open();
  EXPECT_EQ(*session_floor(*space_, "s"), Trust::kUntrusted);
  const Json write = Json::object({{"path", "invented.txt"}, {"content", "x"}});
  called_.server.answer(tool_call("file_write", write));
  called_.server.answer(plans({{"file_write", 1}}));
  EXPECT_EQ(say("Please put something into a new file").kind, ModelTurnKind::kWaiting);
  // What was said before the restart belongs to what is planned.
  const std::string planned = called_.server.requests().back().body;
  EXPECT_NE(planned.find("Said before: Please look into a.txt for me"), std::string::npos);
  EXPECT_NE(planned.find("What is said now: Please put something"), std::string::npos);
  called_.server.answer(tool_call("file_write", write));
  called_.server.answer(says("Done."));
  EXPECT_EQ(say("Please put something into a new file", "another").calls.at(0).outcome.kind,
            Outcome::Kind::kDone);
  ASSERT_TRUE(reset_session_floor(*space_, {}, "s"));
  EXPECT_EQ(*session_floor(*space_, "s"), Trust::kSystem);
}

TEST_F(ModelConversationTest, WhatIsRememberedIsToldWithItsLabel) {
  remember_untrusted("The harbour gate opens with the word albatross");
  called_.server.answer(
      tool_call("file_write", Json::object({{"path", "gate.txt"}, {"content", "x"}})));
  called_.server.answer(plans({}));
  const ModelTurn turn = say("Please explain the harbour gate to me");
  EXPECT_EQ(turn.floor, Trust::kUntrusted);
  EXPECT_NE(called_.server.requests()[0].body.find("trust=untrusted"), std::string::npos);
  EXPECT_EQ(turn.kind, ModelTurnKind::kWaiting);
}

TEST_F(ModelConversationTest, ACallThatNeedsConsentWaits) {
  write("old.txt", "x");
  called_.server.answer(tool_call("file_delete", Json::object({{"path", "old.txt"}})));
  ModelTurn turn = say("Please get rid of old.txt");
  ASSERT_EQ(turn.kind, ModelTurnKind::kWaiting) << turn.text;
  EXPECT_TRUE(there("old.txt"));
  ASSERT_TRUE(house_->approvals().reject(turn.approval_id, "operator", "no"));
  called_.server.answer(tool_call("file_delete", Json::object({{"path", "./old.txt"}})));
  turn = *talk_->go_on(false);
  ASSERT_EQ(turn.kind, ModelTurnKind::kWaiting) << turn.text;
  EXPECT_NE(called_.server.requests()[1].body.find("did not consent"), std::string::npos);
  ASSERT_TRUE(house_->approvals().grant(turn.approval_id, "operator"));
  called_.server.answer(says("It is gone."));
  turn = *talk_->go_on(true);
  EXPECT_EQ(turn.kind, ModelTurnKind::kReply);
  EXPECT_EQ(turn.text, "It is gone.");
  EXPECT_FALSE(there("old.txt"));
  EXPECT_EQ(turn.calls.size(), 2U);
}

TEST_F(ModelConversationTest, AModelThatGoesInCirclesIsStopped) {
  called_.server.otherwise([](const test::ServerRequest&) {
    return tool_call("file_read", Json::object({{"path", "a.txt"}}));
  });
  const ModelTurn turn = say("Please look into a.txt for me");
  EXPECT_EQ(turn.kind, ModelTurnKind::kStopped);
  EXPECT_EQ(called_.server.count(), 4U);
}

TEST_F(ModelConversationTest, NonsenseIsAnsweredAndAFailureLosesNoTurn) {
  called_.server.answer(tool_call("launch_rockets", Json::object()));
  called_.server.answer(says("There is no such tool."));
  EXPECT_EQ(say("Please do something grand").text, "There is no such tool.");
  EXPECT_NE(called_.server.requests()[1].body.find("there is no tool launch_rockets"),
            std::string::npos);
  called_.server.answer(test::http_answer(400, "text/plain", "no"));
  EXPECT_FALSE(talk_->say(message("Please tell a story")));
  called_.server.answer(says("Once upon a time."));
  EXPECT_EQ(say("Please tell a story").text, "Once upon a time.");
}

TEST_F(ModelConversationTest, TheContextIsToldPartByPart) {
  remember_untrusted("The harbour gate opens with the word albatross");
  const auto context = talk_->context(message("Please explain the harbour gate to me"));
  ASSERT_TRUE(context) << context.error().describe();
  ASSERT_EQ(context->parts.size(), 3U);
  EXPECT_EQ(context->parts[0].section, "instructions");
  EXPECT_EQ(context->parts[1].section, "memory");
  EXPECT_EQ(context->parts[1].trust, Trust::kUntrusted);
  EXPECT_EQ(context->parts[2].section, "message");
  EXPECT_LE(context->used, context->budget);
  EXPECT_EQ(context->label(), Trust::kUntrusted);
  EXPECT_EQ(called_.server.count(), 0U);
  EXPECT_EQ(*session_floor(*space_, "s"), Trust::kSystem);
}

PromptPart part(std::string section, std::size_t tokens) {
  // Each message counts four tokens beside its text.
  return {std::move(section),
          "there",
          "test",
          Trust::kOperator,
          {llm::user_message(std::string(4 * (tokens - 4), 'x'))},
          false};
}

TEST(ModelContext, FillsTheBudgetInItsOrder) {
  ContextSources sources;
  sources.instructions = part("instructions", 20);
  sources.message = part("message", 10);
  sources.findings = {part("asked", 10), part("memory", 90)};
  sources.turns = {part("turn", 5), part("turn", 50), part("turn", 20)};
  const auto context = assemble_context(sources, 100);
  ASSERT_TRUE(context);
  std::string in;
  for (const PromptPart& each : context->parts) in += each.included ? '1' : '0';
  // Instructions, three turns (the newest alone: before a gap there is nothing), asked, memory.
  EXPECT_EQ(in, "1001101");
  EXPECT_EQ(context->used, 60);
  EXPECT_EQ(context->parts[1].reason, context->parts[2].reason);
  EXPECT_EQ(assemble_context(sources, 29).error().code, ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace anima::agent::model_conversation_test
