// Fifty turns with a real model server: llama.cpp's, with a model of random weights that the test
// makes (tests/e2e/model_server/serve.py). It writes nonsense in every form, and holds to a grammar
// when JSON is asked for. `./dev setup test` installs it into build/model_server;
// ANIMA_MODEL_SERVER names another environment of Python.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "support/command.h"
#include "support/needs.h"

namespace anima::model_server_test {
namespace {

class RealModelServer : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* named = std::getenv("ANIMA_MODEL_SERVER");
    const std::string python =
        std::string(named != nullptr ? named : ANIMA_SOURCE_DIR "/build/model_server") +
        "/bin/python";
    ANIMA_NEEDS(test::kPypi, file_exists(system_files(), python));
    test::init_space(folder_);
    ASSERT_TRUE(system_files().make_directories(folder_.file("config/anima")));
    ASSERT_TRUE(system_files().make_directories(folder_.file("model")));
    // It serves until this end of its input is closed.
    const std::string serve = "exec " + python + " " + ANIMA_SOURCE_DIR +
                              "/tests/e2e/model_server/serve.py " + folder_.file("model") + " > " +
                              folder_.file("address") + " 2> " + folder_.file("server.log");
    server_ = ::popen(serve.c_str(), "w");
    ASSERT_NE(server_, nullptr);
    const std::string url = address();
    ASSERT_NE(url, "");
    ASSERT_TRUE(
        replace_file(system_files(), folder_.file("config/anima/config.toml"),
                     "[llm.tiny]\nprovider = \"openai\"\nmodel = \"random-bytes\"\nurl = \"" + url +
                         "/v1\"\nmax_tokens = 48\ncontext_tokens = 8000\n"));
  }
  void TearDown() override {
    if (server_ != nullptr) ::pclose(server_);
  }
  // Waits for it, half a minute at most.
  std::string address() const {
    for (int tries = 0; tries < 300; ++tries) {
      const auto text = read_file(system_files(), folder_.file("address"));
      if (text && text->ends_with('\n')) return std::string(trim(*text));
      ::usleep(100'000);
    }
    return {};
  }
  int anima(const std::string& arguments, const std::string& input = {}) {
    EXPECT_TRUE(replace_file(system_files(), folder_.file("input"), input).has_value());
    test::Ran ran = test::run_command(
        "HOME=" + folder_.path() + " XDG_CONFIG_HOME=" + folder_.file("config") +
        " XDG_STATE_HOME=" + folder_.file("state") + " ANIMA_SPACE=" + folder_.file("space") + " " +
        ANIMA_BINARY_DIR + "/anima " + arguments + " <" + folder_.file("input") + " 2>" +
        folder_.file("errors"));
    out_ = std::move(ran.out);
    return ran.code;
  }
  std::string errors() const { return *read_file(system_files(), folder_.file("errors")); }

  TemporaryDirectory folder_{"anima-server"};
  std::FILE* server_ = nullptr;
  std::string out_;
};

TEST_F(RealModelServer, FiftyTurnsAreAnsweredAndReplayed) {
  std::string lines;
  for (int i = 0; i < 50; ++i)
    lines += "Please say something of pebble " + std::to_string(i) + "\n";
  ASSERT_EQ(anima("chat --llm tiny --json", lines), 0) << out_ << errors();
  std::size_t replies = 0;
  for (const std::string_view line : split(out_, '\n')) {
    if (line.empty()) continue;
    const auto json = parse_json(line);
    ASSERT_TRUE(json) << line;
    if (json->find("type")->as_string() != "turn") continue;
    EXPECT_EQ(json->find("kind")->as_string(), "reply") << line;
    EXPECT_GT(json->find("usage")->find("output_tokens")->as_integer(), 0);
    ++replies;
  }
  EXPECT_EQ(replies, 50U);
  EXPECT_EQ(anima("replay last"), 0) << out_ << errors();
  EXPECT_NE(out_.find("50 of 50 turns repeated"), std::string::npos) << out_;
}

TEST_F(RealModelServer, StreamsAndHoldsToASchema) {
  EXPECT_EQ(anima("chat --llm tiny --no-learn", "Please hum a tune\n"), 0) << out_ << errors();
  EXPECT_EQ(anima("replay last"), 0) << out_ << errors();
  ASSERT_TRUE(replace_file(system_files(), folder_.file("schema.json"),
                           R"({"type":"object","properties":{"stone":{"enum":["flint","chalk"]}},)"
                           R"("required":["stone"],"additionalProperties":false})"));
  ASSERT_EQ(anima("llm ask tiny \"Name a stone\" --max-tokens 200 --schema " +
                  folder_.file("schema.json")),
            0)
      << out_ << errors();
  EXPECT_TRUE(out_.find("flint") != std::string::npos || out_.find("chalk") != std::string::npos)
      << out_;
}

}  // namespace
}  // namespace anima::model_server_test
