// What each verb does on a space in which one thing is wrong: the same as on a whole one, but for
// the verbs that work on what is wrong.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/process.h"
#include "base/random.h"
#include "cli/frame/exit_code.h"
#include "store/space.h"
#include "support/command.h"
#include "support/files_with.h"
#include "support/needs.h"
#include "support/verb_lines.h"

namespace anima::faults_test {
namespace {

using test::Line;

// `anima serve` alone runs until it is ended.
bool listens(const Line& line) {
  return line.front() == "serve" && (line.size() < 2 || line[1] != "token");
}

struct Fault {
  std::string_view name;
  std::function<void(const std::string& space)> make;
  std::set<std::string_view> concerned = {};  // first words of lines that may end otherwise
};

std::vector<std::string> files_in(const std::string& folder, std::string_view beginning,
                                  std::string_view ending) {
  std::vector<std::string> found;
  const auto entries = system_files().list(folder);
  if (!entries) return found;
  for (const DirectoryEntry& entry : *entries) {
    if (entry.name.starts_with(beginning) && entry.name.ends_with(ending))
      found.push_back(join_path(folder, entry.name));
  }
  return found;
}

void lose_keys(const std::string& space) {
  for (const std::string& path : files_in(join_path(space, "keys"), "", ".seal"))
    ASSERT_TRUE(system_files().remove(path));
}

void damage_base(const std::string& space) {
  const auto bases = files_in(space, "base-", ".anima");
  ASSERT_FALSE(bases.empty());
  for (const std::string& path : bases) {
    std::string bytes = *read_file(system_files(), path);
    for (std::size_t at = bytes.size() / 2; at < bytes.size() / 2 + 64; ++at)
      bytes[at] = static_cast<char>(bytes[at] ^ 0x5a);
    ASSERT_TRUE(replace_file(system_files(), path, bytes));
  }
}

void leave_half_a_difference(const std::string& space) {
  const std::string half = join_path(space, "staged/0123456789abcdef0123456789abcdef");
  ASSERT_TRUE(system_files().make_directories(join_path(half, "new")));
  ASSERT_TRUE(replace_file(system_files(), join_path(half, "new/0"), "half"));
  ASSERT_TRUE(replace_file(system_files(), join_path(half, "record.json"), "{\"version\":1,\"no"));
  ASSERT_TRUE(system_files().make_directories(join_path(space, "staged/view-1234")));
  ASSERT_TRUE(system_files().make_directories(join_path(space, "acts")));
  ASSERT_TRUE(replace_file(system_files(), join_path(space, "acts/2-77.act"), ""));
}

// The concept of a SENSITIVE item without the record that holds its text.
void make_unreadable_item(const std::string& folder) {
  const auto space = store::Space::open(folder);
  ASSERT_TRUE(space) << space.error().describe();
  const store::Origin origin{"grace", "test", store::Trust::kOperator, store::Sequence::kNone};
  const auto written = (*space)->write(origin, [](store::Transaction& transaction) -> Status {
    store::AssertOptions place;
    place.graph = transaction.graph("urn:anima:memory");
    ANIMA_ASSIGN(const store::EntityId type, transaction.upsert_type("MemoryItem", place));
    ANIMA_ASSIGN(const store::EntityId item,
                 transaction.upsert_concept(type, "0f0f0f0f-0000-4000-8000-000000000001", place));
    const std::pair<std::string_view, std::string_view> texts[] = {
        {"kind", "knowledge"},   {"memory_type", "FACT"}, {"partition", "SENSITIVE"},
        {"created_by", "grace"}, {"source", "test"},      {"trust", "operator"}};
    for (const auto& [key, text] : texts) {
      ANIMA_ASSIGN(const store::Term term,
                   transaction.term(store::Value::string(std::string(text)).view()));
      ANIMA_TRY(transaction.set_attribute(item, key, std::span(&term, 1), place));
    }
    return {};
  });
  ASSERT_TRUE(written) << written.error().describe();
}

void empty_wal(const std::string& space) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(join_path(space, "log.db").c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, "PRAGMA wal_checkpoint(TRUNCATE)", nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(handle);
}

// What was learnt, damaged in its middle or from its first byte on.
void damage_learnings(const std::string& space, std::size_t from) {
  const std::string path = join_path(space, "shards/owner_learnings.db");
  std::string bytes = *read_file(system_files(), path);
  ASSERT_GT(bytes.size(), from + 2048);
  for (std::size_t at = from; at < from + 2048; ++at)
    bytes[at] = static_cast<char>(bytes[at] ^ 0x5a);
  ASSERT_TRUE(replace_file(system_files(), path, bytes));
}

void write(const std::string& path, std::string_view bytes) {
  ASSERT_TRUE(replace_file(system_files(), path, bytes, 0600));
}

// The last digit of what a key file or a signing key holds.
void change_key(const std::string& path) {
  std::string bytes = *read_file(system_files(), path);
  ASSERT_GT(bytes.size(), 2u);
  char& digit = bytes[bytes.size() - 2];
  digit = digit == '0' ? '1' : '0';
  write(path, bytes);
}

void change_keys(const std::string& space) {
  const auto seals = files_in(join_path(space, "keys"), "", ".seal");
  ASSERT_FALSE(seals.empty());
  for (std::size_t i = 1; i < seals.size(); ++i) write(seals[i], "garbage\n");
  change_key(seals.front());
}

const std::string_view kShard = "shards/owner_learnings.db";

void make_a_folder_of(const std::string& path) {
  (void)system_files().remove(path);
  ASSERT_TRUE(system_files().make_directories(path));
}

void set_schema(const std::string& path, int version) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  const std::string sql = "PRAGMA user_version=" + std::to_string(version);
  EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(handle);
}

class Faults : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(replace_file(system_files(), folder_.file("FILE.csv"),
                             "subject,predicate,object\nmoon,is-a,satellite\n"));
    ASSERT_TRUE(replace_file(system_files(), folder_.file("FILE.psyche.toml"),
                             "[archetypes]\nhealer = 0.6\n"));
    test::init_space(folder_);
    const std::string now = format_timestamp(SystemClock().now());
    ASSERT_TRUE(replace_file(
        system_files(), folder_.file("FILE.learnt"),
        R"({"version":1,"shard":"owner","exported_at":")" + now +
            R"(","learnings":[{"fact_predicate":"avoid_pattern","fact_args":["Dora Lind"],)"
            R"("confidence":1.0,"learned_at":")" +
            now + "\"}]}"));
    const std::vector<Line> told = {
        {"learnings", "import", "--shard", "owner", "--file", folder_.file("FILE.learnt")},
        {"import", folder_.file("FILE.csv")},
        {"memory", "add", "The tide follows the moon", "--partition", "PUBLIC"},
        {"memory", "add", "The key lies under the stone", "--partition", "SENSITIVE"},
        {"message", "remember that the moon is bright"},
        {"checkpoint"}};
    for (const Line& line : told) {
      const ProcessResult ran = run(line, folder_.file("space"));
      ASSERT_EQ(ran.exit_code, 0) << ran.err;
    }
    copy("space", "whole");
  }
  void copy(const std::string& from, const std::string& to) {
    ASSERT_EQ(test::run_command("rm -rf " + folder_.file(to) + " && cp -a " + folder_.file(from) +
                                " " + folder_.file(to))
                  .code,
              0);
  }
  ProcessResult run(Line line, const std::string& space, const std::string& typed = {}) {
    for (std::string& word : line) {
      if (word.starts_with("FILE")) word = folder_.file(word);
    }
    ProcessOptions options;
    options.arguments = {std::string(ANIMA_BINARY_DIR) + "/anima", "--space", space};
    options.arguments.insert(options.arguments.end(), line.begin(), line.end());
    options.timeout_ms = 60'000;
    options.input = typed;
    return run_process(options).value();
  }
  // What a line leaves outside of the space goes with it.
  ProcessResult run_on_copy(const Line& line, const std::string& of) {
    copy(of, "used");
    const ProcessResult ran = run(line, folder_.file("used"));
    for (const char* made : {"FILE.written.toml", "FILE.checkpoint", "FILE.backup", "FILE.archive"})
      (void)system_files().remove(folder_.file(made));
    return ran;
  }

  TemporaryDirectory folder_{"anima-faults"};
};

TEST_F(Faults, OfATableFailNoVerbButTheOneConcerned) {
  const std::vector<Fault> faults = {
      {"a key that is not here", lose_keys, {"doctor", "audit", "erase", "forget", "compact"}},
      {"an erased text",
       [this](const std::string& space) {
         EXPECT_EQ(run({"erase", "events", "--confirm"}, space).exit_code, 0);
       },
       {"erase"}},
      {"a damaged base", damage_base, {"doctor"}},
      {"damaged learnings",
       [](const std::string& space) { damage_learnings(space, 100); },
       {"doctor", "learnings", "backup"}},
      {"learnings that are none",
       [](const std::string& space) { damage_learnings(space, 0); },
       {"doctor", "learnings", "backup"}},
      {"a half made staged folder", leave_half_a_difference, {"doctor"}},
      {"changed and damaged keys", change_keys, {"doctor", "audit", "erase", "forget", "compact"}},
      {"a folder in the place of learnings, a torn note of backups, tokens that others read",
       [](const std::string& space) {
         make_a_folder_of(join_path(space, kShard));
         write(join_path(space, "backups.jsonl"), "{\"path\":\"somewh");
         ASSERT_TRUE(replace_file(system_files(), join_path(space, "serve_tokens.json"),
                                  "{\"tokens\":[]}", 0644));
       },
       {"doctor", "learnings", "backup", "serve"}},
      {"an unreadable item", make_unreadable_item, {"doctor"}}};
  std::map<std::string, int> codes;
  const auto text_of = [](const Line& line) {
    std::string text;
    for (const std::string& word : line) text += word + " ";
    return text;
  };
  for (const Line& line : test::opening_lines()) {
    if (!listens(line)) codes[text_of(line)] = run_on_copy(line, "whole").exit_code;
  }
  for (const Fault& fault : faults) {
    copy("whole", "faulty");
    fault.make(folder_.file("faulty"));
    if (HasFatalFailure()) return;
    for (const Line& line : test::opening_lines()) {
      if (listens(line) || fault.concerned.contains(line.front())) continue;
      const ProcessResult ran = run_on_copy(line, "faulty");
      EXPECT_EQ(ran.exit_code, codes[text_of(line)]) << fault.name << ": " << text_of(line) << "\n"
                                                     << ran.err;
    }
  }
}

TEST_F(Faults, OfLearningsAreFoundByTheDoctorAndEndNothing) {
  for (const std::size_t from : {std::size_t{0}, std::size_t{100}}) {
    copy("whole", "faulty");
    const std::string space = folder_.file("faulty");
    ASSERT_EQ(
        run({"kip",
             R"(UPSERT { CONCEPT { {type: "Person", name: "Dora Lind"} SET ATTRIBUTES {city: "Bremen"} } })"},
            space)
            .exit_code,
        0);
    damage_learnings(space, from);
    const ProcessResult found = run({"doctor"}, space);
    EXPECT_EQ(found.exit_code, cli::kIntegrity);
    EXPECT_NE(found.out.find("learnings: "), std::string::npos) << found.out;
    EXPECT_NE(found.out.find("doctor --mend"), std::string::npos) << found.out;
    const ProcessResult said = run({"chat"}, space, "read note.txt\nno, because it is secret\n");
    EXPECT_EQ(said.exit_code, 0) << said.out << said.err;
    EXPECT_NE(said.out.find("could not be noted"), std::string::npos) << said.out;
    const ProcessResult forgot =
        run({"forget", "Dora Lind", "--confirm", "-o", folder_.file("FILE.certificate")}, space);
    EXPECT_EQ(forgot.exit_code, 0) << forgot.err;
    EXPECT_NE(forgot.err.find("could not be searched"), std::string::npos) << forgot.err;
    const auto certificate = read_file(system_files(), folder_.file("FILE.certificate"));
    ASSERT_TRUE(certificate);
    EXPECT_NE(certificate->find("shards/owner_learnings.db"), std::string::npos) << *certificate;
    EXPECT_NE(certificate->find("not searched"), std::string::npos) << *certificate;
    EXPECT_EQ(run({"learnings", "clear", "--shard", "owner", "--confirm"}, space).exit_code,
              cli::kIntegrity);
    EXPECT_EQ(run({"doctor", "--mend"}, space).exit_code, 0);
    EXPECT_EQ(run({"doctor"}, space).exit_code, 0);
    EXPECT_EQ(run({"learnings", "clear", "--shard", "owner", "--confirm"}, space).exit_code, 0);
    // The files that SQLite keeps beside it go with it.
    EXPECT_FALSE(files_in(join_path(space, "shards"), "owner_learnings.db.damaged-", "").empty());
  }
}

// What cannot leave the base is not taken from the log.
TEST_F(Faults, OfAFolderThatTakesNoFileForgetNothing) {
  const bool possible =
      ::geteuid() == 0 && test::run_command("setpriv --reuid=nobody --clear-groups true").code == 0;
  ANIMA_NEEDS(test::kRoot, possible);
  copy("whole", "faulty");
  const std::string space = folder_.file("faulty");
  ASSERT_EQ(run({"kip", R"(UPSERT { CONCEPT { {type: "Person", name: "Dora Lind"} } })"}, space)
                .exit_code,
            0);
  ASSERT_EQ(run({"checkpoint"}, space).exit_code, 0);
  // The build may lie where nobody else comes in, as /root does.
  const std::string program = folder_.file("program");
  ASSERT_EQ(test::run_command("cp " ANIMA_BINARY_DIR "/anima " + program).code, 0);
  const auto as_nobody = [&](const std::string& line) {
    return test::run_command("setpriv --reuid=nobody --clear-groups env HOME=" + folder_.path() +
                             " " + program + " --space " + space + " " + line + " 2>&1");
  };
  ASSERT_EQ(test::run_command("chmod 755 " + folder_.path() + " && chown -R nobody " + space +
                              " && chmod 0500 " + space)
                .code,
            0);
  for (const char* line : {"forget 'Dora Lind' --confirm", "erase events --confirm"}) {
    const test::Ran refused = as_nobody(line);
    EXPECT_EQ(refused.code, 1) << line << refused.out;
    EXPECT_NE(refused.out.find("takes no new file"), std::string::npos) << line << refused.out;
  }
  EXPECT_EQ(as_nobody("search Dora").out.find("nothing found"), std::string::npos);
  EXPECT_EQ(as_nobody("memory add 'the tide is high'").code, 0);
  ASSERT_EQ(test::run_command("chmod 0700 " + space).code, 0);
  const test::Ran done = as_nobody("forget 'Dora Lind' --mentions --confirm");
  EXPECT_EQ(done.code, 0) << done.out;
  for (const std::string& left : test::files_with(space, "Dora Lind"))
    ADD_FAILURE() << "the name is in " << left;
}

TEST_F(Faults, OfMissingKeysAreNamedByTheDoctor) {
  copy("whole", "faulty");
  const std::string space = folder_.file("faulty");
  const std::string backup = folder_.file("FILE.kept");
  ASSERT_EQ(run({"audit", "checkpoint", "-o", folder_.file("FILE.signed")}, space).exit_code, 0);
  ASSERT_EQ(run({"backup", "--with-keys", backup}, space).exit_code, 0);
  EXPECT_EQ(run({"doctor"}, space).exit_code, 0);
  const std::vector<std::string> seals = files_in(join_path(space, "keys"), "", ".seal");
  ASSERT_FALSE(seals.empty());
  lose_keys(space);
  const ProcessResult sealed = run({"doctor"}, space);
  EXPECT_NE(sealed.out.find("warning  keys: not here: "), std::string::npos) << sealed.out;
  EXPECT_NE(sealed.out.find("anima restore " + backup), std::string::npos) << sealed.out;
  // The way that it names.
  ASSERT_EQ(run({"restore", backup}, folder_.file("again")).exit_code, 0);
  ASSERT_EQ(
      test::run_command("cp -a " + folder_.file("again") + "/keys/*.seal " + space + "/keys/").code,
      0);
  const ProcessResult mended = run({"doctor"}, space);
  EXPECT_EQ(mended.out.find("not here"), std::string::npos) << mended.out;
  ASSERT_TRUE(system_files().remove(join_path(space, "keys/signing.key")));
  const ProcessResult unsigned_log = run({"doctor"}, space);
  EXPECT_EQ(unsigned_log.exit_code, cli::kIntegrity);
  EXPECT_NE(unsigned_log.out.find("keys/signing.key is not here"), std::string::npos)
      << unsigned_log.out;
}

// Each for what it is, and with what to do.
TEST_F(Faults, BesideTheLogAreNamedForWhatTheyAre) {
  ASSERT_EQ(run({"audit", "checkpoint", "-o", folder_.file("FILE.signed")}, folder_.file("whole"))
                .exit_code,
            0);
  struct Named {
    const char* name;
    std::function<void(const std::string& space)> make;
    std::vector<std::string> said;
    int code = cli::kIntegrity;
  };
  const auto at = [](const std::string& space, std::string_view path) {
    return join_path(space, path);
  };
  const std::vector<Named> faults = {
      {"changed keys",
       [](const std::string& space) {
         for (const std::string& path : files_in(join_path(space, "keys"), "", ".seal"))
           change_key(path);
       },
       {"broken   keys: ", "its file was changed", ".seal"}},
      {"garbage for keys",
       [](const std::string& space) {
         for (const std::string& path : files_in(join_path(space, "keys"), "", ".seal"))
           write(path, "garbage\n");
       },
       {"broken   keys: ", "its file is damaged"}},
      {"a file that is no key",
       [&](const std::string& space) { write(at(space, "keys/1.seal"), "x"); },
       {"warning  keys: no key is in ", "keys/1.seal"},
       0},
      {"a damaged signing key",
       [&](const std::string& space) { write(at(space, "keys/signing.key"), "garbage\n"); },
       {"broken   keys: keys/signing.key is damaged"}},
      {"a changed signing key",
       [&](const std::string& space) { change_key(at(space, "keys/signing.key")); },
       {"log.head says that the log is whole: the file was changed"}},
      {"a shard that is a folder",
       [&](const std::string& space) { make_a_folder_of(at(space, kShard)); },
       {"broken   learnings: ", "a folder", "doctor --mend"}},
      {"a shard that is a link",
       [&](const std::string& space) {
         ASSERT_TRUE(system_files().rename(at(space, kShard), folder_.file("elsewhere")));
         ASSERT_EQ(::symlink(folder_.file("elsewhere").c_str(), at(space, kShard).c_str()), 0);
       },
       {"warning  learnings: ", "a link to another file"},
       0},
      {"a shard that is a link to nothing",
       [&](const std::string& space) {
         ASSERT_TRUE(system_files().remove(at(space, kShard)));
         ASSERT_EQ(::symlink(folder_.file("none").c_str(), at(space, kShard).c_str()), 0);
       },
       {"broken   learnings: "}},
      {"a shard that is empty",
       [&](const std::string& space) { write(at(space, kShard), ""); },
       {"warning  learnings: ", "empty"},
       0},
      {"a shard of a newer program",
       [&](const std::string& space) { set_schema(at(space, kShard), 9); },
       {"broken   learnings: ", "newer program"}},
      {"a torn note of backups",
       [&](const std::string& space) { write(at(space, "backups.jsonl"), "{\"path\":\"a"); },
       {"broken   backups: ", "damaged from line 1 on"}},
      {"a note of backups of garbage",
       [&](const std::string& space) { write(at(space, "backups.jsonl"), "a\nb\n"); },
       {"broken   backups: ", "damaged from line 1 on"}},
      {"a note of backups that is a folder",
       [&](const std::string& space) { make_a_folder_of(at(space, "backups.jsonl")); },
       {"broken   backups: ", "this is no file", "move it away"}},
      {"a folder for the lock of writers",
       [&](const std::string& space) { make_a_folder_of(at(space, "log.turn")); },
       {"broken   helpers: ", "log.turn is no file", "move it away"}},
      {"a link to nothing for the head",
       [&](const std::string& space) {
         (void)system_files().remove(at(space, "log.head"));
         ASSERT_EQ(::symlink(folder_.file("none").c_str(), at(space, "log.head").c_str()), 0);
       },
       {"broken   helpers: ", "log.head cannot be looked at"}},
      {"a file in the place of the acts",
       [&](const std::string& space) {
         std::filesystem::remove_all(at(space, "acts"));
         write(at(space, "acts"), "");
       },
       {"broken   helpers: ", "acts is no folder", "move it away"}},
      {"a folder for the lock of keys",
       [&](const std::string& space) { make_a_folder_of(at(space, "keys/lock")); },
       {"broken   helpers: ", "keys/lock is no file", "move it away"}},
      {"a folder for the lock of checkpoints",
       [&](const std::string& space) { make_a_folder_of(at(space, "checkpoint.lock")); },
       {"broken   helpers: ", "checkpoint.lock is no file", "move it away"}},
      {"a manifest that is a link to nothing",
       [&](const std::string& space) {
         ASSERT_TRUE(system_files().make_directories(at(space, "compartments/me")));
         ASSERT_EQ(::symlink(folder_.file("none").c_str(),
                             at(space, "compartments/me/compartment.toml").c_str()),
                   0);
       },
       {"broken   compartments: ", "compartment.toml"}},
      {"a psyche that cannot be read",
       [&](const std::string& space) {
         ASSERT_TRUE(system_files().make_directories(at(space, "compartments/me")));
         write(at(space, "compartments/me/compartment.toml"),
               "id = \"me\"\nname = \"Me\"\nkind = \"Core\"\n");
         write(at(space, "compartments/me/psyche.toml"), "[archetypes]\nsage = 7\n");
       },
       {"broken   compartments: ", "psyche.toml", "mend the file"}},
      {"half a record of staged changes",
       [](const std::string& space) { leave_half_a_difference(space); },
       {"warning  staged: ", "record.json"},
       0},
      {"tokens that others read",
       [&](const std::string& space) {
         ASSERT_TRUE(
             replace_file(system_files(), at(space, "serve_tokens.json"), "{\"tokens\":[]}", 0644));
       },
       {"broken   tokens: ", "others can read the tokens", "chmod 600"}}};
  for (const Named& fault : faults) {
    copy("whole", "faulty");
    const std::string space = folder_.file("faulty");
    fault.make(space);
    if (HasFatalFailure()) return;
    const ProcessResult doctor = run({"doctor"}, space);
    EXPECT_EQ(doctor.exit_code, fault.code) << fault.name << "\n" << doctor.out << doctor.err;
    for (const std::string& said : fault.said)
      EXPECT_NE(doctor.out.find(said), std::string::npos) << fault.name << ": " << said << "\n"
                                                          << doctor.out;
  }
}

// A changed bit of the log's file is named, or is in bytes that say nothing.
TEST_F(Faults, OfAnyBitOfTheLogAreNamedOrChangeNothing) {
  const std::string whole = folder_.file("whole");
  empty_wal(whole);
  const auto entries_of = [&](const std::string& space) {
    (void)system_files().remove(folder_.file("FILE.entries"));
    EXPECT_EQ(run({"audit", "export", "-o", folder_.file("FILE.entries")}, space).exit_code, 0);
    return *read_file(system_files(), folder_.file("FILE.entries"));
  };
  const std::string before = entries_of(whole);
  const std::string bytes = *read_file(system_files(), join_path(whole, "log.db"));
  SeededRandom random(39);
  const int flips = std::getenv("ANIMA_TEST_FULL") != nullptr ? 500 : 25;
  int named = 0;
  for (int i = 0; i < flips; ++i) {
    const std::size_t at = static_cast<std::size_t>(random.next() % bytes.size());
    const int bit = static_cast<int>(random.next() % 8);
    copy("whole", "faulty");
    const std::string space = folder_.file("faulty");
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
    ASSERT_TRUE(replace_file(system_files(), join_path(space, "log.db"), damaged));
    const int doctor = run({"doctor"}, space).exit_code;
    const int audit = run({"audit", "verify"}, space).exit_code;
    EXPECT_EQ(doctor == 0, audit == 0) << "byte " << at << " bit " << bit;
    named += audit == 0 ? 0 : 1;
    if (audit != 0) continue;
    EXPECT_EQ(entries_of(space), before) << "byte " << at << " bit " << bit;
  }
  EXPECT_GT(named, flips / 4);
}

}  // namespace
}  // namespace anima::faults_test
