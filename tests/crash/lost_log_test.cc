// A log that lost what it had: one changed byte in the write-ahead file, a file that is gone. What
// was acknowledged and is no more is said, never papered over.
//
// ANIMA_TEST_FULL=1: a flip at every 97th byte; otherwise 81 of them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "store/space.h"
#include "store/verify/audit.h"

namespace anima::store::lost_log_test {
namespace {

const Origin kOrigin{"tester", "loss", Trust::kStandard, Sequence::kNone};
constexpr int kWrites = 100;

bool full_run() {
  const char* value = std::getenv("ANIMA_TEST_FULL");
  return value != nullptr && *value != '\0';
}

Result<Receipt> add(Space& space, const std::string& name) {
  return space.write(kOrigin, [&](Transaction& transaction) {
    return transaction.upsert_concept(kEntityType, name).map([](EntityId) {});
  });
}

// A process makes a space, writes, and is killed: nothing of the write-ahead file has gone into the
// log's own file yet.
void write_and_die(const std::string& folder) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    SpaceOptions options;
    options.create = true;
    options.checkpoint_after_rows = 0;
    const auto space = Space::open(folder, options);
    if (!space) _exit(1);
    for (int i = 1; i < kWrites; ++i) {
      if (!add(**space, "n" + std::to_string(i))) _exit(2);
    }
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
}

// The files of a space, to be put back after each damage.
class Kept {
 public:
  explicit Kept(std::string folder) : folder_(std::move(folder)) {
    for (const char* name : {"log.db", "log.db-wal", "log.head"}) {
      bytes_.emplace_back(name, read_file(system_files(), join_path(folder_, name)).value());
    }
  }
  void put_back() const {
    const auto entries = system_files().list(folder_);
    ASSERT_TRUE(entries);
    for (const DirectoryEntry& entry : *entries) {
      ASSERT_TRUE(system_files().remove(join_path(folder_, entry.name)));
    }
    for (const auto& [name, bytes] : bytes_) {
      ASSERT_TRUE(replace_file(system_files(), join_path(folder_, name), bytes));
    }
  }
  std::string bytes(std::string_view name) const {
    const auto at = std::find_if(bytes_.begin(), bytes_.end(),
                                 [&](const auto& each) { return each.first == name; });
    return at->second;
  }

 private:
  std::string folder_;
  std::vector<std::pair<std::string, std::string>> bytes_;
};

// Nobody may go on as if nothing had been lost, and nothing that is left may be touched.
void expect_noticed(const std::string& folder) {
  const std::string wal = read_file(system_files(), join_path(folder, "log.db-wal")).value_or("");
  for (const bool create : {false, true}) {
    SpaceOptions options;
    options.create = create;
    const auto space = Space::open(folder, options);
    ASSERT_FALSE(space) << "a log of " << (*space)->stats().entries << " was opened for writing";
    EXPECT_EQ(space.error().code, ErrorCode::kCorrupt) << space.error().describe();
  }
  const auto report = verify_space(folder, system_files());
  ASSERT_FALSE(report) << "called whole";
  EXPECT_EQ(report.error().code, ErrorCode::kCorrupt) << report.error().describe();
  SpaceOptions options;
  options.read_only = true;
  if (const auto space = Space::open(folder, options)) {
    EXPECT_FALSE((*space)->notes().empty()) << "read without a warning";
    EXPECT_FALSE((*space)->log().follow((*space)->snapshot().value().sequence(), 0).value_or(true));
  } else {
    EXPECT_EQ(space.error().code, ErrorCode::kCorrupt) << space.error().describe();
  }
  EXPECT_EQ(read_file(system_files(), join_path(folder, "log.db-wal")).value_or(""), wal)
      << "what is left was changed";
}

TEST(LostLog, EveryFlippedByteOfTheWriteAheadFileIsNoticed) {
  const TemporaryDirectory temporary;
  const std::string folder = temporary.file("space");
  write_and_die(folder);
  const Kept kept(folder);
  const std::string wal = kept.bytes("log.db-wal");
  ASSERT_GT(wal.size(), 100'000u);
  const std::size_t step = full_run() ? 97 : wal.size() / 80;
  int flips = 0;
  for (std::size_t at = 0; at < wal.size(); at += step, ++flips) {
    SCOPED_TRACE("byte " + std::to_string(at) + " of " + std::to_string(wal.size()));
    kept.put_back();
    std::string changed = wal;
    changed[at] = static_cast<char>(changed[at] ^ 0x20);
    ASSERT_TRUE(replace_file(system_files(), join_path(folder, "log.db-wal"), changed));
    expect_noticed(folder);
    if (HasFatalFailure()) return;
  }
  std::printf("%d flips\n", flips);
  EXPECT_GE(flips, 81);
  // And undamaged it is whole.
  kept.put_back();
  const auto report = verify_space(folder, system_files());
  ASSERT_TRUE(report) << report.error().describe();
  EXPECT_EQ(report->entries, static_cast<std::uint64_t>(kWrites));
  const auto space = Space::open(folder, {});
  ASSERT_TRUE(space) << space.error().describe();
  EXPECT_TRUE(add(**space, "one more"));
}

TEST(LostLog, AMissingAnEmptyAndACutWriteAheadFileAreNoticed) {
  const TemporaryDirectory temporary;
  const std::string folder = temporary.file("space");
  write_and_die(folder);
  const Kept kept(folder);
  const std::string wal = kept.bytes("log.db-wal");
  for (const std::size_t left : {std::size_t{0}, std::size_t{32}, wal.size() / 2, wal.size() - 1}) {
    SCOPED_TRACE(left);
    kept.put_back();
    ASSERT_TRUE(replace_file(system_files(), join_path(folder, "log.db-wal"), wal.substr(0, left)));
    expect_noticed(folder);
  }
  SCOPED_TRACE("gone");
  kept.put_back();
  ASSERT_TRUE(system_files().remove(join_path(folder, "log.db-wal")));
  expect_noticed(folder);
}

// A space that others have open when the damage comes to light.
TEST(LostLog, AWriterThatIsOpenDoesNotGoOnOverALoss) {
  const TemporaryDirectory temporary;
  const std::string folder = temporary.file("space");
  write_and_die(folder);
  const std::string wal = join_path(folder, "log.db-wal");
  const std::string bytes = read_file(system_files(), wal).value();
  std::string changed = bytes;
  changed[changed.size() - 2000] = static_cast<char>(changed[changed.size() - 2000] ^ 1);
  ASSERT_TRUE(replace_file(system_files(), wal, changed));
  SpaceOptions options;
  options.read_only = true;
  const auto reader = Space::open(folder, options);
  ASSERT_TRUE(reader) << reader.error().describe();
  ASSERT_EQ((*reader)->notes().size(), 1u);
  EXPECT_NE((*reader)->notes()[0].find("entry 99"), std::string::npos) << (*reader)->notes()[0];
  EXPECT_NE((*reader)->notes()[0].find("100"), std::string::npos) << (*reader)->notes()[0];
  EXPECT_EQ((*reader)->snapshot().value().sequence(), Sequence{99});
  ASSERT_FALSE(Space::open(folder, {}));
  // Again and again: no attempt resets what knows better.
  ASSERT_FALSE(Space::open(folder, {}));
}

}  // namespace
}  // namespace anima::store::lost_log_test
