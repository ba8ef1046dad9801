// The verbs that keep a space, through the program: init, audit, history, undo, backup, restore,
// erase, checkpoint, migrate, doctor, stats; their exit codes and JSON.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "cli/frame/program.h"
#include "store/space.h"
#include "support/cli_run.h"

namespace anima::cli::keeping_test {
namespace {

class Keeping : public testing::Test {
 protected:
  test::CliRun run(std::vector<std::string> arguments, const std::string& space = {}) {
    arguments.insert(arguments.begin(), {"--space", space.empty() ? folder_.file("space") : space});
    return test::run_cli(arguments, environment_);
  }
  Json json(std::vector<std::string> arguments, const std::string& space = {}) {
    arguments.insert(arguments.begin(), "--json");
    const test::CliRun outcome = run(std::move(arguments), space);
    EXPECT_EQ(outcome.code, kDone) << outcome.err;
    const auto parsed = parse_json(outcome.out);
    EXPECT_TRUE(parsed) << outcome.out;
    return parsed.value_or(Json());
  }
  JsonArray list(const Json& json, std::string_view member) {
    const Json* found = json.find(member);
    return found != nullptr && found->kind() == Json::Kind::kArray ? found->as_array()
                                                                   : JsonArray{};
  }
  void SetUp() override {
    store::SpaceOptions options;
    options.create = true;
    const auto space = store::Space::open(folder_.file("space"), options);
    ASSERT_TRUE(space);
    for (const char* city : {"London", "Paris", "Turin"}) {
      ASSERT_TRUE((*space)->write(origin_, [&](store::Transaction& transaction) -> Status {
        ANIMA_ASSIGN(const auto ada, transaction.upsert_concept(store::kEntityType, "Ada"));
        ANIMA_ASSIGN(const auto term, transaction.term(store::Value::string(city).view()));
        return transaction.set_attribute(ada, "city", std::span(&term, 1));
      }));
    }
    ASSERT_TRUE((*space)->write_sealed(origin_, "ada", [](store::Transaction& transaction) {
      return transaction.upsert_concept(store::kEntityType, "Secret").map([](auto) {});
    }));
  }
  void sql(const std::string& statement) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(folder_.file("space/log.db").c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
  }

  TemporaryDirectory folder_;
  Environment environment_{{"HOME", folder_.path()}, {"USER", "grace"}};
  const store::Origin origin_{"ada", "diary", store::Trust::kStandard, store::Sequence::kNone};
};

std::int64_t integer(const Json& json, std::string_view member) {
  const Json* found = json.find(member);
  return found != nullptr && found->is_integer() ? found->as_integer() : -1;
}

std::string first_text(const Json& json, std::string_view member) {
  const Json* found = json.find(member);
  return found != nullptr && !found->as_array().empty() ? found->as_array()[0].as_string() : "";
}

TEST_F(Keeping, InitSaysWhetherASpaceIsThere) {
  EXPECT_EQ(json({"init"}).find("created")->as_bool(), false);
  const std::string fresh = folder_.file("fresh");
  EXPECT_EQ(json({"init"}, fresh).find("created")->as_bool(), true);
  EXPECT_EQ(run({"init"}, fresh).code, kDone);
  EXPECT_EQ(run({"stats"}, folder_.file("nowhere")).code, kMissing);
}

TEST_F(Keeping, VerifyFindsDamageAndNamesIt) {
  EXPECT_EQ(integer(json({"audit", "verify"}), "entries"), 5);
  sql("UPDATE log SET entry = CAST(substr(entry, 1, 50) || x'a7a7' || substr(entry, 53) AS BLOB) "
      "WHERE sequence = 3");
  const test::CliRun broken = run({"audit", "verify"});
  EXPECT_EQ(broken.code, kIntegrity);
  EXPECT_NE(broken.err.find("log entry 3"), std::string::npos) << broken.err;
  EXPECT_EQ(run({"doctor"}).code, kIntegrity);
  EXPECT_EQ(run({"stats"}).code, kIntegrity);
}

// A base that was cut; tampered_base_test.cc has those that lie.
TEST_F(Keeping, VerifyFindsABaseThatSaysSomethingElse) {
  const Json none = json({"audit", "verify", "--views"});
  EXPECT_TRUE(none.find("views")->find("bases")->as_array().empty());
  ASSERT_EQ(run({"checkpoint"}).code, kDone);
  const Json good = json({"audit", "verify", "--views"});
  const JsonArray bases = good.find("views")->find("bases")->as_array();
  ASSERT_EQ(bases.size(), 1U);
  const std::string name = bases[0].find("name")->as_string();
  const std::string path = folder_.file("space/" + name);
  std::string bytes = *read_file(system_files(), path);
  bytes.resize(bytes.size() / 2);
  ASSERT_TRUE(replace_file(system_files(), path, bytes));
  EXPECT_EQ(run({"audit", "verify"}).code, kDone);
  const test::CliRun differs = run({"audit", "verify", "--views"});
  EXPECT_EQ(differs.code, kIntegrity);
  EXPECT_NE(differs.err.find(name), std::string::npos) << differs.err;
  EXPECT_EQ(run({"audit", "verify", "--views", "--log", path}).code, kUsage);
}

TEST_F(Keeping, ACheckpointFindsACutTail) {
  const std::string file = folder_.file("checkpoint");
  EXPECT_EQ(integer(json({"audit", "checkpoint", "-o", file}), "sequence"), 6);
  EXPECT_EQ(run({"audit", "verify", "--checkpoint", file}).code, kDone);
  EXPECT_EQ(run({"audit", "checkpoint", "-o", folder_.file("next"), "--rotate-key"}).code, kDone);
  EXPECT_EQ(run({"audit", "verify", "--checkpoint", file}).code, kDone);
  sql("DELETE FROM log WHERE sequence > 4");
  const test::CliRun witnessed = run({"audit", "verify"});
  EXPECT_EQ(witnessed.code, kIntegrity);
  EXPECT_NE(witnessed.err.find("log.head"), std::string::npos) << witnessed.err;
  // Cut with all that knew of it: only what was kept elsewhere tells, and verifying says so.
  ASSERT_TRUE(system_files().remove(folder_.file("space/log.head")));
  ASSERT_TRUE(system_files().remove(folder_.file("space/keys/signing.key")));
  const test::CliRun blind = run({"audit", "verify"});
  EXPECT_EQ(blind.code, kDone) << blind.err;
  EXPECT_NE(blind.err.find("--checkpoint"), std::string::npos) << blind.err;
  const test::CliRun cut = run({"audit", "verify", "--checkpoint", file});
  EXPECT_EQ(cut.code, kIntegrity);
  EXPECT_NE(cut.err.find("tail was cut"), std::string::npos) << cut.err;
  EXPECT_EQ(run({"audit", "verify", "--checkpoint", folder_.file("none")}).code, kMissing);
}

TEST_F(Keeping, ListsProvesAndExportsEntries) {
  EXPECT_EQ(list(json({"audit", "log", "--limit", "2"}), "entries").size(), 2u);
  EXPECT_EQ(list(json({"audit", "log", "--author", "ada"}), "entries").size(), 4u);
  EXPECT_EQ(list(json({"audit", "log", "--after", "4"}), "entries").size(), 1u);
  EXPECT_EQ(integer(json({"audit", "prove", "3"}), "entries"), 5);
  EXPECT_EQ(integer(json({"audit", "prove", "3", "--since"}), "old_entries"), 3);
  EXPECT_EQ(run({"audit", "prove", "77"}).code, kMissing);
  EXPECT_EQ(run({"audit", "prove", "x"}).code, kUsage);
  const test::CliRun lines = run({"audit", "export"});
  EXPECT_EQ(std::count(lines.out.begin(), lines.out.end(), '\n'), 5);
  ASSERT_EQ(run({"audit", "export", "-o", folder_.file("log.jsonl")}).code, kDone);
  EXPECT_EQ(*read_file(system_files(), folder_.file("log.jsonl")), lines.out);
}

TEST_F(Keeping, HistoryTellsEachChange) {
  const JsonArray entries = list(json({"history", "Ada"}), "entries");
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[1].find("author")->as_string(), "ada");
  EXPECT_EQ(first_text(entries[1], "removed"), "Ada .city \"London\"");
  EXPECT_EQ(first_text(entries[1], "added"), "Ada .city \"Paris\"");
  EXPECT_EQ(list(json({"as-of", "2", "history", "Ada"}), "entries").size(), 1u);
  EXPECT_EQ(run({"history", "Nobody"}).code, kMissing);
  EXPECT_EQ(run({"as-of", "1", "history", "Ada"}).code, kMissing);
  EXPECT_EQ(run({"as-of", "2", "undo", "2"}).code, kRefused);
}

TEST_F(Keeping, UndoIsAnEntry) {
  EXPECT_EQ(run({"undo", "2"}).code, kRefused) << "later entries rely on Ada";
  EXPECT_EQ(json({"undo", "3..4", "--dry-run"}).find("dry_run")->as_bool(), true);
  EXPECT_EQ(integer(json({"audit", "verify"}), "entries"), 5);
  EXPECT_EQ(integer(json({"undo", "3..4"}), "sequence"), 6);
  const JsonArray entries = list(json({"history", "Ada"}), "entries");
  ASSERT_FALSE(entries.empty());
  EXPECT_EQ(first_text(entries.back(), "added"), "Ada .city \"London\"");
  EXPECT_EQ(run({"undo", "9..3"}).code, kFailed);
  EXPECT_EQ(run({"undo", "x"}).code, kUsage);
}

TEST_F(Keeping, WhatCannotLookBackSaysSo) {
  for (const std::vector<std::string>& verb :
       std::vector<std::vector<std::string>>{{"stats"},
                                             {"memory", "show"},
                                             {"provenance", "Ada"},
                                             {"events"},
                                             {"audit", "log"},
                                             {"audit", "verify"},
                                             {"doctor"},
                                             {"backup", folder_.file("b")},
                                             {"compartment", "list"}}) {
    std::vector<std::string> line{"as-of", "2"};
    line.insert(line.end(), verb.begin(), verb.end());
    const test::CliRun refused = run(line);
    EXPECT_EQ(refused.code, kRefused) << verb.front() << ": " << refused.out << refused.err;
    EXPECT_EQ(refused.out, "") << verb.front();
  }
  EXPECT_NE(run({"as-of", "2", "stats"}).err.find("history"), std::string::npos)
      << "it names those that can";
  EXPECT_NE(run({"search", "Ada"}).out.find("Ada"), std::string::npos);
  EXPECT_EQ(run({"as-of", "1", "search", "Ada"}).out.find("Ada"), std::string::npos);
}

TEST_F(Keeping, UndoTakesOneEntryAndTheLastOne) {
  EXPECT_EQ(list(json({"undo", "last", "--dry-run"}), "entries").front().as_integer(), 5);
  for (const int expected : {5, 4, 3, 2}) {
    const JsonArray entries = list(json({"undo", "last"}), "entries");
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries.front().as_integer(), expected) << "each goes a step further back";
  }
  EXPECT_EQ(json({"stats"}).find("concepts")->as_integer(), 3) << "the genesis alone";
  EXPECT_EQ(run({"undo", "last"}).code, kMissing);
  EXPECT_EQ(run({"undo", "9"}).code, kDone) << "the undo of entry 2, by its number";
  EXPECT_EQ(list(json({"history", "Ada"}), "entries").size(), 7u);
  EXPECT_EQ(run({"undo", "first"}).code, kUsage);
}

TEST_F(Keeping, WhatIsUndoneIsNoDependent) {
  EXPECT_EQ(run({"undo", "2"}).code, kRefused);
  EXPECT_EQ(run({"undo", "4"}).code, kDone);
  EXPECT_EQ(run({"undo", "2"}).code, kRefused) << "entry 3 still says where Ada lives";
  EXPECT_EQ(run({"undo", "3"}).code, kDone);
  EXPECT_EQ(run({"undo", "2"}).code, kDone);
}

TEST_F(Keeping, BackupRestoreErase) {
  const std::string file = folder_.file("backup");
  EXPECT_EQ(integer(json({"backup", file, "--with-keys"}), "entries"), 5);
  EXPECT_EQ(run({"backup", file}).code, kFailed) << "it exists";
  const std::string other = folder_.file("other");
  EXPECT_EQ(integer(json({"restore", file}, other), "entries"), 5);
  EXPECT_EQ(run({"history", "Secret"}, other).code, kDone);
  EXPECT_EQ(run({"restore", file}, other).code, kFailed) << "a space is there";
  EXPECT_EQ(run({"erase", "ada"}).code, kRefused) << "not confirmed";
  EXPECT_EQ(first_text(json({"erase", "ada", "--confirm"}), "backups"), file);
  EXPECT_EQ(run({"history", "Secret"}).code, kMissing);
  EXPECT_EQ(run({"audit", "verify"}).code, kDone);
  EXPECT_EQ(run({"erase", "ada", "--confirm"}).code, kMissing);
}

TEST_F(Keeping, OldPayloadsGoToAnArchiveAndComeBack) {
  const std::string file = folder_.file("old.archive");
  EXPECT_EQ(run({"archive", file}).code, kUsage);
  EXPECT_EQ(run({"archive", file, "--before", "77"}).code, kMissing);
  EXPECT_EQ(run({"archive", file, "--verify"}).code, kMissing);
  EXPECT_EQ(integer(json({"archive", file, "--before", "4"}), "entries"), 3);
  EXPECT_EQ(run({"archive", file, "--before", "5"}).code, kFailed) << "it exists";
  EXPECT_EQ(run({"archive", folder_.file("more"), "--before", "4"}).code, kMissing);

  EXPECT_EQ(integer(json({"audit", "verify"}), "entries"), 6);
  EXPECT_EQ(json({"doctor"}).find("ok")->as_bool(), true);
  EXPECT_EQ(list(json({"history", "Ada"}), "entries").size(), 3u);
  EXPECT_EQ(list(json({"as-of", "2", "history", "Ada"}), "entries").size(), 1u);
  const test::CliRun undo = run({"undo", "3"});
  EXPECT_EQ(undo.code, kMissing);
  EXPECT_NE(undo.err.find("archive"), std::string::npos) << undo.err;
  EXPECT_NE(run({"erase", "ada", "--confirm"}).code, kDone);
  EXPECT_EQ(run({"archive", file, "--verify"}).code, kDone);

  EXPECT_EQ(integer(json({"archive", file, "--restore"}), "changed"), 3);
  EXPECT_EQ(integer(json({"archive", file, "--restore"}), "changed"), 0);
  EXPECT_EQ(integer(json({"audit", "verify"}), "entries"), 6);
  EXPECT_EQ(run({"undo", "4"}).code, kDone);
  EXPECT_EQ(run({"erase", "ada", "--confirm"}).code, kDone);
}

TEST_F(Keeping, ACheckpointSaysWhatItFolded) {
  const Json made = json({"checkpoint"});
  EXPECT_EQ(integer(made, "base_sequence"), 5);
  EXPECT_EQ(integer(made, "entries"), 5);
  EXPECT_GT(integer(made, "rows"), 0);
  EXPECT_GT(integer(made, "log_bytes"), 0);
  EXPECT_EQ(integer(json({"stats"}), "base_sequence"), 5);
  EXPECT_EQ(integer(json({"checkpoint"}), "entries"), 0);
  EXPECT_NE(run({"checkpoint"}).out.find("all 5 entries"), std::string::npos);
}

TEST_F(Keeping, DoctorStatsAndMigrate) {
  EXPECT_EQ(json({"doctor"}).find("ok")->as_bool(), true);
  EXPECT_EQ(integer(json({"stats"}), "entries"), 5);
  const Json same = json({"migrate"});
  EXPECT_EQ(integer(same, "from"), integer(same, "to"));
  sql("PRAGMA user_version = 99");
  EXPECT_EQ(run({"stats"}).code, kFailed);
  EXPECT_EQ(run({"migrate"}).code, kFailed);
  const test::CliRun doctor = run({"doctor"});
  EXPECT_EQ(doctor.code, kIntegrity);
  EXPECT_NE(doctor.out.find("schema 99"), std::string::npos) << doctor.out;
}

// What is no regular file is written into, by every verb that takes a file's name.
class KeepingTarget : public Keeping {};
class KeepingRights : public Keeping {};

TEST_F(KeepingTarget, NoVerbReplacesADevice) {
  const std::string link = folder_.file("null");
  std::error_code failed;
  std::filesystem::create_symlink("/dev/null", link, failed);
  ASSERT_FALSE(failed);
  for (const std::vector<std::string>& verb :
       std::vector<std::vector<std::string>>{{"export", "-o", link},
                                             {"audit", "export", "-o", link},
                                             {"audit", "export", "--format", "ari", "-o", link},
                                             {"audit", "checkpoint", "-o", link},
                                             {"psyche", "export", link},
                                             {"backup", link, "--overwrite"},
                                             {"archive", "2", "-o", link}}) {
    (void)run(verb);
    EXPECT_TRUE(std::filesystem::is_symlink(link)) << verb[0];
  }
  for (const char* verb : {"export", "audit export", "audit checkpoint"}) {
    const auto words = split(verb, ' ');
    std::vector<std::string> arguments(words.begin(), words.end());
    arguments.insert(arguments.end(), {"-o", link});
    EXPECT_EQ(run(arguments).code, kDone) << verb;
  }
}

TEST_F(KeepingRights, WhatIsExportedIsForItsOwner) {
  const std::string facts = folder_.file("facts.nt");
  const std::string log = folder_.file("log.jsonl");
  EXPECT_EQ(run({"export", "-o", facts}).code, kDone);
  EXPECT_EQ(run({"audit", "export", "-o", log}).code, kDone);
  for (const std::string& file : {facts, log}) {
    const auto info = system_files().info(file);
    ASSERT_TRUE(info) << file;
    EXPECT_EQ(info->permissions, 0600u) << file;
    EXPECT_NE(info->size, 0u) << file;
  }
}

// What comes before the damage can be listed, exported and proven, as other reading verbs do.
TEST_F(Keeping, AuditReadsWhatCanBeSalvaged) {
  sql("UPDATE log SET entry = zeroblob(length(entry)) WHERE sequence = 3");
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{"audit", "log"}, {"audit", "export"}, {"audit", "prove", "1"}}) {
    // A list shows in its place what cannot be read.
    EXPECT_EQ(run(line).code == kDone, line[1] == "log") << line[1];
    std::vector<std::string> salvaging = line;
    salvaging.emplace_back("--salvage");
    const auto salvaged = run(salvaging);
    EXPECT_EQ(salvaged.code, kDone) << line[1] << salvaged.err;
    EXPECT_FALSE(salvaged.out.empty());
    EXPECT_NE(salvaged.err.find("log entry 3"), std::string::npos) << salvaged.err;
  }
  EXPECT_EQ(list(json({"audit", "log", "--salvage"}), "entries").size(), 2U);
}

}  // namespace
}  // namespace anima::cli::keeping_test
