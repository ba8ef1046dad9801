// Long sessions made shorter: by a model and without one, under the budget, with the labels kept.
#include "agent/conversation/conversation_history.h"

#include <gtest/gtest.h>

#include "support/called_model.h"

namespace anima::agent::conversation_history_test {
namespace {

using govern::Trust;

std::vector<llm::Message> exchange(std::string said, std::string answered) {
  return {llm::user_message(std::move(said)), llm::assistant_message(std::move(answered))};
}

ConversationHistory long_history(std::size_t turns) {
  ConversationHistory history;
  for (std::size_t i = 0; i < turns; ++i) {
    history.add(exchange("Line " + std::to_string(i) + " of it. And more of the same.",
                         "Answer " + std::to_string(i) + ". " + std::string(200, 'x')),
                i == 1 ? Trust::kUntrusted : Trust::kOperator, "s");
  }
  return history;
}

std::int64_t told_tokens(const ConversationHistory& history) {
  ContextSources sources;
  history.tell(sources);
  std::int64_t tokens = sources.summary ? sources.summary->tokens() : 0;
  for (const PromptPart& turn : sources.turns) tokens += turn.tokens();
  return tokens;
}

TEST(ConversationHistory, LeavesShortOnesAlone) {
  ConversationHistory history = long_history(3);
  llm::Usage usage;
  EXPECT_FALSE(history.shorten(2000, nullptr, usage));
  EXPECT_EQ(history.turns().size(), 3U);
  EXPECT_FALSE(history.summary());
}

TEST(ConversationHistory, TakesFirstSentencesWithoutAModel) {
  ConversationHistory history = long_history(40);
  llm::Usage usage;
  ASSERT_TRUE(history.shorten(2000, nullptr, usage));
  ASSERT_TRUE(history.summary());
  EXPECT_EQ(history.count(), 40U);
  EXPECT_EQ(history.summary()->turns + history.turns().size(), 40U);
  EXPECT_FALSE(history.summary()->by_model);
  // What an untrusted turn said is no more trusted in short.
  EXPECT_EQ(history.summary()->trust, Trust::kUntrusted);
  const std::string last = "Line " + std::to_string(history.summary()->turns - 1) + " of it.";
  EXPECT_NE(history.summary()->text.find(last), std::string::npos) << history.summary()->text;
  EXPECT_EQ(history.summary()->text.find("And more"), std::string::npos);
  EXPECT_NE(history.summary()->text.find("were dropped"), std::string::npos);
  EXPECT_LE(llm::estimate_tokens(history.summary()->text), 2000 / 8);
  EXPECT_LE(told_tokens(history), 1000);
  // Again and again: it never grows.
  for (int round = 0; round < 200; ++round) {
    history.add(exchange("Once more?", std::string(300, 'y')), Trust::kOperator, "s");
    history.shorten(2000, nullptr, usage);
    ASSERT_LE(told_tokens(history), 1000 + 250 + 30);
  }
  EXPECT_EQ(history.count(), 240U);
  EXPECT_EQ(history.summary()->trust, Trust::kUntrusted);
}

TEST(ConversationHistory, AModelMakesTheSummaryOrSentencesDo) {
  test::CalledModel called;
  called.config.attempts = 1;
  called.server.answer(test::json_answer(test::chat_reply("Ada moves to Oslo on 3 May.")));
  ConversationHistory history = long_history(40);
  llm::Usage usage;
  ASSERT_TRUE(history.shorten(2000, &called.model(), usage));
  EXPECT_TRUE(history.summary()->by_model);
  EXPECT_EQ(history.summary()->text, "Ada moves to Oslo on 3 May.");
  EXPECT_GT(usage.output_tokens, 0);
  EXPECT_NE(called.server.requests()[0].body.find("Line 0 of it."), std::string::npos);
  // The next one knows the first.
  for (int i = 0; i < 20; ++i) history.add(exchange("More.", std::string(400, 'y')), {}, "s");
  called.server.answer(test::json_answer(Json(), 500));
  ASSERT_TRUE(history.shorten(2000, &called.model(), usage));
  EXPECT_NE(called.server.requests()[1].body.find("Ada moves to Oslo"), std::string::npos);
  EXPECT_FALSE(history.summary()->by_model);
  EXPECT_NE(history.summary()->text.find("Ada moves to Oslo"), std::string::npos);
}

TEST(ConversationHistory, IsToldWithWhatWasDropped) {
  ConversationHistory history = long_history(40);
  llm::Usage usage;
  ASSERT_TRUE(history.shorten(2000, nullptr, usage));
  ContextSources sources;
  history.tell(sources);
  ASSERT_EQ(sources.shortened.size(), 1U);
  EXPECT_EQ(sources.shortened[0].section, "turns 1-" + std::to_string(history.summary()->turns));
  EXPECT_NE(sources.shortened[0].reason.find(std::to_string(history.summary()->tokens)),
            std::string::npos);
  ASSERT_TRUE(sources.summary);
  EXPECT_EQ(sources.summary->trust, Trust::kUntrusted);
  const auto back = summary_from_json(history.summary()->to_json());
  ASSERT_TRUE(back);
  EXPECT_EQ(back->text, history.summary()->text);
  EXPECT_EQ(back->turns, history.summary()->turns);
  EXPECT_FALSE(summary_from_json(Json::object({{"text", ""}})));
}

TEST(FirstSentence, EndsWhereASentenceEnds) {
  EXPECT_EQ(first_sentence("  It is 3.5 m. Really.", 100), "It is 3.5 m.");
  EXPECT_EQ(first_sentence("no mark\nat all", 100), "no mark");
  EXPECT_EQ(first_sentence("abcdef", 3), "abc..");
  EXPECT_EQ(first_sentence("", 3), "");
}

}  // namespace
}  // namespace anima::agent::conversation_history_test
