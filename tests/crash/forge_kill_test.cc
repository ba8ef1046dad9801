// kill -9 at each step of the commit of a made tool (row R4): whoever comes next finds the version
// before or the new one, whole, and the book says the same.
//
// 100 random kills between and within the file operations of a commit, always. Of whole
// generations, with the compiler, the sandbox and the book: one at each step of the commit;
// ANIMA_TEST_FULL=1: 100 at random times.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/crypto.h"
#include "forge/forge.h"
#include "support/fault_files.h"
#include "support/forge_cache.h"
#include "support/needs_sandbox.h"
#include "tools/mcp/tool_book.h"
#include "tools/sandbox/sandbox.h"
#include "tools/sandbox/sealed_program.h"

namespace anima::forge_kill_test {
namespace {

using forge::MadeTool;
using forge::ToolStore;

std::string hash_of(const std::string& text) { return hash_hex(HashAlgorithm::kSha256, text); }

// Runs it in a process of its own. True: it ended by itself, and well.
template <typename Work>
bool in_a_process(const Work& work, std::int64_t kill_after_microseconds = 0) {
  const pid_t child = fork();
  if (child == 0) _exit(work() ? 0 : 1);
  if (kill_after_microseconds > 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(kill_after_microseconds));
    (void)::kill(child, SIGKILL);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool commit_version(FileSystem& files, const std::string& folder, int number) {
  const std::string source = "source " + std::to_string(number);
  const std::string binary(3000, static_cast<char>('a' + number % 26));
  ToolStore store(files, folder);
  MadeTool tool;
  tool.name = "greeter";
  tool.description = source;
  tool.source_sha256 = hash_of(source);
  tool.binary_sha256 = hash_of(binary);
  const auto lock = store.lock("greeter", true);
  return lock && store.commit(tool, "run", source, binary);
}

TEST(ForgeKilled, R4_AHundredRandomKillsOfACommit) {
  const TemporaryDirectory folder("anima-forge-kill");
  const std::string tools = folder.file("tools");
  FaultFiles counted;
  ASSERT_TRUE(commit_version(system_files(), tools, 0));
  ASSERT_TRUE(commit_version(counted, tools, 1));
  const auto all = static_cast<std::uint64_t>(counted.operations());
  SeededRandom random(20261123);
  int kept = 0, renewed = 0, unhurt = 0;
  std::int64_t version = 2;
  for (int i = 2; i < 102; ++i) {
    const auto at = static_cast<std::int64_t>(random.below(all));
    const bool ended = in_a_process([&] {
      FaultFiles files;
      files.kill_after(at);
      return commit_version(files, tools, i);
    });
    unhurt += ended ? 1 : 0;
    ToolStore store(system_files(), tools);
    ASSERT_TRUE(store.recover("after" + std::to_string(i)).has_value());
    const auto tool = store.find("greeter");
    ASSERT_TRUE(tool && tool->has_value()) << "killed at operation " << at << " of " << all;
    ASSERT_TRUE((*tool)->version == version || (*tool)->version == version + 1) << at;
    ASSERT_EQ(hash_of(*store.source("greeter")), (*tool)->source_sha256) << at;
    ASSERT_EQ(hash_of(*read_file(system_files(), store.binary_path("greeter"))),
              (*tool)->binary_sha256)
        << at;
    const auto staged = system_files().list(tools + "/.staging");
    ASSERT_TRUE(!staged || staged->empty()) << at;
    ((*tool)->version == version ? kept : renewed) += 1;
    version = (*tool)->version;
  }
  std::printf(
      "of 100 kills at one of %llu operations: %d left the version before, %d the new one\n",
      static_cast<unsigned long long>(all), kept, renewed);
  EXPECT_EQ(unhurt, 0);
  EXPECT_GT(kept, 0);
  EXPECT_GT(renewed, 0);
}

class GenerationKilled : public ::testing::Test {
 protected:
  void SetUp() override {
    ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
    ASSERT_TRUE(make("first", {}));
  }

  // A process' life: the space, the forge, one generation. Its answer: whether the tool was made.
  bool make(const std::string& output, const ToolStore::AtStep& at_step) const {
    auto space = store::Space::open(folder_.file("space"), {.create = true});
    if (!space) return false;
    SystemClock clock;
    SystemRandom random;
    govern::Ledger ledger(**space, clock, random);
    auto opened = forge::Forge::open(**space, ledger, clock, random, options(at_step));
    if (!opened) return false;
    auto generator = forge::make_scripted_generator(
        {"```cpp\n#include \"tool_api.hpp\"\ntool::Result run(const tool::Input&, tool::Cancel) { "
         "return {\"" +
         output + "\", {}}; }\n```\n```json\n[{\"output\": \"" + output + "\"}]\n```\n"});
    forge::Need need;
    need.name = "greeter";
    need.purpose = "says something";
    return (*opened)->generate(need, *generator).success;
  }

  forge::ForgeOptions options(const ToolStore::AtStep& at_step) const {
    forge::ForgeOptions options;
    options.folder = folder_.file("space/tools");
    options.origin.author = "tester";
    options.compile.cache_folder = test::forge_cache();
    options.replace = true;
    options.at_step = at_step;
    options.safety.inspector = std::string(ANIMA_BINARY_DIR) + "/anima-inspect";
    return options;
  }

  // Who comes next: files, book and facts say the same, and the tool runs.
  void expect_consistent(const std::string& when) {
    auto space = store::Space::open(folder_.file("space"), {});
    ASSERT_TRUE(space.has_value()) << when << space.error().describe();
    SystemClock clock;
    SystemRandom random;
    govern::Ledger ledger(**space, clock, random);
    auto opened = forge::Forge::open(**space, ledger, clock, random, options({}));
    ASSERT_TRUE(opened.has_value()) << when << opened.error().describe();
    const auto made = (*opened)->tools().list();
    ASSERT_EQ(made->size(), 1U) << when;
    const auto snapshot = (*space)->snapshot();
    const auto book = tools::read_tool_book(*snapshot);
    ASSERT_EQ(book->manifests.size(), 1U) << when;
    const tools::ProgramAccess& program = book->manifests[0].tools[0].program;
    EXPECT_EQ(program.sealed, (*made)[0].binary_sha256) << when;
    const auto facts = (*opened)->ask("tool_hash(\"greeter\", H)");
    ASSERT_EQ(facts->size(), 1U) << when;
    EXPECT_EQ((*facts)[0][1], program.sealed) << when;
    EXPECT_EQ((*opened)->ask("tool_version(\"greeter\", V)")->size(), 1U) << when;
    EXPECT_TRUE((*opened)->ask("proposed(S)")->empty()) << when;
    EXPECT_TRUE(tools::run_sealed("greeter", program, Json::object(), {}).has_value()) << when;
  }

  const TemporaryDirectory folder_{"anima-generation-kill"};
};

TEST_F(GenerationKilled, R4_AtEachStep) {
  for (const char* at : {"stage", "keep", "binary", "source", "manifest", "register"}) {
    const bool ended = in_a_process([&] {
      return make(at, [at](std::string_view step) -> Status {
        if (step == at) (void)::kill(::getpid(), SIGKILL);
        return {};
      });
    });
    EXPECT_FALSE(ended) << at;
    expect_consistent(at);
  }
}

TEST_F(GenerationKilled, R4_AtRandomTimes) {
  ANIMA_NEEDS(test::kLongForm, std::getenv("ANIMA_TEST_FULL") != nullptr);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(in_a_process([&] { return make("whole", {}); }));
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(
                         std::chrono::steady_clock::now() - begin)
                         .count();
  SeededRandom random(20);
  for (int i = 0; i < 100; ++i) {
    const auto after =
        1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(whole)));
    const std::string text = "text " + std::to_string(i);
    (void)in_a_process([&] { return make(text, {}); }, after);
    expect_consistent(std::to_string(after) + " microseconds");
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace anima::forge_kill_test
