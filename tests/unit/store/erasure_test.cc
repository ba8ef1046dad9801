// Erased stays erased, and a key that is missing is no key that was destroyed.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/crypto.h"
#include "base/files/file.h"
#include "store/archive.h"
#include "store/backup.h"
#include "store/space.h"
#include "store/verify/audit.h"
#include "support/fault_files.h"
#include "support/files_with.h"
#include "support/small_space.h"
#include "support/watched_files.h"

namespace anima::store::erasure_test {
namespace {

using test::files_below;
using test::files_with;
using test::open_space;

const Origin kAda{"ada", "erasure", Trust::kStandard, Sequence::kNone};
const std::string kSecret = "what she told nobody else";

void write(Space& space, const std::string& name) {
  const auto receipt = space.write(kAda, [&](Transaction& transaction) -> Status {
    return transaction.upsert_concept(kEntityType, name).map([](EntityId) {});
  });
  ASSERT_TRUE(receipt) << receipt.error().describe();
}

// An entry that names nothing new.
void record(Space& space) {
  const auto receipt = space.write(kAda, [&](Transaction& transaction) -> Status {
    return transaction.record(RecordKind::kEvent, "something happened");
  });
  ASSERT_TRUE(receipt) << receipt.error().describe();
}

// The attribute's name is nobody's secret.
void prepare(Space& space) {
  const auto receipt = space.write(kAda, [&](Transaction& transaction) -> Status {
    ANIMA_ASSIGN(const EntityId entity, transaction.upsert_concept(kEntityType, "Open"));
    ANIMA_ASSIGN(const Term term, transaction.term(Value::string("nothing").view()));
    return transaction.set_attribute(entity, "secret", std::span(&term, 1));
  });
  ASSERT_TRUE(receipt) << receipt.error().describe();
}

void write_secret(Space& space, const std::string& key, const std::string& name = "Ada",
                  const std::string& secret = kSecret) {
  const auto receipt = space.write_sealed(kAda, key, [&](Transaction& transaction) -> Status {
    ANIMA_ASSIGN(const EntityId entity, transaction.upsert_concept(kEntityType, name));
    ANIMA_ASSIGN(const Term term, transaction.term(Value::string(secret).view()));
    return transaction.set_attribute(entity, "secret", std::span(&term, 1));
  });
  ASSERT_TRUE(receipt) << receipt.error().describe();
}

// What the space says of the secret; empty when nothing.
std::string secret_of(Space& space, const std::string& name = "Ada") {
  const Snapshot now = space.snapshot().value();
  const auto entity = now.find_concept(kEntityType, name);
  if (!entity) return {};
  const auto term = now.attribute(*entity, "secret");
  return term ? std::string(now.value(*term).text) : std::string();
}

std::vector<DirectoryEntry> list(const std::string& folder) {
  auto entries = system_files().list(folder);
  EXPECT_TRUE(entries) << folder;
  return entries ? std::move(*entries) : std::vector<DirectoryEntry>();
}

std::vector<std::string> key_files(const std::string& folder) {
  std::vector<std::string> found;
  const auto entries = system_files().list(join_path(folder, "keys"));
  if (!entries) return found;
  for (const DirectoryEntry& entry : *entries)
    found.push_back(join_path(folder, "keys/" + entry.name));
  return found;
}

void expect_gone(const std::string& folder) {
  EXPECT_EQ(secret_of(*open_space(folder, nullptr, true)), "");
  EXPECT_EQ(secret_of(*open_space(folder)), "");
  EXPECT_EQ(files_with(folder, kSecret), std::vector<std::string>{});
  EXPECT_EQ(key_files(folder), std::vector<std::string>{});
}

// Every step in the long form; else the first ones, where the keys go, and some of the others.
std::int64_t next_step(std::int64_t step) {
  const char* value = std::getenv("ANIMA_TEST_FULL");
  const bool full = value != nullptr && *value != '\0';
  return step + (full || step < 8 ? 1 : 13);
}

// --- erased stays erased ------------------------------------------------------------------------

// Each change of a file fails once, and the same process makes a checkpoint afterwards.
TEST(ErasureCut, ACheckpointAfterAnErasureThatFailedHalfWay) {
  for (std::int64_t step = 0;; step = next_step(step)) {
    SCOPED_TRACE("step " + std::to_string(step));
    const TemporaryDirectory folder;
    FaultFiles files;
    bool done = false;
    {
      const auto space = open_space(folder.path(), &files);
      write(*space, "Before");
      write_secret(*space, "k");
      ASSERT_TRUE(space->checkpoint());
      write(*space, "Between");
      files.fail_after(step, ErrorCode::kIo);
      done = space->erase("k").has_value();
      files.heal();
      EXPECT_EQ(secret_of(*space), "");
      ASSERT_TRUE(space->checkpoint());
      write(*space, "Later");
      EXPECT_EQ(secret_of(*space), "");
    }
    expect_gone(folder.path());
    EXPECT_TRUE(open_space(folder.path())->snapshot().value().find_concept(kEntityType, "Later"));
    if (done) return;
    ASSERT_LT(step, 200);
  }
}

// The same, and the process ends there.
TEST(ErasureCut, AnErasureThatEndedHalfWay) {
  for (std::int64_t step = 0;; step = next_step(step)) {
    SCOPED_TRACE("step " + std::to_string(step));
    const TemporaryDirectory folder;
    FaultFiles files;
    bool done = false;
    {
      const auto space = open_space(folder.path(), &files);
      write_secret(*space, "k");
      ASSERT_TRUE(space->checkpoint());
      files.fail_after(step, ErrorCode::kIo);
      done = space->erase("k").has_value();
    }
    EXPECT_EQ(secret_of(*open_space(folder.path(), nullptr, true)), "");
    expect_gone(folder.path());
    if (done) return;
    ASSERT_LT(step, 200);
  }
}

// While a base with the text is being written: by the same space, and by another process.
TEST(ErasureCut, AnErasureDuringACheckpoint) {
  for (const bool same : {true, false}) {
    for (const char* when : {"open", "rename", "sync_directory"}) {
      SCOPED_TRACE(std::string(same ? "same, " : "other, ") + when);
      const TemporaryDirectory folder;
      std::function<void()> meanwhile;
      WatchedFiles files([&](std::string_view what, const std::string& path) -> Status {
        const bool base = path.find("base-") != std::string::npos || path == folder.path();
        if (what == when && base && meanwhile) std::exchange(meanwhile, nullptr)();
        return {};
      });
      std::shared_ptr<Space> space = open_space(folder.path(), &files);
      std::shared_ptr<Space> other = open_space(folder.path());
      write_secret(*space, "k");
      EXPECT_EQ(secret_of(*other), kSecret);
      Space& eraser = same ? *space : *other;
      std::thread thread;
      std::atomic<bool> erased = false;
      meanwhile = [&] {
        // Goes on to the lock of the checkpoint, which we hold.
        thread = std::thread([&] {
          EXPECT_TRUE(eraser.erase("k"));
          erased = true;
        });
        for (int i = 0; i < 2000 && !key_files(folder.path()).empty(); ++i)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
      };
      ASSERT_TRUE(space->checkpoint());
      ASSERT_TRUE(thread.joinable());
      EXPECT_EQ(secret_of(*space), "");
      thread.join();
      EXPECT_TRUE(erased);
      EXPECT_EQ(secret_of(*space), "");
      EXPECT_EQ(secret_of(*other), "");
      ASSERT_TRUE(other->checkpoint());
      ASSERT_TRUE(space->checkpoint());
      EXPECT_EQ(files_with(folder.path(), kSecret), std::vector<std::string>{});
      space.reset();
      other.reset();
      expect_gone(folder.path());
    }
  }
}

// Whoever only reads sees an erasure too, though he cannot carry it out.
TEST(ErasureCut, AReaderDoesNotSeeWhatTheLogSaysIsErased) {
  const TemporaryDirectory folder;
  FaultFiles files;
  {
    const auto space = open_space(folder.path(), &files);
    write_secret(*space, "k");
    const auto reader = open_space(folder.path(), nullptr, true);
    EXPECT_EQ(secret_of(*reader), kSecret);
    files.fail_after(0, ErrorCode::kIo);
    EXPECT_FALSE(space->erase("k"));
    EXPECT_EQ(key_files(folder.path()).size(), 1u) << "the key was to be left";
    EXPECT_EQ(secret_of(*reader), "");
  }
  EXPECT_EQ(secret_of(*open_space(folder.path(), nullptr, true)), "");
}

// The key's file comes back, from a backup or by hand, and the old base with it.
TEST(ErasureCut, AKeyThatIsBroughtBackAfterItsErasureOpensNothing) {
  const TemporaryDirectory folder;
  std::string key, bytes;
  {
    const auto space = open_space(folder.path());
    write_secret(*space, "k");
    key = key_files(folder.path()).front();
    bytes = *read_file(system_files(), key);
    ASSERT_TRUE(space->erase("k"));
    ASSERT_TRUE(replace_file(system_files(), key, bytes, 0600));
    EXPECT_EQ(secret_of(*space), "");
    ASSERT_TRUE(space->checkpoint());
    write(*space, "Later");
  }
  EXPECT_EQ(secret_of(*open_space(folder.path(), nullptr, true)), "");
  expect_gone(folder.path());
}

// Gives the base a header of version 1: no marks, 42 sections.
void make_first_version(const std::string& path) {
  constexpr std::size_t kFront = 96, kSections = 42, kPlace = 24;
  const std::string bytes = *read_file(system_files(), path);
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 12, sizeof count);
  // The places are where the first of them names the end of the header, up to 64 bytes.
  std::size_t places = kFront;
  std::uint64_t first = 0;
  for (;; places += 8) {
    ASSERT_LT(places, kFront + 512);
    std::memcpy(&first, bytes.data() + places, sizeof first);
    if (first == (places + count * kPlace + 8 + 63) / 64 * 64) break;
  }
  const std::uint32_t version = 1, sections = kSections;
  std::string header = bytes.substr(0, kFront);
  std::memcpy(header.data() + 8, &version, sizeof version);
  std::memcpy(header.data() + 12, &sections, sizeof sections);
  header += bytes.substr(places, kSections * kPlace);
  const std::uint64_t checksum = checksum64(header);
  header.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
  ASSERT_LE(header.size(), first);
  header.resize(first);
  ASSERT_TRUE(replace_file(system_files(), path, header + bytes.substr(first), 0644));
}

// It does not say what was erased, so that it is believed only where nothing else is left.
TEST(ErasureCut, ABaseOfTheFirstVersion) {
  for (const bool archived : {false, true}) {
    const TemporaryDirectory folder;
    const std::string space_folder = folder.file("space");
    {
      const auto space = open_space(space_folder);
      prepare(*space);
      write_secret(*space, "k");
      write(*space, "Later");
      ASSERT_TRUE(space->checkpoint());
      if (archived) {
        const auto made =
            archive_entries(*space, Sequence{4}, folder.file("archive"), system_files());
        ASSERT_TRUE(made) << made.error().describe();
      }
    }
    for (const DirectoryEntry& entry : list(space_folder)) {
      if (entry.name.starts_with("base-")) make_first_version(join_path(space_folder, entry.name));
    }
    for (const bool read_only : {true, false, true}) {
      const auto space = open_space(space_folder, nullptr, read_only);
      ASSERT_NE(space, nullptr);
      EXPECT_EQ(secret_of(*space), kSecret);
      EXPECT_TRUE(space->snapshot().value().find_concept(kEntityType, "Later"));
    }
    if (archived) continue;
    EXPECT_TRUE(open_space(space_folder)->notes().empty()) << "made anew by the first writer";
    ASSERT_TRUE(open_space(space_folder)->erase("k"));
    expect_gone(space_folder);
  }
}

// --- three states of a key ----------------------------------------------------------------------

struct Moved {
  TemporaryDirectory folder;
  std::string keys = folder.file("space/keys");
  std::string away = folder.file("keys-away");
  std::string space = folder.file("space");
  void take() { ASSERT_TRUE(system_files().rename(keys, away)); }
  void bring() {
    for (const DirectoryEntry& entry : list(away)) {
      const auto bytes = read_file(system_files(), join_path(away, entry.name));
      ASSERT_TRUE(system_files().make_directories(keys, 0700));
      ASSERT_TRUE(replace_file(system_files(), join_path(keys, entry.name), *bytes, 0600));
    }
  }
};

TEST(ErasureKeys, RestoredWithoutKeysThenTheKeys) {
  const TemporaryDirectory folder;
  const std::string backup = folder.file("backup.db");
  const std::string restored = folder.file("restored");
  const std::string first = folder.file("first");
  SystemClock clock;
  {
    const auto space = open_space(first);
    prepare(*space);
    write_secret(*space, "k");
    write_secret(*space, "l", "Bob", "another secret");
    ASSERT_TRUE(backup_space(*space, backup, clock, system_files()));
  }
  ASSERT_TRUE(restore_space(backup, restored, system_files()));
  {
    const auto space = open_space(restored);
    EXPECT_TRUE(space->snapshot().value().find_concept(kEntityType, "Open"));
    EXPECT_EQ(secret_of(*space), "");
    const std::vector<std::string> notes = space->notes();
    EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
      return note.find("k#") != std::string::npos && note.find("not here") != std::string::npos;
    }));
    ASSERT_TRUE(space->checkpoint());
    record(*space);
    ASSERT_TRUE(space->checkpoint());
  }
  EXPECT_EQ(secret_of(*open_space(restored)), "");
  ASSERT_TRUE(system_files().make_directories(join_path(restored, "keys"), 0700));
  for (const std::string& file : key_files(first)) {
    const std::string to = join_path(restored, "keys/" + std::string(file_name(file)));
    ASSERT_TRUE(replace_file(system_files(), to, *read_file(system_files(), file), 0600));
  }
  for (const bool read_only : {true, false, true}) {
    const auto space = open_space(restored, nullptr, read_only);
    EXPECT_EQ(secret_of(*space), kSecret);
    EXPECT_EQ(secret_of(*space, "Bob"), "another secret");
    EXPECT_EQ(secret_of(*space, "Open"), "nothing");
  }
  EXPECT_TRUE(open_space(restored)->notes().empty());
}

TEST(ErasureKeys, AKeyThatComesBackIsSeenByTheNextCheckpoint) {
  Moved moved;
  {
    const auto space = open_space(moved.space);
    write_secret(*space, "k");
  }
  moved.take();
  const auto space = open_space(moved.space);
  EXPECT_EQ(secret_of(*space), "");
  record(*space);
  ASSERT_TRUE(space->checkpoint());
  moved.bring();
  ASSERT_TRUE(space->checkpoint());
  EXPECT_EQ(secret_of(*space), kSecret);
  EXPECT_EQ(secret_of(*open_space(moved.space)), kSecret);
}

// One process has the key and another has not: neither's base takes the facts from the other.
TEST(ErasureKeys, TheBaseOfAProcessWithoutTheKey) {
  Moved moved;
  const auto with = open_space(moved.space);
  write_secret(*with, "k");
  EXPECT_EQ(secret_of(*with), kSecret);
  moved.take();
  const auto without = open_space(moved.space);
  EXPECT_EQ(secret_of(*without), "");
  record(*without);
  ASSERT_TRUE(without->checkpoint());
  EXPECT_EQ(secret_of(*with), kSecret) << "it was read when the key was there";
  moved.bring();
  ASSERT_TRUE(with->checkpoint());
  EXPECT_EQ(secret_of(*with), kSecret);
  EXPECT_EQ(secret_of(*open_space(moved.space)), kSecret);
}

TEST(ErasureKeys, ThreeStates) {
  Moved moved;
  SealedText text;
  {
    const auto space = open_space(moved.space);
    ASSERT_TRUE(space->write(kAda, [&](Transaction& transaction) -> Status {
      ANIMA_ASSIGN(text, space->seal("parts", "a part"));
      return transaction.record(RecordKind::kEvent, text.bytes);
    }));
    EXPECT_EQ(space->unseal(text)->state, SealState::kOpen);
  }
  moved.take();
  {
    const auto space = open_space(moved.space);
    EXPECT_EQ(space->unseal(text)->state, SealState::kSealed);
  }
  moved.bring();
  {
    const auto space = open_space(moved.space);
    EXPECT_EQ(space->unseal(text)->text, "a part");
    ASSERT_TRUE(space->erase("parts"));
    EXPECT_EQ(space->unseal(text)->state, SealState::kDestroyed);
    ASSERT_TRUE(space->checkpoint());
  }
  moved.bring();
  for (const bool read_only : {true, false}) {
    const auto space = open_space(moved.space, nullptr, read_only);
    EXPECT_EQ(space->unseal(text)->state, SealState::kDestroyed);
    EXPECT_EQ(space->unseal(text)->text, "");
  }
}

// A value that was named in what nobody can read would be named twice.
TEST(ErasureKeys, NothingNewIsNamedWhileAKeyHidesNames) {
  Moved moved;
  {
    const auto space = open_space(moved.space);
    prepare(*space);
    write_secret(*space, "k");
  }
  moved.take();
  for (int round = 0; round < 2; ++round) {
    const auto space = open_space(moved.space);
    const auto named = space->write(kAda, [&](Transaction& transaction) -> Status {
      return transaction.upsert_concept(kEntityType, "Ada").map([](EntityId) {});
    });
    ASSERT_FALSE(named);
    EXPECT_EQ(named.error().code, ErrorCode::kConflict);
    EXPECT_NE(named.error().hint.find("anima erase k"), std::string::npos);
    record(*space);
    ASSERT_TRUE(space->checkpoint());
  }
  moved.bring();
  EXPECT_EQ(secret_of(*open_space(moved.space)), kSecret);
  // What is given up stands in nobody's way.
  ASSERT_TRUE(remove_tree(system_files(), moved.away));
  moved.take();
  ASSERT_TRUE(open_space(moved.space)->erase("k"));
  const auto space = open_space(moved.space);
  write(*space, "Ada");
  EXPECT_TRUE(space->snapshot().value().find_concept(kEntityType, "Ada"));
  ASSERT_TRUE(space->checkpoint());
  write(*open_space(moved.space), "Bob");
}

// A name can be erased while its key is elsewhere; the key then comes back in vain.
TEST(ErasureKeys, ErasingWhatIsSealedUnderAKeyThatIsElsewhere) {
  Moved moved;
  {
    const auto space = open_space(moved.space);
    write_secret(*space, "k");
  }
  moved.take();
  {
    const auto space = open_space(moved.space);
    EXPECT_EQ(space->erase("nobody").error().code, ErrorCode::kNotFound);
    ASSERT_TRUE(space->erase("k"));
    EXPECT_TRUE(space->notes().empty());
  }
  moved.bring();
  expect_gone(moved.space);
}

// --- a lost key and its folder ------------------------------------------------------------------

TEST(ErasureKeyFolder, TheFolderOfTheKeysIsOnDiskBeforeAnythingSealedIsAcknowledged) {
  const TemporaryDirectory folder;
  std::vector<std::string> synced;
  WatchedFiles files([&](std::string_view what, const std::string& path) -> Status {
    if (what == "sync_directory") synced.push_back(path);
    return {};
  });
  const auto has = [&](const std::string& path) {
    return std::find(synced.begin(), synced.end(), path) != synced.end();
  };
  {
    const auto space = open_space(folder.path(), &files);
    synced.clear();
    write_secret(*space, "k");
    EXPECT_TRUE(has(folder.file("keys"))) << "the key's name";
    EXPECT_TRUE(has(folder.path())) << "the folder's name";
  }
  // Somebody made the key and died before its name was on the disk, perhaps.
  const auto space = open_space(folder.path(), &files);
  synced.clear();
  write_secret(*space, "k", "Bob");
  EXPECT_TRUE(has(folder.file("keys")));
  EXPECT_TRUE(has(folder.path()));
  synced.clear();
  write_secret(*space, "k", "Cai");
  EXPECT_TRUE(synced.empty()) << "once is enough";
}

TEST(ErasureKeyFolder, ALostKeyIsNoErasure) {
  Moved moved;
  {
    const auto space = open_space(moved.space);
    write_secret(*space, "k");
    write(*space, "Later");
    ASSERT_TRUE(space->checkpoint());
  }
  moved.take();
  for (const DirectoryEntry& entry : list(moved.space)) {
    if (!entry.name.starts_with("base-")) continue;
    ASSERT_TRUE(system_files().remove(join_path(moved.space, entry.name)));
  }
  {
    const auto space = open_space(moved.space);
    EXPECT_EQ(secret_of(*space), "");
    EXPECT_FALSE(space->notes().empty());
    const Status changed = space->visit_written(Sequence{1}, Sequence{2},
                                                [](const WrittenKey&) -> Status { return {}; });
    ASSERT_FALSE(changed);
    EXPECT_NE(changed.error().message.find("key is not here"), std::string::npos);
  }
  moved.bring();
  EXPECT_EQ(secret_of(*open_space(moved.space)), kSecret);
}

// --- one bad key --------------------------------------------------------------------------------

// Zeroed and not unlinked, cut, or nonsense: with and without an erasure in the log.
TEST(ErasureBadKeys, OneBadKeyNeverBlocksTheSpace) {
  for (const std::string& bytes : {std::string(96, '\0'), std::string(), std::string("nonsense"),
                                   std::string("anima seal key 1\nk#00")}) {
    SCOPED_TRACE(bytes.size());
    const TemporaryDirectory folder;
    std::string key, good;
    {
      const auto space = open_space(folder.path());
      prepare(*space);
      write_secret(*space, "k");
      key = key_files(folder.path()).front();
      write_secret(*space, "l", "Bob", "another secret");
      good = *read_file(system_files(), key);
    }
    ASSERT_TRUE(replace_file(system_files(), key, bytes, 0600));
    {
      const auto space = open_space(folder.path());
      ASSERT_NE(space, nullptr);
      EXPECT_EQ(secret_of(*space), "");
      EXPECT_EQ(secret_of(*space, "Bob"), "another secret");
      EXPECT_EQ(*space->keys(), std::vector<std::string>{"l"});
      const auto sealed = space->write_sealed(kAda, "k", [](Transaction& transaction) -> Status {
        return transaction.record(RecordKind::kEvent, "something happened");
      });
      EXPECT_TRUE(sealed) << sealed.error().describe();
      SystemClock clock;
      const TemporaryDirectory beside;
      EXPECT_TRUE(
          backup_space(*space, beside.file("backup"), clock, system_files(), {.with_keys = true}));
      ASSERT_TRUE(space->checkpoint());
    }
    ASSERT_TRUE(replace_file(system_files(), key, good, 0600));
    const auto space = open_space(folder.path());
    EXPECT_EQ(secret_of(*space), kSecret);
  }
}

// The key is another one than what was sealed under its name.
TEST(ErasureBadKeys, AKeyThatOpensNothingBlocksNothing) {
  const TemporaryDirectory folder;
  std::string key, good;
  {
    const auto space = open_space(folder.path());
    write_secret(*space, "k");
    write(*space, "Later");
    key = key_files(folder.path()).front();
    good = *read_file(system_files(), key);
  }
  std::string bad = good;
  bad[bad.size() - 2] = bad[bad.size() - 2] == '0' ? '1' : '0';
  ASSERT_TRUE(replace_file(system_files(), key, bad, 0600));
  {
    const auto space = open_space(folder.path());
    ASSERT_NE(space, nullptr);
    EXPECT_TRUE(space->snapshot().value().find_concept(kEntityType, "Later"));
    EXPECT_EQ(secret_of(*space), "");
    ASSERT_TRUE(space->checkpoint());
  }
  ASSERT_TRUE(replace_file(system_files(), key, good, 0600));
  EXPECT_EQ(secret_of(*open_space(folder.path())), kSecret);
}

// Killed between the zeros and the removal: the next opening removes what is left.
TEST(ErasureBadKeys, OpeningFinishesAnErasureThatTheLogRecords) {
  const TemporaryDirectory folder;
  FaultFiles files;
  {
    const auto space = open_space(folder.path(), &files);
    write_secret(*space, "k");
    const std::string key = key_files(folder.path()).front();
    files.fail_after(3, ErrorCode::kIo);  // opened, zeroed, synced
    EXPECT_FALSE(space->erase("k"));
    EXPECT_EQ(*read_file(system_files(), key), std::string(system_files().info(key)->size, '\0'));
  }
  EXPECT_EQ(key_files(folder.path()).size(), 1u);
  const auto space = open_space(folder.path());
  ASSERT_NE(space, nullptr);
  EXPECT_TRUE(key_files(folder.path()).empty());
  EXPECT_EQ(space->erase("k").error().code, ErrorCode::kNotFound);
}

// --- what an erasure costs -----------------------------------------------------------------------

// Who erases reads the log again and writes a base; every other process takes that base.
TEST(ErasureReplayed, AnErasureIsReplayedByWhoErasesOnly) {
  const TemporaryDirectory temporary("anima-erasure");
  const std::string folder = temporary.file("space");
  const auto eraser = open_space(folder);
  prepare(*eraser);
  write_secret(*eraser, "ada");
  for (int i = 0; i < 300; ++i) write(*eraser, "n" + std::to_string(i));
  const auto other = open_space(folder);
  const auto reader = open_space(folder, nullptr, true);
  ASSERT_EQ(secret_of(*other), kSecret);
  ASSERT_EQ(secret_of(*reader), kSecret);
  ASSERT_TRUE(eraser->erase("ada"));
  write(*eraser, "after");
  for (Space* each : {other.get(), reader.get()}) {
    EXPECT_EQ(secret_of(*each), "");
    const Snapshot now = each->snapshot().value();
    EXPECT_TRUE(now.find_concept(kEntityType, "n299"));
    EXPECT_TRUE(now.find_concept(kEntityType, "after"));
    EXPECT_LT(each->stats().replay_rows, 20U) << "it read the whole log again";
  }
  // Where there is no such base yet, it is gone all the same.
  write_secret(*eraser, "eve", "Eve");
  ASSERT_EQ(secret_of(*other, "Eve"), kSecret);
  ASSERT_TRUE(eraser->erase("eve"));
  for (const std::string& path : files_below(folder)) {
    if (path.find("/base-") == std::string::npos) continue;
    ASSERT_TRUE(system_files().remove(path));
  }
  EXPECT_EQ(secret_of(*other, "Eve"), "");
  EXPECT_TRUE(other->snapshot().value().find_concept(kEntityType, "n299"));
}

}  // namespace
}  // namespace anima::store::erasure_test
