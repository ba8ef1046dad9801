// anima forget through the program: dry run, the act, its certificate, and what is left.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "cli/frame/program.h"
#include "store/space.h"
#include "support/cli_run.h"
#include "support/fault_files.h"
#include "support/files_with.h"

namespace anima::cli::forget_verb_test {
namespace {

class ForgetVerb : public testing::Test {
 protected:
  test::CliRun run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--space", folder_.file("space")});
    return test::run_cli(arguments, environment_);
  }
  void kip(const std::string& command) {
    const test::CliRun done = run({"kip", command});
    ASSERT_EQ(done.code, kDone) << done.out << done.err;
  }
  void SetUp() override {
    ASSERT_EQ(run({"init"}).code, kDone);
    kip(R"(UPSERT { CONCEPT ?c { {type: "Person", name: "Carl Weber"} SET ATTRIBUTES {city: "Bremen"} }
            CONCEPT { {type: "Person", name: "Alice Example"} SET ATTRIBUTES {phone: "0170-55512"} } })");
    kip(R"(UPSERT { CONCEPT { {type: "Event", name: "call-1"}
            SET ATTRIBUTES {event_class: "Call", summary: "Alice Example called about the invoice",
                            start_time: "2026-03-01T10:00:00Z"} } })");
  }
  bool on_disk(const std::string& text) {
    return !test::files_with(folder_.file("space"), text).empty();
  }

  TemporaryDirectory folder_;
  Environment environment_{{"HOME", folder_.path()}, {"USER", "grace"}};
};

TEST_F(ForgetVerb, ShowsForgetsAndCertifies) {
  EXPECT_EQ(run({"forget", "Alice Example"}).code, kRefused) << "it asks for --confirm";
  const test::CliRun look = run({"forget", "Alice Example", "--dry-run"});
  EXPECT_EQ(look.code, kDone) << look.err;
  EXPECT_NE(look.out.find("0170-55512"), std::string::npos) << look.out;
  EXPECT_NE(look.err.find("call-1"), std::string::npos) << "names it in a text: " << look.err;
  EXPECT_TRUE(on_disk("0170-55512"));

  const std::string certificate = folder_.file("certificate.json");
  const test::CliRun done = run({"forget", "Alice Example", "--mentions", "--reason", "she asked",
                                 "--confirm", "-o", certificate});
  EXPECT_EQ(done.code, kDone) << done.err;
  EXPECT_NE(done.out.find("Certificate of erasure"), std::string::npos) << done.out;
  EXPECT_FALSE(on_disk("0170-55512"));
  EXPECT_FALSE(on_disk("Alice Example"));
  EXPECT_FALSE(on_disk("about the invoice"));
  EXPECT_NE(run({"kip", "FIND(?p.name) WHERE { ?p {type: \"Person\"} }"}).out.find("Carl Weber"),
            std::string::npos);
  EXPECT_EQ(run({"audit", "verify", "--views"}).code, kDone);
  const test::CliRun checked = run({"audit", "verify", "--certificate", certificate});
  EXPECT_EQ(checked.code, kDone) << checked.err;
  EXPECT_EQ(run({"forget", "Alice Example", "--confirm"}).code, kMissing);
}

TEST_F(ForgetVerb, NamesTheBackupsThatStillHoldIt) {
  const std::string backup = folder_.file("before.backup");
  ASSERT_EQ(run({"backup", backup}).code, kDone);
  const test::CliRun done = run({"forget", "Carl Weber", "--confirm"});
  EXPECT_EQ(done.code, kDone) << done.err;
  EXPECT_NE(done.out.find(backup), std::string::npos) << done.out;
}

TEST_F(ForgetVerb, AForgedCertificateIsFound) {
  const std::string certificate = folder_.file("certificate.json");
  ASSERT_EQ(run({"forget", "Carl Weber", "--confirm", "-o", certificate}).code, kDone);
  const auto json = parse_json(*read_file(system_files(), certificate));
  ASSERT_TRUE(json);
  for (const char* member : {"by", "asked", "searched", "backups", "space", "keys_destroyed"}) {
    Json forged = *json;
    forged.set(member, "something else");
    ASSERT_TRUE(replace_file(system_files(), certificate, forged.dump()));
    EXPECT_EQ(run({"audit", "verify", "--certificate", certificate}).code, kIntegrity) << member;
  }
}

TEST_F(ForgetVerb, ForgetsAValueAndWhatOnlyTextsName) {
  kip(R"(UPSERT { CONCEPT { {type: "$ConceptType", name: "Pier"} } CONCEPT { {type: "Pier", name: "Pier 4"} SET ATTRIBUTES {owner: "Tomas Rey", depth: 4} }
                  CONCEPT { {type: "Event", name: "call-2"}
            SET ATTRIBUTES {event_class: "Call", summary: "Ivo Kern wrote again", start_time: "2026-03-02T10:00:00Z"} } })");
  const test::CliRun look = run({"forget", "Tomas Rey", "--dry-run"});
  EXPECT_EQ(look.code, kDone) << look.err;
  EXPECT_NE(look.out.find("Pier 4 .owner"), std::string::npos) << look.out;
  EXPECT_NE(look.err.find("no thing is called \"Tomas Rey\""), std::string::npos) << look.err;
  const std::string certificate = folder_.file("certificate.json");
  const test::CliRun done = run({"forget", "Tomas Rey", "--confirm", "-o", certificate});
  EXPECT_EQ(done.code, kDone) << done.err;
  EXPECT_FALSE(on_disk("Tomas Rey"));
  EXPECT_NE(run({"kip", "FIND(?p.attributes.depth) WHERE { ?p {type: \"Pier\"} }"}).out.find("4"),
            std::string::npos);
  EXPECT_EQ(run({"audit", "verify", "--certificate", certificate}).code, kDone);
  const test::CliRun named = run({"forget", "Ivo Kern", "--dry-run"});
  EXPECT_EQ(named.code, kMissing);
  EXPECT_NE(named.err.find("call-2"), std::string::npos) << named.err;
  EXPECT_EQ(run({"forget", "Ivo Kern", "--mentions", "--confirm"}).code, kDone);
  EXPECT_FALSE(on_disk("Ivo Kern"));
}

// Whom only closed memories name is found by the owner all the same.
TEST_F(ForgetVerb, FindsWhomOnlyClosedMemoriesName) {
  ASSERT_EQ(run({"memory", "add", "Zora Quist owes me a boat", "--partition", "SENSITIVE"}).code,
            kDone);
  ASSERT_EQ(run({"memory", "add", "Zora Quist is at the quay", "--partition", "INTERNAL",
                 "--reader", "planner"})
                .code,
            kDone);
  ASSERT_EQ(run({"memory", "add", "The quay is long", "--partition", "SENSITIVE"}).code, kDone);
  const auto shown = [&] { return run({"memory", "show", "--as", "operator"}).out; };
  const test::CliRun look = run({"forget", "Zora Quist", "--dry-run"});
  EXPECT_EQ(look.code, kDone) << look.err;
  EXPECT_NE(shown().find("Zora Quist"), std::string::npos);
  EXPECT_EQ(run({"forget", "Zora Quist", "--confirm"}).code, kDone);
  EXPECT_EQ(shown().find("Zora Quist"), std::string::npos) << shown();
  EXPECT_NE(shown().find("The quay is long"), std::string::npos) << shown();
  EXPECT_FALSE(on_disk("Zora Quist"));
  EXPECT_EQ(run({"audit", "verify", "--views"}).code, kDone);
  const test::CliRun again = run({"forget", "Zora Quist", "--confirm"});
  EXPECT_EQ(again.code, kMissing) << again.err;
}

TEST_F(ForgetVerb, ListsWhoIsOnlyCalledLikeIt) {
  kip(R"(UPSERT { CONCEPT { {type: "Person", name: "Carl Weber Junior"} } })");
  const test::CliRun look = run({"forget", "Carl Weber", "--mentions", "--dry-run"});
  EXPECT_NE(look.err.find("not touched: Carl Weber Junior, forget it by its id C:"),
            std::string::npos)
      << look.err;
  const std::string certificate = folder_.file("certificate.json");
  const test::CliRun done =
      run({"forget", "Carl Weber", "--mentions", "--confirm", "-o", certificate});
  EXPECT_EQ(done.code, kDone) << done.err;
  EXPECT_NE(done.out.find("Carl Weber Junior"), std::string::npos) << done.out;
  EXPECT_NE(read_file(system_files(), certificate)->find("Carl Weber Junior"), std::string::npos);
  EXPECT_EQ(run({"audit", "verify", "--certificate", certificate}).code, kDone);
  EXPECT_TRUE(on_disk("Carl Weber Junior"));
}

TEST_F(ForgetVerb, ListsWhatSignsLeaveOpen) {
  kip(R"(UPSERT { CONCEPT { {type: "Person", name: "C"} } CONCEPT { {type: "Person", name: "C++"} }
                  CONCEPT { {type: "Person", name: "Olaf"} SET ATTRIBUTES {mark: "got a C+ there"} }
                  CONCEPT { {type: "Person", name: "Nils"} SET ATTRIBUTES {skill: "C++ and **C**"} }
                  CONCEPT { {type: "Person", name: "Vera"} SET ATTRIBUTES {skill: "writes C++"} } })");
  const test::CliRun look = run({"forget", "C", "--mentions", "--dry-run"});
  EXPECT_NE(look.err.find("Olaf, a text of it may name it, or another thing"), std::string::npos)
      << look.err;
  const std::string certificate = folder_.file("certificate.json");
  const test::CliRun done = run({"forget", "C", "--mentions", "--confirm", "-o", certificate});
  ASSERT_EQ(done.code, kDone) << done.err;
  EXPECT_NE(read_file(system_files(), certificate)->find("Olaf"), std::string::npos);
  EXPECT_EQ(run({"audit", "verify", "--certificate", certificate}).code, kDone);
  EXPECT_TRUE(on_disk("got a C+ there"));
  EXPECT_TRUE(on_disk("writes C++"));
  EXPECT_FALSE(on_disk("C++ and **C**"));
}

// A text that may name somebody stays until --in-doubt takes it, and then it is gone.
TEST_F(ForgetVerb, TakesWhatIsInDoubtWhenItIsToldTo) {
  struct Row {
    const char *name, *sure, *in_doubt, *words;  // of what is in doubt
  };
  constexpr Row kRows[] = {
      {"Will", "I met Will at the quay", "Will you come?", "Will you come?"},
      {"Wolf", "Gestern kam Wolf zu uns und war nicht allein.",
       "Der Wolf war im Wald und nicht da.", "Der Wolf war"},
      {"Mark", "I saw Mark with you", "Es kostet 5 Mark und ist nicht teuer.", "5 Mark"},
      {"Jean", "Hier soir Jean est venu avec nous.", "Jean-Paul est parti hier.", "Jean-Paul"},
      {"Ali", "Ali'ye bir kitap verdim ve geldim.", "Aliye geldi ve bir kitap aldı.", "Aliye"},
      {"李雷", "我和李雷去了上海。", "李雷雷来了。", "李雷雷"},
      {"Lan", "Tôi gặp Lan ở Hà Nội và không biết.", "Tôi gặp Làn ở Hà Nội và không biết.", "Làn"},
      {"Martin", "I met Martin in Rome", "Hello Martina", "Martina"},
  };
  int number = 0;
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    const std::string id = std::to_string(++number);
    kip("UPSERT { CONCEPT { {type: \"Person\", name: \"sure-" + id + "\"} SET ATTRIBUTES {note: " +
        quote_json(row.sure) + "} } CONCEPT { {type: \"Person\", name: \"doubt-" + id +
        "\"} SET ATTRIBUTES {note: " + quote_json(row.in_doubt) + "} } }");
    const test::CliRun first = run({"forget", row.name, "--mentions", "--confirm"});
    ASSERT_EQ(first.code, kDone) << first.err;
    EXPECT_FALSE(on_disk(row.sure));
    EXPECT_TRUE(on_disk(row.in_doubt));
    EXPECT_NE(first.err.find("1 text in doubt: look at them with --dry-run, take them with "
                             "--in-doubt"),
              std::string::npos)
        << first.err;
    EXPECT_NE(first.err.find("doubt-" + id + ", a text of it may name it"), std::string::npos)
        << first.err;
    const test::CliRun none = run({"forget", row.name, "--mentions", "--dry-run"});
    EXPECT_EQ(none.code, kMissing);
    EXPECT_NE(none.err.find("--in-doubt"), std::string::npos) << none.err;
    const test::CliRun look = run({"forget", row.name, "--in-doubt", "--dry-run"});
    ASSERT_EQ(look.code, kDone) << look.err;
    const std::size_t heading = look.out.find("would take these, which are in doubt, too:");
    ASSERT_NE(heading, std::string::npos) << look.out;
    EXPECT_NE(look.out.find(row.words, heading), std::string::npos) << look.out;
    EXPECT_TRUE(on_disk(row.in_doubt));
    const std::string certificate = folder_.file(id + ".json");
    const test::CliRun done =
        run({"forget", row.name, "--in-doubt", "--confirm", "-o", certificate});
    ASSERT_EQ(done.code, kDone) << done.err;
    EXPECT_FALSE(on_disk(row.in_doubt));
    EXPECT_NE(read_file(system_files(), certificate)->find("and what may name it"),
              std::string::npos);
    EXPECT_EQ(run({"audit", "verify", "--certificate", certificate}).code, kDone);
  }
  EXPECT_EQ(run({"audit", "verify", "--views"}).code, kDone);
}

TEST_F(ForgetVerb, ReachesWhatWasMergedAndAnUndoBringsNothingBack) {
  ASSERT_EQ(run({"sleep", "merge", "Carl Weber", "Alice Example"}).code, kDone);
  EXPECT_NE(run({"undo", "last", "--dry-run"}).out.find("Alice Example"), std::string::npos);
  const test::CliRun done = run({"forget", "Carl Weber", "--mentions", "--confirm"});
  ASSERT_EQ(done.code, kDone) << done.err;
  for (const char* secret : {"Alice Example", "Carl Weber", "0170-55512", "Bremen"})
    EXPECT_FALSE(on_disk(secret)) << secret;
  for (int at = 6; at > 2; --at) {
    const test::CliRun undone = run({"undo", std::to_string(at), "--cascade"});
    EXPECT_TRUE(undone.code == kDone || undone.code == kMissing) << undone.err;
  }
  EXPECT_FALSE(on_disk("Alice Example"));
  EXPECT_EQ(run({"search", "Alice"}).out, "");
}

TEST_F(ForgetVerb, AnUndoSaysWhatDoesNotComeBack) {
  kip(R"(DELETE CONCEPT ?p DETACH WHERE { ?p {type: "Person", name: "Alice Example"} })");
  kip(R"(UPSERT { CONCEPT { {type: "Person", name: "Carl Weber"} SET ATTRIBUTES {city: "Kiel"} }
                  CONCEPT { {type: "Person", name: "Dora Lind"} } })");
  ASSERT_EQ(run({"forget", "Dora Lind", "--confirm"}).code, kDone);
  const test::CliRun undone = run({"undo", "6"});
  EXPECT_EQ(undone.code, kDone) << undone.err;
  EXPECT_NE(undone.out.find("Bremen"), std::string::npos) << undone.out;
  EXPECT_NE(undone.out.find("does not come back"), std::string::npos) << undone.out;
  // Withdrawn before it was forgotten.
  ASSERT_EQ(run({"forget", "Alice Example", "--confirm"}).code, kDone);
  EXPECT_FALSE(on_disk("0170-55512"));
  const test::CliRun deleted = run({"undo", "5"});
  EXPECT_EQ(deleted.code, kMissing) << deleted.out;
  EXPECT_NE(deleted.err.find("forgotten"), std::string::npos) << deleted.err;
}

TEST_F(ForgetVerb, RefusesAnimasOwnWords) {
  run({"memory", "add", "the tide follows the moon"});
  const std::string before = run({"export"}).out;
  for (const char* own : {"operator", "Event", "CoreSchema", "Unsorted", "SleepTask", "Person",
                          "belongs_to_domain", "$system", "MemoryItem"}) {
    for (const bool mentions : {false, true}) {
      std::vector<std::string> line = {"forget", own, "--confirm"};
      if (mentions) line.emplace_back("--mentions");
      const test::CliRun done = run(line);
      EXPECT_EQ(done.code, kRefused) << own << ": " << done.out << done.err;
      EXPECT_NE(done.err.find("Anima"), std::string::npos) << done.err;
    }
  }
  EXPECT_EQ(run({"export"}).out, before);
  EXPECT_EQ(run({"memory", "show"}).code, kDone);
}

TEST_F(ForgetVerb, FilesThatPeoplePutThereAreListedAndStay) {
  ASSERT_EQ(run({"compartment", "create", "alice-example", "--kind", "Project"}).code, kDone);
  const test::CliRun look = run({"forget", "Alice Example", "--dry-run"});
  EXPECT_NE(look.err.find("compartments/alice-example/compartment.toml"), std::string::npos)
      << look.err;
  const test::CliRun done = run({"forget", "Alice Example", "--mentions", "--confirm"});
  EXPECT_EQ(done.code, kDone) << done.err;
  EXPECT_NE(done.out.find("compartments/alice-example/compartment.toml"), std::string::npos)
      << done.out;
  EXPECT_TRUE(file_exists(system_files(),
                          folder_.file("space/compartments/alice-example/compartment.toml")));
  const test::CliRun again = run({"forget", "Alice Example", "--dry-run"});
  EXPECT_EQ(again.code, kMissing);
  EXPECT_NE(again.err.find("compartments/alice-example/compartment.toml"), std::string::npos)
      << again.err;
}

TEST_F(ForgetVerb, ALostCertificateIsHadAgain) {
  const test::CliRun none = run({"forget", "--certificate-of", "last"});
  EXPECT_EQ(none.code, kMissing) << none.out;
  kip(R"(UPSERT { CONCEPT { {type: "Person", name: "Alice Example Junior"} } })");
  ASSERT_EQ(
      run({"forget", "Alice Example", "--mentions", "--reason", "she asked", "--confirm"}).code,
      kDone);
  const std::string file = folder_.file("again.json");
  const test::CliRun named =
      run({"forget", "--certificate-of", "last", "Alice Example", "-o", file});
  ASSERT_EQ(named.code, kDone) << named.err;
  for (const char* said :
       {"Alice Example; and what names it", "she asked", "nothing is left", "Alice Example Junior"})
    EXPECT_NE(named.out.find(said), std::string::npos) << said << named.out;
  EXPECT_EQ(run({"audit", "verify", "--certificate", file}).code, kDone);
  const test::CliRun unnamed = run({"forget", "--certificate-of", "last", "-o", file});
  ASSERT_EQ(unnamed.code, kDone) << unnamed.err;
  EXPECT_NE(unnamed.out.find("what has the digest"), std::string::npos) << unnamed.out;
  EXPECT_NE(unnamed.out.find("No file was searched"), std::string::npos) << unnamed.out;
  EXPECT_EQ(run({"audit", "verify", "--certificate", file}).code, kDone);
  EXPECT_NE(run({"forget", "--certificate-of", "last", "Carl Weber"}).code, kDone);
  EXPECT_NE(run({"forget", "--certificate-of", "2"}).code, kDone);
}

TEST_F(ForgetVerb, ACertificateThatCannotBeWrittenTakesNothing) {
  for (const std::string& path :
       {folder_.file("no/such/folder/c.json"), folder_.path(), std::string("/dev/full")}) {
    const test::CliRun done = run({"forget", "Alice Example", "--confirm", "-o", path});
    EXPECT_NE(done.code, kDone) << path;
    EXPECT_TRUE(on_disk("0170-55512")) << path;
  }
}

// What the certificate needs is looked at first.
TEST_F(ForgetVerb, WithoutItsKeyNothingIsTaken) {
  ASSERT_EQ(run({"audit", "checkpoint", "-o", folder_.file("made")}).code, kDone);
  const std::string path = folder_.file("space/keys/signing.key");
  const std::string key = *read_file(system_files(), path);
  const auto refused = [&](const std::string& what) {
    const test::CliRun done = run({"forget", "Alice Example", "--mentions", "--confirm"});
    EXPECT_EQ(done.code, kIntegrity) << what << done.out << done.err;
    EXPECT_NE(done.err.find("nothing was forgotten"), std::string::npos) << what << done.err;
    EXPECT_NE(done.err.find("put the key file back"), std::string::npos) << what << done.err;
    EXPECT_TRUE(on_disk("0170-55512")) << what;
    EXPECT_TRUE(on_disk("about the invoice")) << what;
    EXPECT_EQ(run({"audit", "checkpoint", "-o", folder_.file("again")}).code == kDone, false);
  };
  ASSERT_TRUE(system_files().remove(path));
  refused("it is missing");
  ASSERT_TRUE(replace_file(system_files(), path, "garbage\n"));
  refused("it is damaged");
  std::string other = key;
  other[other.size() - 2] = other[other.size() - 2] == '0' ? '1' : '0';
  ASSERT_TRUE(replace_file(system_files(), path, other));
  refused("it is another one");
  ASSERT_TRUE(replace_file(system_files(), path, key));
  EXPECT_EQ(run({"forget", "Alice Example", "--mentions", "--confirm"}).code, kDone);
}

TEST_F(ForgetVerb, WithoutTheNoteOfBackupsNothingIsTaken) {
  const std::string note = folder_.file("space/backups.jsonl");
  ASSERT_TRUE(system_files().make_directories(note));
  const test::CliRun done = run({"forget", "Alice Example", "--confirm"});
  EXPECT_EQ(done.code, kFailed) << done.out;
  EXPECT_NE(done.err.find("nothing was forgotten"), std::string::npos) << done.err;
  EXPECT_NE(done.err.find("move it away"), std::string::npos) << done.err;
  EXPECT_TRUE(on_disk("0170-55512"));
  EXPECT_EQ(run({"erase", "nokey", "--confirm"}).code, kFailed);
  const std::string backup = folder_.file("backup");
  EXPECT_EQ(run({"backup", backup}).code, kFailed);
  EXPECT_FALSE(file_exists(system_files(), backup)) << "nobody would know of it";
  ASSERT_TRUE(system_files().remove(note));
  EXPECT_EQ(run({"backup", backup}).code, kDone);
  EXPECT_EQ(run({"forget", "Alice Example", "--confirm"}).code, kDone);
}

// Wherever the disk fills up, nothing is taken, or the certificate is had.
TEST_F(ForgetVerb, ADiskThatFillsUpLosesNoCertificate) {
  const std::string file = folder_.file("certificate.json");
  int takes = 0;
  for (std::int64_t room = 0; takes == 0 && room < 100; ++room) {
    FaultFiles files;
    files.fail_after(room, ErrorCode::kDiskFull);
    test::StringStream out, err;
    Context context(out, err, files, environment_);
    const int code = run_program(context, {"--space", folder_.file("space"), "forget",
                                           "Alice Example", "--confirm", "-o", file});
    if (on_disk("0170-55512")) {
      EXPECT_NE(code, kDone) << room;
      continue;
    }
    ++takes;
    const bool whole =
        read_file(system_files(), file).value_or("").find("signature") != std::string::npos;
    if (whole || out.text().find("\"signature\"") != std::string::npos) continue;
    // Forgotten, and stopped behind it: it says how the certificate is had.
    EXPECT_NE(err.text().find("--certificate-of last"), std::string::npos) << room << err.text();
    const test::CliRun again =
        run({"forget", "--certificate-of", "last", "Alice Example", "-o", file});
    EXPECT_EQ(again.code, kDone) << again.err;
    EXPECT_EQ(run({"audit", "verify", "--certificate", file}).code, kDone);
  }
  EXPECT_EQ(takes, 1);
}

// A backup is known by its place, not by what was typed there.
TEST_F(ForgetVerb, ABackupIsListedWhereItLies) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  const test::CliRun made = run({"backup", "here.backup"});
  std::filesystem::current_path(before);
  ASSERT_EQ(made.code, kDone) << made.err;
  const test::CliRun done = run({"forget", "Carl Weber", "--confirm"});
  EXPECT_NE(done.out.find(folder_.file("here.backup")), std::string::npos) << done.out;
}

// A cycle of sleep loses the name and nothing else: it can still be taken back.
TEST_F(ForgetVerb, ACycleOfSleepKeepsItsRecord) {
  kip(R"(UPSERT { CONCEPT { {type: "Event", name: "old call"} SET ATTRIBUTES {event_class: "Call",
            summary: "Alice Example and Carl Weber talked", start_time: "2020-03-01T10:00:00Z"} } })");
  ASSERT_EQ(run({"sleep"}).code, kDone);
  ASSERT_NE(run({"sleep", "report"}).out.find("Carl Weber"), std::string::npos);
  const test::CliRun done = run({"forget", "Carl Weber", "--mentions", "--confirm"});
  ASSERT_EQ(done.code, kDone) << done.err;
  EXPECT_FALSE(on_disk("Carl Weber"));
  const test::CliRun list = run({"--json", "sleep", "list"});
  EXPECT_EQ(list.code, kDone);
  EXPECT_NE(list.out.find("\"cycle\":1"), std::string::npos) << list.out;
  EXPECT_NE(run({"sleep", "report"}).out.find("[forgotten]"), std::string::npos);
  EXPECT_EQ(run({"audit", "verify", "--views"}).code, kDone);
  const test::CliRun undone = run({"sleep", "undo", "1"});
  EXPECT_EQ(undone.code, kDone) << undone.err;
  EXPECT_FALSE(on_disk("Carl Weber"));
}

// What a source claims in KIP, of things and of links, and what others say of the same.
TEST_F(ForgetVerb, ASourceTakesItsOwnStatements) {
  kip(R"(UPSERT { CONCEPT { {type: "$PropositionType", name: "knows"} } })");
  kip(R"(UPSERT { CONCEPT ?a { {type: "Person", name: "Alice Example"} }
                  CONCEPT { {type: "Person", name: "Carl Weber"} SET ATTRIBUTES {nick: "Charly Wx"}
                            SET PROPOSITIONS { ("knows", ?a) } }
                  CONCEPT { {type: "Person", name: "Dora Lindqvist"} } } WITH METADATA {source: "crm-export"})");
  kip(R"(UPSERT { CONCEPT { {type: "Person", name: "Emil Fuchs"} SET ATTRIBUTES {mark: "from-crm"} } }
         WITH METADATA {source: "crm-export"})");
  kip(R"(UPSERT { CONCEPT { {type: "Person", name: "Emil Fuchs"} SET ATTRIBUTES {mark2: "from-desk"} } }
         WITH METADATA {source: "desk"})");
  const test::CliRun done = run({"forget", "--source", "crm-export", "--confirm"});
  ASSERT_EQ(done.code, kDone) << done.err;
  for (const char* gone : {"Charly Wx", "Dora Lindqvist", "from-crm"})
    EXPECT_FALSE(on_disk(gone)) << gone;
  for (const char* stays : {"0170-55512", "Bremen", "Emil Fuchs", "from-desk", "Alice Example"})
    EXPECT_TRUE(on_disk(stays)) << stays;
  EXPECT_EQ(run({"kip", R"(FIND(?l) WHERE { ?l (?x, "knows", ?y) })"}).out.find("knows"),
            std::string::npos);
  EXPECT_NE(done.out.find("Searched for the names"), std::string::npos) << done.out;
  EXPECT_EQ(run({"audit", "verify", "--views"}).code, kDone);
}

// What is told next says what was said of it, and not what was said of something else.
TEST_F(ForgetVerb, ASourceTakesNoNumberOfARecord) {
  const auto tell = [&](const std::string& text, const std::string& source) {
    const test::CliRun told = run({"remember", text, "--source", source});
    EXPECT_EQ(told.code, kDone) << told.err;
  };
  tell("Ada Berg lives in Oslo.", "hr");
  tell("Tom Berg lives in Rome.", "crm");
  ASSERT_EQ(run({"forget", "--source", "crm", "--confirm"}).code, kDone);
  tell("Ida Berg lives in Bergen.", "hr");
  const auto why = [&](const std::string& name, const std::string& place) {
    return run({"why", name, "lives_in", place}).out;
  };
  EXPECT_NE(why("Ida Berg", "Bergen").find("Told(\"Ida Berg lives in Bergen."), std::string::npos);
  EXPECT_NE(why("Ada Berg", "Oslo").find("Told(\"Ada Berg lives in Oslo."), std::string::npos);
  // Also where the source is the one that the first record came from.
  ASSERT_EQ(run({"forget", "--source", "hr", "--confirm"}).code, kDone);
  tell("Eva Berg lives in Paris.", "desk");
  EXPECT_NE(why("Eva Berg", "Paris").find("Told(\"Eva Berg lives in Paris."), std::string::npos);
}

// A goal that can be reached no more is no goal that an agent goes on with; the others stay.
TEST_F(ForgetVerb, AGoalThatNamesItGoes) {
  for (const char* goal : {"find out about Alice Example", "find out about Carl Weber"})
    ASSERT_EQ(run({"run", "--max-cycles", "1", goal}).code, kBudget);
  ASSERT_EQ(run({"forget", "Alice Example", "--mentions", "--confirm"}).code, kDone);
  const test::CliRun goals = run({"agent", "goals"});
  EXPECT_EQ(goals.out.find("[forgotten]"), std::string::npos) << goals.out;
  EXPECT_NE(goals.out.find("Carl Weber"), std::string::npos) << goals.out;
  EXPECT_EQ(run({"agent", "consolidate"}).code, kDone);
}

TEST_F(ForgetVerb, SaysWhatIsWrong) {
  EXPECT_EQ(run({"forget"}).code, kUsage);
  EXPECT_EQ(run({"forget", "--between", "tomorrow", "--dry-run"}).code, kUsage);
  EXPECT_EQ(run({"forget", "$self", "--confirm"}).code, kRefused);
  EXPECT_EQ(run({"forget", "Nobody", "--dry-run"}).code, kMissing);
}

}  // namespace
}  // namespace anima::cli::forget_verb_test
