// One world in one process and in several over NATS: the same hashes, whoever dies meanwhile.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/nats_server.h"
#include "support/needs.h"
#include "world/symbolic_mind.h"
#include "world/world.h"

namespace anima::world::parts_test {
namespace {

constexpr std::uint64_t kSeed = 7;
constexpr std::uint64_t kAgents = 5;

class PartsTest : public testing::Test {
 protected:
  NatsBusOptions bus_options(std::uint64_t parts, std::uint64_t part = 0) const {
    NatsBusOptions options;
    options.servers = server_.url();
    options.secret = world_secret(kSeed);
    options.parts = parts;
    options.part = part;
    options.version = "test";
    return options;
  }
  Result<std::unique_ptr<World>> open(const std::string& name, std::uint64_t parts,
                                      Mind* mind = nullptr) {
    WorldOptions options{folder_.file(name), kAgents, kSeed, 3, {}};
    if (parts > 1)
      options.bus = [this, parts](const std::string&) { return open_nats_bus(bus_options(parts)); };
    return World::open(system_files(), std::move(options), mind == nullptr ? mind_ : *mind,
                       random_);
  }
  std::vector<Digest> hashes_of(World& world, std::uint64_t cycles) {
    while (world.cycle() < cycles) {
      const Status done = world.run_cycle();
      EXPECT_TRUE(done.has_value()) << done.error().describe();
      if (!done) break;
    }
    std::vector<Digest> hashes;
    for (const CycleRecord& record : world.records()) {
      EXPECT_EQ(record.sum, record.supply);
      hashes.push_back(record.world_hash);
    }
    return hashes;
  }

  // A part in a thread; stopped like a process that is killed.
  struct Part {
    std::atomic<bool> stop{false};
    Status status;
    PartLife life;
    std::thread thread;
    ~Part() { end(); }
    void end() {
      stop = true;
      if (thread.joinable()) thread.join();
    }
  };
  std::unique_ptr<Part> run_part(std::uint64_t number, std::uint64_t parts) {
    auto part = std::make_unique<Part>();
    NatsBusOptions options = bus_options(parts, number);
    options.stopped = [flag = &part->stop] { return flag->load(); };
    part->thread = std::thread([this_part = part.get(), options] {
      SymbolicMind mind;
      SystemRandom random;
      auto lived = live_as_part(options, mind, random);
      if (lived) this_part->life = *lived;
      if (!lived) this_part->status = fail(lived.error());
    });
    return part;
  }

  test::NatsServer server_;
  TemporaryDirectory folder_;
  SymbolicMind mind_;
  SystemRandom random_;
};

TEST_F(PartsTest, TheSameWorldWhereverItsAgentsLive) {
  ANIMA_NEEDS(test::kNats, server_.there());
  const auto alone = open("alone", 1);
  ASSERT_TRUE(alone.has_value());
  const std::vector<Digest> wanted = hashes_of(**alone, 3);
  const auto second = run_part(2, 3);
  const auto third = run_part(3, 3);
  {
    const auto world = open("apart", 3);
    ASSERT_TRUE(world.has_value()) << world.error().describe();
    EXPECT_EQ(hashes_of(**world, 3), wanted);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(to_json((*world)->records()[i]).dump(), to_json((*alone)->records()[i]).dump());
    (*world)->dismiss();
  }
  second->thread.join();
  third->thread.join();
  EXPECT_TRUE(second->status.has_value()) << second->status.error().describe();
  EXPECT_GT(second->life.turns, 0U);
  EXPECT_GT(third->life.turns, 0U);
  EXPECT_EQ(*read_file(system_files(), folder_.file("alone/events_00000001.wal")),
            *read_file(system_files(), folder_.file("apart/events_00000001.wal")));
  // What was apart goes on in one process, and the other way round.
  const auto together = open("apart", 1);
  ASSERT_TRUE(together.has_value()) << together.error().describe();
  EXPECT_EQ(hashes_of(**together, 4), hashes_of(**alone, 4));
}

// What a model would be: it is not in the parts, and it is asked for each of their agents.
class KingdomOnlyMind final : public Mind {
 public:
  Result<std::string> think(const ThinkRequest& request) override {
    std::string text;
    for (const PromptSection& section : request.prompt()) text += section.text;
    asked_.push_back(sha256(text + alias(request.citizen.id()) + std::to_string(request.now) +
                            (request.goal == nullptr ? "" : request.goal->description) +
                            std::to_string(static_cast<int>(request.tier))));
    if (asked_.size() % 7 == 0) return fail(ErrorCode::kTimeout, "the model is silent");
    if (asked_.size() % 3 == 0)
      return std::string(R"({"action":"nop","params":{},"reasoning":"why not"})");
    return policy_.think(request);
  }
  const std::vector<Digest>& asked() const { return asked_; }

 private:
  SymbolicMind policy_;
  std::vector<Digest> asked_;
};

TEST_F(PartsTest, OneMindThinksForAgentsEverywhere) {
  ANIMA_NEEDS(test::kNats, server_.there());
  KingdomOnlyMind alone_mind, apart_mind;
  const auto alone = open("alone", 1, &alone_mind);
  ASSERT_TRUE(alone.has_value());
  const std::vector<Digest> wanted = hashes_of(**alone, 2);
  const auto second = run_part(2, 2);
  const auto world = open("apart", 2, &apart_mind);
  ASSERT_TRUE(world.has_value()) << world.error().describe();
  EXPECT_EQ(hashes_of(**world, 2), wanted);
  EXPECT_EQ(apart_mind.asked(), alone_mind.asked());
  (*world)->dismiss();
  second->thread.join();
  EXPECT_TRUE(second->status.has_value()) << second->status.error().describe();
}

TEST_F(PartsTest, PartsAndKingdomMayDie) {
  ANIMA_NEEDS(test::kNats, server_.there());
  const auto alone = open("alone", 1);
  ASSERT_TRUE(alone.has_value());
  const std::vector<Digest> wanted = hashes_of(**alone, 3);
  auto second = run_part(2, 2);
  SeededRandom dice(5);
  for (int round = 0; round < 3; ++round) {
    auto world = open("apart", 2);
    ASSERT_TRUE(world.has_value()) << world.error().describe();
    for (std::uint64_t ticks = 20 + dice.below(200); ticks > 0; --ticks) {
      const Status done = (*world)->run_tick();
      ASSERT_TRUE(done.has_value()) << done.error().describe();
    }
    second->end();
    second = run_part(2, 2);
    for (std::uint64_t ticks = 60 + dice.below(200); ticks > 0 && (*world)->cycle() < 3; --ticks) {
      const Status done = (*world)->run_tick();
      ASSERT_TRUE(done.has_value()) << done.error().describe();
    }
  }
  const auto world = open("apart", 2);
  ASSERT_TRUE(world.has_value()) << world.error().describe();
  EXPECT_EQ(hashes_of(**world, 3), wanted);
  (*world)->dismiss();
  second->thread.join();
  EXPECT_TRUE(second->status.has_value()) << second->status.error().describe();
}

}  // namespace
}  // namespace anima::world::parts_test
