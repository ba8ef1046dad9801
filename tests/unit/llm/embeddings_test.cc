// Embeddings from a real HTTP server: batches, order, answers that cannot be used, repetitions,
// keys.
#include "llm/embeddings.h"

#include <gtest/gtest.h>

#include "support/called_model.h"
#include "support/embedding_server.h"

namespace anima::llm::embeddings_test {
namespace {

constexpr std::size_t kDimensions = 8;

class EmbeddingsTest : public ::testing::Test {
 protected:
  Result<std::vector<std::vector<float>>> embed(const std::vector<std::string>& texts) {
    config_.url = server_.url();
    config_.model = "words-1";
    ModelParts parts{*transport_, clock_, random_, waiter_, {}, {}};
    parts.key = [](const KeySource&) { return Result<Secret>(Secret(test::kTestKey)); };
    Embeddings embeddings(config_, std::move(parts));
    return embeddings.embed(texts);
  }
  static Json data(std::initializer_list<std::pair<int, std::vector<double>>> vectors) {
    Json list = Json::array();
    for (const auto& [index, numbers] : vectors) {
      Json vector = Json::array();
      for (const double number : numbers) vector.push_back(number);
      list.push_back(Json::object({{"index", index}, {"embedding", std::move(vector)}}));
    }
    return Json::object({{"data", std::move(list)}});
  }

  test::ModelServer server_;
  SystemClock clock_;
  SeededRandom random_{5};
  test::WrittenWaits waiter_;
  EmbeddingsConfig config_;
  std::unique_ptr<HttpTransport> transport_ = make_http_transport(clock_);
};

TEST_F(EmbeddingsTest, GoInBatchesAndKeepTheirOrder) {
  test::embeds_words(server_, kDimensions);
  config_.batch = 2;
  const std::vector<std::string> texts = {"one", "two", "three", "four", "five"};
  const auto vectors = embed(texts);
  ASSERT_TRUE(vectors) << vectors.error().describe();
  ASSERT_EQ(vectors->size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::vector<double> expected = test::hashed_words(texts[i], kDimensions);
    for (std::size_t k = 0; k < kDimensions; ++k)
      EXPECT_FLOAT_EQ((*vectors)[i][k], static_cast<float>(expected[k]));
  }
  ASSERT_EQ(server_.count(), 3u);
  EXPECT_EQ(server_.requests()[0].path(), "/v1/embeddings");
  EXPECT_EQ(server_.requests()[0].json().find("model")->as_string(), "words-1");
  EXPECT_EQ(server_.requests()[0].header("authorization"), "") << "no key is configured";
}

TEST_F(EmbeddingsTest, TheIndexSaysWhichTextAVectorIsOf) {
  server_.answer(test::json_answer(data({{1, {0, 1}}, {0, {1, 0}}})));
  const auto vectors = embed({"a", "b"});
  ASSERT_TRUE(vectors) << vectors.error().describe();
  EXPECT_EQ((*vectors)[0], (std::vector<float>{1, 0}));
  EXPECT_EQ((*vectors)[1], (std::vector<float>{0, 1}));
}

TEST_F(EmbeddingsTest, WhatCannotBeUsedIsAnError) {
  for (const Json& answer :
       {Json::object({{"data", Json::array()}}), Json::object({{"vectors", 1}}),
        data({{0, {1, 2}}}), data({{0, {1, 2}}, {0, {1, 2}}}), data({{0, {1, 2}}, {7, {1, 2}}}),
        data({{0, {1, 2}}, {-1, {1, 2}}}), data({{0, {1, 2}}, {1, {1, 2, 3}}}),
        data({{0, {1, 2}}, {1, {}}}),
        Json::object({{"data", Json::array({Json::object({{"embedding", "x"}}), Json(3)})}})}) {
    server_.answer(test::json_answer(answer));
    const auto vectors = embed({"a", "b"});
    ASSERT_FALSE(vectors) << answer.dump();
    EXPECT_EQ(vectors.error().code, ErrorCode::kIo) << answer.dump();
  }
}

TEST_F(EmbeddingsTest, IsTriedAgainWhereThatHelps) {
  server_.answer(test::http_answer(503, "text/plain", "busy"));
  server_.answer(test::json_answer(data({{0, {1, 0}}})));
  EXPECT_TRUE(embed({"a"}));
  EXPECT_EQ(waiter_.waits.size(), 1u);
  server_.answer(test::json_answer(
      Json::object({{"error", Json::object({{"message", "bad key sk-abcdefghijklmnopqrstuvwx"}})}}),
      401));
  const auto denied = embed({"a"});
  ASSERT_FALSE(denied);
  EXPECT_EQ(denied.error().code, ErrorCode::kDenied);
  EXPECT_EQ(denied.error().describe().find("abcdefghijkl"), std::string::npos);
  EXPECT_EQ(waiter_.waits.size(), 1u) << "a key does not get better";
}

TEST_F(EmbeddingsTest, TheKeyTravelsInTheHeaderAlone) {
  test::embeds_words(server_, kDimensions);
  config_.key = {KeySource::Kind::kEnvironment, "EMBEDDINGS_KEY"};
  ASSERT_TRUE(embed({"a"}));
  EXPECT_EQ(server_.requests()[0].header("authorization"), std::string("Bearer ") + test::kTestKey);
  EXPECT_EQ(server_.requests()[0].body.find(test::kTestKey), std::string::npos);
}

}  // namespace
}  // namespace anima::llm::embeddings_test
