// The compartment and the psyches of examples/, and what a program does with them.
#include <gtest/gtest.h>

#include "agent/loop/agent.h"
#include "store/symbols.h"

namespace anima::agent {
namespace {

const std::string kExamples = std::string(ANIMA_SOURCE_DIR) + "/examples";

Psyche read_psyche(const std::string& name) {
  const std::string path = kExamples + "/psyche/" + name;
  auto psyche = parse_psyche(*read_file(system_files(), path), path);
  EXPECT_TRUE(psyche.has_value()) << psyche.error().describe();
  return psyche ? *psyche : Psyche();
}

TEST(Examples, ExplorerSpeaksTersely) {
  const Psyche psyche = read_psyche("explorer.toml");
  EXPECT_EQ(psyche.persona.name, "Explorer");
  EXPECT_EQ(psyche.persona.grammar_preference, "terse");
  EXPECT_EQ(psyche.dominant_archetype(), Archetype::kExplorer);
  EXPECT_NEAR(psyche.archetype_bonus("http_fetch"), 0.06, 1e-12);
  EXPECT_EQ(psyche.shadow, Psyche().shadow);
}

TEST(Examples, OfflineBlocksTheNetworkOnly) {
  const Psyche psyche = read_psyche("offline.toml");
  EXPECT_NE(psyche.check_veto(describe_action("http_fetch", {{"url", "https://a.b"}})), nullptr);
  EXPECT_NE(psyche.check_veto(describe_action("shell_exec", {{"command", "wget x"}})), nullptr);
  EXPECT_NE(psyche.check_veto(describe_action("shell_exec", {{"command", "rm -rf x"}})), nullptr);
  const ActionText listing = describe_action("shell_exec", {{"command", "ls"}});
  EXPECT_EQ(psyche.check_veto(listing), nullptr);
  EXPECT_NEAR(psyche.check_bias(listing), 0.2, 1e-12);
}

TEST(Examples, CautiousIsAGuardian) {
  EXPECT_EQ(read_psyche("cautious.toml").dominant_archetype(), Archetype::kGuardian);
}

// What a program does: discover, load, activate, ask, inspect the psyche, unload.
TEST(Examples, AstronomyFromDiscoveryToUnloading) {
  auto space = *store::Space::in_memory();
  memory::CompartmentManager manager(*space, system_files(), kExamples);
  ASSERT_TRUE(manager.discover().has_value());
  ASSERT_NE(manager.find("astronomy"), nullptr);
  ASSERT_TRUE(manager.load("astronomy", {}).has_value());
  ASSERT_TRUE(manager.activate("astronomy", {}).has_value());
  EXPECT_EQ(manager.find("astronomy")->triple_count, 3U);

  auto agent = Agent::create(*space, manager, system_files(), {});
  ASSERT_TRUE(agent.has_value()) << agent.error().describe();
  Psyche mentor;
  mentor.persona.name = "Mentor";
  mentor.persona.grammar_preference = "formal";
  mentor.archetypes.healer = 0.8;
  mentor.archetypes.sage = 0.6;
  ASSERT_TRUE((*agent)->set_psyche(mentor).has_value());
  EXPECT_EQ((*agent)->psyche().dominant_archetype(), Archetype::kHealer);
  const auto goal = (*agent)->add_goal("find out about Mars");
  ASSERT_TRUE(goal.has_value());
  ASSERT_TRUE((*agent)->run_cycle().has_value());
  EXPECT_NE((*agent)->synthesize_findings(*goal).find("- Mars orbits Sun (confidence 1.00)"),
            std::string::npos);

  ASSERT_TRUE(manager.deactivate("astronomy", {}).has_value());
  ASSERT_TRUE(manager.unload("astronomy", {}).has_value());
  EXPECT_FALSE(store::find_symbol(space->snapshot().value(), "Mars").has_value());
}

}  // namespace
}  // namespace anima::agent
