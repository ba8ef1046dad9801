// anima llm, and what `anima config` says of models. Everything that any of it writes is searched
// for the key.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/called_model.h"
#include "support/cli_run.h"

namespace anima::cli::llm_test {
namespace {

using test::chat_reply;
using test::http_answer;
using test::json_answer;
using test::stream_answer;

class LlmVerbs : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(system_files().make_directories(folder_.file("config/anima")));
    ASSERT_TRUE(replace_file(system_files(), folder_.file("key"),
                             std::string(test::kTestKey) + "\n", 0600));
    configure({});
  }
  void TearDown() override {
    EXPECT_EQ(written_.find(test::kTestKey), std::string::npos) << written_;
    for (const char* name : {"state/anima/models.json", "tape.jsonl"}) {
      const auto bytes = read_file(system_files(), folder_.file(name));
      if (!bytes) continue;
      EXPECT_EQ(bytes->find(test::kTestKey), std::string::npos) << name;
    }
  }
  void configure(std::string_view more) {
    std::string text = "[llm.local]\nprovider = \"openai\"\nmodel = \"scripted-1\"\nurl = \"" +
                       server_.url() + "\"\nkey_file = \"" + folder_.file("key") +
                       "\"\nattempts = 1\n";
    text += more;
    ASSERT_TRUE(replace_file(system_files(), folder_.file("config/anima/config.toml"), text));
  }
  test::CliRun run(const std::vector<std::string>& arguments) {
    test::CliRun run = test::run_cli(arguments, environment_);
    written_ += run.out + run.err;
    return run;
  }

  TemporaryDirectory folder_;
  test::ModelServer server_;
  Environment environment_{{"HOME", folder_.path()},
                           {"XDG_CONFIG_HOME", folder_.file("config")},
                           {"XDG_STATE_HOME", folder_.file("state")}};
  std::string written_;
};

TEST_F(LlmVerbs, ListsChecksAndAsks) {
  const auto list = run({"llm", "list"});
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_NE(list.out.find("scripted-1"), std::string::npos) << list.out;
  server_.answer(json_answer(chat_reply("ready")));
  const auto check = run({"llm", "check", "local"});
  EXPECT_EQ(check.code, 0) << check.err;
  EXPECT_NE(check.out.find("it answers \"ready\""), std::string::npos) << check.out;
  server_.answer(json_answer(chat_reply("a burrito")));
  const auto ask = run({"llm", "ask", "local", "What is a monad?", "--system", "Be brief."});
  EXPECT_EQ(ask.code, 0) << ask.err;
  EXPECT_EQ(ask.out, "a burrito\n");
  const auto requests = server_.requests();
  EXPECT_EQ(requests.back().header("authorization"), std::string("Bearer ") + test::kTestKey);
  EXPECT_NE(requests.back().body.find("Be brief."), std::string::npos);
  const auto used = run({"llm", "list", "--json"});
  EXPECT_EQ(parse_json(used.out)->find("budget")->find("spent")->find("tokens")->as_integer(), 34);
  server_.answer(json_answer(chat_reply("routed")));
  EXPECT_EQ(run({"llm", "ask", "auto", "?"}).out, "routed\n");
}

TEST_F(LlmVerbs, Streams) {
  const auto answer = stream_answer(
      {R"(data: {"choices":[{"index":0,"delta":{"content":"one "}}]})",
       R"(data: {"choices":[{"index":0,"delta":{"content":"two"},"finish_reason":"stop"}]})"});
  server_.answer(answer);
  EXPECT_EQ(run({"llm", "ask", "local", "?", "--stream"}).out, "one two\n");
  server_.answer(answer);
  const auto json = run({"llm", "ask", "local", "?", "--stream", "--json"});
  const auto lines = split(json.out, '\n');
  ASSERT_EQ(lines.size(), 4U) << json.out;
  EXPECT_EQ(lines[0], R"({"type":"text","text":"one "})");
  EXPECT_EQ(parse_json(lines[2])->find("text")->as_string(), "one two");
}

TEST_F(LlmVerbs, RecordsAndReplaysWithoutAServer) {
  const std::string tape = folder_.file("tape.jsonl");
  server_.answer(json_answer(chat_reply("on the record")));
  EXPECT_EQ(run({"llm", "ask", "local", "?", "--record", tape}).out, "on the record\n");
  ASSERT_TRUE(system_files().remove(folder_.file("key")));
  const auto replay = run({"llm", "ask", "local", "?", "--replay", tape});
  EXPECT_EQ(replay.out, "on the record\n") << replay.err;
  EXPECT_EQ(server_.count(), 1U);
  const auto other = run({"llm", "ask", "local", "something else", "--replay", tape});
  EXPECT_EQ(other.code, 75);
}

TEST_F(LlmVerbs, HoldsAnAnswerToASchema) {
  ASSERT_TRUE(
      replace_file(system_files(), folder_.file("s.json"),
                   R"({"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}})"));
  server_.answer(json_answer(chat_reply("{\"n\": \"x\"}")));
  server_.answer(json_answer(chat_reply("{\"n\": 4}")));
  const auto good = run({"llm", "ask", "local", "?", "--schema", folder_.file("s.json"), "--json"});
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_EQ(parse_json(good.out)->find("value")->find("n")->as_integer(), 4);
  server_.answer(json_answer(chat_reply("no")));
  server_.answer(json_answer(chat_reply("no")));
  EXPECT_EQ(run({"llm", "ask", "local", "?", "--schema", folder_.file("s.json")}).code, 1);
}

TEST_F(LlmVerbs, ErrorsHaveTheirCodes) {
  server_.answer(json_answer(
      Json::object(
          {{"error", Json::object({{"message", std::string("bad key ") + test::kTestKey}})}}),
      401));
  const auto denied = run({"llm", "ask", "local", "?"});
  EXPECT_EQ(denied.code, 3);
  EXPECT_NE(denied.err.find("[key removed]"), std::string::npos) << denied.err;
  EXPECT_EQ(run({"llm", "ask", "nobody", "?"}).code, 6);
  EXPECT_EQ(run({"llm", "ask", "local"}).code, 2);
  configure("[models]\nbudget_tokens = 100\n");
  EXPECT_EQ(run({"llm", "ask", "local", "?"}).code, 7);
  EXPECT_EQ(server_.count(), 1U);
  ASSERT_EQ(::system(("chmod 644 " + folder_.file("key")).c_str()), 0);
  const auto open = run({"llm", "check", "local"});
  EXPECT_EQ(open.code, 3);
  EXPECT_NE(open.err.find("chmod 600"), std::string::npos) << open.err;
  const auto check = run({"config", "check"});
  EXPECT_EQ(check.code, 1);
  EXPECT_NE(check.out.find("others may read the key"), std::string::npos) << check.out;
}

TEST_F(LlmVerbs, ConfigKnowsTheModels) {
  const auto good = run({"config", "check"});
  EXPECT_EQ(good.code, 0) << good.out;
  const auto shown = run({"config", "show", "llm", "--origin"});
  EXPECT_NE(shown.out.find("llm.local.url"), std::string::npos) << shown.out;
  configure(
      "[llm.far]\nprovider = \"openai\"\nmodel = \"m\"\nurl = \"http://far.example/v1\"\n"
      "[llm.wrong]\nprovidr = \"openai\"\nkey = \"sk-0000\"\n");
  const auto bad = run({"config", "check"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE(bad.out.find("without https"), std::string::npos) << bad.out;
  EXPECT_NE(bad.out.find("did you mean \"llm.wrong.provider\"?"), std::string::npos) << bad.out;
  EXPECT_EQ(bad.out.find("sk-0000"), std::string::npos) << bad.out;
}

}  // namespace
}  // namespace anima::cli::llm_test
