// kill -9 at any moment while the difference of a command is applied, or undone: whoever comes next
// finds all of it or nothing.
//
// ANIMA_TEST_FULL=1: 200 kills of each; otherwise a few.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <thread>

#include "base/files/file.h"
#include "support/needs_sandbox.h"
#include "tools/effects/staging.h"

namespace anima::effects_kill_test {
namespace {

using tools::effects::Staging;

constexpr int kFiles = 120;

class EffectsKilled : public testing::Test {
 protected:
  void SetUp() override {
    ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
    for (const char* each : {"", "/edited", "/deleted", "/moved"}) {
      ASSERT_TRUE(system_files().make_directories(work_ + each));
      own(work_ + each);
    }
    for (int i = 0; i < kFiles; ++i) {
      for (const char* each : {"/edited/", "/deleted/", "/moved/"}) {
        const std::string path = work_ + each + std::to_string(i);
        ASSERT_TRUE(replace_file(system_files(), path, each + std::to_string(i)));
        own(path);
      }
    }
  }
  static void own(const std::string& path) {
    ASSERT_EQ(chown(path.c_str(), tools::sandbox_user(), static_cast<gid_t>(-1)), 0);
  }

  // What is there, by path; temporary names too.
  std::map<std::string, std::string> tree(const std::string& folder) const {
    std::map<std::string, std::string> found;
    const auto entries = system_files().list(folder);
    if (!entries) return found;
    for (const DirectoryEntry& entry : *entries) {
      const std::string path = folder + "/" + entry.name;
      if (entry.kind == FileInfo::Kind::kDirectory) {
        found[path] = "folder";
        found.merge(tree(path));
      } else {
        found[path] = read_file(system_files(), path).value_or("(none)");
      }
    }
    return found;
  }

  std::string stage() {
    tools::SandboxRequest request;
    request.arguments = {
        "/bin/sh", "-c",
        "for f in edited/*; do echo more >> $f; done; rm -r deleted; mv moved away;"
        "mkdir -p new/deep; for i in $(seq 100); do echo $i > new/deep/$i; done"};
    request.environment = {{"PATH", "/usr/bin:/bin"}};
    auto trial = staging_.run(request);
    EXPECT_TRUE(trial.has_value()) << trial.error().describe();
    EXPECT_EQ(trial->run.process.exit_code, 0) << trial->run.process.err;
    return staging_.keep(*trial, Json()).value_or("");
  }

  // How long it takes here and now, in microseconds: kills fall into all of it.
  template <typename Work>
  static std::uint64_t duration_of(const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(work());
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                          std::chrono::steady_clock::now() - begin)
                                          .count());
  }

  // In a process that ends by a signal after so long, or by itself.
  template <typename Work>
  void kill_while(std::int64_t microseconds, const Work& work) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      (void)work();
      _exit(0);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
  }

  TemporaryDirectory folder_{"anima-effects-kill"};
  const std::string work_ = folder_.file("work"), state_ = folder_.file("state");
  SystemClock clock_;
  SystemRandom random_;
  Staging staging_{work_, state_, clock_, random_};
};

TEST_F(EffectsKilled, AllOrNothing) {
  const bool full = std::getenv("ANIMA_TEST_FULL") != nullptr;
  const int kills = full ? 200 : 12;
  SeededRandom random(20261123);
  int whole = 0, nothing = 0, recovered = 0;
  std::string id = stage();
  const std::uint64_t applying = 1000 + duration_of([&] { return staging_.apply(id); });
  const std::uint64_t undoing = 1000 + duration_of([&] { return staging_.undo(id); });
  for (int i = 0; i < kills; ++i) {
    const auto before = tree(work_);
    id = stage();
    ASSERT_FALSE(id.empty());
    kill_while(static_cast<std::int64_t>(random.below(applying)),
               [&] { return staging_.apply(id); });
    recovered += file_exists(system_files(), state_ + "/journal") ? 1 : 0;
    ASSERT_TRUE(staging_.recover());
    if (tree(work_) == before) {
      ++nothing;
      // A second name of a kept file is a change of the file: the call is made again.
      const Status later = staging_.apply(id);
      if (!later) {
        ASSERT_TRUE(staging_.apply(stage()));
      }
    } else {
      ++whole;
    }
    const auto after = tree(work_);
    EXPECT_FALSE(after.contains(work_ + "/deleted"));
    EXPECT_EQ(after.at(work_ + "/new/deep/100"), "100\n");
    EXPECT_EQ(after.at(work_ + "/edited/7"), "/edited/7more\n");
    EXPECT_EQ(after.size(), before.size() - kFiles - 1 + 100 + 2) << "kill " << i;
    // And back, killed the same way.
    std::string last;
    const auto listed = staging_.list();
    ASSERT_TRUE(listed.has_value());
    for (const auto& staged : *listed) {
      if (staged.applied && !staged.undone) last = staged.id;
    }
    kill_while(static_cast<std::int64_t>(random.below(undoing)),
               [&] { return staging_.undo(last); });
    ASSERT_TRUE(staging_.recover());
    if (tree(work_) == after) {
      ASSERT_TRUE(staging_.undo(last));
    }
    ASSERT_EQ(tree(work_), before) << "kill " << i;
  }
  RecordProperty("whole", whole);
  RecordProperty("nothing", nothing);
  printf("%d kills: %d whole (%d of them finished later), %d nothing\n", kills, whole, recovered,
         nothing);
}

}  // namespace
}  // namespace anima::effects_kill_test
