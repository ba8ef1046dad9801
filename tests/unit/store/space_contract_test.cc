// What a space does whatever holds its log: each test runs over SQLite, memory and PostgreSQL, or
// says which kind cannot do it.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "store/archive.h"
#include "store/backup.h"
#include "store/compact.h"
#include "store/forget.h"
#include "store/prune.h"
#include "store/space.h"
#include "store/space_place.h"
#include "store/verify/audit.h"
#include "store/verify/verify_views.h"
#include "support/files_with.h"
#include "support/log_kinds.h"
#include "support/needs.h"

namespace anima::store::space_contract_test {
namespace {

const Origin kAda{"ada", "contract", Trust::kStandard, Sequence::kNone};

void write(Space& space, const std::string& name, const std::string& value = "said") {
  const auto receipt = space.write(kAda, [&](Transaction& transaction) -> Status {
    ANIMA_ASSIGN(const EntityId entity, transaction.upsert_concept(kEntityType, name));
    ANIMA_ASSIGN(const Term term, transaction.term(Value::string(value).view()));
    return transaction.set_attribute(entity, "says", std::span(&term, 1));
  });
  ASSERT_TRUE(receipt) << receipt.error().describe();
}

std::string value_of(Space& space, const std::string& name) {
  const auto now = space.snapshot();
  EXPECT_TRUE(now) << now.error().describe();
  if (!now) return "no snapshot";
  const auto entity = now->find_concept(kEntityType, name);
  const auto term = entity ? now->attribute(*entity, "says") : std::nullopt;
  return term ? std::string(now->value(*term).text) : std::string();
}

class SpaceContract : public test::LogKind {
 protected:
  void SetUp() override {
    test::LogKind::SetUp();
    place_.folder = machine();  // what sql() damages
  }
  // Of this machine, or of another one that shares the database.
  std::string machine(const std::string& name = "here") const { return folder_.file(name); }
  std::string named(const std::string& folder) const {
    return in_postgres() ? address_ + "&folder=" + folder : folder;
  }
  Result<std::shared_ptr<Space>> try_open(const std::string& folder, SpaceOptions options) {
    if (in_memory()) return Space::in_memory(options);
    return Space::open(named(folder), options);
  }
  std::shared_ptr<Space> open_space(const std::string& folder, SpaceOptions options = {}) {
    options.create = !options.read_only;
    auto space = try_open(folder, options);
    EXPECT_TRUE(space) << space.error().describe();
    return space ? *space : nullptr;
  }
  std::shared_ptr<Space> open_space() { return open_space(machine()); }
  // Another process's: of another machine where there can be one.
  std::shared_ptr<Space> other_space() {
    return open_space(in_postgres() ? machine("there") : machine());
  }
  SystemClock clock_;
};

TEST_P(SpaceContract, ANewSpaceHasItsFirstEntry) {
  const auto space = open_space();
  EXPECT_EQ(space->snapshot()->sequence(), Sequence{1});
  EXPECT_EQ(space->log().entry(Sequence{1})->origin.source, "genesis");
}

TEST_P(SpaceContract, WhatWasWrittenIsRead) {
  const auto space = open_space();
  write(*space, "Ada", "yes");
  EXPECT_EQ(value_of(*space, "Ada"), "yes");
  EXPECT_TRUE(verify_log(space->log()));
}

TEST_P(SpaceContract, AChangeThatFailsLeavesNothing) {
  const auto space = open_space();
  write(*space, "Ada", "yes");
  const auto refused = space->write(kAda, [&](Transaction& transaction) -> Status {
    ANIMA_TRY(transaction.upsert_concept(kEntityType, "Nobody"));
    return fail(ErrorCode::kConflict, "no");
  });
  EXPECT_FALSE(refused);
  EXPECT_EQ(space->snapshot()->sequence(), Sequence{2});
  EXPECT_FALSE(space->snapshot()->find_concept(kEntityType, "Nobody"));
}

TEST_P(SpaceContract, ASeriesIsSeveralEntries) {
  const auto space = open_space();
  int made = 0;
  Change change;
  const SeriesResult series = space->write_series(kAda, [&]() -> const Change* {
    if (made == 5) return nullptr;
    change = [name = "thing " + std::to_string(made++)](Transaction& transaction) {
      return transaction.upsert_concept(kEntityType, name).map([](EntityId) {});
    };
    return &change;
  });
  EXPECT_TRUE(series.status);
  EXPECT_EQ(series.receipts.size(), 5u);
  EXPECT_EQ(space->snapshot()->sequence(), Sequence{6});
}

TEST_P(SpaceContract, AWriteIsInTheNextSnapshotOfEverybody) {
  if (in_memory()) GTEST_SKIP() << "one process";
  const auto here = open_space(), there = other_space();
  for (int i = 0; i < 10; ++i) {
    Space &writer = i % 2 == 0 ? *here : *there, &reader = i % 2 == 0 ? *there : *here;
    write(writer, "Ada", std::to_string(i));
    EXPECT_EQ(value_of(reader, "Ada"), std::to_string(i));
    EXPECT_EQ(value_of(writer, "Ada"), std::to_string(i));
  }
}

TEST_P(SpaceContract, WritersOfSeveralSpacesLoseNothing) {
  const auto here = open_space(), there = in_memory() ? here : other_space();
  std::thread other([&] {
    for (int i = 0; i < 30; ++i) write(*there, "there " + std::to_string(i));
  });
  for (int i = 0; i < 30; ++i) write(*here, "here " + std::to_string(i));
  other.join();
  EXPECT_EQ(here->snapshot()->sequence(), Sequence{61});
  EXPECT_EQ(there->snapshot()->sequence(), Sequence{61});
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(value_of(*here, "there " + std::to_string(i)), "said");
    EXPECT_EQ(value_of(*there, "here " + std::to_string(i)), "said");
  }
}

TEST_P(SpaceContract, ASnapshotMayBeTakenInsideAChange) {
  const auto space = open_space();
  write(*space, "Ada", "before");
  const auto receipt = space->write(kAda, [&](Transaction& transaction) -> Status {
    EXPECT_EQ(value_of(*space, "Ada"), "before");
    return transaction.upsert_concept(kEntityType, "Bob").map([](EntityId) {});
  });
  EXPECT_TRUE(receipt);
}

TEST_P(SpaceContract, OlderStatesAreRead) {
  const auto space = open_space();
  for (const char* value : {"one", "two", "three"}) write(*space, "Ada", value);
  const auto then = space->snapshot()->as_of(Sequence{3}).value();
  const auto entity = then.find_concept(kEntityType, "Ada");
  EXPECT_EQ(then.value(*then.attribute(*entity, "says")).text, "two");
}

TEST_P(SpaceContract, AWriteIsUndone) {
  const auto space = open_space();
  write(*space, "Ada", "one");
  write(*space, "Ada", "two");
  const auto undone = space->undo(kAda, Sequence{3}, Sequence{3}, false, false);
  ASSERT_TRUE(undone) << undone.error().describe();
  EXPECT_EQ(value_of(*space, "Ada"), "one");
}

TEST_P(SpaceContract, AReopenedSpaceStartsFromItsBase) {
  if (in_memory()) GTEST_SKIP() << "it ends with the process";
  {
    const auto space = open_space();
    for (int i = 0; i < 20; ++i) write(*space, "thing " + std::to_string(i));
    ASSERT_TRUE(space->checkpoint());
    write(*space, "behind");
  }
  const auto space = open_space();
  EXPECT_EQ(space->stats().base_sequence, Sequence{21});
  EXPECT_EQ(space->stats().replay_rows > 0, true);
  EXPECT_EQ(value_of(*space, "thing 7"), "said");
  EXPECT_EQ(value_of(*space, "behind"), "said");
  EXPECT_TRUE(verify_views(space->folder(), system_files(), {}));
}

TEST_P(SpaceContract, ChangesAreFollowed) {
  const auto space = open_space();
  write(*space, "Ada", "one");
  write(*space, "Ada", "two");
  std::vector<Sequence> seen;
  ASSERT_TRUE(space->changes(Sequence{1}, [&](const LogEntry& entry) -> Status {
    seen.push_back(entry.sequence);
    return {};
  }));
  EXPECT_EQ(seen, (std::vector<Sequence>{Sequence{2}, Sequence{3}}));
  EXPECT_TRUE(*space->log().follow(Sequence{2}, 1000));
  EXPECT_FALSE(*space->log().follow(Sequence{3}, 10));
}

TEST_P(SpaceContract, AQuotaIsKept) {
  SpaceOptions options;
  options.max_log_bytes = 400'000;
  const auto space = open_space(machine(), options);
  Status written;
  for (int i = 0; i < 100 && written; ++i) {
    written = space
                  ->write(kAda,
                          [&](Transaction& transaction) {
                            return transaction.record(RecordKind::kEvent, std::string(50'000, 'x'));
                          })
                  .map([](const Receipt&) {});
  }
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kLimitExceeded);
}

TEST_P(SpaceContract, WhoOnlyReadsDoesNotWrite) {
  if (in_memory()) GTEST_SKIP() << "it is always writable";
  write(*open_space(), "Ada", "yes");
  SpaceOptions options;
  options.read_only = true;
  const auto space = open_space(machine(), options);
  EXPECT_EQ(value_of(*space, "Ada"), "yes");
  const auto refused = space->write(kAda, [](Transaction&) { return Status(); });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kDenied);
}

TEST_P(SpaceContract, WhereNoneIsNoneIsOpened) {
  if (in_memory()) GTEST_SKIP() << "it is always there";
  const auto space = try_open(machine(), {});
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().code, ErrorCode::kNotFound) << space.error().describe();
  EXPECT_NE(space.error().hint.find("anima init"), std::string::npos);
}

// --- keys ---------------------------------------------------------------------------------------

void write_secret(Space& space) {
  const auto receipt = space.write_sealed(kAda, "ada", [&](Transaction& transaction) -> Status {
    ANIMA_ASSIGN(const EntityId entity, transaction.upsert_concept(kEntityType, "Ada"));
    ANIMA_ASSIGN(const Term term, transaction.term(Value::string("a secret of hers").view()));
    return transaction.set_attribute(entity, "says", std::span(&term, 1));
  });
  ASSERT_TRUE(receipt) << receipt.error().describe();
}

TEST_P(SpaceContract, WhatIsSealedIsReadWithItsKey) {
  const auto space = open_space();
  write_secret(*space);
  EXPECT_EQ(value_of(*space, "Ada"), "a secret of hers");
  EXPECT_EQ(space->log().entry(Sequence{2})->payload.find("secret"), std::string::npos);
  EXPECT_EQ(*space->keys(), std::vector<std::string>{"ada"});
}

TEST_P(SpaceContract, AnErasureIsForEverybody) {
  const auto space = open_space();
  write_secret(*space);
  const auto other = in_memory() ? space : other_space();
  const Status erased = space->erase("ada");
  ASSERT_TRUE(erased) << erased.error().describe();
  EXPECT_EQ(value_of(*space, "Ada"), "");
  EXPECT_EQ(value_of(*other, "Ada"), "");
  EXPECT_TRUE(verify_log(space->log()));
  if (in_memory()) return;
  EXPECT_EQ(test::files_with(machine(), "a secret of hers"), std::vector<std::string>{});
}

// The three states of a key, on two machines: here, not here, and destroyed.
TEST_P(SpaceContract, AKeyIsOfTheMachineThatMadeIt) {
  if (!in_postgres()) GTEST_SKIP() << "one machine";
  const auto here = open_space();
  write_secret(*here);
  const auto there = other_space();
  EXPECT_EQ(value_of(*there, "Ada"), "") << "its key is not there";
  EXPECT_FALSE(there->notes().empty());
  std::filesystem::copy(machine() + "/keys", machine("there") + "/keys",
                        std::filesystem::copy_options::recursive);
  ASSERT_TRUE(there->checkpoint());
  EXPECT_EQ(value_of(*there, "Ada"), "a secret of hers") << "now it is";
  ASSERT_TRUE(here->erase("ada"));
  EXPECT_EQ(value_of(*there, "Ada"), "");
}

// --- keeping ------------------------------------------------------------------------------------

TEST_P(SpaceContract, WhatIsForgottenIsGoneFromTheLog) {
  const auto space = open_space();
  write(*space, "Ada", "stays");
  write(*space, "Bob", "a word that goes");
  const auto other = in_memory() ? space : other_space();
  EXPECT_EQ(value_of(*other, "Bob"), "a word that goes");
  Forgetting what;
  what.entities = {*space->snapshot()->find_concept(kEntityType, "Bob")};
  const auto report = forget(*space, kAda, what, clock_.now(), false);
  ASSERT_TRUE(report) << report.error().describe();
  EXPECT_EQ(value_of(*space, "Bob"), "");
  EXPECT_EQ(value_of(*other, "Bob"), "");
  EXPECT_EQ(value_of(*other, "Ada"), "stays");
  EXPECT_TRUE(verify_log(space->log()));
  ASSERT_TRUE(space->log().read(Sequence{1}, [](const LogEntry& entry) -> Status {
    EXPECT_EQ(entry.payload.find("a word that goes"), std::string::npos);
    return {};
  }));
}

TEST_P(SpaceContract, ACompactedLogVerifies) {
  const auto space = open_space();
  for (int i = 0; i < 20; ++i) write(*space, "Ada", "value " + std::to_string(i));
  Compaction what;
  what.until = Sequence{21};
  const auto report = compact(*space, kAda, what, clock_.now(), false);
  ASSERT_TRUE(report) << report.error().describe();
  EXPECT_GT(report->entries, 0u);
  EXPECT_EQ(value_of(*space, "Ada"), "value 19");
  EXPECT_TRUE(verify_log(space->log()));
  if (in_memory()) return;
  EXPECT_GT(report->bytes_before, 0u);
  EXPECT_EQ(value_of(*other_space(), "Ada"), "value 19");
}

TEST_P(SpaceContract, PayloadsAreArchivedAndComeBack) {
  const auto space = open_space();
  for (int i = 0; i < 10; ++i) write(*space, "thing " + std::to_string(i));
  const std::string path = folder_.file("old.archive");
  const auto moved = archive_entries(*space, Sequence{8}, path, system_files());
  if (in_memory()) {
    ASSERT_FALSE(moved);
    EXPECT_EQ(moved.error().code, ErrorCode::kUnsupported);
    return;
  }
  ASSERT_TRUE(moved) << moved.error().describe();
  EXPECT_GT(moved->changed, 0u);
  EXPECT_TRUE(*has_archived_entries(space->log()));
  EXPECT_TRUE(verify_log(space->log()));
  EXPECT_EQ(value_of(*space, "thing 3"), "said");
  EXPECT_TRUE(verify_archive(space->folder(), path, system_files()));
  const auto back = restore_archive(space->folder(), path, system_files());
  ASSERT_TRUE(back) << back.error().describe();
  EXPECT_EQ(back->changed, moved->changed);
  EXPECT_FALSE(*has_archived_entries(space->log()));
  EXPECT_EQ(value_of(*other_space(), "thing 3"), "said");
}

TEST_P(SpaceContract, AttachmentsArePruned) {
  const auto space = open_space();
  ASSERT_TRUE(space->write(kAda, [](Transaction& transaction) {
    return transaction.attach(RecordKind::kEvent, "a long story");
  }));
  const LogEntry entry = *space->log().entry(Sequence{2});
  ASSERT_TRUE(has_attachment(entry));
  EXPECT_FALSE(space->log().attachment(Sequence{2})->empty());
  const std::vector<Sequence> old = {Sequence{2}};
  const auto report = prune_attachments(*space, kAda, old, true);
  ASSERT_TRUE(report) << report.error().describe();
  EXPECT_EQ(report->entries, 1u);
  EXPECT_TRUE(space->log().attachment(Sequence{2})->empty());
  EXPECT_TRUE(verify_log(space->log()));
}

TEST_P(SpaceContract, ABackupMakesASpaceInAFolder) {
  const auto space = open_space();
  write(*space, "Ada", "kept");
  const std::string path = folder_.file("backup");
  const auto made = backup_space(*space, path, clock_, system_files());
  if (in_memory()) {
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, ErrorCode::kUnsupported);
    return;
  }
  ASSERT_TRUE(made) << made.error().describe();
  EXPECT_EQ(made->entries, 2u);
  const std::string folder = folder_.file("restored");
  const auto restored = restore_space(path, folder, system_files());
  ASSERT_TRUE(restored) << restored.error().describe();
  const auto copy = Space::open(folder);
  ASSERT_TRUE(copy) << copy.error().describe();
  EXPECT_EQ(value_of(**copy, "Ada"), "kept");
  EXPECT_EQ((*copy)->log().head()->hash, space->log().head()->hash);
}

TEST_P(SpaceContract, ABackupIsRestoredIntoADatabase) {
  if (in_memory()) GTEST_SKIP() << "it cannot be backed up";
  ANIMA_NEEDS(test::kPostgres, test::shared_postgres().there());
  const auto space = open_space();
  for (int i = 0; i < 5; ++i) write(*space, "thing " + std::to_string(i));
  write_secret(*space);
  BackupOptions options;
  options.with_keys = true;
  const std::string path = folder_.file("backup");
  ASSERT_TRUE(backup_space(*space, path, clock_, system_files(), options));
  static int number = 0;
  const std::string address = test::shared_postgres().address() + "&schema=restored" +
                              std::to_string(++number) + "&folder=" + machine("restored");
  const auto folder = space_folder(address, "unused");
  ASSERT_TRUE(folder);
  const auto restored = restore_space(path, *folder, system_files());
  ASSERT_TRUE(restored) << restored.error().describe();
  EXPECT_EQ(restore_space(path, *folder, system_files()).error().code, ErrorCode::kAlreadyExists);
  const auto copy = Space::open(address);
  ASSERT_TRUE(copy) << copy.error().describe();
  EXPECT_EQ(value_of(**copy, "thing 4"), "said");
  EXPECT_EQ(value_of(**copy, "Ada"), "a secret of hers");
  EXPECT_EQ((*copy)->log().head()->hash, space->log().head()->hash);
  EXPECT_TRUE(verify_space(*folder, system_files()));
}

TEST_P(SpaceContract, ItsFolderVerifies) {
  if (in_memory()) GTEST_SKIP() << "it has none";
  {
    const auto space = open_space();
    write(*space, "Ada", "yes");
  }
  const auto report = verify_space(machine(), system_files());
  ASSERT_TRUE(report) << report.error().describe();
  EXPECT_EQ(report->entries, 2u);
  EXPECT_EQ(*schema_version(machine()), current_schema_version());
  const auto migrated = migrate_space(machine(), 0, clock_, system_files());
  ASSERT_TRUE(migrated) << migrated.error().describe();
  EXPECT_EQ(migrated->from, migrated->to);
}

TEST_P(SpaceContract, DamageIsSaidAndSalvaged) {
  if (in_memory()) GTEST_SKIP() << "it ends with the process";
  {
    const auto space = open_space();
    for (int i = 0; i < 6; ++i) write(*space, "thing " + std::to_string(i));
  }
  sql("DELETE FROM log WHERE sequence = 5");
  const auto damaged = try_open(machine(), {});
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, ErrorCode::kCorrupt) << damaged.error().describe();
  EXPECT_FALSE(verify_space(machine(), system_files()));
  SpaceOptions options;
  options.salvage = options.read_only = true;
  const auto salvaged = open_space(machine(), options);
  EXPECT_EQ(value_of(*salvaged, "thing 2"), "said");
  EXPECT_EQ(value_of(*salvaged, "thing 3"), "");
  BackupOptions kept;
  kept.salvage = true;
  const auto backup = backup_space(*salvaged, folder_.file("saved"), clock_, system_files(), kept);
  ASSERT_TRUE(backup) << backup.error().describe();
  EXPECT_EQ(backup->entries, 4u);
}

// --- what is this machine's of a space in a database --------------------------------------------

TEST_P(SpaceContract, AFolderThatIsLostIsMadeAgain) {
  if (!in_postgres()) GTEST_SKIP() << "the log is in the folder";
  {
    const auto space = open_space();
    write(*space, "Ada", "yes");
    ASSERT_TRUE(space->checkpoint());
  }
  ASSERT_TRUE(std::filesystem::remove_all(machine()) > 0);
  EXPECT_EQ(value_of(*open_space(), "Ada"), "yes");
}

TEST_P(SpaceContract, AFolderNamesItsLogFromThenOn) {
  if (!in_postgres()) GTEST_SKIP() << "the log is in the folder";
  write(*open_space(), "Ada", "yes");
  const auto text = read_file(system_files(), machine() + "/log.address", 65536);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("schema=" + schema_), std::string::npos) << *text;
  EXPECT_EQ(text->find("folder="), std::string::npos) << *text;
  // Under another name nobody was told of it in this process.
  std::filesystem::rename(machine(), machine("moved"));
  const auto space = Space::open(machine("moved"));
  ASSERT_TRUE(space) << space.error().describe();
  EXPECT_EQ(value_of(**space, "Ada"), "yes");
  EXPECT_TRUE(is_shared_log(system_files(), machine("moved")));
}

TEST_P(SpaceContract, AFolderOfAnotherLogIsRefused) {
  if (!in_postgres()) GTEST_SKIP() << "the log is in the folder";
  write(*open_space(), "Ada", "yes");
  const std::string other =
      test::shared_postgres().address() + "&schema=" + schema_ + "_other" + "&folder=" + machine();
  SpaceOptions options;
  options.create = true;
  const auto space = Space::open(other, options);
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().code, ErrorCode::kAlreadyExists) << space.error().describe();
}

TEST_P(SpaceContract, AFolderWithALogOfItsOwnIsRefused) {
  if (!in_postgres()) GTEST_SKIP() << "the log is in the folder";
  SpaceOptions options;
  options.create = true;
  ASSERT_TRUE(Space::open(machine("own"), options));
  const auto space = try_open(machine("own"), options);
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().code, ErrorCode::kAlreadyExists) << space.error().describe();
}

INSTANTIATE_TEST_SUITE_P(Kinds, SpaceContract, ::testing::Values("Sqlite", "Memory", "Postgres"),
                         test::kind_name);

}  // namespace
}  // namespace anima::store::space_contract_test
