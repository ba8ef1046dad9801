// Vectors beside the words: what they find, what is never sent, how they are kept and taken away,
// and recall without their server.
#include "memory/recall/text_vectors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/text/text.h"
#include "llm/embeddings.h"
#include "memory/memory_manager.h"
#include "memory/recall/detail/vector_index.h"
#include "memory/recall/recall_context.h"
#include "support/called_model.h"
#include "support/embedding_server.h"
#include "support/lent_clock.h"

namespace anima::memory::text_vectors_test {
namespace {

using store::EntityId;

constexpr std::size_t kDimensions = 64;

class TextVectorsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store::SpaceOptions options;
    options.clock = test::lent(clock_);
    options.create = true;
    auto space = store::Space::open(folder_.file("space"), options);
    ASSERT_TRUE(space) << space.error().describe();
    space_ = *space;
    ledger_ = std::make_unique<govern::Ledger>(*space_, clock_, random_);
    manager_ =
        std::make_unique<MemoryManager>(*space_, *ledger_, guardian_, events_, clock_, random_);
    transport_ = llm::make_http_transport(system_);
    start_server();
  }
  void start_server() {
    server_ = std::make_unique<test::ModelServer>();
    test::embeds_words(*server_, kDimensions, {{"vessel", "ship"}, {"departs", "leaves"}});
    llm::EmbeddingsConfig config;
    config.url = server_->url();
    config.model = "words-1";
    config.attempts = 1;
    llm::ModelParts parts{*transport_, system_, random_, waiter_, {}, {}};
    embeddings_ = std::make_unique<llm::Embeddings>(config, std::move(parts));
  }
  // `meanwhile` happens while the server works on the first texts.
  std::shared_ptr<TextVectors> vectors(std::string model = "words-1",
                                       std::function<void()> meanwhile = {}) {
    const Embed embed = [this, meanwhile = std::move(meanwhile), first = true](
                            std::span<const std::string> texts,
                            const std::stop_token& stop) mutable {
      auto made = embeddings_->embed(texts, stop);
      if (std::exchange(first, false) && meanwhile) meanwhile();
      return made;
    };
    return std::make_shared<TextVectors>(
        TextVectorsParts{system_files(), clock_, space_->folder(), std::move(model), embed, embed});
  }
  std::set<EntityId> entities_of(std::size_t count) {
    std::set<EntityId> things;
    const store::Snapshot now = space_->snapshot()->with_books();
    for (std::uint32_t id = 1; id < now.entity_bound() && things.size() < count; ++id) {
      const EntityId entity{id};
      if (now.kind(entity) == store::EntityKind::kConcept && now.attribute(entity, "content"))
        things.insert(entity);
    }
    return things;
  }
  std::size_t drop(const std::set<EntityId>& things) {
    const store::Snapshot now = space_->snapshot()->with_books();
    return drop_vectors(system_files(), space_->folder(), now, things).value();
  }
  // The server does not take texts with this word.
  void refuses(std::string word, test::ServerAnswer answer) {
    server_->otherwise(
        [word = std::move(word), answer = std::move(answer)](const test::ServerRequest& request) {
          const bool refused = request.body.find(word) != std::string::npos;
          return refused ? answer : test::embeddings_answer(request, kDimensions);
        });
  }
  std::string remember(std::string content, Partition partition = Partition::kPublic,
                       std::vector<std::string> readers = {}) {
    NewMemory memory;
    memory.content = std::move(content);
    memory.trust = govern::Trust::kOperator;
    memory.partition = partition;
    memory.readers = std::move(readers);
    const auto stored = manager_->store(memory);
    EXPECT_TRUE(stored) << stored.error().describe();
    return stored ? stored->id : std::string();
  }
  void remember_harbour() {
    for (const char* text :
         {"The vessel departs at nine", "Bread is baked on Mondays", "Ada paints the northern gate",
          "The cat sleeps near the stove", "Ben counts the crates of oranges",
          "Rain is expected for the week", "The bridge was closed for repairs"})
      remember(text);
  }
  EmbedReport embed(TextVectors& vectors, EmbedRequest request = {}) {
    const auto report = vectors.embed(*manager_, *space_, request);
    EXPECT_TRUE(report) << report.error().describe();
    return report ? *report : EmbedReport();
  }
  RecalledContext recall(std::string_view question) {
    auto context = recall_context(*manager_, space_->snapshot().value(), question, {});
    EXPECT_TRUE(context) << context.error().describe();
    return context ? *context : RecalledContext();
  }
  std::string sent() const {
    std::string all;
    for (const test::ServerRequest& request : server_->requests()) all += request.body;
    return all;
  }

  TemporaryDirectory folder_{"anima-vectors"};
  ManualClock clock_{Timestamp{1'767'225'600'000'000}};
  SystemClock system_;
  SeededRandom random_{9};
  test::WrittenWaits waiter_;
  std::shared_ptr<store::Space> space_;
  bus::EventBus events_;
  govern::Guardian guardian_{govern::PatternSet::shipped().value()};
  std::unique_ptr<govern::Ledger> ledger_;
  std::unique_ptr<MemoryManager> manager_;
  std::unique_ptr<llm::HttpTransport> transport_;
  std::unique_ptr<test::ModelServer> server_;
  std::unique_ptr<llm::Embeddings> embeddings_;
};

TEST_F(TextVectorsTest, FindWhatSharesNoWordWithTheQuestion) {
  remember_harbour();
  const std::string question = "ship leaves";
  EXPECT_TRUE(recall(question).items.empty()) << "words alone find nothing";
  const auto used = vectors();
  EXPECT_EQ(embed(*used).embedded, 7u);
  manager_->use_vectors(used);
  const RecalledContext found = recall(question);
  EXPECT_EQ(found.note, "");
  ASSERT_FALSE(found.items.empty());
  const auto best = std::ranges::min_element(found.items, {}, &ContextItem::rank);
  EXPECT_EQ(best->content, "The vessel departs at nine");
  EXPECT_GT(best->reason.meaning, 1.0);
  EXPECT_EQ(best->reason.words, 0.0);
  EXPECT_DOUBLE_EQ(best->score, best->reason.meaning + best->reason.traits);
}

TEST_F(TextVectorsTest, SendOnlyWhatAPromptMayHold) {
  remember("The gate opens at six");
  remember("The safe code is 4711", Partition::kSensitive);
  remember("Only the arbiter reads of the audit", Partition::kPublic, {"arbiter"});
  NewMemory exchange;
  exchange.content = "What was said before";
  exchange.kind = ItemKind::kSession;
  exchange.session = "s1";
  ASSERT_TRUE(manager_->store(exchange));
  const auto used = vectors();
  const EmbedReport report = embed(*used);
  EXPECT_EQ(report.texts, 1u);
  EXPECT_EQ(report.embedded, 1u);
  EXPECT_NE(sent().find("gate opens"), std::string::npos);
  for (const char* secret : {"4711", "arbiter", "said before"})
    EXPECT_EQ(sent().find(secret), std::string::npos) << secret;
}

TEST_F(TextVectorsTest, GoOnAfterAFailureAndInAnotherProcess) {
  remember_harbour();
  const auto first = vectors();
  server_->answer(test::embeddings_answer({"", R"({"input":["a","b"]})"},
                                          kDimensions));  // two texts, then the server breaks
  server_->otherwise(
      [](const test::ServerRequest&) { return test::http_answer(500, "text/plain", "broken"); });
  EmbedRequest request;
  request.batch = 2;
  const auto broken = first->embed(*manager_, *space_, request);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, ErrorCode::kBusy);
  const auto second = vectors();
  EXPECT_EQ(second->size(), 2u) << "what was embedded is kept";
  start_server();
  const EmbedReport rest = embed(*second, request);
  EXPECT_EQ(rest.embedded, 5u);
  EXPECT_EQ(embed(*vectors()).embedded, 0u);
  request.rebuild = true;
  EXPECT_EQ(embed(*vectors(), request).embedded, 7u);
  EXPECT_EQ(embed(*vectors("another model")).embedded, 7u) << "they cannot be compared";
  std::stop_source stop;
  stop.request_stop();
  request.stop = stop.get_token();
  EXPECT_TRUE(embed(*vectors(), request).stopped);
}

TEST_F(TextVectorsTest, CountOnlyForTheTextTheyWereMadeOf) {
  remember_harbour();
  const std::string id = remember("A second vessel departs at ten");
  const auto used = vectors();
  EXPECT_EQ(embed(*used).embedded, 8u);
  manager_->use_vectors(used);
  ASSERT_TRUE(manager_->forget(id, "operator"));
  for (const ContextItem& item : recall("ship leaves").items)
    EXPECT_EQ(item.content.find("second"), std::string::npos);
  const EmbedReport report = embed(*used);
  EXPECT_EQ(report.removed, 1u);
  EXPECT_EQ(report.embedded, 0u);
  EXPECT_EQ(vectors()->size(), 7u);
}

TEST_F(TextVectorsTest, ADamagedFileCountsForNothing) {
  remember_harbour();
  EXPECT_EQ(embed(*vectors()).embedded, 7u);
  const std::string path = join_path(space_->folder(), "vectors.anima");
  std::string bytes = read_file(system_files(), path).value();
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  ASSERT_TRUE(replace_file(system_files(), path, bytes));
  const auto used = vectors();
  manager_->use_vectors(used);
  const RecalledContext found = recall("vessel");
  EXPECT_NE(found.note.find("damaged"), std::string::npos) << found.note;
  EXPECT_EQ(found.items.size(), 1u) << "words still find it";
  EXPECT_EQ(embed(*vectors()).embedded, 7u) << "and it can be made again";
}

TEST_F(TextVectorsTest, WithoutTheServerRecallGoesByWordsAndSaysSo) {
  remember_harbour();
  const std::string by_words = recall("When does the vessel leave?").text;
  const auto used = vectors();
  manager_->use_vectors(used);
  EXPECT_NE(recall("vessel").note.find("anima memory embed"), std::string::npos);
  EXPECT_EQ(embed(*used).embedded, 7u);
  server_.reset();
  const RecalledContext found = recall("When does the vessel leave?");
  EXPECT_NE(found.note.find("words alone"), std::string::npos) << found.note;
  EXPECT_EQ(found.text, by_words);
  start_server();
  EXPECT_NE(recall("ship leaves").note, "") << "it is left alone for half a minute";
  EXPECT_EQ(server_->count(), 0u);
  clock_.advance(31 * kMicrosecondsPerSecond);
  EXPECT_EQ(recall("ship leaves").note, "");
  EXPECT_EQ(server_->count(), 1u);
}

TEST_F(TextVectorsTest, LeaveTheFileWithWhatIsForgotten) {
  remember_harbour();
  EXPECT_EQ(embed(*vectors()).embedded, 7u);
  EXPECT_EQ(drop({}), 0u);
  EXPECT_EQ(drop(entities_of(3)), 3u);
  EXPECT_EQ(vectors()->size(), 4u);
}

TEST_F(TextVectorsTest, WhatIsForgottenMeanwhileIsNeitherSentNorKept) {
  remember_harbour();
  const std::string kept = remember("A second vessel departs at ten");
  const std::string waiting = remember("The lantern hangs in the shed");
  const auto used = vectors("words-1", [&] {
    ASSERT_TRUE(manager_->forget(kept, "operator"));
    ASSERT_TRUE(manager_->forget(waiting, "operator"));
    drop({});
  });
  EmbedRequest request;
  request.batch = 8;
  const EmbedReport report = embed(*used, request);
  EXPECT_EQ(report.embedded, 8u);
  EXPECT_EQ(report.removed, 1u);
  EXPECT_EQ(report.texts, 7u) << "at the end";
  EXPECT_NE(sent().find("second vessel"), std::string::npos);
  EXPECT_EQ(sent().find("lantern"), std::string::npos) << "it was forgotten before its turn";
  EXPECT_EQ(vectors()->size(), 7u);
  EXPECT_EQ(used->size(), 7u);
}

TEST_F(TextVectorsTest, WhatLeftTheFileMeanwhileStaysAway) {
  remember_harbour();
  EXPECT_EQ(embed(*vectors()).embedded, 7u);
  remember("A second vessel departs at ten");
  const auto used = vectors("words-1", [&] { EXPECT_EQ(drop(entities_of(3)), 3u); });
  EXPECT_EQ(embed(*used).embedded, 1u);
  EXPECT_EQ(vectors()->size(), 5u);
  EXPECT_EQ(embed(*vectors()).embedded, 3u) << "they are texts still";
}

TEST_F(TextVectorsTest, TwoAtOnceLoseNothingOfEachOther) {
  remember_harbour();
  std::stop_source stop;
  EmbedRequest request;
  request.batch = 2;
  request.stop = stop.get_token();
  const auto used = vectors("words-1", [&] {
    EXPECT_EQ(embed(*vectors()).embedded, 7u);
    stop.request_stop();
  });
  const EmbedReport report = embed(*used, request);
  EXPECT_TRUE(report.stopped);
  EXPECT_EQ(vectors()->size(), 7u);
  EXPECT_EQ(used->size(), 7u);
}

TEST_F(TextVectorsTest, ATextThatIsRefusedDoesNotKeepTheOthersBack) {
  const std::string id = remember("Ada counts what is much too large");
  remember_harbour();
  for (const auto& answer : {test::http_answer(500, "text/plain", "input is too large"),
                             test::http_answer(413, "text/plain", "input is too large")}) {
    refuses("too large", answer);
    EmbedRequest request;
    request.rebuild = true;
    request.batch = 3;
    const EmbedReport report = embed(*vectors(), request);
    EXPECT_EQ(report.embedded, 7u);
    EXPECT_EQ(report.refused, 1u);
    EXPECT_EQ(report.first_refused, std::vector<std::string>{id});
    EXPECT_NE(report.refusal.find("input is too large"), std::string::npos) << report.refusal;
    EXPECT_EQ(vectors()->size(), 7u);
  }
}

TEST_F(TextVectorsTest, AVectorOfZerosIsARefusal) {
  const std::string id = remember("Ada counts what is nothing");
  remember_harbour();
  const Embed nothing = [](std::span<const std::string> texts, const std::stop_token&) {
    std::vector<std::vector<float>> made;
    for (const std::string& text : texts)
      made.push_back({text.find("nothing") == std::string::npos ? 1.0F : 0.0F, 0.0F});
    return Result<std::vector<std::vector<float>>>(std::move(made));
  };
  TextVectors used({system_files(), clock_, space_->folder(), "words-1", nothing, nothing});
  const EmbedReport report = embed(used);
  EXPECT_EQ(report.embedded, 7u);
  EXPECT_EQ(report.first_refused, std::vector<std::string>{id});
  EXPECT_EQ(vectors()->size(), 7u);
}

TEST_F(TextVectorsTest, AServerThatTakesNothingIsAFailureOfTheServer) {
  remember_harbour();
  for (const int status : {404, 500, 429}) {
    server_->otherwise([status](const test::ServerRequest&) {
      return test::http_answer(status, "text/plain", "no such model");
    });
    const auto broken = vectors()->embed(*manager_, *space_, {});
    ASSERT_FALSE(broken) << status;
    EXPECT_NE(broken.error().describe().find("no such model"), std::string::npos);
    EXPECT_LE(server_->count(), 3u) << "nobody asks for each of the texts";
    start_server();
  }
}

TEST_F(TextVectorsTest, OfAnotherProcessAreSeenAtOnce) {
  remember_harbour();
  const auto used = vectors();
  manager_->use_vectors(used);
  EXPECT_NE(recall("ship leaves").note, "");
  EXPECT_EQ(used->lack(), "no text is embedded yet");
  EXPECT_EQ(embed(*vectors("words-2")).embedded, 7u);
  EXPECT_NE(recall("ship leaves").note, "");
  EXPECT_EQ(used->lack(), "the texts are embedded by another model");
  EXPECT_EQ(embed(*vectors()).embedded, 7u);
  const RecalledContext found = recall("ship leaves");
  EXPECT_EQ(found.note, "");
  EXPECT_EQ(used->lack(), "");
  EXPECT_FALSE(found.items.empty());
  remember("A second vessel departs at ten");
  EXPECT_EQ(embed(*vectors()).embedded, 1u);
  EXPECT_EQ(used->size(), 8u);
  server_.reset();
  EXPECT_NE(recall("ship leaves").note, "");
  EXPECT_EQ(used->lack(), "") << "that is the server's doing";
}

TEST_F(TextVectorsTest, ALongQuestionIsCutBetweenCharacters) {
  remember_harbour();
  const auto used = vectors();
  EXPECT_EQ(embed(*used).embedded, 7u);
  std::string question = "a";
  for (int i = 0; i < 4500; ++i) question += "\xC3\xA4";
  EXPECT_TRUE(used->nearest(question, 3));
  const std::string body = server_->requests().back().body;
  EXPECT_GT(body.size(), 7000u);
  EXPECT_TRUE(is_valid_utf8(body));
}

TEST_F(TextVectorsTest, AQuestionThatIsRefusedSaysNothingOfTheNext) {
  remember_harbour();
  const auto used = vectors();
  EXPECT_EQ(embed(*used).embedded, 7u);
  server_->answer(test::http_answer(413, "text/plain", "input is too large"));
  EXPECT_FALSE(used->nearest("a long question", 3));
  EXPECT_TRUE(used->nearest("ship leaves", 3));
}

std::vector<float> random_vector(SeededRandom& random, std::size_t dimensions) {
  std::vector<float> vector(dimensions);
  for (float& value : vector) value = static_cast<float>(random.below(2001)) / 1000.0F - 1.0F;
  return vector;
}

TEST(VectorIndexTest, FindsNearlyAllOfTheNearestAndReadsItselfBack) {
  constexpr std::size_t kVectors = 400, kWanted = 10;
  SeededRandom random{11};
  detail::VectorIndex index(16);
  std::vector<std::vector<float>> all;
  for (std::uint32_t i = 0; i < kVectors; ++i) {
    all.push_back(random_vector(random, 16));
    ASSERT_TRUE(index.add(EntityId{i + 1}, i + 7, all.back()));
  }
  const auto cosine = [](const std::vector<float>& a, const std::vector<float>& b) {
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      ab += static_cast<double>(a[i]) * static_cast<double>(b[i]);
      aa += static_cast<double>(a[i]) * static_cast<double>(a[i]);
      bb += static_cast<double>(b[i]) * static_cast<double>(b[i]);
    }
    return ab / std::sqrt(aa * bb);
  };
  const auto read = detail::VectorIndex::decode(index.encode());
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(read->encode(), index.encode());
  std::size_t found = 0;
  for (int question = 0; question < 20; ++question) {
    const std::vector<float> vector = random_vector(random, 16);
    std::vector<std::pair<double, std::uint32_t>> exact;
    for (std::uint32_t i = 0; i < kVectors; ++i) exact.emplace_back(-cosine(vector, all[i]), i + 1);
    std::ranges::sort(exact);
    const auto near = index.nearest(vector, kWanted).value();
    const auto again = read->nearest(vector, kWanted).value();
    ASSERT_EQ(near.size(), again.size());
    for (std::size_t i = 0; i < near.size(); ++i) {
      EXPECT_EQ(near[i].entity, again[i].entity);
      EXPECT_EQ(near[i].signature, static_cast<std::uint32_t>(near[i].entity) + 6);
      const auto place = std::ranges::find(exact, static_cast<std::uint32_t>(near[i].entity),
                                           &std::pair<double, std::uint32_t>::second);
      EXPECT_NEAR(near[i].cosine, -place->first, 1e-5);
      found += place - exact.begin() < static_cast<std::ptrdiff_t>(kWanted) ? 1 : 0;
    }
  }
  EXPECT_GE(found, 190u);
  EXPECT_TRUE(index.remove(EntityId{5}));
  EXPECT_FALSE(index.remove(EntityId{5}));
  EXPECT_EQ(index.size(), kVectors - 1);
  const auto left = index.nearest(all[4], kWanted);
  ASSERT_TRUE(left);
  for (const detail::NearText& near : *left) EXPECT_NE(near.entity, EntityId{5});
  EXPECT_FALSE(index.add(EntityId{5}, 1, std::vector<float>(16)));
  EXPECT_FALSE(index.add(EntityId{5}, 1, std::vector<float>(15, 1.0F)));
  EXPECT_FALSE(index.nearest(std::vector<float>(3, 1.0F), 1));
}

TEST(VectorIndexTest, DamagedBytesAreAnErrorAndNoCrash) {
  SeededRandom random{3};
  detail::VectorIndex index(4);
  for (std::uint32_t i = 1; i <= 40; ++i)
    ASSERT_TRUE(index.add(EntityId{i}, i, random_vector(random, 4)));
  const std::string bytes = index.encode();
  for (std::size_t size = 0; size < bytes.size(); size += 61)
    EXPECT_FALSE(detail::VectorIndex::decode(std::string_view(bytes).substr(0, size)));
  for (std::size_t i = 0; i < 50; ++i) {
    std::string damaged = bytes;
    damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    const auto read = detail::VectorIndex::decode(damaged);
    if (read) (void)read->nearest(std::vector<float>{1, 0, 0, 0}, 5);
  }
}

}  // namespace
}  // namespace anima::memory::text_vectors_test
