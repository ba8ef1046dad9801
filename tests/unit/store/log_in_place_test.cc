// The files of a log that is open are deleted, moved or replaced under it: what is written then
// reaches nobody, so nobody is told that it is kept.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files/file.h"
#include "store/space.h"

namespace anima::store::log_in_place_test {
namespace {

const Origin kOrigin{"tester", "place", Trust::kStandard, Sequence::kNone};

class LogInPlace : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(system_files().make_directories(folder_));
    SpaceOptions options;
    options.create = true;
    auto space = Space::open(folder_, options);
    ASSERT_TRUE(space) << space.error().describe();
    space_ = *space;
    ASSERT_TRUE(add("first"));
  }

  Result<Receipt> add(const std::string& name, const std::function<void()>& meanwhile = {}) {
    return space_->write(kOrigin, [&](Transaction& transaction) -> Status {
      if (meanwhile) meanwhile();
      return transaction.upsert_concept(kEntityType, name).map([](EntityId) {});
    });
  }

  // As a sync program or a restore does it: the same bytes in another file.
  void replace(const std::string& name) {
    const std::string path = join_path(folder_, name);
    const auto bytes = read_file(system_files(), path);
    ASSERT_TRUE(bytes) << path;
    ASSERT_TRUE(replace_file(system_files(), path, *bytes));
  }

  std::vector<std::string> kept() const {
    SpaceOptions options;
    options.read_only = true;
    const auto again = Space::open(folder_, options);
    EXPECT_TRUE(again) << again.error().describe();
    std::vector<std::string> names;
    if (!again) return names;
    const Snapshot now = (*again)->snapshot().value();
    for (const char* name : {"first", "second"}) {
      if (now.find_concept(kEntityType, name)) names.emplace_back(name);
    }
    return names;
  }

  TemporaryDirectory directory_;
  const std::string folder_ = directory_.file("space");
  std::shared_ptr<Space> space_;
};

TEST_F(LogInPlace, WritesGoOnWhereNothingHappened) {
  ASSERT_TRUE(add("second"));
  EXPECT_EQ(kept(), (std::vector<std::string>{"first", "second"}));
}

TEST_F(LogInPlace, AReplacedLogRefusesTheWrite) {
  replace("log.db");
  const auto written = add("second");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kConflict) << written.error().describe();
  EXPECT_NE(written.error().hint.find("open the space again"), std::string::npos);
  EXPECT_FALSE(add("second")) << "and the next one, too";
  space_.reset();
  EXPECT_EQ(kept(), std::vector<std::string>{"first"});
}

TEST_F(LogInPlace, AReplacedWalRefusesTheWrite) {
  replace("log.db-wal");
  const auto written = add("second");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kConflict) << written.error().describe();
}

TEST_F(LogInPlace, ADeletedFolderRefusesTheWriteAndStaysAway) {
  ASSERT_TRUE(remove_tree(system_files(), folder_));
  const auto written = add("second");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kConflict) << written.error().describe();
  EXPECT_FALSE(space_->seal("somebody", "a text"));
  space_.reset();
  EXPECT_FALSE(file_exists(system_files(), folder_));
}

TEST_F(LogInPlace, AMovedFolderLeavesNothingAtItsOldPlace) {
  const std::string moved = directory_.file("moved");
  ASSERT_TRUE(system_files().rename(folder_, moved));
  EXPECT_FALSE(space_->seal("somebody", "a text"));
  EXPECT_FALSE(add("second"));
  space_.reset();
  EXPECT_FALSE(file_exists(system_files(), folder_));
  SpaceOptions options;
  options.create = true;
  EXPECT_TRUE(Space::open(folder_, options)) << "the old place is free";
  EXPECT_TRUE(Space::open(moved, {}));
}

TEST_F(LogInPlace, ALogThatIsReplacedDuringACommitIsNotSaidToHoldIt) {
  const auto written = add("second", [this] { replace("log.db"); });
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kIo) << written.error().describe();
  EXPECT_NE(written.error().message.find("not known"), std::string::npos);
  const auto now = space_->snapshot();
  EXPECT_TRUE(!now || !now->find_concept(kEntityType, "second"));
}

}  // namespace
}  // namespace anima::store::log_in_place_test
