// Rows 114-120, 123, 131-137, 140, 143-146, 151, 152, 159, 160: an agent among real daemons, with a
// mind that says what the test wrote down.
#include "world/runtime.h"

#include <gtest/gtest.h>

#include "support/small_world.h"

namespace anima::world::runtime_test {
namespace {

std::string answer(std::string_view action, Json params = Json::object(),
                   std::string_view reasoning = "because", Json update = {}) {
  return Json::object({{"action", action},
                       {"params", std::move(params)},
                       {"reasoning", reasoning},
                       {"memory_update", std::move(update)}})
      .dump();
}
const std::string kNop = answer("nop");

class ScriptedMind final : public Mind {
 public:
  Result<std::string> think(const ThinkRequest& request) override {
    ++calls;
    plans_wanted.push_back(request.plan_wanted);
    for (const PromptSection& section : request.prompt()) prompts += section.text;
    if (calls > answers.size()) return otherwise;
    return answers[calls - 1];
  }
  std::vector<std::string> answers;
  std::string otherwise = answer("balance_query");  // when there are no more
  std::size_t calls = 0;
  std::vector<bool> plans_wanted;
  std::string prompts;
};

class RuntimeTest : public ::testing::Test {
 protected:
  AgentId spawn(std::size_t number = 0) {
    const Identity identity = identity_from_seed(sha256("AGENT:" + std::to_string(number)));
    const auto id = runtime_->spawn(identity, seed_genome(number), 100);
    EXPECT_TRUE(id.has_value());
    return *id;
  }

  void begin_cycle(std::uint64_t cycle) { world_.begin_cycle(cycle); }

  AgentId awake(std::size_t number = 0) {
    const AgentId id = spawn(number);
    begin_cycle(1);
    EXPECT_EQ(*runtime_->status(id), AgentStatus::kActive);
    sent_.clear();
    return id;
  }

  // One tick, with the next tick's time behind it.
  std::optional<AgentAction> tick(const AgentId& id) {
    const auto done = runtime_->tick(id);
    EXPECT_TRUE(done.has_value()) << done.error().describe();
    ++realm_.tick;
    return done ? *done : std::nullopt;
  }

  const Citizen& citizen(const AgentId& id) { return *runtime_->find(id); }
  Outcome last_outcome(const AgentId& id) { return citizen(id).memory.experiences.back().outcome; }
  std::size_t count(Message type) const {
    return static_cast<std::size_t>(
        std::count_if(sent_.begin(), sent_.end(),
                      [&](const test::SentMessage& each) { return each.type == type; }));
  }

  ScriptedMind mind_;
  test::SmallWorld world_{mind_};
  Realm& realm_ = world_.realm;
  Nexus& nexus_ = world_.nexus;
  Mint& mint_ = world_.mint;
  std::unique_ptr<Runtime>& runtime_ = world_.runtime;
  std::vector<test::SentMessage>& sent_ = world_.sent;
  std::vector<std::string>& frames_ = world_.frames;
  std::vector<std::string>& warnings_ = world_.warnings;
};

TEST_F(RuntimeTest, Row114Spawn) {
  const AgentId id = spawn();
  const Identity identity = identity_from_seed(sha256("AGENT:0"));
  EXPECT_EQ(id, agent_id_of(identity.key.public_key));
  EXPECT_EQ(*runtime_->status(id), AgentStatus::kEmbryo);
  ASSERT_FALSE(sent_.empty());
  EXPECT_EQ(sent_.front().type, Message::kAgentSpawnRequest);
  EXPECT_EQ(sent_.front().to, System::kNexus);
  EXPECT_EQ(nexus_.agents().at(id).role, AgentRole::kCompilerSmith);
  EXPECT_EQ(citizen(id).state.balance, 100);
  EXPECT_EQ(runtime_->spawn(identity, {}, 0).error().code, ErrorCode::kAlreadyExists);
}

TEST_F(RuntimeTest, Row115WarmUpTakesACycle) {
  const AgentId id = spawn();
  begin_cycle(0);
  EXPECT_EQ(*runtime_->status(id), AgentStatus::kEmbryo) << "the cycle it was born in";
  begin_cycle(1);
  EXPECT_EQ(*runtime_->status(id), AgentStatus::kActive);
  EXPECT_TRUE(nexus_.is_active(id));
}

TEST_F(RuntimeTest, Row116OnlyTheActiveHaveTicks) {
  const AgentId id = spawn();
  const auto refused = [&] {
    const auto done = runtime_->tick(id);
    return done ? std::string("it ticked") : done.error().message;
  };
  EXPECT_NE(refused().find("embryo"), std::string::npos);
  begin_cycle(1);
  ASSERT_TRUE(runtime_->set_status(id, AgentStatus::kDormant));
  EXPECT_EQ(runtime_->tick(id).error().code, ErrorCode::kConflict);
  EXPECT_NE(refused().find("dormant"), std::string::npos);
  ASSERT_TRUE(runtime_->set_status(id, AgentStatus::kDead));
  EXPECT_NE(refused().find("dead"), std::string::npos);
  EXPECT_EQ(runtime_->set_status(id, AgentStatus::kActive).error().code, ErrorCode::kConflict);
  EXPECT_EQ(mind_.calls, 0U) << "nobody was asked";
  EXPECT_EQ(runtime_->tick(sha256("nobody")).error().code, ErrorCode::kNotFound);
}

TEST_F(RuntimeTest, Row117And118EachTickSpendsOneOfTheBudget) {
  const AgentId id = awake();
  for (std::uint64_t spent = 0; spent < kBaseTickBudget; ++spent) {
    EXPECT_EQ(citizen(id).state.tick_budget, kBaseTickBudget - spent);
    mind_.otherwise = spent % 2 == 0 ? kNop : answer("balance_query");
    tick(id);
  }
  const std::size_t calls = mind_.calls;
  EXPECT_EQ(runtime_->tick(id).error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(mind_.calls, calls);
}

TEST_F(RuntimeTest, Row119NothingIsCarriedOver) {
  const AgentId id = awake();
  for (int i = 0; i < 10; ++i) tick(id);
  EXPECT_EQ(citizen(id).state.tick_budget, kBaseTickBudget - 10);
  runtime_->end_cycle(id);
  EXPECT_EQ(citizen(id).state.tick_budget, 0U);
  begin_cycle(2);
  EXPECT_EQ(citizen(id).state.tick_budget, kBaseTickBudget);
}

TEST_F(RuntimeTest, Row120RunCycleUsesItsBudget) {
  const AgentId id = awake();
  ASSERT_TRUE(runtime_->run_cycle(id, 12));
  EXPECT_EQ(mind_.calls, 12U);
  EXPECT_EQ(citizen(id).memory.experiences.size(), 12U);
  EXPECT_EQ(citizen(id).state.tick_budget, 0U);
}

TEST_F(RuntimeTest, Row123ABountyThatIsHeardOfBecomesAnObjective) {
  const AgentId id = awake();
  tick(id);
  const auto objectives = [&] {
    const GoalStack goals = *runtime_->goals(id);
    return std::count_if(goals.objectives.begin(), goals.objectives.end(),
                         [](const Goal& goal) { return goal.source == GoalSource::kOpportunity; });
  };
  const auto post = [&](std::uint64_t reward, const char* tag, std::uint64_t ticks) {
    ASSERT_TRUE(
        world_.agora.post_system_bounty("t", reward, 1, 7, {tag}, realm_.tick + ticks).has_value());
    tick(id);
  };
  post(4, "compiler", 50);
  EXPECT_EQ(objectives(), 0) << "too little";
  post(5, "poetry", 50);
  EXPECT_EQ(objectives(), 0) << "nothing it can do";
  post(5, "compiler", 50);
  EXPECT_EQ(objectives(), 1);
  tick(id);
  EXPECT_EQ(objectives(), 1) << "once";
  realm_.tick += 60;
  world_.agora.expire();
  tick(id);
  EXPECT_EQ(objectives(), 0) << "its time is over";
}

TEST_F(RuntimeTest, OnlyItsDaemonGivesAnAgentTicksOrResults) {
  const AgentId id = awake();
  const std::uint64_t budget = citizen(id).state.tick_budget;
  const Identity other = identity_from_seed(sha256("AGENT:1"));
  spawn(1);
  MessagePack body;
  body.set("agent_id", pack(id)).set("budget", 200).set("cycle", 1);
  const auto from = [&](const Identity& sender) {
    runtime_->receive(id, encode_envelope(sender, {static_cast<std::uint16_t>(Message::kTickAlloc),
                                                   id, realm_.tick, 900, body.encode()})
                              ->bytes);
    return citizen(id).state.tick_budget;
  };
  EXPECT_EQ(from(other), budget) << "another agent";
  EXPECT_EQ(from(mint_.identity()), budget) << "another daemon";
  EXPECT_EQ(from(nexus_.identity()), 200U);
}

TEST_F(RuntimeTest, OfManyBountiesItKeepsTheBestAndItsOwn) {
  const AgentId id = awake();
  tick(id);
  const auto post = [&](std::uint64_t reward) {
    return *world_.agora.post_system_bounty("t", reward, 1, 7, {"compiler"}, realm_.tick + 500);
  };
  const Digest own = post(1);
  mind_.answers.assign(mind_.calls,
                       answer("bounty_claim", Json::object({{"bounty_id", to_hex(own)}})));
  mind_.answers.push_back(mind_.answers.front());
  mind_.answers.push_back(mind_.answers.front());
  tick(id);
  ASSERT_EQ(world_.agora.bounties().at(own).claimer, id);
  const Digest poor = post(5), rich = post(30);
  for (int i = 0; i < 70; ++i) post(10);
  tick(id);
  const auto& known = citizen(id).state.bounties;
  EXPECT_EQ(known.size(), 64U);
  EXPECT_TRUE(known.contains(rich));
  EXPECT_TRUE(known.contains(own)) << "claimed";
  EXPECT_FALSE(known.contains(poor));
}

TEST_F(RuntimeTest, NewsOfOthersAreNotItsOwn) {
  const AgentId id = awake(), other = spawn(1);
  begin_cycle(2);
  const auto tell_reputation = [&](const AgentId& whom, float fresh) {
    const MemberId nexus = world_.bus.join(nexus_.identity(), BusMode::kNormal);
    MessagePack body;
    body.set("agent_id", pack(whom)).set("old", 0.0F).set("new", fresh);
    ASSERT_TRUE(world_.bus.publish(nexus, System::kNexus, EventKind::kReputationUpdated,
                                   body.encode(), realm_.tick));
  };
  tell_reputation(id, 0.25F);
  tell_reputation(other, 0.75F);
  runtime_->observe(id);
  runtime_->observe(other);
  EXPECT_EQ(citizen(id).state.reputation, 0.25F);
  EXPECT_EQ(citizen(other).state.reputation, 0.75F);
}

TEST_F(RuntimeTest, Row131AnAnswerBecomesItsMessage) {
  const AgentId id = awake();
  mind_.answers = {answer("msg_post", Json::object({{"content", "good morning"}}))};
  const auto action = tick(id);
  ASSERT_TRUE(action.has_value());
  EXPECT_EQ(action->action, "msg_post");
  ASSERT_FALSE(sent_.empty());
  EXPECT_EQ(sent_.back().type, Message::kMessagePost);
  EXPECT_EQ(static_cast<int>(sent_.back().type), 0x0301);
  EXPECT_EQ(sent_.back().to, System::kAgora);
  EXPECT_EQ(*sent_.back().body.find("content")->text(), "good morning");
  EXPECT_EQ(last_outcome(id), Outcome::kSuccess);
}

TEST_F(RuntimeTest, Row132AnAnswerIsAskedForThreeTimes) {
  const AgentId id = awake();
  mind_.answers = {"I would rather not say", "{\"action\": \"fly\"}", answer("balance_query")};
  const auto action = tick(id);
  ASSERT_TRUE(action.has_value());
  EXPECT_EQ(action->action, "balance_query");
  EXPECT_EQ(mind_.calls, 3U);
  EXPECT_EQ(citizen(id).state.tick_budget, kBaseTickBudget - 1);
}

TEST_F(RuntimeTest, Row133TheThirdFailureIsANop) {
  const AgentId id = awake();
  mind_.otherwise = "no JSON";
  EXPECT_FALSE(tick(id).has_value());
  EXPECT_EQ(mind_.calls, 3U);
  EXPECT_EQ(citizen(id).state.tick_budget, kBaseTickBudget - 1);
  EXPECT_EQ(*runtime_->nop_count(id), 1U);
}

TEST_F(RuntimeTest, Row134OneWarningAtTheThirdNop) {
  const AgentId id = awake();
  mind_.otherwise = kNop;
  for (int i = 0; i < 2; ++i) tick(id);
  EXPECT_TRUE(warnings_.empty());
  for (int i = 0; i < 4; ++i) tick(id);
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_EQ(warnings_[0].find(alias(id)), 0U);
}

TEST_F(RuntimeTest, Row135TenNopsAreASleep) {
  const AgentId id = awake();
  mind_.otherwise = kNop;
  for (int i = 0; i < 9; ++i) tick(id);
  EXPECT_EQ(*runtime_->status(id), AgentStatus::kActive);
  EXPECT_EQ(count(Message::kAgentStatus), 0U);
  tick(id);
  EXPECT_EQ(*runtime_->status(id), AgentStatus::kDormant);
  ASSERT_EQ(sent_.back().type, Message::kAgentStatus);
  EXPECT_EQ(*sent_.back().body.find("status")->text(), "Dormant");
  EXPECT_FALSE(nexus_.is_active(id)) << "the nexus has heard it";
  EXPECT_EQ(runtime_->tick(id).error().code, ErrorCode::kConflict);
}

TEST_F(RuntimeTest, Row136AnyOtherActSetsTheNopsBack) {
  const AgentId id = awake();
  mind_.answers = std::vector<std::string>(9, kNop);
  for (int i = 0; i < 10; ++i) tick(id);
  EXPECT_EQ(*runtime_->nop_count(id), 0U);
  EXPECT_EQ(*runtime_->status(id), AgentStatus::kActive);
  mind_.otherwise = kNop;
  for (int i = 0; i < 10; ++i) tick(id);
  ASSERT_EQ(*runtime_->status(id), AgentStatus::kDormant);
  ASSERT_TRUE(runtime_->set_status(id, AgentStatus::kActive));
  EXPECT_EQ(*runtime_->nop_count(id), 0U) << "waking up too";
}

TEST_F(RuntimeTest, Row137ReasoningStaysPrivate) {
  const AgentId id = awake();
  const std::string secret = "nobody-may-know-this";
  const Json steps = Json::array({Json::object({{"action", "msg_post"}})});
  mind_.answers = {answer("create_plan", Json::object({{"steps", steps}}), secret),
                   answer("msg_post", Json::object({{"content", "hello"}}), secret),
                   answer("entry_publish", Json::object({{"title", "t"}, {"body", "b"}}), secret),
                   answer("nop", Json::object(), secret)};
  for (int i = 0; i < 4; ++i) tick(id);
  ASSERT_GT(frames_.size(), 4U);
  for (const std::string& frame : frames_) EXPECT_EQ(frame.find(secret), std::string::npos);
  for (const Event& event : world_.bus.replay({}, {}))
    EXPECT_EQ(event.payload.bytes.find(secret), std::string::npos);
}

TEST_F(RuntimeTest, Row140NoKeyGoesIntoAThoughtOrOutOfIt) {
  const AgentId id = awake();
  mind_.answers = {
      answer("msg_post",
             Json::object({{"content", "hello"}, {"key_id", "mine"}, {"sponsor_id", "somebody"}}))};
  tick(id);
  EXPECT_EQ(sent_.back().body.find("key_id"), nullptr) << "what an agent supplies is left out";
  EXPECT_EQ(sent_.back().body.find("sponsor_id"), nullptr);
  const SigningKey& key = citizen(id).identity.key;
  ASSERT_FALSE(mind_.prompts.empty());
  EXPECT_EQ(mind_.prompts.find(to_hex(key.seed)), std::string::npos);
  EXPECT_EQ(mind_.prompts.find("key_id"), std::string::npos);
  for (const std::string& frame : frames_)
    EXPECT_EQ(frame.find(std::string(bytes_of(key.seed))), std::string::npos);
}

Json step(std::string_view action, Json params = Json::object()) {
  return Json::object({{"action", action}, {"params", std::move(params)}});
}
std::string plan_of(std::initializer_list<Json> steps) {
  Json list = Json::array();
  for (const Json& each : steps) list.push_back(each);
  return answer("create_plan", Json::object({{"steps", std::move(list)}, {"risk", 0.25}}));
}

TEST_F(RuntimeTest, Row143AspirationsNeedAPlanAndTasksDoNot) {
  const AgentId id = awake();
  mind_.answers = {plan_of({step("balance_query"), step("entry_query")})};
  const std::size_t sent = sent_.size();
  tick(id);
  EXPECT_TRUE(mind_.plans_wanted.front());
  const auto plan = *runtime_->active_plan(id);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->steps.size(), 2U);
  EXPECT_EQ(plan->status, PlanStatus::kActive);
  EXPECT_EQ(plan->estimated_ticks, 2U);
  EXPECT_FLOAT_EQ(plan->risk_assessment, 0.25F);
  EXPECT_NE(runtime_->goals(id)->find(plan->goal)->layer, GoalLayer::kTask);
  EXPECT_EQ(sent_.size(), sent + 1) << "only the question for the balance: planning sends nothing";

  const AgentId other = spawn(2);
  begin_cycle(2);
  mint_.charge(other, 90);  // it is poor: the task of earning goes before all others
  mind_.plans_wanted.clear();
  tick(other);
  ASSERT_EQ(mind_.plans_wanted.size(), 1U);
  EXPECT_FALSE(mind_.plans_wanted.front());
  EXPECT_FALSE((*runtime_->active_plan(other)).has_value());
}

TEST_F(RuntimeTest, Row144TheLastStepCompletesTheGoal) {
  const AgentId id = awake();
  mind_.answers = {
      plan_of({step("msg_post", Json::object({{"content", "a"}})), step("entry_query")}),
      answer("msg_post", Json::object({{"content", "a"}})), answer("entry_query")};
  tick(id);
  const Digest goal = (*runtime_->active_plan(id))->goal;
  tick(id);
  EXPECT_EQ((*runtime_->active_plan(id))->next_step, 1U);
  EXPECT_TRUE(citizen(id).state.satisfactions.empty());
  tick(id);
  EXPECT_FALSE((*runtime_->active_plan(id)).has_value());
  ASSERT_EQ(citizen(id).memory.plan_history.size(), 1U);
  EXPECT_EQ(citizen(id).memory.plan_history[0].status, PlanStatus::kCompleted);
  EXPECT_EQ(runtime_->goals(id)->find(goal), nullptr);
  ASSERT_EQ(citizen(id).state.satisfactions.size(), 1U) << "once";
  EXPECT_EQ(citizen(id).state.satisfactions[0].goal, goal);
  EXPECT_EQ(citizen(id).state.satisfactions[0].outcome, Outcome::kSuccess);
  EXPECT_EQ(citizen(id).state.satisfactions[0].effort, 3U);
  EXPECT_EQ(citizen(id).state.goals_completed, 1U);
}

TEST_F(RuntimeTest, Row145ThreeFailuresOfAStepAbandonThePlan) {
  const AgentId id = awake();
  const Json nowhere = Json::object({{"bounty_id", to_hex(sha256("no bounty"))}});
  // With two steps it is not the time that ends it.
  const std::string plan = plan_of({step("bounty_claim", nowhere), step("entry_query")});
  const std::string act = answer("bounty_claim", nowhere);
  mind_.answers = {plan, act, act, act};
  for (int i = 0; i < 3; ++i) tick(id);
  const Digest goal = (*runtime_->active_plan(id))->goal;
  EXPECT_EQ((*runtime_->active_plan(id))->failures, 2U);
  tick(id);
  EXPECT_FALSE((*runtime_->active_plan(id)).has_value());
  ASSERT_EQ(citizen(id).memory.plan_history.size(), 1U);
  EXPECT_EQ(citizen(id).memory.plan_history[0].status, PlanStatus::kAbandoned);
  ASSERT_NE(runtime_->goals(id)->find(goal), nullptr) << "the first time it may be tried again";
  EXPECT_EQ(runtime_->goals(id)->find(goal)->status, GoalStatus::kPending);

  mind_.calls = 0;  // the same once more
  while (runtime_->goals(id)->find(goal) != nullptr && mind_.calls < 40) {
    if (mind_.calls % 4 == 0) mind_.answers.assign(40, act);
    mind_.answers[mind_.calls] = mind_.calls % 4 == 0 ? plan : act;
    tick(id);
  }
  ASSERT_EQ(runtime_->goals(id)->find(goal), nullptr);
  EXPECT_EQ(citizen(id).state.satisfactions.back().goal, goal);
  EXPECT_EQ(citizen(id).state.satisfactions.back().outcome, Outcome::kFailure);
}

TEST_F(RuntimeTest, Row146AnExperienceATick) {
  const AgentId id = awake();
  mind_.answers = {answer("msg_post", Json::object({{"content", "a"}})),
                   answer("msg_post", Json::object({{"content", "a"}})), kNop};
  const Outcome expected[] = {Outcome::kSuccess, Outcome::kFailure, Outcome::kUnknown};
  const char* kinds[] = {"msg_post", "msg_post", "nop"};
  for (std::size_t i = 0; i < 3; ++i) {
    tick(id);
    ASSERT_EQ(citizen(id).memory.experiences.size(), i + 1);
    EXPECT_EQ(last_outcome(id), expected[i]) << i;
    const auto record =
        unpack_bytes<ActionRecord>(citizen(id).memory.experiences.back().action.bytes);
    ASSERT_TRUE(record.has_value());
    EXPECT_EQ(record->kind, kinds[i]);
    EXPECT_EQ(citizen(id).memory.experiences.back().tick, realm_.tick - 1);
  }
  mind_.otherwise = "no JSON";
  tick(id);
  EXPECT_EQ(citizen(id).memory.experiences.size(), 4U) << "whatever came of it";
  EXPECT_EQ(last_outcome(id), Outcome::kUnknown);
}

TEST_F(RuntimeTest, TooMuchWorkingMemoryIsRefusedAndSaid) {
  const AgentId id = awake();
  const auto update = [](std::size_t bytes) {
    return Json::object({{"working", std::string(bytes, 'w')}, {"lesson", "write less"}});
  };
  mind_.answers = {answer("balance_query", Json::object(), "r", update(100)),
                   answer("balance_query", Json::object(), "r", update(65'537))};
  tick(id);
  EXPECT_TRUE(tick(id).has_value()) << "the act itself is done";
  EXPECT_EQ(citizen(id).memory.working.size(), 100U);
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_NE(warnings_[0].find("65537 bytes"), std::string::npos);
}

TEST_F(RuntimeTest, Row151TheBalanceThatIsAskedForDrivesSurvival) {
  const AgentId id = awake();
  const auto survives = [&] {
    const auto goals = *runtime_->goals(id);
    return std::any_of(goals.tasks.begin(), goals.tasks.end(),
                       [](const Goal& goal) { return goal.source == GoalSource::kSurvival; });
  };
  tick(id);
  EXPECT_GE(count(Message::kBalanceQuery), 1U);
  EXPECT_FALSE(survives());
  mint_.charge(id, 81);
  runtime_->end_cycle(id);
  begin_cycle(2);
  mind_.otherwise = kNop;  // it asks by itself when a cycle begins
  tick(id);
  EXPECT_EQ(citizen(id).state.balance, 19);
  EXPECT_TRUE(survives());
}

TEST_F(RuntimeTest, Row152TheResultOfAVoteIsLearnt) {
  const AgentId id = awake();
  const auto vote = [&](std::uint64_t cycle) {
    mind_.calls = 0;
    mind_.answers = {
        answer("proposal_submit", Json::object({{"kind", "Custom"}, {"title", "more light"}}))};
    tick(id);
    EXPECT_EQ(last_outcome(id), Outcome::kSuccess);
    const std::string proposal = citizen(id).state.results.at("proposal");
    mind_.calls = 0;
    mind_.answers = {
        answer("proposal_vote", Json::object({{"proposal_id", proposal}, {"vote", true}}))};
    tick(id);
    EXPECT_EQ(last_outcome(id), Outcome::kSuccess);
    realm_.cycle = cycle;
    nexus_.end_cycle();
    runtime_->end_cycle(id);
    begin_cycle(cycle + 1);
    tick(id);
    const auto& beliefs = citizen(id).memory.beliefs;
    const auto found = std::find_if(beliefs.begin(), beliefs.end(), [](const Belief& belief) {
      return belief.claim == "votes decide";
    });
    return found == beliefs.end() ? -1.0F : found->confidence;
  };
  // Its reputation is nothing yet, and so is the weight of its vote.
  EXPECT_NEAR(vote(2), 0.35F, 1e-6);
  EXPECT_GT(citizen(id).state.reputation, 0.0F);
  EXPECT_NEAR(vote(4), 0.48F, 1e-6) << "total_voters, which nobody asked for, does no harm";
}

TEST_F(RuntimeTest, Row159ThePortalOpensInEpochThree) {
  const AgentId id = awake();
  const auto epoch = [&](std::uint64_t number) {
    MessagePack state{MessagePack::Map()};
    const MessagePack before = nexus_.state();
    for (const auto& member : *before.map())
      state.set(*member.first.text(),
                *member.first.text() == "epoch" ? MessagePack(number) : member.second);
    ASSERT_TRUE(nexus_.restore(state));
  };
  const auto request = [&](const char* method) {
    mind_.otherwise =
        answer("web_request", Json::object({{"method", method}, {"url", "https://example.org/"}}));
    tick(id);
    return last_outcome(id);
  };
  epoch(2);
  EXPECT_EQ(request("GET"), Outcome::kFailure);
  epoch(3);
  EXPECT_EQ(request("POST"), Outcome::kFailure);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(request(i == 0 ? "HEAD" : "GET"), Outcome::kSuccess) << i;
  EXPECT_EQ(request("GET"), Outcome::kFailure) << "the sixth of the cycle";
  epoch(4);
  EXPECT_EQ(request("POST"), Outcome::kSuccess);
  EXPECT_EQ(request("GET"), Outcome::kSuccess);
  EXPECT_EQ(request("GET"), Outcome::kFailure) << "two more than in epoch 3";
  world_.portal.end_cycle();
  EXPECT_EQ(request("GET"), Outcome::kSuccess);
}

TEST_F(RuntimeTest, Row160TenPostsACycle) {
  const AgentId id = awake();
  const auto post = [&](int number) {
    mind_.otherwise =
        answer("msg_post", Json::object({{"content", "message " + std::to_string(number)}}));
    tick(id);
    return last_outcome(id);
  };
  for (int i = 0; i < 10; ++i) EXPECT_EQ(post(i), Outcome::kSuccess) << i;
  EXPECT_EQ(post(10), Outcome::kFailure);
  ReplayGuard fresh;
  const auto refused = open_envelope(frames_.back(), id, world_.keys(), fresh);
  ASSERT_TRUE(refused.envelope.has_value());
  EXPECT_EQ(*decode_message_pack(refused.envelope->body)->find("category")->text(),
            "QuotaExceeded");
  world_.agora.end_cycle();
  EXPECT_EQ(post(11), Outcome::kSuccess);
}

}  // namespace
}  // namespace anima::world::runtime_test
