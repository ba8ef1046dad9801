// What a person gets out of a space of which something is damaged, gone, or can only be read.
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/text/text.h"
#include "store/space.h"
#include "support/command.h"
#include "support/needs.h"

namespace anima {
namespace {

class DamagedLog : public ::testing::Test {
 protected:
  void SetUp() override {
    test::init_space(folder_);
    for (const char* text : {"I live in Oslo.", "My phone is 555-0141.", "Ben lives in Rome."})
      ASSERT_EQ(anima("remember '" + std::string(text) + "'").code, 0);
    // A base has what is in the log so far.
    in_base_ = entries();
    ASSERT_EQ(anima("checkpoint").code, 0);
    ASSERT_EQ(anima("remember 'Clara lives in Bern.'").code, 0);
  }
  test::Ran anima(const std::string& arguments) const {
    return test::run_anima(folder_, arguments, "2>&1 </dev/null");
  }
  std::string file(const std::string& name) const { return folder_.file("space/" + name); }

  std::int64_t query(const std::string& sql, std::int64_t number = 0) const {
    sqlite3* handle = nullptr;
    EXPECT_EQ(sqlite3_open(file("log.db").c_str(), &handle), SQLITE_OK);
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, nullptr), SQLITE_OK);
    sqlite3_bind_int64(statement, 1, number);
    const std::int64_t result =
        sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
    sqlite3_finalize(statement);
    sqlite3_close(handle);
    return result;
  }
  std::int64_t entries() const { return query("SELECT max(sequence) FROM log"); }
  // The last byte of its payload.
  void damage(std::int64_t entry) const {
    query(
        "UPDATE log SET entry = CAST(substr(entry, 1, length(entry) - 1) || 'Z' AS BLOB) "
        "WHERE sequence = ?",
        entry);
  }

  TemporaryDirectory folder_{"anima-damaged"};
  std::int64_t in_base_ = 0;
};

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Wherever it lies: the listing shows it as that, and all the others.
TEST_F(DamagedLog, AListingShowsADamagedEntryAndTheRest) {
  const std::string whole_copy = folder_.file("whole");
  std::filesystem::copy(folder_.file("space"), whole_copy,
                        std::filesystem::copy_options::recursive);
  const std::int64_t last = entries();
  for (const std::int64_t entry : {std::int64_t{3}, last / 2, last - 1, last}) {
    SCOPED_TRACE(entry);
    std::filesystem::remove_all(folder_.file("space"));
    std::filesystem::copy(whole_copy, folder_.file("space"),
                          std::filesystem::copy_options::recursive);
    damage(entry);
    const test::Ran log = anima("audit log --limit 1000");
    EXPECT_EQ(log.code, 0) << log.out;
    EXPECT_NE(log.out.find("unreadable: "), std::string::npos) << log.out;
    EXPECT_NE(log.out.find("one entry of the log cannot be read"), std::string::npos) << log.out;
    EXPECT_EQ(lines_of(log.out), static_cast<std::size_t>(last) + 2) << log.out;
    const test::Ran exported = test::run_anima(folder_, "audit export");
    EXPECT_EQ(exported.code, 5);
    EXPECT_EQ(lines_of(exported.out), static_cast<std::size_t>(last));
    EXPECT_NE(exported.out.find("{\"sequence\":" + std::to_string(entry) + ",\"unreadable\":"),
              std::string::npos);
    EXPECT_EQ(anima("audit verify").code, 5);
    EXPECT_EQ(anima("doctor").code, 5);
    const bool is_in_the_base = entry <= in_base_;
    const test::Ran events = anima("events"), changes = anima("changes 1"),
                    asked = anima("ask 'Where does Clara live?'");
    for (const test::Ran* ran : {&events, &changes, &asked}) {
      EXPECT_EQ(ran->code, is_in_the_base ? 0 : 5) << ran->out;
      EXPECT_EQ(ran->out.find("acknowledged entries are lost"), std::string::npos) << ran->out;
    }
    if (!is_in_the_base) continue;
    EXPECT_NE(asked.out.find("Bern"), std::string::npos) << asked.out;
    EXPECT_NE(changes.out.find("Clara lives_in Bern"), std::string::npos) << changes.out;
    EXPECT_NE(events.out.find(std::to_string(entry) + "  unreadable: "), std::string::npos)
        << events.out;
  }
}

TEST_F(DamagedLog, EventsWithoutTheirKeyAreCounted) {
  const std::size_t all = lines_of(test::run_anima(folder_, "events").out);
  ASSERT_GT(all, 0u);
  for (const auto& each : std::filesystem::directory_iterator(file("keys")))
    if (each.path().extension() == ".seal") std::filesystem::remove(each.path());
  const test::Ran events = test::run_anima(folder_, "events");
  EXPECT_EQ(events.code, 0);
  EXPECT_GT(lines_of(events.out), 0u);
  EXPECT_NE(events.out.find("unreadable: sealed under events"), std::string::npos) << events.out;
  EXPECT_NE(anima("events").out.find("of the log cannot be read"), std::string::npos);
}

// Nobody is told to begin anew over what belonged to it.
TEST_F(DamagedLog, ALogThatIsGoneIsToldAsThatAtEachDoor) {
  for (const char* name : {"log.db", "log.db-wal", "log.db-shm"})
    std::filesystem::remove(file(name));
  for (const char* line : {"audit log", "audit verify", "audit prove 1", "audit export", "events",
                           "ask 'Where do I live?'", "memory show", "recall Oslo", "stats",
                           "export", "remember 'It rains.'", "undo last", "history Ben", "doctor",
                           "doctor --mend", "migrate", "checkpoint", "backup /dev/null"}) {
    const test::Ran ran = anima(line);
    EXPECT_EQ(ran.code, 5) << line << ": " << ran.out;
    EXPECT_NE(ran.out.find("the log is gone"), std::string::npos) << line << ": " << ran.out;
    EXPECT_EQ(ran.out.find("anima init"), std::string::npos) << line << ": " << ran.out;
  }
}

// Cut between two entries: each of its entries is whole, and log.head knows better.
TEST_F(DamagedLog, ALogThatLostItsEndIsToldByEachDoorOfTheAudit) {
  ASSERT_EQ(query("PRAGMA wal_checkpoint(TRUNCATE)"), 0);
  const std::int64_t last = entries();
  query("DELETE FROM log WHERE sequence = ?", last);
  const std::string lost = "but log.head knows of entry " + std::to_string(last);
  const test::Ran log = anima("audit log --limit 3");
  EXPECT_EQ(log.code, 0) << log.out;
  EXPECT_NE(log.out.find(lost), std::string::npos) << log.out;
  const auto json = test::run_anima(folder_, "--json audit log --limit 3").json();
  ASSERT_NE(json.find("lost"), nullptr);
  EXPECT_NE(json.find("lost")->as_string().find(lost), std::string::npos);
  for (const char* format : {"", " --format ari"}) {
    const test::Ran exported = test::run_anima(folder_, std::string("audit export") + format);
    EXPECT_EQ(exported.code, 5);
    EXPECT_NE(exported.out.find("{\"lost\":"), std::string::npos) << exported.out;
  }
  for (const char* line : {"audit prove 3", "audit prove 3 --since"}) {
    const test::Ran refused = anima(line);
    EXPECT_EQ(refused.code, 5) << refused.out;
    EXPECT_NE(refused.out.find(lost), std::string::npos) << refused.out;
  }
}

// What the base has is not thrown away with the log, and the way to it is told.
TEST_F(DamagedLog, ABaseIsReadWhereTheLogIsCutOrGone) {
  ASSERT_EQ(anima("checkpoint").code, 0);
  ASSERT_EQ(query("PRAGMA wal_checkpoint(TRUNCATE)"), 0);
  for (const char* beside : {"log.db-wal", "log.db-shm"}) std::filesystem::remove(file(beside));
  const std::string whole_copy = folder_.file("whole");
  std::filesystem::copy(folder_.file("space"), whole_copy,
                        std::filesystem::copy_options::recursive);
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(file("log.db")));
  for (const std::int64_t left :
       {std::int64_t{-1}, std::int64_t{0}, std::int64_t{2000}, std::int64_t{8192}, size - 4096}) {
    SCOPED_TRACE(left);
    std::filesystem::remove_all(folder_.file("space"));
    std::filesystem::copy(whole_copy, folder_.file("space"),
                          std::filesystem::copy_options::recursive);
    if (left < 0) {
      std::filesystem::remove(file("log.db"));
    } else {
      std::filesystem::resize_file(file("log.db"), static_cast<std::uintmax_t>(left));
    }
    for (const char* line : {"export", "ask 'Where does Clara live?'", "doctor", "audit log"}) {
      const test::Ran ran = anima(line);
      EXPECT_NE(ran.code, 0) << line;
      EXPECT_NE(ran.out.find("anima --salvage export"), std::string::npos) << line << ran.out;
    }
    const test::Ran asked = anima("--salvage ask 'Where does Clara live?'");
    EXPECT_EQ(asked.code, 0) << asked.out;
    EXPECT_NE(asked.out.find("Bern"), std::string::npos) << asked.out;
    const std::string kept = folder_.file("kept.nq");
    const test::Ran exported = anima("--salvage export -o " + kept);
    EXPECT_EQ(exported.code, 0) << exported.out;
    EXPECT_NE(read_file(system_files(), kept).value_or("").find("Clara"), std::string::npos);
    EXPECT_NE(anima("--salvage remember 'It rains.'").code, 0);
  }
}

TEST_F(DamagedLog, AFileAroundWholeEntriesIsMendedAndTakesMore) {
  ASSERT_EQ(query("PRAGMA wal_checkpoint(TRUNCATE)"), 0);
  std::string bytes = *read_file(system_files(), file("log.db"));
  constexpr std::size_t kFragmentedBytes = 100 + 7;  // of the first page
  bytes[kFragmentedBytes] = static_cast<char>(bytes[kFragmentedBytes] ^ 0x41);
  ASSERT_TRUE(replace_file(system_files(), file("log.db"), bytes).has_value());
  const test::Ran found = anima("doctor");
  EXPECT_EQ(found.code, 5);
  EXPECT_NE(found.out.find("doctor --mend"), std::string::npos) << found.out;
  const test::Ran mended = anima("doctor --mend");
  EXPECT_EQ(mended.code, 0) << mended.out;
  EXPECT_NE(mended.out.find("made anew"), std::string::npos) << mended.out;
  EXPECT_EQ(anima("audit verify").code, 0);
  EXPECT_EQ(anima("remember 'Dan lives in Kyiv.'").code, 0);
  EXPECT_NE(anima("ask 'Where does Dan live?'").out.find("Kyiv"), std::string::npos);
  EXPECT_NE(anima("ask 'Where do I live?'").out.find("Oslo"), std::string::npos);
}

// Whoever may not read or write a file that each command needs is told which, and what to do.
TEST_F(DamagedLog, AFileThatThisAccountMayNotUseIsNamed) {
  constexpr ::uid_t kOther = 65534;
  std::string other;
  if (::geteuid() == 0) {
    for (const auto& each : std::filesystem::recursive_directory_iterator(folder_.path()))
      ASSERT_EQ(::chown(each.path().c_str(), kOther, kOther), 0);
    ASSERT_EQ(::chown(folder_.path().c_str(), kOther, kOther), 0);
    other = "setpriv --reuid 65534 --regid 65534 --clear-groups ";
  }
  const auto run = [&](const std::string& line) {
    return test::run_command("ANIMA_SPACE=" + folder_.file("space") + " HOME=" + folder_.path() +
                             " " + other + ANIMA_BINARY_DIR + "/anima " + line +
                             " 2>&1 </dev/null");
  };
  ASSERT_EQ(run("remember 'Dan lives in Kyiv.'").code, 0);
  for (const char* name :
       {"log.head", "log.turn", "log.db-wal", "log.db-shm", "checkpoint.lock", "acts"}) {
    SCOPED_TRACE(name);
    if (!std::filesystem::exists(file(name))) continue;
    const auto before = std::filesystem::status(file(name)).permissions();
    for (const ::mode_t mode : {0000, 0400}) {
      ASSERT_EQ(::chmod(file(name).c_str(), mode), 0);
      const test::Ran doctor = run("doctor");
      EXPECT_EQ(doctor.code, 5) << doctor.out;
      EXPECT_NE(doctor.out.find(std::string(name) + " may not be "), std::string::npos)
          << doctor.out;
      EXPECT_NE(doctor.out.find("chmod u+rw"), std::string::npos) << doctor.out;
      if (std::string_view(name) != "log.head") continue;
      for (const char* line :
           {"why Ben lives_in Rome", "kip 'FIND(?x.name) WHERE { ?x {type: \"Person\"} }'"}) {
        const test::Ran refused = run(line);
        EXPECT_NE(refused.code, 0) << refused.out;
        EXPECT_NE(refused.out.find("chmod u+rw"), std::string::npos) << refused.out;
      }
    }
    std::filesystem::permissions(file(name), before);
  }
  EXPECT_EQ(run("doctor").code, 0) << run("doctor").out;
}

// What it vetoes is not known then: the defaults do not hold instead.
TEST_F(DamagedLog, APsycheThatCannotBeReadIsNotTheDefaults) {
  const std::string psyche = folder_.file("offline.toml");
  ASSERT_TRUE(replace_file(system_files(), psyche,
                           "[[shadow.veto_patterns]]\nname = \"offline\"\ntriggers = "
                           "[\"http:fetch\"]\nseverity = 1.0\nexplanation = \"\"\n")
                  .has_value());
  for (const char* fault : {"DELETE FROM part WHERE number = -1",
                            "UPDATE part SET bytes = zeroblob(length(bytes)) WHERE number = -1"}) {
    SCOPED_TRACE(fault);
    ASSERT_EQ(anima("psyche set " + psyche).code, 0);
    ASSERT_NE(anima("psyche show").out.find("offline"), std::string::npos);
    query(fault);
    for (const char* line : {"psyche show", "psyche drop-veto offline", "psyche reset --confirm",
                             "psyche reload", "run --max-cycles 1 'know the weather'"}) {
      const test::Ran ran = anima(line);
      EXPECT_EQ(ran.code, 5) << line << ": " << ran.out;
      EXPECT_NE(ran.out.find("psyche in force cannot be read"), std::string::npos) << ran.out;
    }
    EXPECT_EQ(anima("ask 'Where do I live?'").code, 0);
    const test::Ran anew = anima("psyche set " + psyche);
    EXPECT_EQ(anew.code, 0) << anew.out;
    EXPECT_NE(anima("psyche show").out.find("offline"), std::string::npos);
  }
}

// A process was killed, and the disk can only be read; the index of the WAL is there, or is not.
TEST_F(DamagedLog, ADiskThatCanOnlyBeReadIsReadWhole) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto space = store::Space::open(folder_.file("space"));
    const bool wrote =
        space && (*space)->write(
                     {"ada", "test", store::Trust::kOperator, store::Sequence::kNone},
                     [](store::Transaction& transaction) -> Status {
                       ANIMA_ASSIGN(const auto type, transaction.upsert_type("Boat"));
                       return transaction.upsert_concept(type, "Fram").map([](store::EntityId) {});
                     });
    ::kill(::getpid(), wrote ? SIGKILL : SIGTERM);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(WTERMSIG(status), SIGKILL);
  ASSERT_GT(std::filesystem::file_size(file("log.db-wal")), 0u);
  const std::string space = folder_.file("space"), outside = folder_.file("b.backup");
  const auto lines = {std::string("search Fram"),     std::string("ask 'Where does Clara live?'"),
                      std::string("memory show"),     std::string("memory search Clara"),
                      std::string("recall Clara"),    std::string("export"),
                      std::string("stats"),           std::string("audit log"),
                      std::string("audit verify"),    std::string("audit prove 1"),
                      std::string("events"),          std::string("changes 1"),
                      std::string("history Fram"),    std::string("contradictions"),
                      std::string("psyche show"),     std::string("undo --dry-run last"),
                      std::string("sleep --dry-run"), std::string("kip 'DESCRIBE PRIMER'"),
                      std::string("sparql 'ASK {}'"), std::string("agent goals"),
                      std::string("learnings list"),  std::string("approve list"),
                      std::string("plan list"),       std::string("guard line"),
                      std::string("doctor"),          "backup --without-note " + outside};
  for (const bool with_index : {true, false}) {
    if (!with_index) std::filesystem::remove(file("log.db-shm"));
    ANIMA_NEEDS(test::kMounts,
                ::mount(space.c_str(), space.c_str(), nullptr, MS_BIND, nullptr) == 0);
    EXPECT_EQ(::mount(nullptr, space.c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr),
              0);
    for (const std::string& line : lines) {
      SCOPED_TRACE(line + (with_index ? "" : ", without log.db-shm"));
      std::filesystem::remove(outside);
      const test::Ran ran = anima(line);
      EXPECT_EQ(ran.code, 0) << ran.out;
      EXPECT_EQ(ran.out.find("lost"), std::string::npos) << ran.out;
      EXPECT_EQ(ran.out.find("broken "), std::string::npos) << ran.out;
    }
    EXPECT_NE(anima("search Fram").out.find("Boat"), std::string::npos);
    const test::Ran refused = anima("remember 'It rains.'");
    EXPECT_NE(refused.code, 0);
    EXPECT_EQ(refused.out.find("lost"), std::string::npos) << refused.out;
    EXPECT_EQ(::umount2(space.c_str(), MNT_DETACH), 0);
  }
  EXPECT_EQ(anima("remember 'It rains.'").code, 0);
  EXPECT_NE(anima("search Fram").out.find("Boat"), std::string::npos);
}

}  // namespace
}  // namespace anima
