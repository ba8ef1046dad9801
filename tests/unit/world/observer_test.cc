// The observer: it sees the last cycle and every event, and has no way to write.
#include "world/outside/observer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "world/symbolic_mind.h"

namespace anima::world::observer_test {
namespace {

// Files that can only be read: anything else fails the test.
class ReadOnlyFiles final : public FileSystem {
 public:
  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode,
                                     std::uint32_t permissions) override {
    if (mode != OpenMode::kRead) return refused(path);
    return system_files().open(path, mode, permissions);
  }
  Result<std::unique_ptr<MappedFile>> map(const std::string& path) override {
    return system_files().map(path);
  }
  Result<std::unique_ptr<FileLock>> lock(const std::string& path, LockMode, bool) override {
    return refused(path);
  }
  Result<std::unique_ptr<FileLock>> lock_byte(const std::string& path, std::uint64_t) override {
    return refused(path);
  }
  Result<FileInfo> info(const std::string& path) override { return system_files().info(path); }
  Result<std::vector<DirectoryEntry>> list(const std::string& path) override {
    return system_files().list(path);
  }
  Status make_directories(const std::string& path, std::uint32_t) override { return refused(path); }
  Status rename(const std::string& from, const std::string&) override { return refused(from); }
  Status remove(const std::string& path) override { return refused(path); }
  Status sync_directory(const std::string& path) override { return refused(path); }

 private:
  static Unexpected<Error> refused(const std::string& path) {
    ADD_FAILURE() << "an observer wrote: " << path;
    return fail(ErrorCode::kDenied, "an observer does not write", path);
  }
};

class ObserverTest : public ::testing::Test {
 protected:
  std::unique_ptr<World> open(const std::string& name) {
    WorldOptions options;
    options.folder = folder_.file(name);
    options.agents = 4;
    options.seed = 5;
    auto world = World::open(system_files(), options, mind_, dice_);
    EXPECT_TRUE(world.has_value()) << world.error().describe();
    return world ? *std::move(world) : nullptr;
  }
  std::unique_ptr<Observer> look_at(const std::string& name) {
    auto observer = Observer::open(files_, folder_.file(name), {});
    EXPECT_TRUE(observer.has_value()) << observer.error().describe();
    return observer ? *std::move(observer) : nullptr;
  }
  // Every file of the world with its bytes.
  std::string bytes_in(const std::string& name) {
    std::string all;
    const auto entries = system_files().list(folder_.file(name));
    for (const DirectoryEntry& entry : *entries) {
      all += entry.name + "\n";
      if (entry.kind == FileInfo::Kind::kFile)
        all += read_file(system_files(), folder_.file(name + "/" + entry.name)).value_or("?");
    }
    return all;
  }

  TemporaryDirectory folder_;
  ReadOnlyFiles files_;
  SymbolicMind mind_;
  SystemRandom dice_;
};

TEST_F(ObserverTest, SeesAWorldThatRunsAndEveryEvent) {
  Digest unseen{};
  {
    const auto alone = open("a");
    ASSERT_TRUE(alone->run_cycle());
    ASSERT_TRUE(alone->run_cycle());
    unseen = alone->world_hash();
  }
  const auto world = open("b");
  ASSERT_TRUE(world->run_cycle());
  for (int tick = 0; tick < 50; ++tick) ASSERT_TRUE(world->run_tick());
  const auto observer = look_at("b");
  const auto view = observer->look();
  ASSERT_TRUE(view.has_value()) << view.error().describe();
  EXPECT_EQ(view->seed, 5U);
  ASSERT_EQ(view->records.size(), 1U);
  std::vector<std::string> names;
  std::uint64_t events = 0;
  const auto note = [&](const Event& event) -> Status {
    ++events;
    EXPECT_GE(event.timestamp, kTicksPerCycle) << "the cycle that runs";
    names.push_back(to_json(event).find("event")->as_string());
    return {};
  };
  ASSERT_TRUE(observer->follow(note));
  EXPECT_GT(events, 0U);
  ASSERT_TRUE(world->run_cycle());
  ASSERT_TRUE(observer->follow(note));
  const auto after = observer->look();
  ASSERT_TRUE(after.has_value());
  ASSERT_EQ(after->records.size(), 2U);
  EXPECT_EQ(events, after->records.back().events) << "all of them, each once";
  EXPECT_NE(std::ranges::find(names, "cycle_end"), names.end());
  for (const std::string& name : names) EXPECT_FALSE(name.starts_with("event 0x")) << name;
  EXPECT_EQ(world->world_hash(), unseen) << "nobody can tell that somebody looks";
}

TEST_F(ObserverTest, LeavesEverythingAsItWas) {
  {
    const auto world = open("a");
    ASSERT_TRUE(world->run_cycle());
  }
  const std::string before = bytes_in("a");
  for (int look = 0; look < 2; ++look) {
    const auto observer = look_at("a");
    ASSERT_TRUE(observer->look());
    ASSERT_TRUE(observer->follow([](const Event&) { return Status(); }));
  }
  EXPECT_EQ(bytes_in("a"), before);
}

TEST_F(ObserverTest, WaitsWhereAWorldWentBack) {
  {
    const auto world = open("a");
    ASSERT_TRUE(world->run_cycle());
  }
  std::uint64_t events = 0;
  const auto count = [&](const Event&) {
    ++events;
    return Status();
  };
  const auto observer = look_at("a");
  {
    const auto cut = open("a");
    for (int tick = 0; tick < 60; ++tick) ASSERT_TRUE(cut->run_tick());
    ASSERT_TRUE(observer->follow(count));
  }
  const std::uint64_t seen = events;
  EXPECT_GT(seen, 0U);
  const auto world = open("a");
  ASSERT_TRUE(observer->follow(count));
  EXPECT_EQ(events, seen) << "the log was cut back";
  ASSERT_TRUE(world->run_cycle());
  ASSERT_TRUE(observer->follow(count));
  EXPECT_EQ(events, world->records().back().events);
}

TEST_F(ObserverTest, RefusesWhatIsNoWorld) {
  EXPECT_EQ(Observer::open(files_, folder_.file("nowhere"), {}).error().code, ErrorCode::kNotFound);
  {
    const auto world = open("a");
    ASSERT_TRUE(world->run_cycle());
  }
  ASSERT_TRUE(system_files().remove(folder_.file("a/world.db")));
  EXPECT_EQ(Observer::open(files_, folder_.file("a"), {}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Observer::open(files_, folder_.file("a"), "postgresql://127.0.0.1:1/none").error().code,
            ErrorCode::kIo);
}

}  // namespace
}  // namespace anima::world::observer_test
