// Space: group commit, processes, failures, sealing, undo, backup and audit, on real folders.
#include "store/space.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/files/file.h"
#include "store/archive.h"
#include "store/backup.h"
#include "store/log/entry_codec.h"
#include "store/log/migrate.h"
#include "store/log/shared_head.h"
#include "store/log/sqlite.h"
#include "store/log/sqlite_log.h"
#include "store/verify/audit.h"

namespace anima::store::space_test {
namespace {

using detail::to_number;

const Origin kAda{"ada", "test", Trust::kStandard, Sequence::kNone};

std::shared_ptr<Space> open(const std::string& folder, SpaceOptions options = {}) {
  options.create = !options.read_only;
  auto space = Space::open(folder, options);
  EXPECT_TRUE(space) << space.error().describe();
  return space ? *space : nullptr;
}

std::vector<DirectoryEntry> list(const std::string& folder) {
  return system_files().list(folder).value_or(std::vector<DirectoryEntry>{});
}

// A concept of type Entity.
Status add(Transaction& transaction, std::string_view name) {
  return transaction.upsert_concept(kEntityType, name).map([](EntityId) {});
}

Receipt write(Space& space, const std::function<Status(Transaction&)>& change) {
  const auto receipt = space.write(kAda, change);
  EXPECT_TRUE(receipt) << receipt.error().describe();
  return receipt.value_or(Receipt{});
}

Receipt add(Space& space, std::string_view name) {
  return write(space, [&](Transaction& transaction) { return add(transaction, name); });
}

bool has(const Snapshot& snapshot, std::string_view name) {
  return snapshot.find_concept(kEntityType, name).has_value();
}

std::string attribute(const Snapshot& snapshot, std::string_view name, std::string_view key) {
  const auto entity = snapshot.find_concept(kEntityType, name);
  if (!entity) return "(no entity)";
  const auto term = snapshot.attribute(*entity, key);
  return term ? std::string(snapshot.value(*term).text) : "(none)";
}

Status set(Transaction& transaction, std::string_view name, std::string_view key,
           std::string_view value) {
  ANIMA_ASSIGN(const EntityId entity, transaction.upsert_concept(kEntityType, name));
  ANIMA_ASSIGN(const Term term, transaction.term(Value::string(value).view()));
  return transaction.set_attribute(entity, key, std::span(&term, 1));
}

void sql(const std::string& folder, const std::string& statement) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(detail::log_path(folder).c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(handle);
}

TEST(Space, StartsWithItsFirstEntryAndKeepsWhatWasWritten) {
  const TemporaryDirectory folder;
  {
    const auto space = open(folder.path());
    EXPECT_EQ(to_number(space->snapshot().value().sequence()), 1u);
    const Receipt receipt = add(*space, "Ada");
    EXPECT_EQ(to_number(receipt.sequence), 2u);
    EXPECT_TRUE(receipt.changed);
    EXPECT_TRUE(has(space->snapshot().value(), "Ada"));
  }
  const auto space = open(folder.path());
  EXPECT_TRUE(has(space->snapshot().value(), "Ada"));
  EXPECT_EQ(space->snapshot().value().entry(Sequence{2}).author, "ada");
  EXPECT_EQ(space->stats().entries, 2u);
}

TEST(Space, IsForItsOwnerAlone) {
  const TemporaryDirectory folder;
  const auto space = open(folder.file("space"));
  add(*space, "Ada");
  EXPECT_EQ(system_files().info(folder.file("space"))->permissions, 0700U);
  EXPECT_EQ(system_files().info(folder.file("space/log.db"))->permissions, 0600U);
  const std::string backup = folder.file("backup");
  SystemClock clock;
  ASSERT_TRUE(backup_space(*space, backup, clock, system_files(), {}));
  EXPECT_EQ(system_files().info(backup)->permissions, 0600U);
  ASSERT_TRUE(restore_space(backup, folder.file("again"), system_files(), {}));
  EXPECT_EQ(system_files().info(folder.file("again"))->permissions, 0700U);
}

// An empty folder was made for the space; one that holds something may be there for others too.
TEST(Space, AnEmptyFolderThatWasThereIsClosedToOthers) {
  const TemporaryDirectory folder;
  for (const char* name : {"empty", "used"})
    ASSERT_TRUE(system_files().make_directories(folder.file(name), 0755));
  ASSERT_TRUE(replace_file(system_files(), folder.file("used/notes"), "x"));
  for (const char* who : {"Ada", "Grace"}) {
    add(*open(folder.file("empty")), who);
    add(*open(folder.file("used")), who);
    EXPECT_EQ(system_files().info(folder.file("empty"))->permissions, 0700U);
    EXPECT_EQ(system_files().info(folder.file("used"))->permissions, 0755U);
  }
}

TEST(Space, InMemoryWorksTheSame) {
  const auto space = *Space::in_memory();
  add(*space, "Ada");
  EXPECT_TRUE(has(space->snapshot().value(), "Ada"));
  EXPECT_EQ(to_number(space->log().head()->sequence), 2u);
  EXPECT_TRUE(verify_log(space->log()));
}

TEST(Space, MissingSpaceIsNotMade) {
  const TemporaryDirectory folder;
  const auto space = Space::open(folder.file("nothing"));
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().code, ErrorCode::kNotFound);
}

TEST(Space, AFailedChangeLeavesNoTrace) {
  const TemporaryDirectory folder;
  const auto space = open(folder.path());
  const auto failed = space->write(kAda, [](Transaction& transaction) -> Status {
    ANIMA_TRY(add(transaction, "Half"));
    return fail(ErrorCode::kInvalidArgument, "no");
  });
  EXPECT_EQ(failed.error().message, "no");
  const auto thrown = space->write(kAda, [](Transaction& transaction) -> Status {
    ANIMA_TRY(add(transaction, "Half"));
    throw std::runtime_error("boom");
  });
  EXPECT_EQ(thrown.error().code, ErrorCode::kInternal);
  EXPECT_FALSE(has(space->snapshot().value(), "Half"));
  const EntityId before{space->snapshot().value().entity_bound()};
  add(*space, "Whole");
  EXPECT_EQ(space->snapshot().value().find_concept(kEntityType, "Whole"), before)
      << "an id was lost";
  EXPECT_EQ(to_number(space->log().head()->sequence), 2u);
}

TEST(Space, AChangeThatChangesNothingWritesNoEntry) {
  const TemporaryDirectory folder;
  const auto space = open(folder.path());
  add(*space, "Ada");
  const Receipt again = add(*space, "Ada");
  EXPECT_FALSE(again.changed);
  EXPECT_EQ(to_number(again.sequence), 2u);
}

TEST(Space, AQuotaIsALimitWithAName) {
  const TemporaryDirectory folder;
  const auto space = open(folder.path(), {.max_log_bytes = 200'000});
  Status written;
  int count = 0;
  while (written && count < 10'000) {
    written = space
                  ->write(kAda,
                          [&](Transaction& transaction) {
                            return set(transaction, "Ada", "text",
                                       std::string(5000, 'x') + std::to_string(++count));
                          })
                  .map([](const Receipt&) {});
  }
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kLimitExceeded);
  EXPECT_NE(written.error().message.find("store.max_log_bytes"), std::string::npos);
  EXPECT_GT(count, 10);
  EXPECT_LE(space->stats().log_bytes, 210'000u);
}

// Writers that share a commit do not pass it together.
TEST(Space, AQuotaHoldsWithinOneBatch) {
  const TemporaryDirectory folder;
  constexpr std::uint64_t kQuota = 400'000;
  const auto space = open(folder.path(), {.max_log_bytes = kQuota});
  std::atomic<int> written{0};
  std::atomic<int> refused{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      const auto receipt = space->write(kAda, [&](Transaction& transaction) {
        return set(transaction, "Ada" + std::to_string(i), "text",
                   std::string(60'000, 'x') + std::to_string(i));
      });
      if (receipt) {
        ++written;
      } else {
        EXPECT_EQ(receipt.error().code, ErrorCode::kLimitExceeded);
        ++refused;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(written, 5);
  EXPECT_GE(refused, 9);
  EXPECT_LE(space->stats().log_bytes, kQuota + 30'000);
}

// Each thread's writes are there once, in its own order; failing ones in between harm nobody.
TEST(Space, ConcurrentWritersShareCommits) {
  const TemporaryDirectory folder;
  const auto space = open(folder.path());
  constexpr int kThreads = 8;
  constexpr int kEach = 50;
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kEach; ++i) {
        const std::string name = std::to_string(thread) + "/" + std::to_string(i);
        const auto receipt = space->write(kAda, [&](Transaction& transaction) -> Status {
          ANIMA_TRY(add(transaction, name));
          if (i % 10 == 3) return fail(ErrorCode::kInvalidArgument, "on purpose");
          return {};
        });
        if (!receipt) {
          ++failed;
        } else if (!has(space->snapshot().value(), name)) {
          ADD_FAILURE() << name << " was acknowledged and is not there";
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, kThreads * kEach / 10);
  EXPECT_EQ(to_number(space->log().head()->sequence), 1u + kThreads * kEach * 9 / 10);
  const auto again = open(folder.path());
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int i = 0; i < kEach; ++i) {
      EXPECT_EQ(has(again->snapshot().value(), std::to_string(thread) + "/" + std::to_string(i)),
                i % 10 != 3);
    }
  }
}

// Two Spaces on one folder are as two processes: each sees the other's commits at once.
TEST(Space, TwoOpenersSeeEachOther) {
  const TemporaryDirectory folder;
  const auto first = open(folder.path());
  const auto second = open(folder.path());
  for (int i = 0; i < 20; ++i) {
    Space& writer = i % 2 == 0 ? *first : *second;
    Space& reader = i % 2 == 0 ? *second : *first;
    const std::string name = "n" + std::to_string(i);
    add(writer, name);
    EXPECT_TRUE(has(reader.snapshot().value(), name)) << name;
  }
  const auto reader = Space::open(folder.path(), {.read_only = true});
  ASSERT_TRUE(reader);
  add(*first, "late");
  EXPECT_TRUE(has((*reader)->snapshot().value(), "late"));
  EXPECT_EQ((*reader)->write(kAda, [](Transaction&) { return Status(); }).error().code,
            ErrorCode::kDenied);
}

// A writer announces its commit, commits, and dies before it moves the shared head.
TEST(Space, TheCommitOfADeadWriterIsSeen) {
  const TemporaryDirectory folder;
  const auto reader = open(folder.path());
  add(*open(folder.path()), "Ada");
  const auto shared = detail::SharedHead::open(folder.file("log.head"), false);
  ASSERT_TRUE(shared);
  (*shared)->settle(Sequence{1});
  (*shared)->announce(Sequence{2});
  EXPECT_FALSE((*shared)->known());
  EXPECT_TRUE(has(reader->snapshot().value(), "Ada"));
  // And one that died before the commit: nothing there, and the next writer puts the head right.
  (*shared)->announce(Sequence{9});
  EXPECT_EQ(to_number(reader->snapshot().value().sequence()), 2u);
  add(*reader, "Charles");
  EXPECT_EQ((*shared)->known(), Sequence{3});
}

TEST(Space, OpensFromTheBaseAndItsTail) {
  const TemporaryDirectory folder;
  {
    const auto space = open(folder.path());
    for (int i = 0; i < 10; ++i) add(*space, "before" + std::to_string(i));
    ASSERT_TRUE(space->checkpoint());
    add(*space, "after");
    EXPECT_TRUE(has(space->snapshot().value(), "before5"));
  }
  const auto space = open(folder.path());
  EXPECT_EQ(to_number(space->stats().base_sequence), 11u);
  EXPECT_TRUE(has(space->snapshot().value(), "before5"));
  EXPECT_TRUE(has(space->snapshot().value(), "after"));
  EXPECT_TRUE(space->notes().empty());
}

// Any damage to the base is noticed, and the base rebuilt from the log.
TEST(Space, ADamagedBaseIsLeftOutAndRebuilt) {
  const TemporaryDirectory folder;
  {
    const auto space = open(folder.path());
    for (int i = 0; i < 10; ++i) add(*space, "n" + std::to_string(i));
    ASSERT_TRUE(space->checkpoint());
  }
  std::string base;
  for (const DirectoryEntry& entry : list(folder.path())) {
    if (entry.name.find("base") != std::string::npos) base = folder.file(entry.name);
  }
  ASSERT_FALSE(base.empty());
  const std::string bytes = *read_file(system_files(), base);
  int unnoticed = 0;  // padding between the columns
  for (std::size_t at = 0; at < bytes.size(); at += bytes.size() / 23 + 1) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    ASSERT_TRUE(replace_file(system_files(), base, damaged));
    const auto space = open(folder.path());
    for (int i = 0; i < 10; ++i)
      EXPECT_TRUE(has(space->snapshot().value(), "n" + std::to_string(i))) << at;
    unnoticed += space->notes().empty() ? 1 : 0;
  }
  EXPECT_LT(unnoticed, 6);
  ASSERT_TRUE(replace_file(system_files(), base, bytes.substr(0, bytes.size() / 2)));
  const auto space = open(folder.path());
  EXPECT_TRUE(has(space->snapshot().value(), "n7"));
  ASSERT_TRUE(space->checkpoint());
  EXPECT_TRUE(open(folder.path())->notes().empty());
}

// A base that is good in itself, but of another log.
TEST(Space, ABaseOfAnotherLogIsLeftOut) {
  const TemporaryDirectory folder;
  const TemporaryDirectory other;
  {
    const auto space = open(other.path());
    add(*space, "theirs");
    ASSERT_TRUE(space->checkpoint());
    add(*open(folder.path()), "ours");
  }
  ASSERT_TRUE(replace_file(system_files(), folder.file("base-2.anima"),
                           *read_file(system_files(), other.file("base-2.anima"))));
  const auto space = open(folder.path());
  EXPECT_FALSE(has(space->snapshot().value(), "theirs"));
  EXPECT_TRUE(has(space->snapshot().value(), "ours"));
  EXPECT_FALSE(space->notes().empty());
  add(*space, "new");
  EXPECT_TRUE(has(open(folder.path())->snapshot().value(), "new"));
}

TEST(Space, ADamagedEntryIsNamedOnOpening) {
  const TemporaryDirectory folder;
  {
    const auto space = open(folder.path());
    for (int i = 0; i < 5; ++i) add(*space, "n" + std::to_string(i));
  }
  sql(folder.path(),
      "UPDATE log SET entry = CAST(substr(entry, 1, 40) || x'a5a5' || substr(entry, 43) AS BLOB) "
      "WHERE sequence = 4");
  const auto space = Space::open(folder.path());
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(space.error().where, "log entry 4");
}

TEST(Space, BranchesAreDroppedOrCommitted) {
  const TemporaryDirectory folder;
  const auto space = open(folder.path());
  add(*space, "Ada");
  {
    const auto branch = space->what_if(space->snapshot().value());
    ASSERT_TRUE(add(branch->transaction(), "Maybe"));
    EXPECT_TRUE(has(branch->view(), "Maybe"));
  }
  EXPECT_FALSE(has(space->snapshot().value(), "Maybe"));
  const auto branch = space->what_if(space->snapshot().value());
  ASSERT_TRUE(add(branch->transaction(), "Surely"));
  add(*space, "Meanwhile");
  const auto receipt = space->commit(kAda, *branch);
  ASSERT_TRUE(receipt) << receipt.error().describe();
  EXPECT_TRUE(has(space->snapshot().value(), "Surely"));
  EXPECT_TRUE(has(open(folder.path())->snapshot().value(), "Surely"));
}

// --- sealing ------------------------------------------------------------------------------------

TEST(SpaceSealing, ErasureTakesTheContentAndLeavesTheProof) {
  const TemporaryDirectory folder;
  const std::string secret = "her telephone number";
  {
    const auto space = open(folder.path());
    add(*space, "Ada");
    const auto sealed = space->write_sealed(kAda, "ada-key", [&](Transaction& transaction) {
      return set(transaction, "Ada", "phone", secret);
    });
    ASSERT_TRUE(sealed) << sealed.error().describe();
    add(*space, "Later");
    EXPECT_EQ(attribute(space->snapshot().value(), "Ada", "phone"), secret);
    ASSERT_TRUE(space->checkpoint());
    EXPECT_EQ(*space->keys(), std::vector<std::string>{"ada-key"});
  }
  {
    const auto space = open(folder.path());
    EXPECT_EQ(attribute(space->snapshot().value(), "Ada", "phone"), secret);
    const std::uint32_t bound = space->snapshot().value().entity_bound();
    ASSERT_TRUE(space->erase("ada-key"));
    EXPECT_NE(attribute(space->snapshot().value(), "Ada", "phone"), secret);
    EXPECT_TRUE(has(space->snapshot().value(), "Later"));
    EXPECT_EQ(space->snapshot().value().entity_bound(), bound);
    EXPECT_TRUE(verify_log(space->log()));
    EXPECT_EQ(space->erase("ada-key").error().code, ErrorCode::kNotFound);
  }
  // Not one file of the space holds the words.
  for (const DirectoryEntry& entry : list(folder.path())) {
    if (entry.kind != FileInfo::Kind::kFile) continue;
    const auto bytes = read_file(system_files(), folder.file(entry.name));
    ASSERT_TRUE(bytes);
    EXPECT_EQ(bytes->find(secret), std::string::npos) << entry.name;
  }
  const auto space = open(folder.path());
  EXPECT_TRUE(has(space->snapshot().value(), "Later"));
  EXPECT_EQ(add(*space, "Again").sequence, Sequence{6});
}

// A part of an open entry under a key: its record stays when the text is gone.
TEST(SpaceSealing, ATextOfAnOpenEntryCanBeErased) {
  const TemporaryDirectory folder;
  const std::string secret = "a text of its own";
  const auto space = open(folder.path());
  const auto other = open(folder.path());
  SealedText sealed;
  ASSERT_TRUE(space->write(kAda, [&](Transaction& transaction) -> Status {
    ANIMA_ASSIGN(sealed, space->seal("parts", secret));
    return transaction.record(RecordKind::kEvent, sealed.bytes);
  }));
  EXPECT_TRUE(sealed.seal.starts_with("parts#")) << sealed.seal;
  EXPECT_EQ(sealed.bytes.find(secret), std::string::npos);
  for (Space* each : {space.get(), other.get()}) {
    for (int i = 0; i < 2; ++i) EXPECT_EQ(each->unseal(sealed)->text, secret);
  }
  EXPECT_EQ(*other->keys(), std::vector<std::string>{"parts"});
  SealedText changed = sealed;
  changed.bytes.back() = static_cast<char>(changed.bytes.back() ^ 1);
  EXPECT_EQ(space->unseal(changed)->state, SealState::kSealed);
  EXPECT_EQ(space->unseal(changed)->text, "");
  ASSERT_TRUE(space->erase("parts"));
  EXPECT_EQ(space->unseal(sealed)->state, SealState::kDestroyed);
  (void)other->snapshot().value();
  EXPECT_EQ(other->unseal(sealed)->state, SealState::kDestroyed);
  EXPECT_TRUE(verify_log(space->log()));
}

// Another process that had the content in memory must not write it into its next base.
TEST(SpaceSealing, ErasureReachesWhoHasTheSpaceOpen) {
  const TemporaryDirectory folder;
  const std::string secret = "the other one's secret";
  const auto other = open(folder.path());
  const auto space = open(folder.path());
  ASSERT_TRUE(space->write_sealed(kAda, "k",
                                  [&](Transaction& t) { return set(t, "Ada", "phone", secret); }));
  EXPECT_EQ(attribute(other->snapshot().value(), "Ada", "phone"), secret);
  ASSERT_TRUE(space->erase("k"));
  EXPECT_NE(attribute(other->snapshot().value(), "Ada", "phone"), secret);
  // A new key of the same name is another key.
  ASSERT_TRUE(space->write_sealed(
      kAda, "k", [&](Transaction& t) { return set(t, "Ada", "phone", "a new number"); }));
  EXPECT_EQ(attribute(other->snapshot().value(), "Ada", "phone"), "a new number");
  ASSERT_TRUE(other->checkpoint());
  EXPECT_EQ(attribute(open(folder.path())->snapshot().value(), "Ada", "phone"), "a new number");
  for (const DirectoryEntry& entry : list(folder.path())) {
    if (entry.kind != FileInfo::Kind::kFile) continue;
    EXPECT_EQ(read_file(system_files(), folder.file(entry.name))->find(secret), std::string::npos)
        << entry.name;
  }
}

// The power goes between the entry and the rest: the next opening carries the erasure out.
TEST(SpaceSealing, AnErasureCutShortIsFinishedOnOpening) {
  const TemporaryDirectory folder;
  const std::string secret = "nobody else's business";
  std::string key_file;
  std::string key_bytes;
  {
    const auto space = open(folder.path());
    ASSERT_TRUE(space->write_sealed(
        kAda, "k", [&](Transaction& t) { return set(t, "Ada", "phone", secret); }));
    ASSERT_TRUE(space->checkpoint());
    key_file = join_path(folder.file("keys"), list(folder.file("keys")).front().name);
    key_bytes = *read_file(system_files(), key_file);
  }
  const TemporaryDirectory saved;
  for (const DirectoryEntry& entry : list(folder.path())) {
    if (entry.name.find("base") == std::string::npos) continue;
    ASSERT_TRUE(replace_file(system_files(), saved.file(entry.name),
                             *read_file(system_files(), folder.file(entry.name))));
  }
  ASSERT_TRUE(open(folder.path())->erase("k"));
  // As if only the log entry had reached the disk.
  for (const DirectoryEntry& entry : list(folder.path())) {
    if (entry.name.find("base") != std::string::npos) {
      ASSERT_TRUE(system_files().remove(folder.file(entry.name)));
    }
  }
  for (const DirectoryEntry& entry : list(saved.path())) {
    ASSERT_TRUE(replace_file(system_files(), folder.file(entry.name),
                             *read_file(system_files(), saved.file(entry.name))));
  }
  ASSERT_TRUE(replace_file(system_files(), key_file, key_bytes, 0600));
  const auto space = open(folder.path());
  EXPECT_NE(attribute(space->snapshot().value(), "Ada", "phone"), secret);
  EXPECT_FALSE(file_exists(system_files(), key_file));
  for (const DirectoryEntry& entry : list(folder.path())) {
    if (entry.kind != FileInfo::Kind::kFile) continue;
    EXPECT_EQ(read_file(system_files(), folder.file(entry.name))->find(secret), std::string::npos)
        << entry.name;
  }
}

TEST(SpaceSealing, KeyFilesAreForTheirOwnerOnly) {
  const TemporaryDirectory folder;
  const auto space = open(folder.path());
  ASSERT_TRUE(space->write_sealed(kAda, "k", [](Transaction& t) { return add(t, "x"); }));
  const std::string keys = folder.file("keys");
  EXPECT_EQ(system_files().info(keys)->permissions, 0700u);
  std::size_t files = 0;
  for (const DirectoryEntry& entry : list(keys)) {
    EXPECT_EQ(system_files().info(join_path(keys, entry.name))->permissions, 0600u);
    ++files;
  }
  EXPECT_EQ(files, 1u);
  EXPECT_EQ(
      space->write_sealed(kAda, "a#b", [](Transaction& t) { return add(t, "y"); }).error().code,
      ErrorCode::kInvalidArgument);
  EXPECT_FALSE(has(space->snapshot().value(), "y"));
}

// --- undo ---------------------------------------------------------------------------------------

TEST(SpaceUndo, RestoresTheKeysLastWrittenInTheRange) {
  const auto space = *Space::in_memory();
  const auto at = [&](std::string_view key, std::string_view value) {
    return write(*space, [&](Transaction& t) { return set(t, "Ada", key, value); }).sequence;
  };
  at("city", "London");
  const Sequence first = at("city", "Paris");
  at("job", "poet");
  const Sequence last = at("job", "countess");
  at("job", "programmer");
  const auto report = space->undo(kAda, first, last, false, false);
  ASSERT_TRUE(report) << report.error().describe();
  EXPECT_EQ(attribute(space->snapshot().value(), "Ada", "city"), "London");
  EXPECT_EQ(attribute(space->snapshot().value(), "Ada", "job"), "programmer")
      << "written again later";
  EXPECT_EQ(report->keys, 1u);
  // The undo is an entry like any other: it can be undone.
  ASSERT_TRUE(space->undo(kAda, report->receipt.sequence, report->receipt.sequence, false, false));
  EXPECT_EQ(attribute(space->snapshot().value(), "Ada", "city"), "Paris");
}

TEST(SpaceUndo, RefusesWhatOthersDependOnUnlessTheyComeAlong) {
  const auto space = *Space::in_memory();
  const Sequence made = add(*space, "Ada").sequence;
  const Sequence used =
      write(*space, [](Transaction& t) { return set(t, "Ada", "job", "poet"); }).sequence;
  add(*space, "Charles");
  const auto refused = space->undo(kAda, made, made, false, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
  EXPECT_NE(refused.error().message.find(std::to_string(to_number(used))), std::string::npos);
  const auto dry = space->undo(kAda, made, made, true, true);
  ASSERT_TRUE(dry) << dry.error().describe();
  EXPECT_EQ(dry->entries, (std::vector<Sequence>{made, used}));
  EXPECT_TRUE(has(space->snapshot().value(), "Ada"));
  ASSERT_TRUE(space->undo(kAda, made, made, true, false));
  EXPECT_FALSE(has(space->snapshot().value(), "Ada"));
  EXPECT_TRUE(has(space->snapshot().value(), "Charles"));
}

TEST(SpaceUndo, FollowsCauses) {
  const auto space = *Space::in_memory();
  const Sequence cause = add(*space, "seen").sequence;
  Origin origin = kAda;
  origin.cause = cause;
  ASSERT_TRUE(space->write(origin, [](Transaction& t) { return add(t, "concluded"); }));
  EXPECT_EQ(space->undo(kAda, cause, cause, false, false).error().code, ErrorCode::kConflict);
  ASSERT_TRUE(space->undo(kAda, cause, cause, true, false));
  EXPECT_FALSE(has(space->snapshot().value(), "concluded"));
}

TEST(SpaceUndo, BringsBackWhatWasRetracted) {
  const auto space = *Space::in_memory();
  Triple link;
  write(*space, [&](Transaction& t) -> Status {
    ANIMA_ASSIGN(const EntityId knows, t.upsert_predicate("knows"));
    ANIMA_ASSIGN(const EntityId ada, t.upsert_concept(kEntityType, "Ada"));
    ANIMA_ASSIGN(const EntityId charles, t.upsert_concept(kEntityType, "Charles"));
    link = {ada, Predicate::link(knows), Term::entity(charles)};
    return t.assert_link(link, {.confidence = 0.75}).map([](EntityId) {});
  });
  const Sequence gone = write(*space, [&](Transaction& t) {
                          return t.retract_link(link, GraphId::kDefault);
                        }).sequence;
  EXPECT_FALSE(space->snapshot().value().contains(link));
  ASSERT_TRUE(space->undo(kAda, gone, gone, false, false));
  ASSERT_TRUE(space->snapshot().value().contains(link));
  EXPECT_EQ(space->snapshot().value().assertions(link).front().confidence, 0.75);
}

TEST(SpaceUndo, PutsBackWithTheTrustOfWhoStatedIt) {
  const TemporaryDirectory folder;
  const auto space = open(folder.path());
  const Origin stranger{"eve", "mail", Trust::kUntrusted, Sequence::kNone};
  const Origin owner{"ada", "terminal", Trust::kOperator, Sequence::kNone};
  ASSERT_TRUE(space->write(stranger, [](Transaction& transaction) -> Status {
    return set(transaction, "team", "mail", "eve@evil.example");
  }));
  const auto gone = space->write(owner, [](Transaction& transaction) {
    const auto entity = transaction.view().find_concept(kEntityType, "team");
    return transaction.retract_concept(*entity, GraphId::kDefault, true);
  });
  ASSERT_TRUE(gone);
  ASSERT_TRUE(space->undo(owner, gone->sequence, gone->sequence, false, false));
  const Snapshot now = space->snapshot().value();
  const auto entity = now.find_concept(kEntityType, "team");
  ASSERT_TRUE(entity);
  const Triple statement{*entity, Predicate::attribute(*now.find_string("mail")),
                         *now.attribute(*entity, "mail")};
  EXPECT_EQ(now.entry(now.assertions(statement).front().born).trust, Trust::kUntrusted);
  // In the log too, not in this process's view alone.
  const LogEntry last = space->log().entry(now.sequence()).value();
  EXPECT_EQ(last.origin.trust, Trust::kUntrusted);
  EXPECT_EQ(last.origin.author, "ada");
}

TEST(SpaceUndo, KnowsItsBounds) {
  const auto space = *Space::in_memory();
  add(*space, "Ada");
  EXPECT_EQ(space->undo(kAda, Sequence{1}, Sequence{1}, false, false).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(space->undo(kAda, Sequence{2}, Sequence{9}, false, false).error().code,
            ErrorCode::kInvalidArgument);
  ASSERT_TRUE(space->undo(kAda, Sequence{2}, Sequence{2}, false, false));
  EXPECT_EQ(space->undo(kAda, Sequence{2}, Sequence{2}, false, false).error().code,
            ErrorCode::kNotFound);
}

// --- the change feed ----------------------------------------------------------------------------

TEST(Space, ChangesCarryRecordsAndOpenedPayloads) {
  const TemporaryDirectory folder;
  const auto space = open(folder.path());
  ASSERT_TRUE(space->write_sealed(kAda, "k", [](Transaction& transaction) {
    return transaction.record(RecordKind::kDecision, "take the umbrella");
  }));
  std::vector<std::string> records;
  ASSERT_TRUE(space->changes(Sequence{1}, [&](const LogEntry& entry) {
    return visit_records(entry, [&](RecordKind kind, std::string_view payload) -> Status {
      EXPECT_EQ(kind, RecordKind::kDecision);
      records.emplace_back(payload);
      return {};
    });
  }));
  EXPECT_EQ(records, std::vector<std::string>{"take the umbrella"});
  ASSERT_TRUE(space->changes(Sequence{~std::uint64_t{0}}, [](const LogEntry&) -> Status {
    ADD_FAILURE() << "nothing lies behind the last number";
    return {};
  }));
}

// --- audit --------------------------------------------------------------------------------------

class SpaceAudit : public testing::Test {
 protected:
  void SetUp() override {
    space_ = open(folder_.path());
    for (int i = 0; i < 6; ++i) add(*space_, "n" + std::to_string(i));
  }
  Checkpoint sign() {
    SystemRandom random;
    const auto key = obtain_signing_key(*space_, kAda, system_files(), random);
    EXPECT_TRUE(key) << key.error().describe();
    const auto checkpoint = make_checkpoint(space_->log(), *key);
    EXPECT_TRUE(checkpoint);
    return *checkpoint;
  }
  TemporaryDirectory folder_;
  std::shared_ptr<Space> space_;
};

TEST_F(SpaceAudit, ACheckpointFindsACutTail) {
  const Checkpoint checkpoint = sign();
  add(*space_, "later");
  EXPECT_TRUE(verify_log(space_->log(), checkpoint));
  space_.reset();
  sql(folder_.path(), "DELETE FROM log WHERE sequence > 5");
  const auto log = *open_log(folder_.path());
  EXPECT_TRUE(verify_log(*log)) << "a shorter chain is whole in itself";
  const auto cut = verify_log(*log, checkpoint);
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(cut.error().where, "log entry 5");
}

TEST_F(SpaceAudit, ACheckpointOfAnotherLogOrKeyIsRefused) {
  Checkpoint checkpoint = sign();
  const auto parsed = Checkpoint::from_json(checkpoint.to_json());
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(verify_log(space_->log(), *parsed));
  Checkpoint forged = checkpoint;
  forged.root[0] ^= 1;
  EXPECT_FALSE(verify_log(space_->log(), forged)) << "signature";
  SystemRandom random;
  const SigningKey stranger = make_signing_key(random);
  Checkpoint resigned = checkpoint;
  resigned.key = stranger.public_key;
  resigned.signature = anima::sign(stranger, resigned.signed_text());
  EXPECT_FALSE(verify_log(space_->log(), resigned)) << "unknown key";
  const TemporaryDirectory other;
  EXPECT_FALSE(verify_log(open(other.path())->log(), checkpoint)) << "another space";
}

TEST_F(SpaceAudit, KeysRotateSignedByBoth) {
  const Checkpoint old = sign();
  SystemRandom random;
  const auto replaced = obtain_signing_key(*space_, kAda, system_files(), random);
  ASSERT_TRUE(replaced);
  const auto rotated = rotate_signing_key(*space_, kAda, system_files(), random);
  ASSERT_TRUE(rotated) << rotated.error().describe();
  EXPECT_NE(rotated->public_key, old.key);
  const Checkpoint fresh = sign();
  EXPECT_EQ(fresh.key, rotated->public_key);
  EXPECT_TRUE(verify_log(space_->log(), old));
  // Whoever has the key that was replaced signs nothing later with it.
  const auto late = make_checkpoint(space_->log(), *replaced);
  ASSERT_TRUE(late);
  EXPECT_EQ(verify_log(space_->log(), *late).error().code, ErrorCode::kCorrupt);
  const auto report = verify_log(space_->log(), fresh);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->keys.size(), 2u);
  EXPECT_EQ(system_files().info(folder_.file("keys/signing.key"))->permissions, 0600u);
  // A rotation that the old key did not sign is noticed.
  ASSERT_TRUE(space_->write(kAda, [&](Transaction& transaction) {
    return transaction.record(RecordKind::kKeyRotation, "{\"new\":\"00\"}");
  }));
  EXPECT_EQ(verify_log(space_->log()).error().code, ErrorCode::kCorrupt);
}

TEST_F(SpaceAudit, ProofsHold) {
  const auto proof = prove_entry(space_->log(), Sequence{3});
  ASSERT_TRUE(proof);
  EXPECT_TRUE(proof->holds());
  EXPECT_EQ(proof->root, verify_log(space_->log())->root);
  const auto consistency = prove_consistency(space_->log(), 4);
  ASSERT_TRUE(consistency);
  EXPECT_TRUE(consistency->holds());
  EXPECT_EQ(prove_entry(space_->log(), Sequence{99}).error().code, ErrorCode::kNotFound);
}

// --- backup, restore, migrate -------------------------------------------------------------------

TEST(SpaceBackup, RestoresWhatWasBackedUpWhileWritersGoOn) {
  const TemporaryDirectory folder;
  const auto space = open(folder.file("space"));
  for (int i = 0; i < 50; ++i) add(*space, "n" + std::to_string(i));
  ASSERT_TRUE(space->write_sealed(kAda, "k", [](Transaction& t) { return add(t, "sealed"); }));
  SystemClock clock;
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) add(*space, "w" + std::to_string(i));
  });
  const std::string file = folder.file("backup");
  const auto info = backup_space(*space, file, clock, system_files(), {.with_keys = true});
  stop = true;
  writer.join();
  ASSERT_TRUE(info) << info.error().describe();
  EXPECT_EQ(info->keys, std::vector<std::string>{"k"});
  EXPECT_EQ(backup_space(*space, file, clock, system_files()).error().code,
            ErrorCode::kAlreadyExists);
  const auto restored = restore_space(file, folder.file("other"), system_files());
  ASSERT_TRUE(restored) << restored.error().describe();
  const auto other = open(folder.file("other"));
  EXPECT_EQ(to_number(other->log().head()->sequence), info->entries);
  EXPECT_TRUE(has(other->snapshot().value(), "n49"));
  EXPECT_TRUE(has(other->snapshot().value(), "sealed"));
  EXPECT_EQ(known_backups(space->folder(), system_files())->size(), 1u);
  EXPECT_EQ(restore_space(file, folder.file("other"), system_files()).error().code,
            ErrorCode::kAlreadyExists);
}

TEST(SpaceBackup, IsNotRestoredIntoWhatIsLeftOfAnotherSpace) {
  const TemporaryDirectory folder;
  SystemClock clock;
  const std::string file = folder.file("backup"), target = folder.file("target");
  for (const char* name : {"mine", "other"}) {
    const auto space = open(folder.file(name));
    ASSERT_TRUE(space->write_sealed(kAda, "k", [](Transaction& t) { return add(t, "sealed"); }));
    const std::string to = std::string(name) == "mine" ? file : folder.file("backup of other");
    ASSERT_TRUE(backup_space(*space, to, clock, system_files(), {.with_keys = true}));
  }
  const auto restored_beside = [&](const std::string& left, const std::string& of) {
    (void)remove_tree(system_files(), target);
    const std::string from = folder.file(of) + "/" + left;
    const std::string bytes = read_file(system_files(), from).value_or("x");
    const std::string to = join_path(target, left);
    EXPECT_TRUE(system_files().make_directories(std::string(parent_path(to)), 0700));
    EXPECT_TRUE(replace_file(system_files(), to, bytes));
    const auto restored = restore_space(file, target, system_files());
    EXPECT_TRUE(restored || restored.error().code == ErrorCode::kAlreadyExists) << left;
    EXPECT_EQ(read_file(system_files(), to).value_or("gone"), bytes) << left;
    return restored.has_value();
  };
  const auto keys = system_files().list(folder.file("mine/keys")).value();
  ASSERT_FALSE(keys.empty());
  const std::string key = "keys/" + keys.front().name;
  EXPECT_FALSE(restored_beside("backups.jsonl", "other"));
  EXPECT_FALSE(restored_beside("shards/owner_learnings.db", "other"));
  EXPECT_FALSE(restored_beside("vectors.anima", "other"));
  EXPECT_FALSE(restored_beside(key, "other"));  // of this name, and no key of this log
  EXPECT_TRUE(restored_beside("backups.jsonl", "mine"));
  EXPECT_TRUE(restored_beside(key, "mine"));
  EXPECT_TRUE(restored_beside("config.toml", "mine"));
}

TEST(SpaceBackup, DamagedBackupsAreRefusedAndLeaveNothing) {
  const TemporaryDirectory folder;
  const auto space = open(folder.file("space"));
  for (int i = 0; i < 200; ++i) add(*space, "n" + std::to_string(i));
  SystemClock clock;
  const std::string file = folder.file("backup");
  ASSERT_TRUE(backup_space(*space, file, clock, system_files()));
  const std::string bytes = *read_file(system_files(), file);
  const std::string target = folder.file("target");
  // Inside the entries, so that no free page is hit.
  const std::size_t entry = bytes.find("ada");
  ASSERT_NE(entry, std::string::npos);
  for (const std::string& damaged :
       {bytes.substr(0, bytes.size() / 2), bytes.substr(0, 100), std::string("no backup"), [&] {
          std::string flipped = bytes;
          flipped[entry] ^= 4;
          return flipped;
        }()}) {
    ASSERT_TRUE(replace_file(system_files(), file, damaged));
    const auto restored = restore_space(file, target, system_files());
    ASSERT_FALSE(restored);
    EXPECT_EQ(restored.error().code, ErrorCode::kCorrupt) << restored.error().describe();
    EXPECT_FALSE(file_exists(system_files(), detail::log_path(target)));
  }
}

TEST(SpaceBackup, TouchesNothingThatLiesBesideIt) {
  const TemporaryDirectory folder;
  const auto space = open(folder.file("space"));
  add(*space, "n");
  ASSERT_TRUE(system_files().make_directories(folder.file("mine")));
  ASSERT_TRUE(replace_file(system_files(), folder.file("mine/log.db"), "precious"));
  ASSERT_TRUE(system_files().make_directories(folder.file("target/restore.part")));
  ASSERT_TRUE(replace_file(system_files(), folder.file("target/restore.part/log.db"), "precious"));
  ASSERT_TRUE(replace_file(system_files(), folder.file("archive.part"), "precious"));
  ASSERT_EQ(symlink("mine", folder.file("backup.part").c_str()), 0);
  SystemClock clock;
  ASSERT_TRUE(backup_space(*space, folder.file("backup"), clock, system_files()));
  ASSERT_TRUE(restore_space(folder.file("backup"), folder.file("target"), system_files()));
  ASSERT_TRUE(archive_entries(*space, Sequence{1}, folder.file("archive"), system_files()));
  for (const char* file : {"mine/log.db", "target/restore.part/log.db", "archive.part"})
    EXPECT_EQ(read_file(system_files(), folder.file(file)).value_or("gone"), "precious") << file;
  EXPECT_EQ(system_files().list(folder.path())->size(), 7U);  // and left nothing behind
}

TEST(SpaceBackup, OneThatRunsSomethingIsRefused) {
  const TemporaryDirectory folder;
  const auto space = open(folder.file("space"));
  add(*space, "n");
  SystemClock clock;
  const std::string file = folder.file("backup");
  for (const char* foreign : {"CREATE TRIGGER t AFTER INSERT ON log BEGIN DELETE FROM log; END",
                              "CREATE VIEW v AS SELECT * FROM log", "CREATE TABLE other(x)"}) {
    ASSERT_TRUE(backup_space(*space, file, clock, system_files(), {.overwrite = true}));
    ASSERT_TRUE(
        detail::Database::open(file, detail::DatabaseMode::kReadWrite, {}, 0)->execute(foreign));
    EXPECT_EQ(restore_space(file, folder.file("target"), system_files()).error().code,
              ErrorCode::kCorrupt)
        << foreign;
  }
}

TEST(SpaceMigration, GoesUpAndBackAfterABackup) {
  const TemporaryDirectory folder;
  add(*open(folder.path()), "Ada");
  const detail::MigrationStep steps[] = {{1, "CREATE TABLE extra(x INTEGER)", "DROP TABLE extra"}};
  SystemClock clock;
  const auto up = detail::migrate_log(folder.path(), 2, steps, clock, system_files());
  ASSERT_TRUE(up) << up.error().describe();
  EXPECT_EQ(up->from, 1);
  EXPECT_TRUE(file_exists(system_files(), up->backup));
  const auto newer = Space::open(folder.path());
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, ErrorCode::kVersionMismatch);
  EXPECT_EQ(migrate_space(folder.path(), 0, clock, system_files()).error().code,
            ErrorCode::kVersionMismatch)
      << "this program does not know the step";
  ASSERT_TRUE(detail::migrate_log(folder.path(), 1, steps, clock, system_files()));
  EXPECT_TRUE(has(open(folder.path())->snapshot().value(), "Ada"));
}

}  // namespace
}  // namespace anima::store::space_test
