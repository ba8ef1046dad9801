// kill -9 in every phase of a cycle of sleep: the space is sound, the next sleep goes on where it
// was cut off, and in the end the memory is as if nothing had happened.
//
// ANIMA_TEST_FULL=1: 100 kills; otherwise ten.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "store/verify/audit.h"
#include "support/assistant_year.h"
#include "support/sleep_world.h"

namespace anima::sleep_kill_test {
namespace {

namespace fs = std::filesystem;

bool full_run() {
  const char* value = std::getenv("ANIMA_TEST_FULL");
  return value != nullptr && *value != '\0';
}

std::shared_ptr<ManualClock> clock_at_the_end() {
  return std::make_shared<ManualClock>(*parse_timestamp("2025-03-31T00:00:00Z"));
}

std::shared_ptr<store::Space> open(const fs::path& folder, std::shared_ptr<Clock> clock,
                                   bool create = false) {
  store::SpaceOptions options;
  options.create = create;
  options.clock = std::move(clock);
  auto space = store::Space::open(folder.string(), options);
  EXPECT_TRUE(space) << space.error().describe();
  return space ? *space : nullptr;
}

void make_space(const fs::path& folder) {
  const auto clock = std::make_shared<ManualClock>(*parse_timestamp("2025-01-06T00:00:00Z"));
  const auto space = open(folder, clock, true);
  kip::EngineOptions options;
  options.clock = clock;
  options.max_batch = 100'000;
  const auto engine = kip::Engine::open(space, options).value();
  test_support::YearOptions year;
  year.concepts = 300;
  year.events = 700;
  year.weeks = 12;
  test_support::AssistantYear(year).tell(*engine, *clock);
}

// What is known, by names: ids and the log of the maintenance may differ.
std::vector<std::string> knowledge(store::Space& space) {
  const store::Snapshot now = space.snapshot().value();
  std::vector<std::string> lines;
  const auto name = [&](store::EntityId entity) {
    if (now.kind(entity) != store::EntityKind::kProposition) return std::string(now.name(entity));
    const store::Triple triple = now.triple_of(entity);
    return "(" + std::string(now.name(triple.subject)) + " " +
           std::string(now.name(triple.predicate.as_link())) + ")";
  };
  store::Cursor rows = now.scan({});
  for (store::Triple batch[64];;) {
    const std::size_t got = rows.next(batch);
    if (got == 0) break;
    for (std::size_t i = 0; i < got; ++i)
      lines.push_back(name(batch[i].subject) + " | " +
                      std::string(now.name(batch[i].predicate.as_link())) + " | " +
                      name(batch[i].object.as_entity()) + " " +
                      std::to_string(now.assertions(batch[i]).front().confidence));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Sleeps in a process of its own, which kills itself at the `fatal`-th moment that it tells of; how
// far it came is written to the pipe. False: it came to the end.
bool sleep_and_die(const fs::path& folder, int fatal, int* phase) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    const auto clock = clock_at_the_end();
    const auto space = open(folder, clock);
    const auto sleeper = sleep::Sleeper::open(space, clock).value();
    sleep::Request request;
    int moments = 0;
    request.progress = [&](int now) {
      const char told = static_cast<char>(now);
      if (write(ends[1], &told, 1) != 1 || ++moments == fatal) raise(SIGKILL);
    };
    _exit(sleeper->run(request) ? 0 : 1);
  }
  close(ends[1]);
  char told = 0;
  for (char next; read(ends[0], &next, 1) == 1;) told = next;
  close(ends[0]);
  *phase = told;
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(!WIFEXITED(status) || WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status);
}

TEST(SleepKill, TheCycleGoesOnAfterAKillInAnyPhase) {
  const fs::path root =
      fs::temp_directory_path() / ("anima_sleep_kill_" + std::to_string(getpid()));
  fs::create_directories(root);
  const fs::path origin = root / "origin", undisturbed = root / "undisturbed";
  make_space(origin);
  fs::copy(origin, undisturbed, fs::copy_options::recursive);
  int moments = 0;
  std::vector<std::string> expected;
  {
    const auto clock = clock_at_the_end();
    const auto space = open(undisturbed, clock);
    sleep::Request request;
    request.progress = [&](int) { ++moments; };
    ASSERT_TRUE(sleep::Sleeper::open(space, clock).value()->run(request));
    expected = knowledge(*space);
  }
  ASSERT_GT(moments, 12);
  const int kills = full_run() ? 100 : 10;
  std::set<int> phases;
  for (int kill = 0; kill < kills; ++kill) {
    const fs::path folder = root / "copy";
    fs::remove_all(folder);
    fs::copy(origin, folder, fs::copy_options::recursive);
    int phase = 0;
    ASSERT_TRUE(sleep_and_die(folder, 1 + kill * moments / kills, &phase));
    phases.insert(phase);
    // Killed again while it goes on, every third time.
    if (kill % 3 == 0) sleep_and_die(folder, 3 + kill % 5, &phase);
    const auto clock = clock_at_the_end();
    const auto space = open(folder, clock);
    const auto audited = store::verify_log(space->log());
    EXPECT_TRUE(audited) << audited.error().describe();
    const auto sleeper = sleep::Sleeper::open(space, clock).value();
    const auto record = sleeper->run({});
    ASSERT_TRUE(record) << record.error().describe();
    EXPECT_EQ(record->cycle, 1u);
    EXPECT_EQ(record->status, "complete");
    EXPECT_EQ(knowledge(*space), expected) << "killed at moment " << 1 + kill * moments / kills;
    EXPECT_EQ(sleeper->run({})->status, "nothing to do");
    if (kill % 4 == 0) {
      const auto before = open(origin, clock);
      ASSERT_TRUE(sleeper->undo({}, {1}, false, false));
      EXPECT_EQ(knowledge(*space), knowledge(*before));
    }
  }
  for (int phase = 1; phase <= sleep::kPhases; ++phase)
    EXPECT_TRUE(phases.contains(phase) || !full_run()) << phase;
  fs::remove_all(root);
}

TEST(SleepKill, ACycleThatWasKilledIsListedAndCanBeUndoneAtOnce) {
  const fs::path root =
      fs::temp_directory_path() / ("anima_sleep_cut_off_" + std::to_string(getpid()));
  fs::create_directories(root);
  const fs::path origin = root / "origin", folder = root / "copy";
  make_space(origin);
  fs::copy(origin, folder, fs::copy_options::recursive);
  int phase = 0;
  ASSERT_TRUE(sleep_and_die(folder, 9, &phase));
  const auto clock = clock_at_the_end();
  const auto space = open(folder, clock);
  const auto before = open(origin, clock);
  ASSERT_NE(knowledge(*space), knowledge(*before));
  const auto sleeper = sleep::Sleeper::open(space, clock).value();
  auto cycles = sleeper->cycles().value();
  ASSERT_EQ(cycles.size(), 1u);
  EXPECT_EQ(cycles[0].cycle, 1u);
  EXPECT_EQ(cycles[0].status, "cut off");
  EXPECT_GT(cycles[0].changes(), 0u);
  EXPECT_FALSE(cycles[0].entries.empty());
  EXPECT_TRUE(sleeper->due({}, 0)->due);
  ASSERT_TRUE(sleeper->undo({}, {1}, false, false));
  EXPECT_EQ(knowledge(*space), knowledge(*before));
  cycles = sleeper->cycles().value();
  ASSERT_EQ(cycles.size(), 1u);
  EXPECT_EQ(cycles[0].status, "undone");
  EXPECT_FALSE(sleeper->undo({}, {1}, false, false));
  EXPECT_FALSE(sleeper->undo({}, {2}, false, false));
  // The next one has a number of its own and looks at everything.
  const auto record = sleeper->run({});
  ASSERT_TRUE(record) << record.error().describe();
  EXPECT_EQ(record->cycle, 2u);
  EXPECT_FALSE(record->resumed);
  EXPECT_EQ(record->status, "complete");
  EXPECT_EQ(sleeper->cycles()->size(), 2u);
  ASSERT_TRUE(sleeper->undo({}, {2}, false, false));
  EXPECT_EQ(knowledge(*space), knowledge(*before));
  fs::remove_all(root);
}

}  // namespace
}  // namespace anima::sleep_kill_test
