// Rows 140, 155, 156: language models as the minds of agents, with budgets, and the policy where
// they fail. What a model says is written here; the world around it is real.
#include "world/outside/keyward.h"

#include <gtest/gtest.h>

#include "support/small_world.h"
#include "world/symbolic_mind.h"
#include "world/world.h"

namespace anima::world::keyward_test {
namespace {

std::string action(std::string_view name, Json params = Json::object()) {
  return Json::object({{"action", name}, {"params", std::move(params)}, {"reasoning", "so"}})
      .dump();
}
std::string plan(std::string_view step) {
  return action("create_plan",
                Json::object({{"steps", Json::array({Json::object(
                                            {{"action", step}, {"params", Json::object()}})})}}));
}

class ScriptedModel final : public llm::Model {
 public:
  const llm::ModelConfig& config() const override { return settings; }
  Result<llm::Reply> complete(const llm::Request& request, const llm::CallOptions&) override {
    prompts.push_back(request);
    if (error) return fail(*error);
    llm::Reply reply;
    reply.message = llm::assistant_message(prompts.size() <= says.size() ? says[prompts.size() - 1]
                                                                         : otherwise);
    reply.usage.input_tokens = 100;
    reply.usage.output_tokens = 10;
    return reply;
  }
  llm::ModelConfig settings = [] {
    llm::ModelConfig config;
    config.name = "scripted";
    return config;
  }();
  std::vector<std::string> says;
  std::string otherwise = plan("entry_query");
  std::optional<Error> error;
  std::vector<llm::Request> prompts;
};

class KeywardTest : public ::testing::Test {
 protected:
  KeywardOptions options() {
    KeywardOptions options;
    options.model = [this](const llm::ThinkContext& thought) -> Result<llm::Model*> {
      thoughts.push_back(thought);
      return &model;
    };
    options.budget = [this]() -> Result<llm::BudgetState> {
      llm::BudgetState state;
      state.fraction_left = left;
      state.level = llm::level_of(left);
      return state;
    };
    options.warn = [this](const std::string& text) { warnings.push_back(text); };
    return options;
  }

  // An agent with a goal, as the runtime asks for it.
  ThinkRequest request(ThinkTier tier) {
    return {citizen, goal ? &*goal : nullptr, tier != ThinkTier::kTier3, tier, now, {}};
  }
  // What the policy would say begins with its own reasoning; the model's is "so".
  bool by_model(Keyward& keyward, ThinkTier tier = ThinkTier::kTier1) {
    const auto said = keyward.think(request(tier));
    EXPECT_TRUE(said.has_value()) << said.error().describe();
    return said && said->find("\"so\"") != std::string::npos;
  }

  void give_goal(GoalSource source, std::vector<std::string> tags) {
    goal = Goal{};
    goal->id = sha256("goal");
    goal->source = source;
    goal->layer = GoalLayer::kObjective;
    goal->description = "find out";
    GoalNotes notes;
    notes.kind = "explore";
    notes.tags = std::move(tags);
    citizen.state.notes[goal->id] = notes;
  }

  std::unique_ptr<Outside> outside(std::optional<std::string> replay = {}) {
    auto opened = Outside::open(system_files(), {folder_.path(), 0, 0, std::move(replay)});
    EXPECT_TRUE(opened.has_value()) << opened.error().describe();
    return *std::move(opened);
  }

  TemporaryDirectory folder_;
  ScriptedModel model;
  SymbolicMind policy;
  double left = 1;
  std::vector<llm::ThinkContext> thoughts;
  std::vector<std::string> warnings;
  Citizen citizen = [] {
    Citizen made;
    made.identity = identity_from_seed(sha256("AGENT:1"));
    made.state.genome = seed_genome(0);
    return made;
  }();
  std::optional<Goal> goal;
  std::uint64_t now = 7;
};

TEST_F(KeywardTest, PlansGoToTheModelAndRoutineToThePolicy) {
  give_goal(GoalSource::kCuriosity, {"explore"});
  const auto kept = outside();
  Keyward keyward(policy, options());
  keyward.attach(*kept);
  keyward.begin_cycle({citizen.id()});
  EXPECT_TRUE(by_model(keyward, ThinkTier::kTier1));
  EXPECT_TRUE(by_model(keyward, ThinkTier::kTier2));
  EXPECT_FALSE(by_model(keyward, ThinkTier::kTier3));
  KeywardOptions all = options();
  all.last = ThinkTier::kTier3;
  Keyward routine(policy, std::move(all));
  routine.attach(*kept);
  EXPECT_TRUE(by_model(routine, ThinkTier::kTier3));
  EXPECT_EQ(keyward.counts().asked, 2U);
  EXPECT_EQ(keyward.counts().answered, 2U);
  EXPECT_EQ(keyward.counts().input_tokens, 200U);
}

// Row 140: six sections in order, the first three to the system, and nothing of a key.
TEST_F(KeywardTest, Row140WhatAModelIsTold) {
  give_goal(GoalSource::kCuriosity, {"explore"});
  const auto kept = outside();
  Keyward keyward(policy, options());
  keyward.attach(*kept);
  model.settings.key = {llm::KeySource::Kind::kEnvironment, "TOWN_KEY"};
  ASSERT_TRUE(by_model(keyward));
  ASSERT_EQ(model.prompts.size(), 1U);
  const auto& messages = model.prompts.front().messages;
  ASSERT_EQ(messages.size(), 2U);
  const std::string system = llm::text_of(messages[0]), user = llm::text_of(messages[1]);
  EXPECT_EQ(messages[0].role, llm::Role::kSystem);
  std::size_t at = 0;
  const std::string all = system + user;
  for (const char* header : {"WORLD RULES", "YOUR IDENTITY", "YOUR MEMORY", "CURRENT STATE",
                             "RECENT ACTIONS", "AVAILABLE ACTIONS", "RESPONSE FORMAT"}) {
    const std::size_t found = all.find(header, at);
    ASSERT_NE(found, std::string::npos) << header;
    at = found;
  }
  EXPECT_NE(system.find("YOUR MEMORY"), std::string::npos);
  EXPECT_NE(user.find("answer with create_plan"), std::string::npos);
  EXPECT_EQ(all.find("TOWN_KEY"), std::string::npos);
  EXPECT_EQ(all.find("scripted"), std::string::npos) << "an agent does not know what answers";
  model.settings.context_tokens = 4096 + 4000;
  citizen.memory.working = std::string(40'000, 'w');
  ++now;
  ASSERT_TRUE(by_model(keyward));
  EXPECT_LE(token_count(llm::text_of(model.prompts.back().messages[0])), 2600U)
      << "a narrow context halves the sections";
}

TEST_F(KeywardTest, Row155And156WhatIsLeftOfTheBudgetSetsTierAndNumber) {
  give_goal(GoalSource::kRole, {"compiler"});
  std::vector<AgentId> ranks;
  for (int i = 0; i < 10; ++i) ranks.push_back(sha256("other " + std::to_string(i)));
  const auto kept = outside();
  Keyward keyward(policy, options());
  keyward.attach(*kept);
  const auto thinks = [&](double fraction, std::size_t place) {
    left = fraction;
    std::vector<AgentId> order = ranks;
    order[place] = citizen.id();
    keyward.begin_cycle(order);
    std::uint64_t served = 0;
    for (int i = 0; i < 12; ++i) served += by_model(keyward) ? 1 : 0;
    return served;
  };
  EXPECT_EQ(thinks(0.601, 9), 10U) << "normal: ten, for all";
  EXPECT_EQ(thinks(0.60, 9), 8U) << "conservation";
  EXPECT_EQ(thinks(0.30, 4), 5U) << "degradation: the better half";
  EXPECT_EQ(thinks(0.30, 5), 0U);
  EXPECT_EQ(thinks(0.10, 0), 0U) << "end times: neither survival nor knowledge";
  give_goal(GoalSource::kSurvival, {"earn"});
  EXPECT_EQ(thinks(0.10, 3), 5U);
  EXPECT_EQ(thinks(0.10, 4), 0U) << "four agents";
  give_goal(GoalSource::kRole, {"knowledge"});
  EXPECT_EQ(thinks(0.10, 0), 5U) << "knowledge is preserved";
  EXPECT_EQ(thinks(0, 0), 0U) << "halt";
  // The tier that serves is that of the llm room under the same level.
  llm::ThinkContext design;
  design.involves_new_design = true;
  EXPECT_EQ(*llm::tier_under(llm::level_of(0.30), design), llm::ThinkTier::kReflex);
  EXPECT_EQ(*llm::tier_under(llm::level_of(0.60), design), llm::ThinkTier::kStandard);
  EXPECT_EQ(*llm::tier_under(llm::level_of(0.601), design), llm::ThinkTier::kStrategic);
  EXPECT_FALSE(warnings.empty());
}

TEST_F(KeywardTest, AModelThatFailsIsGivenRestAndThePolicyDecides) {
  give_goal(GoalSource::kCuriosity, {"explore"});
  const auto kept = outside();
  Keyward keyward(policy, options());
  keyward.attach(*kept);
  keyward.begin_cycle({citizen.id()});
  model.error = Error{ErrorCode::kTimeout, "the server is silent", {}, {}};
  EXPECT_FALSE(by_model(keyward));
  EXPECT_FALSE(by_model(keyward));
  EXPECT_EQ(model.prompts.size(), 1U) << "not asked again in this cycle";
  EXPECT_FALSE(warnings.empty());
  model.error.reset();
  keyward.begin_cycle({citizen.id()});
  EXPECT_TRUE(by_model(keyward));
  model.error = Error{ErrorCode::kDenied, "the key is refused", {}, {}};
  EXPECT_FALSE(by_model(keyward));
  model.error.reset();
  for (std::uint64_t cycle = 1; cycle < kHealthCheckCycles; ++cycle) {
    keyward.begin_cycle({citizen.id()});
    EXPECT_FALSE(by_model(keyward)) << cycle;
  }
  keyward.begin_cycle({citizen.id()});
  EXPECT_TRUE(by_model(keyward)) << "the health check";
  model.otherwise = "  ";
  EXPECT_FALSE(by_model(keyward)) << "silence is no answer";
  EXPECT_TRUE(keyward.failed().has_value());
}

TEST_F(KeywardTest, ARecordingAnswersAndHoldsTheWorldToIt) {
  give_goal(GoalSource::kCuriosity, {"explore"});
  {
    const auto kept = outside();
    Keyward keyward(policy, options());
    keyward.attach(*kept);
    ASSERT_TRUE(by_model(keyward));
    now = 8;
    model.error = Error{ErrorCode::kBusy, "overloaded", {}, {}};
    ASSERT_FALSE(by_model(keyward));
  }
  const std::string tape = folder_.file("tape.jsonl");
  ASSERT_TRUE(system_files().rename(folder_.file(std::string(kOutsideFile)), tape));
  const std::size_t asked = model.prompts.size();
  const auto played = outside(tape);
  Keyward keyward(policy, {});
  keyward.attach(*played);
  now = 7;
  EXPECT_TRUE(by_model(keyward));
  now = 8;
  EXPECT_FALSE(by_model(keyward)) << "its failures too";
  now = 9;
  const auto beyond = keyward.think(request(ThinkTier::kTier1));
  ASSERT_FALSE(beyond.has_value());
  EXPECT_EQ(beyond.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(keyward.failed().error().code, ErrorCode::kNotFound);
  EXPECT_EQ(model.prompts.size(), asked) << "nobody was asked";
  ASSERT_TRUE(replace_file(system_files(), folder_.file("pages.jsonl"), ""));
  const auto pages = outside(folder_.file("pages.jsonl"));
  Keyward none(policy, {});
  none.attach(*pages);
  EXPECT_FALSE(by_model(none)) << "recorded without models";
  Keyward other(policy, {});
  const auto again = outside(tape);
  other.attach(*again);
  now = 7;
  citizen.state.balance = 1;
  EXPECT_EQ(other.think(request(ThinkTier::kTier1)).error().code, ErrorCode::kConflict);
}

// A whole world whose plans a model makes: the same whether it was stopped or not, also when the
// model says something else the second time, for nothing is asked twice.
TEST_F(KeywardTest, AWorldWithAModelGoesOnAsTheSame) {
  SystemRandom dice;
  const auto open = [&](const std::string& name, Mind& mind) {
    WorldOptions wanted;
    wanted.folder = folder_.file(name);
    wanted.agents = 4;
    wanted.seed = 3;
    auto world = World::open(system_files(), wanted, mind, dice);
    EXPECT_TRUE(world.has_value()) << world.error().describe();
    return *std::move(world);
  };
  const auto run = [](World& world, std::uint64_t cycles) {
    while (world.cycle() < cycles) {
      const Status done = world.run_cycle();
      ASSERT_TRUE(done.has_value()) << done.error().describe();
    }
  };
  model.says = {"no JSON at all", action("fly"), plan("msg_query"), plan("balance_query")};
  Keyward keyward(policy, options());
  Digest whole{};
  {
    const auto world = open("a", keyward);
    run(*world, 3);
    whole = world->world_hash();
  }
  ASSERT_GT(keyward.counts().answered, 8U);
  model.prompts.clear();
  for (const int ticks : {300, 100}) {
    Keyward once(policy, options());
    const auto world = open("b", once);
    for (int i = 0; i < ticks; ++i) ASSERT_TRUE(world->run_tick().has_value());
  }
  const std::size_t before = model.prompts.size();
  Keyward last(policy, options());
  const auto world = open("b", last);
  run(*world, 3);
  EXPECT_EQ(world->world_hash(), whole);
  EXPECT_EQ(model.prompts.size(), keyward.counts().asked) << "asked once for each";
  EXPECT_GT(model.prompts.size(), before);
}

}  // namespace
}  // namespace anima::world::keyward_test
