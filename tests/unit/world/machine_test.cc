// The machine in the sandbox leaves what the machine in this process leaves, and a world on it is
// the same world.
#include <gtest/gtest.h>

#include "base/random.h"
#include "support/needs_sandbox.h"
#include "world/machine/sandboxed_machine.h"
#include "world/symbolic_mind.h"
#include "world/world.h"

namespace anima::world::machine_test {
namespace {

class MachineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
    auto started = SandboxedMachine::start(find_machine());
    ASSERT_TRUE(started.has_value()) << started.error().describe();
    machine_ = *std::move(started);
  }
  void same(std::string_view program, std::int64_t input, std::uint64_t ticks) {
    const auto run = machine_->run(program, input, ticks);
    ASSERT_TRUE(run.has_value()) << run.error().describe();
    const Execution here = run_program(program, input, ticks);
    EXPECT_EQ(run->fault, here.fault) << program;
    EXPECT_EQ(run->result, here.result) << program;
    EXPECT_EQ(run->ticks, here.ticks) << program;
  }
  std::unique_ptr<SandboxedMachine> machine_;
};

TEST_F(MachineTest, LeavesTheSame) {
  same("push 6\npush 7\nmul\nhalt", 0, 100);
  same("jump 0", 0, 10'000);
  same("push 1\npush 0\ndiv\nhalt", 0, 100);
  same("add", 0, 100);
  same("", 0, 100);
  same("push -9223372036854775808\npush 1\nsub\nhalt", 0, 100);
  same("input\ndup\nmul\nhalt", -9'000'000'000, 100);
  same(std::string("fly\n\0 1 2 3\nhalt", 15), 3, 100);
  same(std::string(kMaxProgramBytes, '\n'), 0, 100);
  same(std::string(kMaxProgramBytes + 1, 'x'), 0, 100);
  SeededRandom dice(11);
  constexpr std::string_view kWords[] = {
      "push 3", "push -2", "add",    "sub",     "mul",  "div",    "mod",     "dup", "swap",
      "drop",   "input",   "jump 2", "jumpz 4", "halt", "push x", "nothing", ""};
  for (int i = 0; i < 300; ++i) {
    std::string program;
    for (std::uint64_t lines = dice.below(12); lines > 0; --lines)
      program.append(kWords[dice.below(std::size(kWords))]).append("\n");
    same(program, static_cast<std::int64_t>(dice.next()), dice.below(500));
  }
}

TEST_F(MachineTest, AWorldOnItIsTheSame) {
  TemporaryDirectory folder;
  SymbolicMind mind;
  SystemRandom dice;
  Digest hashes[2];
  for (const bool sandboxed : {false, true}) {
    WorldOptions options;
    options.folder = folder.file(sandboxed ? "in" : "out");
    options.agents = 4;
    options.seed = 7;
    options.lasting = false;
    options.machine = sandboxed ? MachinePlace::kSandbox : MachinePlace::kHere;
    auto world = World::open(system_files(), options, mind, dice);
    ASSERT_TRUE(world.has_value()) << world.error().describe();
    std::uint64_t programs = 0;
    while ((*world)->cycle() < 3) ASSERT_TRUE((*world)->run_cycle());
    for (const CycleRecord& record : (*world)->records()) {
      const auto ran = record.told.find("programs run");
      programs += ran == record.told.end() ? 0 : ran->second;
    }
    EXPECT_GT(programs, 0U);
    hashes[sandboxed ? 1 : 0] = (*world)->world_hash();
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(MachineRefusals, WithoutTheProgramNothingRuns) {
  EXPECT_EQ(SandboxedMachine::start({}).error().code, ErrorCode::kNotFound);
  ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
  const auto missing = SandboxedMachine::start("/nowhere/anima-machine");
  EXPECT_FALSE(missing.has_value());
  // A program that answers with something else is no machine.
  auto other = SandboxedMachine::start("/bin/true");
  EXPECT_FALSE(other && (*other)->run("halt", 0, 1).has_value());
}

}  // namespace
}  // namespace anima::world::machine_test
