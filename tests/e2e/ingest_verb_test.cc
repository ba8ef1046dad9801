// anima memory ingest, context and eval as a user meets them: conversations go in, answers come
// out, and nothing goes in twice.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "base/text/text.h"
#include "support/command.h"
#include "support/embedding_server.h"

namespace anima::ingest_verb_test {
namespace {

class IngestVerb : public ::testing::Test {
 protected:
  void SetUp() override { test::init_space(folder_); }
  test::Ran anima(const std::string& arguments, bool errors = false) const {
    return test::run_anima(folder_, arguments,
                           errors ? "2>&1 </dev/null" : "2>/dev/null </dev/null");
  }
  std::string file(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_.file(name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return "'" + path.string() + "'";
  }

  TemporaryDirectory folder_{"anima-ingest"};
};

TEST_F(IngestVerb, AChatAnswersAndIsKeptOnce) {
  const std::string chat =
      file("WhatsApp Chat with Ben.txt",
           "08.05.23, 09:00 - Ada: Which instrument does your daughter learn?\n"
           "08.05.23, 09:01 - Ben: The cello, since last month.\n"
           "08.05.23, 09:02 - Ada: Lovely!\n"
           "02.06.23, 18:00 - Ben: We sailed to Bornholm.\n");
  const test::Ran first = anima("memory ingest " + chat + " --me Ben --json");
  ASSERT_EQ(first.code, 0) << first.out;
  const Json report = first.json().find("files")->as_array()[0];
  EXPECT_EQ(report.find("format")->as_string(), "whatsapp");
  EXPECT_EQ(report.find("turns")->as_integer(), 4);
  const std::string said = anima("memory ingest " + chat + " --me Ben").out;
  EXPECT_NE(said.find("0 new, 4 known"), std::string::npos) << said;
  const Json context =
      anima("memory context 'Which instrument does my daughter learn?' --why --json").json();
  const std::string text = context.find("text")->as_string();
  EXPECT_NE(text.find("On 2023-05-08\n| Ada: Which"), std::string::npos) << text;
  EXPECT_NE(text.find("| user: The cello"), std::string::npos) << text;
  EXPECT_EQ(context.find("label")->as_string(), "untrusted");
  EXPECT_NE(context.find("items")->as_array()[0].find("reason"), nullptr);
  // It is knowledge like other: KIP sees the events.
  const std::string kip = anima("kip 'FIND(COUNT(?e)) WHERE { ?e {type: \"Event\"} }' --json").out;
  EXPECT_NE(kip.find('4'), std::string::npos) << kip;
  const test::Ran why = anima("memory context 'Where did I sail in June?' --why");
  EXPECT_NE(why.out.find("participant"), std::string::npos) << why.out;
}

// A box of mail grows in the middle: a message of a thread came late.
TEST_F(IngestVerb, AFileThatHasGrownBringsItsNewTurnsAlone) {
  const auto message = [](const std::string& id, const std::string& day, const std::string& text) {
    return "From a@x.example Mon May  1 13:56:00 2023\nFrom: Ada <a@x.example>\nDate: Mon, " + day +
           " May 2023 13:56:00 GMT\nMessage-ID: <" + id + "@x>\n" +
           (id == "1" ? "" : "In-Reply-To: <1@x>\n") + "\n" + text + "\n\n";
  };
  const std::string first = message("1", "1", "The gate opens at six.");
  const std::string last = message("3", "9", "The ferry is late.\n> The gate opens at six.");
  EXPECT_NE(anima("memory ingest " + file("box.mbox", first + last)).out.find("2 new"),
            std::string::npos);
  const std::string grown = file("box.mbox", first + last + message("2", "5", "Bread is baked."));
  EXPECT_NE(anima("memory ingest " + grown).out.find("1 new, 2 known"), std::string::npos);
  const test::Ran again = anima("memory ingest " + grown);
  EXPECT_NE(again.out.find("0 new, 3 known"), std::string::npos) << again.out;
  const std::string chat =
      "2026-11-29, 14:02 - Ada: The vessel departs.\n"
      "2026-11-29, 14:03 - Ben: okay then fine\n"
      "2026-11-29, 14:04 - Ada: The vessel departs.\n";
  EXPECT_NE(anima("memory ingest " + file("chat.txt", chat)).out.find("2 new, 1 said again"),
            std::string::npos);
  EXPECT_NE(anima("memory ingest " + file("chat.txt", chat + "2026-11-30, 09:00 - Ben: Bread!\n"))
                .out.find("1 new, 2 known, 1 said again"),
            std::string::npos);
}

TEST_F(IngestVerb, VectorsFindWhatSharesNoWordAndGoWhenItIsForgotten) {
  const std::string chat = file("chat.txt",
                                "08.05.23, 09:00 - Ada: The vessel departs at nine.\n"
                                "08.06.23, 09:01 - Ben: Bread is baked on Mondays.\n"
                                "08.07.23, 09:02 - Ada: The northern gate wants paint.\n");
  ASSERT_EQ(anima("memory ingest --format whatsapp " + chat).code, 0);
  EXPECT_EQ(anima("memory embed").code, 6) << "no server is configured";
  auto server = std::make_unique<test::ModelServer>();
  test::embeds_words(*server, 64, {{"vessel", "ship"}, {"departs", "leaves"}});
  std::ofstream(folder_.file("space/config.toml"))
      << "[embeddings]\nurl = \"" << server->url() << "\"\nmodel = \"words-1\"\n";
  const Json report = anima("memory embed --json").json();
  EXPECT_EQ(report.find("embedded")->as_integer(), 3) << report.dump();
  EXPECT_EQ(anima("memory embed --json").json().find("embedded")->as_integer(), 0);
  const std::string question = "memory context 'ship leaves' --why";
  const test::Ran found = anima(question, true);
  EXPECT_NE(found.out.find("The vessel departs"), std::string::npos) << found.out;
  EXPECT_NE(found.out.find("meaning"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder_.file("space/vectors.anima")));
  ASSERT_EQ(anima("forget --between 2020-01-01..2099-01-01 --confirm").code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_.file("space/vectors.anima")));
  server.reset();
  const test::Ran alone = anima(question, true);
  EXPECT_EQ(alone.code, 0);
  EXPECT_NE(alone.out.find("recalled by words alone"), std::string::npos) << alone.out;
}

TEST_F(IngestVerb, ATextThatTheServerRefusesIsNamedAndKeepsNoOtherBack) {
  const std::string chat = file("chat.txt",
                                "08.05.23, 09:00 - Ada: The vessel departs at nine.\n"
                                "08.06.23, 09:01 - Ben: Bread is baked on Mondays.\n");
  ASSERT_EQ(anima("memory ingest --format whatsapp " + chat).code, 0);
  test::ModelServer server;
  server.otherwise([](const test::ServerRequest& request) {
    if (request.body.find("vessel") != std::string::npos)
      return test::http_answer(413, "text/plain", "input is too large");
    return test::embeddings_answer(request, 64);
  });
  std::ofstream(folder_.file("space/config.toml"))
      << "[embeddings]\nurl = \"" << server.url() << "\"\nmodel = \"words-1\"\n";
  const test::Ran ran = anima("memory embed", true);
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_NE(ran.out.find("embedded 1 texts"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("does not take 1 of the texts"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("input is too large"), std::string::npos) << ran.out;
  const Json again = anima("memory embed --json").json();
  EXPECT_EQ(again.find("refused")->as_integer(), 1) << again.dump();
  EXPECT_EQ(again.find("first_refused")->as_array().size(), 1u) << again.dump();
}

TEST_F(IngestVerb, AFolderOfSlackIsReadWithItsPeople) {
  file("export/users.json", R"([{"id":"U1","name":"ada","real_name":"Ada"}])");
  file(
      "export/general/2023-05-08.json",
      R"([{"type":"message","user":"U1","text":"The harbour gate opens at six","ts":"1683554160.0001"}])");
  file("export/notes.json", "[1, 2]");
  const test::Ran ran = anima("memory ingest '" + folder_.file("export") + "'", true);
  ASSERT_EQ(ran.code, 0) << ran.out;
  EXPECT_NE(ran.out.find("1 turns (slack): 1 new"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("notes.json is left out"), std::string::npos) << ran.out;
  const std::string text = anima("memory context 'When does the gate open?'").out;
  EXPECT_NE(text.find("| Ada: The harbour gate opens at six"), std::string::npos) << text;
}

TEST_F(IngestVerb, ADryRunWritesNothingAndWhatIsWrongIsSaid) {
  const std::string turns = file("t.jsonl",
                                 "{\"speaker\":\"Ada\",\"text\":\"The ferry is late\"}\n"
                                 "{\"speaker\":\"Ben\",\"text\":\"So is the train\"}\n");
  const test::Ran dry = anima("memory ingest --dry-run " + turns);
  EXPECT_NE(dry.out.find("2 turns (turns): 2 new; nothing was written"), std::string::npos)
      << dry.out;
  EXPECT_EQ(anima("memory context ferry --json").json().find("items")->as_array().size(), 0u);
  const test::Ran wrong = anima("memory ingest " + file("n.json", "[1,2]"), true);
  EXPECT_NE(wrong.code, 0);
  EXPECT_NE(wrong.out.find("no turns of a conversation"), std::string::npos) << wrong.out;
}

TEST_F(IngestVerb, SeveralBudgetsAreMeasuredInOneRun) {
  const std::string questions = file(
      "q.jsonl",
      R"({"memories":[{"id":"a","session":"s","speaker":"Ada","text":"The ferry leaves at noon"},)"
      R"({"id":"b","session":"s","speaker":"Ben","text":"The gate is closed"}],)"
      R"("questions":[{"question":"When does the ferry leave?","evidence":["a"],"type":"time"},)"
      R"({"question":"Who sings?","evidence":[]}]})");
  const std::string command = "memory eval --format scenarios " + questions;
  const Json json = anima(command + " --k 1,2 --budget 200,400 --json").json();
  ASSERT_EQ(json.find("measures")->as_array().size(), 4u);
  for (const Json& measure : json.find("measures")->as_array())
    EXPECT_DOUBLE_EQ(measure.find("evidence_recall")->find("all")->as_number(), 1);
  EXPECT_EQ(json.find("abstention")->find("questions")->as_integer(), 1);
  const std::string table = anima(command + " --k 1 --budget 200").out;
  EXPECT_NE(table.find("200 tokens"), std::string::npos) << table;
  EXPECT_EQ(anima(command + " --without windows --k 1").code, 0);
  EXPECT_EQ(anima(command + " --k 0").code, 2);
  EXPECT_EQ(anima(command + " --budget 20").code, 2);
}

}  // namespace
}  // namespace anima::ingest_verb_test
