// Power cuts and full disks, at every write number of a short run: what was acknowledged is there,
// no transaction is half there, and the log verifies.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "store/place/log_place.h"
#include "store/space.h"
#include "store/verify/audit.h"
#include "support/fault_files.h"
#include "support/power_loss_vfs.h"

namespace anima::store::store_power_test {
namespace {

// No test here needs a real disk: what reaches it is the shim's to say.
class InMemory : public testing::Environment {
 public:
  void SetUp() override {
    if (file_exists(system_files(), "/dev/shm")) setenv("TMPDIR", "/dev/shm", 0);
  }
};
[[maybe_unused]] const auto* const kInMemory =
    testing::AddGlobalTestEnvironment(new InMemory);  // owned by gtest

const Origin kOrigin{"tester", "power", Trust::kStandard, Sequence::kNone};

SpaceOptions options_for(bool shim) {
  SpaceOptions options;
  options.create = true;
  options.checkpoint_after_rows = 0;
  // Parts are short, so that some entries lie in parts.
  options.log_tuning = std::make_shared<const store::detail::LogTuning>(
      store::detail::LogTuning{shim ? PowerLossVfs::kName : "", 6000});
  return options;
}

// Two concepts in one transaction, and now and then a long value: several pages.
Result<Receipt> write_pair(Space& space, int number) {
  return space.write(kOrigin, [&](Transaction& transaction) -> Status {
    const std::string name = "pair" + std::to_string(number);
    ANIMA_ASSIGN(const EntityId left, transaction.upsert_concept(kEntityType, name + "a"));
    ANIMA_TRY(transaction.upsert_concept(kEntityType, name + "b"));
    if (number % 4 != 3) return {};
    const std::string text(static_cast<std::size_t>(number) * 1500, 'x');
    ANIMA_ASSIGN(const Term term, transaction.term(Value::string(text).view()));
    return transaction.set_attribute(left, "text", std::span(&term, 1));
  });
}

bool has(const Snapshot& snapshot, int number, char side) {
  return snapshot.find_concept(kEntityType, "pair" + std::to_string(number) + side).has_value();
}

constexpr int kPairs = 12;

// Writes until something fails; gives the numbers that were acknowledged.
std::vector<int> short_run(const std::string& folder) {
  std::vector<int> acknowledged;
  const auto space = Space::open(folder, options_for(true));
  if (!space) return acknowledged;
  for (int number = 0; number < kPairs; ++number) {
    if (!write_pair(**space, number)) break;
    acknowledged.push_back(number);
  }
  return acknowledged;
}

void expect_sound(const std::string& folder, const std::vector<int>& acknowledged) {
  const auto space = Space::open(folder, options_for(false));
  ASSERT_TRUE(space) << space.error().describe();
  const Snapshot snapshot = (*space)->snapshot().value();
  for (const int number : acknowledged) {
    EXPECT_TRUE(has(snapshot, number, 'a')) << "lost " << number;
  }
  for (int number = 0; number < kPairs; ++number) {
    EXPECT_EQ(has(snapshot, number, 'a'), has(snapshot, number, 'b')) << "half of " << number;
  }
  const auto report = verify_log((*space)->log());
  EXPECT_TRUE(report) << report.error().describe();
  EXPECT_TRUE(write_pair(**space, 100));
}

class PowerLoss : public testing::TestWithParam<PowerLossVfs::Loss> {};

TEST_P(PowerLoss, AtEveryWriteOfAShortRun) {
  SeededRandom random(7);
  std::int64_t writes = 0;
  {
    PowerLossVfs disk;
    const TemporaryDirectory folder;
    EXPECT_EQ(short_run(folder.path()).size(), static_cast<std::size_t>(kPairs));
    writes = disk.writes();
  }
  ASSERT_GT(writes, 2 * kPairs);
  for (std::int64_t cut = 0; cut < writes; ++cut) {
    SCOPED_TRACE("power cut at write " + std::to_string(cut));
    PowerLossVfs disk;
    const TemporaryDirectory folder;
    disk.cut_after(cut);
    const std::vector<int> acknowledged = short_run(folder.path());
    EXPECT_TRUE(disk.is_off());
    disk.power_on(GetParam(), random);
    expect_sound(folder.path(), acknowledged);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, PowerLoss,
                         testing::Values(PowerLossVfs::Loss::kAll, PowerLossVfs::Loss::kSome,
                                         PowerLossVfs::Loss::kTorn),
                         [](const auto& info) {
                           return info.param == PowerLossVfs::Loss::kAll    ? "DropsUnsynced"
                                  : info.param == PowerLossVfs::Loss::kSome ? "Reorders"
                                                                            : "Tears";
                         });

// The disk fills up at every write in turn, and is freed again: the transaction fails whole, the
// space stays usable, nothing acknowledged is lost.
TEST(FullDisk, AtEveryWriteOfTheLog) {
  for (std::int64_t full = 0; full < 40; ++full) {
    SCOPED_TRACE("full at write " + std::to_string(full));
    PowerLossVfs disk;
    const TemporaryDirectory folder;
    std::vector<int> acknowledged;
    {
      const auto space = Space::open(folder.path(), options_for(true));
      ASSERT_TRUE(space);
      disk.fill_after(full);
      int failures = 0;
      for (int number = 0; number < kPairs; ++number) {
        const auto receipt = write_pair(**space, number);
        const bool there = has((*space)->snapshot().value(), number, 'a');
        EXPECT_EQ(receipt.has_value(), there);
        if (receipt) {
          acknowledged.push_back(number);
          continue;
        }
        EXPECT_EQ(receipt.error().code, ErrorCode::kDiskFull) << receipt.error().describe();
        if (++failures == 2) disk.heal();
      }
      EXPECT_TRUE(verify_log((*space)->log()));
      EXPECT_GE(acknowledged.size() + 2, static_cast<std::size_t>(kPairs));
    }
    expect_sound(folder.path(), acknowledged);
    if (HasFailure()) return;
  }
}

TEST(FullDisk, AFailingSyncIsNoAcknowledgement) {
  PowerLossVfs disk;
  const TemporaryDirectory folder;
  const auto space = Space::open(folder.path(), options_for(true));
  ASSERT_TRUE(space);
  ASSERT_TRUE(write_pair(**space, 0));
  disk.fail_syncs(true);
  const auto failed = write_pair(**space, 1);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kIo);
  EXPECT_FALSE(has((*space)->snapshot().value(), 1, 'a'));
  disk.heal();
  ASSERT_TRUE(write_pair(**space, 2));
  EXPECT_TRUE(has((*space)->snapshot().value(), 2, 'b'));
  EXPECT_TRUE(verify_log((*space)->log()));
}

// A checkpoint that fails at any of its operations leaves a space that opens.
TEST(FullDisk, AtEveryOperationOfACheckpoint) {
  for (std::int64_t operations = 0; operations < 60; ++operations) {
    SCOPED_TRACE("operation " + std::to_string(operations));
    const TemporaryDirectory folder;
    FaultFiles files;
    SpaceOptions options = options_for(false);
    options.files = &files;
    bool failed = false;
    {
      const auto space = Space::open(folder.path(), options);
      ASSERT_TRUE(space) << space.error().describe();
      for (int number = 0; number < kPairs; ++number) ASSERT_TRUE(write_pair(**space, number));
      if (operations % 2 == 0) {
        ASSERT_TRUE((*space)->checkpoint());
      }
      ASSERT_TRUE(write_pair(**space, 50));
      files.fail_after(operations, ErrorCode::kDiskFull);
      const Status checkpoint = (*space)->checkpoint();
      failed = !checkpoint;
      if (failed) {
        EXPECT_EQ(checkpoint.error().code, ErrorCode::kDiskFull);
      }
      EXPECT_TRUE(has((*space)->snapshot().value(), 50, 'a'));
      files.heal();
      EXPECT_TRUE(write_pair(**space, 51));
    }
    const auto space = Space::open(folder.path(), options);
    ASSERT_TRUE(space) << space.error().describe();
    for (const int number : {0, 5, 50, 51}) {
      EXPECT_TRUE(has((*space)->snapshot().value(), number, 'b')) << number;
    }
    EXPECT_TRUE((*space)->checkpoint());
    if (HasFailure() || !failed) return;
  }
}

}  // namespace
}  // namespace anima::store::store_power_test
