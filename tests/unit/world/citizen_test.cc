// Rows 121-130, 138, 139, 141, 142, 147, 149, 150, 154, 155-158: what follows from numbers alone.
#include "world/citizen.h"

#include <gtest/gtest.h>

#include "base/json/message_pack_fields.h"
#include "world/daemons/mint.h"
#include "world/daemons/nexus.h"
#include "world/learning.h"
#include "world/motives.h"
#include "world/program.h"
#include "world/thinking.h"

namespace anima::world::citizen_test {
namespace {

Citizen citizen_of(std::size_t number) {
  Citizen citizen;
  citizen.identity = identity_from_seed(sha256("TEST_AGENT:" + std::to_string(number)));
  citizen.state.genome = seed_genome(number - 1);
  citizen.state.balance = 100;
  citizen.state.reputation = 0.5F;
  return citizen;
}

std::size_t goals_from(const Citizen& citizen, GoalSource source) {
  std::size_t count = 0;
  for (const Goal* goal : citizen.goals.live()) count += goal->source == source ? 1 : 0;
  return count;
}

TEST(CitizenTest, Row121Survival) {
  Citizen citizen = citizen_of(1);
  citizen.state.balance = 20;
  inject_from_sources(citizen, 5);
  EXPECT_EQ(goals_from(citizen, GoalSource::kSurvival), 0U);
  citizen.state.balance = 19;
  inject_from_sources(citizen, 6);
  inject_from_sources(citizen, 7);
  EXPECT_EQ(goals_from(citizen, GoalSource::kSurvival), 1U);
  citizen.state.balance = 20;
  drop_outdated(citizen, 8);
  EXPECT_EQ(goals_from(citizen, GoalSource::kSurvival), 0U);
}

TEST(CitizenTest, Row122RoleGoals) {
  Citizen librarian = citizen_of(3);
  inject_from_sources(librarian, 5);
  ASSERT_EQ(librarian.goals.aspirations.size(), 2U);
  EXPECT_EQ(librarian.goals.aspirations[0].description, "increase Oracle coverage");
  EXPECT_EQ(librarian.goals.aspirations[1].description, "build missing stdlib components");
  inject_from_sources(librarian, 6);
  EXPECT_EQ(librarian.goals.aspirations.size(), 2U) << "one of a text at a time";
}

TEST(CitizenTest, Row123Bounties) {
  Citizen citizen = citizen_of(1);
  KnownBounty bounty;
  bounty.reward = 15;
  bounty.deadline = 500;
  bounty.tags = {"compiler"};
  const auto accepts = [&](auto change) {
    KnownBounty other = bounty;
    change(other);
    return accepts_bounty(citizen, other, 10);
  };
  EXPECT_TRUE(accepts([](KnownBounty&) {}));
  EXPECT_FALSE(accepts([](KnownBounty& each) { each.reward = 4; }));
  EXPECT_FALSE(accepts([](KnownBounty& each) { each.deadline = 10; }));
  EXPECT_FALSE(accepts([](KnownBounty& each) { each.tags = {"poetry"}; }));
  EXPECT_FALSE(accepts([&](KnownBounty& each) { each.creator = citizen.id(); }));
  citizen.state.bounties[sha256("b")] = bounty;
  inject_from_sources(citizen, 10);
  EXPECT_EQ(goals_from(citizen, GoalSource::kOpportunity), 1U);
  EXPECT_EQ(citizen.goals.objectives.front().source, GoalSource::kOpportunity);
}

TEST(CitizenTest, Row124Curiosity) {
  const auto curious = [](std::size_t number, double cycles) {
    Citizen citizen = citizen_of(number);
    citizen.state.cycles_without_new = cycles;
    inject_from_sources(citizen, 5);
    return goals_from(citizen, GoalSource::kCuriosity) == 1;
  };
  EXPECT_FALSE(curious(6, 28));
  EXPECT_TRUE(curious(6, 29));
  EXPECT_FALSE(curious(1, 16));
  EXPECT_TRUE(curious(1, 17));
  EXPECT_FALSE(curious(2, 24)) << "0.7 in 32 bits";
}

TEST(CitizenTest, Row125SocialGoals) {
  const auto social = [](float reputation) {
    Citizen citizen = citizen_of(1);
    citizen.state.reputation = reputation;
    inject_from_sources(citizen, 5);
    return goals_from(citizen, GoalSource::kSocial);
  };
  EXPECT_EQ(social(0.3F), 0U);
  EXPECT_EQ(social(0.7F), 0U);
  EXPECT_EQ(social(0.29F), 1U);
  EXPECT_EQ(social(0.71F), 1U);
}

TEST(CitizenTest, Row126Weights) {
  const double expected[8][4] = {{.90, .90, .15, .25}, {.70, .85, .35, .15}, {.85, .75, .20, .35},
                                 {.80, .60, .25, .30}, {.95, .80, .15, .40}, {.65, .65, .45, .20},
                                 {.75, .75, .25, .25}, {.80, .70, .30, .30}};
  const float thresholds[8] = {16, 24, 18, 20, 16, 28, 20, 22};
  for (std::size_t i = 0; i < 8; ++i) {
    const Traits& traits = seed_genome(i).traits;
    const PriorityWeights weights = priority_weights(traits);
    EXPECT_NEAR(weights.reward, expected[i][0], 1e-6);
    EXPECT_NEAR(weights.capability, expected[i][1], 1e-6);
    EXPECT_NEAR(weights.novelty, expected[i][2], 1e-6);
    EXPECT_NEAR(weights.social, expected[i][3], 1e-6);
    EXPECT_EQ(curiosity_threshold(traits), thresholds[i]);
  }
}

TEST(CitizenTest, Row127Priority) {
  const PriorityTerms terms{1, .5, .5, .5, .5};
  EXPECT_NEAR(priority(priority_weights(seed_genome(0).traits), terms), 2.1, 1e-6);
  EXPECT_NEAR(priority(priority_weights(seed_genome(5).traits), terms), 1.975, 1e-6);
}

TEST(CitizenTest, Row128Ties) {
  Citizen citizen = citizen_of(1);
  for (const auto& each : {std::pair("b", 9U), std::pair("a", 9U), std::pair("c", 8U)})
    ASSERT_TRUE(
        inject(citizen, {GoalLayer::kTask, GoalSource::kSocial, each.first, {}, {}}, each.second));
  prioritise(citizen, 10);
  const std::vector<Goal>& tasks = citizen.goals.tasks;
  EXPECT_EQ(tasks[0].description, "c");
  EXPECT_LT(tasks[1].id, tasks[2].id);
  EXPECT_EQ(best_goal(citizen)->id, tasks[0].id);
}

TEST(CitizenTest, GoalLayersAreBounded) {
  Citizen citizen = citizen_of(1);
  for (std::size_t i = 0; i < kMaxTasks; ++i)
    ASSERT_TRUE(
        inject(citizen, {GoalLayer::kTask, GoalSource::kSocial, std::to_string(i), {}, {}}, 1));
  const auto full = inject(citizen, {GoalLayer::kTask, GoalSource::kSocial, "more", {}, {}}, 1);
  ASSERT_FALSE(full.has_value());
  EXPECT_EQ(full.error().code, ErrorCode::kLimitExceeded);
}

TEST(CitizenTest, Row129Trust) {
  PeerModel peer;
  EXPECT_EQ(trust(peer, 10), 0);
  peer.successes = 3;
  peer.interactions = 4;
  peer.last_interaction = 100;
  EXPECT_NEAR(trust(peer, 600), 0.45490, 1e-5);
  peer.successes = peer.interactions = 1;
  EXPECT_NEAR(trust(peer, 1100), 0.36788, 1e-5);
}

TEST(CitizenTest, Row130ThinkTiers) {
  EXPECT_EQ(classify_think({true, 0, true, false}), ThinkTier::kTier1);
  EXPECT_EQ(classify_think({false, 0.7F, false, false}), ThinkTier::kTier2);
  EXPECT_EQ(classify_think({false, 0.71F, false, false}), ThinkTier::kTier1);
  EXPECT_EQ(classify_think({false, 0, false, true}), ThinkTier::kTier3);
  EXPECT_EQ(classify_think({false, 0, true, false}), ThinkTier::kTier3);
  EXPECT_EQ(classify_think({}), ThinkTier::kTier2);
}

TEST(CitizenTest, Row138And139WorkingMemory) {
  Citizen citizen = citizen_of(1);
  ASSERT_TRUE(write_working(citizen, std::string(65'536, 'a')).has_value());
  EXPECT_EQ(write_working(citizen, std::string(65'537, 'b')).error().code,
            ErrorCode::kLimitExceeded);
  EXPECT_EQ(citizen.memory.working, std::string(65'536, 'a'));
  end_cycle_memory(citizen, 256);
  EXPECT_EQ(citizen.memory.working.size(), 65'536U) << "kept once";
  end_cycle_memory(citizen, 512);
  EXPECT_TRUE(citizen.memory.working.empty());
}

TEST(CitizenTest, Row141And142PromptSections) {
  Citizen citizen = citizen_of(1);
  citizen.memory.working = std::string(60'000, 'w');
  citizen.state.recent = std::vector<std::string>(16, std::string(1000, 'r'));
  const auto sections = prompt_sections(citizen, nullptr, 10);
  const std::string_view headers[] = {"WORLD RULES",    "YOUR IDENTITY",  "YOUR MEMORY",
                                      "CURRENT STATE",  "RECENT ACTIONS", "AVAILABLE ACTIONS",
                                      "RESPONSE FORMAT"};
  const std::size_t limits[] = {2000, 500, 2000, 1500, 1000};
  ASSERT_EQ(sections.size(), std::size(headers));
  for (std::size_t i = 0; i < sections.size(); ++i) {
    EXPECT_EQ(sections[i].header, headers[i]);
    if (i < std::size(limits)) {
      EXPECT_LE(token_count(sections[i].text), limits[i]);
    }
  }
  EXPECT_EQ(token_count(sections[2].text), 2000U);
  PromptBudget small;
  small.context = 4000;
  EXPECT_EQ(token_count(prompt_sections(citizen, nullptr, 10, small)[2].text), 1000U);
}

TEST(CitizenTest, Row147Compaction) {
  Citizen citizen = citizen_of(1);
  for (std::uint64_t i = 0; i < 1001; ++i)
    remember(citizen, i, {i % 2 == 0 ? "msg_post" : "nop", "t", {}, 1},
             i % 2 == 0 ? Outcome::kSuccess : Outcome::kUnknown, i % 4 == 0 ? "often" : "often");
  EXPECT_EQ(citizen.memory.experiences.size(), 503U);
  EXPECT_EQ(total_experiences(citizen.memory), 1001U);
  EXPECT_EQ(experience_count(citizen, "msg_post", "t"), 501U);
  const auto record = unpack_bytes<ActionRecord>(citizen.memory.experiences[0].action.bytes);
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->count, 250U);
  EXPECT_EQ(citizen.memory.experiences[1].tick, 499U);
  for (std::uint64_t i = 1001; i < 2001; ++i)
    remember(citizen, i, {"nop", "t", {}, 1}, Outcome::kUnknown, "");
  EXPECT_LE(citizen.memory.experiences.size(), 1000U);
  EXPECT_EQ(total_experiences(citizen.memory), 2001U) << "summaries are merged as what they count";
}

TEST(CitizenTest, BeliefsMoveWithEvidence) {
  AgentMemory memory;
  support(memory, "bounties pay", sha256("1"), 10);
  EXPECT_NEAR(memory.beliefs[0].confidence, 0.6, 1e-6);
  contradict(memory, "bounties pay", sha256("2"), 20);
  EXPECT_NEAR(memory.beliefs[0].confidence, 0.42, 1e-6);
  fade_beliefs(memory, 20 + 2560);
  EXPECT_NEAR(memory.beliefs[0].confidence, 0.428, 1e-6);
  EXPECT_EQ(memory.beliefs[0].evidence.size(), 2U);
}

TEST(CitizenTest, Row149Codes) {
  EXPECT_EQ(static_cast<int>(Outcome::kUnknown), 3);
  EXPECT_EQ(static_cast<int>(GoalLayer::kTask), 2);
  EXPECT_EQ(static_cast<int>(GoalSource::kSocial), 4);
  EXPECT_EQ(static_cast<int>(GoalStatus::kAbandoned), 3);
  EXPECT_EQ(static_cast<int>(PlanStatus::kCompleted), 2);
  EXPECT_EQ(to_string(AgentRole::kCompilerSmith), "CompilerSmith");
  EXPECT_EQ(static_cast<int>(AgentStatus::kDead), 3);
}

TEST(CitizenTest, Row150Transitions) {
  using enum AgentStatus;
  EXPECT_TRUE(may_become(kEmbryo, kActive));
  EXPECT_TRUE(may_become(kActive, kDormant));
  EXPECT_TRUE(may_become(kDormant, kActive));
  EXPECT_TRUE(may_become(kDormant, kDead));
  EXPECT_FALSE(may_become(kEmbryo, kDormant));
  for (const AgentStatus to : {kEmbryo, kActive, kDormant, kDead})
    EXPECT_FALSE(may_become(kDead, to));
}

TEST(CitizenTest, Row154Bankruptcy) {
  const std::uint64_t expected[] = {64, 32, 32, 32, 16, 0};
  for (std::uint64_t cycles = 0; cycles < 6; ++cycles)
    EXPECT_EQ(budget_after(64, cycles), expected[cycles]) << cycles;
}

TEST(CitizenTest, Row157Tax) {
  const std::pair<std::uint64_t, std::uint64_t> cases[] = {
      {1, 1}, {20, 1}, {39, 1}, {40, 2}, {100, 5}};
  for (const auto& each : cases) EXPECT_EQ(tax_of(each.first), each.second);
}

TEST(CitizenTest, Row158Votes) {
  EXPECT_FALSE(passes(4, 8, 1, 0)) << "half is not more than half";
  EXPECT_TRUE(passes(5, 8, 1, 0));
  EXPECT_FALSE(passes(8, 8, 66, 34)) << "0.66 exactly";
  EXPECT_TRUE(passes(8, 8, 67, 33));
  EXPECT_FALSE(passes(8, 8, 0, 0));
}

TEST(CitizenTest, ProgramsAreHeldTight) {
  EXPECT_EQ(run_program("push 6\npush 7\nmul\nhalt", 0, 100).result, 42);
  EXPECT_EQ(run_program("jump 0", 0, 100).fault, Fault::kTicks);
  EXPECT_EQ(run_program("push 1\npush 0\ndiv\nhalt", 0, 100).fault, Fault::kDivision);
  EXPECT_EQ(run_program("add", 0, 100).fault, Fault::kStack);
  EXPECT_EQ(run_program("fly", 0, 100).fault, Fault::kInstruction);
  EXPECT_EQ(run_program("push 1", 0, 100).fault, Fault::kJump) << "it never halts";
  EXPECT_EQ(run_program("input\ndup\nmul\nhalt", 9, 100).result, 81);
}

}  // namespace
}  // namespace anima::world::citizen_test
