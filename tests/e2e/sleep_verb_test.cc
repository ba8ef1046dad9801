// anima sleep as a user meets it: what it would do, what it did, how to take it back, and the page.
#include <gtest/gtest.h>

#include <fstream>
#include <memory>

#include "base/files/file.h"
#include "base/text/text.h"
#include "support/command.h"
#include "support/model_server.h"

namespace anima::sleep_verb_test {
namespace {

class SleepVerb : public ::testing::Test {
 protected:
  void SetUp() override {
    test::init_space(folder_);
    std::ofstream(folder_.file("memory.kip")) << R"(
UPSERT {
  CONCEPT { {type: "$ConceptType", name: "Ship"} }
  CONCEPT { {type: "$PropositionType", name: "sails"} }
  CONCEPT ?d { {type: "Domain", name: "Harbour"} }
}
UPSERT {
  CONCEPT ?a { {type: "Ship", name: "Sea Otter"} SET PROPOSITIONS { ("belongs_to_domain", {type: "Domain", name: "Harbour"}) } }
  CONCEPT { {type: "Ship", name: "sea  otter"} }
  CONCEPT { {type: "Person", name: "Ines"} SET PROPOSITIONS { ("sails", ?a) } }
  CONCEPT { {type: "Event", name: "talk"} SET ATTRIBUTES { event_class: "Conversation",
    start_time: "2020-01-01T10:00:00Z", content_summary: "Ines prefers tea." } }
})";
    const test::Ran ran = anima("kip -f " + folder_.file("memory.kip"));
    ASSERT_EQ(ran.code, 0) << ran.out;
  }
  test::Ran anima(const std::string& arguments) const {
    return test::run_anima(folder_, arguments, "2>&1 </dev/null");
  }
  Json json(const std::string& arguments) const {
    const test::Ran ran = anima(arguments + " --json");
    const auto parsed = parse_json(trim(ran.out));
    EXPECT_TRUE(parsed) << ran.out;
    return parsed ? *parsed : Json();
  }

  TemporaryDirectory folder_{"anima-sleep"};
};

TEST_F(SleepVerb, RehearsesSleepsAndIsTakenBack) {
  const std::string before = anima("export").out;
  const test::Ran rehearsed = anima("sleep --dry-run");
  EXPECT_EQ(rehearsed.code, 0) << rehearsed.out;
  for (const char* said :
       {"merged: Ship \"sea  otter\" into Ship \"Sea Otter\"",
        "names that are equal up to case and white space", "rehearsed", "Ines prefers tea"})
    EXPECT_NE(rehearsed.out.find(said), std::string::npos) << said << "\n" << rehearsed.out;
  EXPECT_EQ(anima("export").out, before);

  const Json done = json("sleep");
  EXPECT_EQ(done.find("status")->as_string(), "complete") << done.dump(1);
  const test::Ran listed = anima("replay");
  EXPECT_NE(listed.out.find("complete"), std::string::npos) << listed.out;
  EXPECT_NE(listed.out.find("anima replay cycle-N"), std::string::npos) << listed.out;
  const test::Ran again = anima("replay cycle-1");
  EXPECT_EQ(again.code, 0) << again.out;
  EXPECT_NE(again.out.find("the same as then"), std::string::npos) << again.out;
  const Json cycles = json("replay");
  ASSERT_EQ(cycles.as_array().size(), 1u) << cycles.dump(1);
  EXPECT_EQ(cycles.as_array()[0].find("sleep_cycle")->as_integer(), 1);
  EXPECT_NE(anima("export").out, before);
  EXPECT_NE(
      anima("kip 'FIND(?p.name) WHERE { ?p {type: \"Preference\"} }'").out.find("Ines prefers tea"),
      std::string::npos);
  EXPECT_EQ(json("sleep").find("status")->as_string(), "nothing to do");
  EXPECT_NE(anima("sleep list").out.find("complete"), std::string::npos);
  EXPECT_NE(anima("sleep status").out.find("not due"), std::string::npos);
  EXPECT_NE(anima("sleep --if-needed").out.find("not needed"), std::string::npos);
  EXPECT_NE(anima("sleep metrics").out.find("Orphan count"), std::string::npos);

  const test::Ran undone = anima("sleep undo 1");
  EXPECT_EQ(undone.code, 0) << undone.out;
  EXPECT_EQ(anima("export").out, before);
  const Json repeated = json("replay last");
  EXPECT_TRUE(repeated.find("identical")->as_bool()) << repeated.dump(1);
  EXPECT_GT(repeated.find("statements")->as_integer(), 0) << repeated.dump(1);
  EXPECT_EQ(anima("replay cycle-7").code, 6);
  EXPECT_EQ(anima("sleep undo 1").code, 6);
  EXPECT_EQ(anima("sleep undo 9").code, 6);
}

TEST_F(SleepVerb, MergesTwoOnAWordAndKeepsTheOtherName) {
  ASSERT_EQ(anima("kip 'UPSERT { CONCEPT { {type: \"Ship\", name: \"Otter\"} SET ATTRIBUTES "
                  "{built: 1950} } CONCEPT { {type: \"Ship\", name: \"The Otter\"} SET ATTRIBUTES "
                  "{built: 1951, flag: \"NO\"} } }'")
                .code,
            0);
  const test::Ran merged = anima("sleep merge Otter 'The Otter'");
  EXPECT_EQ(merged.code, 0) << merged.out;
  const test::Ran found = anima(
      "kip 'FIND(?s.name, ?s.attributes.flag) WHERE { ?s {type: \"Ship\", name: \"The Otter\"} }'");
  EXPECT_NE(found.out.find("NO"), std::string::npos) << found.out;
  EXPECT_NE(anima("search 'The Otter'").out.find("Otter"), std::string::npos);
  const test::Ran asked = anima("ask 'What is the flag of The Otter?'");
  EXPECT_NE(asked.out.find("NO"), std::string::npos) << asked.out;
  EXPECT_NE(anima("contradictions").out.find("1951"), std::string::npos);
  EXPECT_EQ(anima("sleep merge Otter Nobody").code, 6);
}

// Each counts its own changes, and no other's.
TEST_F(SleepVerb, OfSeveralAtOnceOneSleepsAndTheOthersWait) {
  const std::string one = "ANIMA_SPACE=" + folder_.file("space") + " " + ANIMA_BINARY_DIR +
                          "/anima sleep --json </dev/null > " + folder_.file("told.");
  ASSERT_EQ(test::run_command("for i in 1 2 3 4; do " + one + "$i 2>&1 & done; wait").code, 0);
  int slept = 0;
  for (const char* number : {"1", "2", "3", "4"}) {
    const auto told =
        parse_json(trim(*read_file(system_files(), folder_.file(std::string("told.") + number))));
    ASSERT_TRUE(told);
    const std::string status = told->find("status")->as_string();
    slept += status == "complete" ? 1 : 0;
    EXPECT_TRUE(status == "complete" || status == "nothing to do") << told->dump(1);
  }
  EXPECT_EQ(slept, 1);
  EXPECT_EQ(json("sleep list").as_array().size(), 1u);
  EXPECT_EQ(anima("replay cycle-1").code, 0);
}

// A task that says nothing of its status is pending, makes a cycle due, and is done after a chat.
TEST_F(SleepVerb, FollowsAConversationWhereItIsSet) {
  const auto task = [&](const std::string& name) {
    return anima("kip 'UPSERT { CONCEPT { {type: \"SleepTask\", name: \"" + name +
                 "\"} SET ATTRIBUTES {target_type: \"Ship\", target_name: \"Sea Otter\", "
                 "requested_action: \"review\"} SET PROPOSITIONS { (\"assigned_to\", {type: "
                 "\"Person\", name: \"$system\"}) } } }'")
        .code;
  };
  ASSERT_EQ(anima("sleep").code, 0);
  EXPECT_NE(anima("sleep --if-needed").out.find("not needed"), std::string::npos);
  ASSERT_EQ(task("first"), 0);
  EXPECT_NE(anima("sleep --if-needed").out.find("1 sleep task waits"), std::string::npos);
  ASSERT_EQ(task("second"), 0);
  const auto chat = [&] { return test::run_anima(folder_, "chat", "2>&1 </dev/null").out; };
  EXPECT_EQ(chat().find("tidied up"), std::string::npos) << "it is not set";
  std::ofstream(folder_.file("space/config.toml")) << "[sleep]\nafter_conversation = true\n";
  const std::string told = chat();
  EXPECT_NE(told.find("1 sleep task waits"), std::string::npos) << told;
  EXPECT_NE(told.find("anima sleep undo 3"), std::string::npos) << told;
  EXPECT_EQ(chat().find("tidied up"), std::string::npos) << "nothing waits any more";
}

TEST_F(SleepVerb, WritesAPageThatNeedsNothingElse) {
  const std::string page = folder_.file("sleep.html");
  EXPECT_EQ(anima("sleep --report " + page).code, 0);
  const auto html = read_file(system_files(), page);
  ASSERT_TRUE(html);
  for (const char* part : {"<svg", "Confidence", "Sea Otter", "anima sleep undo 1", "</html>"})
    EXPECT_NE(html->find(part), std::string::npos) << part;
  for (const char* part : {"http://", "https://", "<script"})
    EXPECT_EQ(html->find(part), std::string::npos) << part;
  EXPECT_EQ(anima("sleep report -o " + page).code, 0);
}

// The model files what the rules leave in Unsorted; the same cycle again from the cassette, on a
// copy of the space, without a server; then a server that is gone.
TEST_F(SleepVerb, AModelProposesAndItsCycleIsRepeated) {
  auto server = std::make_unique<test::ModelServer>();
  server->otherwise([](const test::ServerRequest& request) {
    const std::string& body = request.body;
    const bool inbox = body.find("inbox") != std::string::npos;
    const char* said =
        inbox ? R"({"proposals":[{"candidate":1,"domain":"Harbour","reason":"sailors"}]})"
              : R"({"proposals":[]})";
    return test::json_answer(test::chat_reply(said));
  });
  const auto configure = [&](const std::string& folder) {
    std::ofstream(folder + "/config.toml")
        << "[llm.local]\nprovider = \"openai\"\nurl = \"" << server->url()
        << "\"\nmodel = \"tiny\"\nattempts = 1\n[sleep]\nllm = \"local\"\n";
  };
  const std::string copy = folder_.file("copy"), tape = folder_.file("tape.jsonl");
  configure(folder_.file("space"));
  ASSERT_EQ(anima("backup " + folder_.file("before.backup")).code, 0);
  const std::string in_copy = "ANIMA_SPACE=" + copy + " " + ANIMA_BINARY_DIR + "/anima ";
  ASSERT_EQ(test::run_command(in_copy + "restore " + folder_.file("before.backup")).code, 0);
  configure(copy);

  const Json rehearsed = json("sleep --dry-run");
  EXPECT_EQ(rehearsed.find("model")->find("taken")->as_integer(), 1) << rehearsed.dump(1);
  const Json done = json("sleep --record " + tape);
  EXPECT_EQ(done.find("model")->find("name")->as_string(), "local") << done.dump(1);
  EXPECT_EQ(done.find("model")->find("taken")->as_integer(), 1);
  EXPECT_NE(done.dump().find("proposed by the model \\\"local\\\": sailors"), std::string::npos);
  EXPECT_NE(anima("sleep report").out.find("sailors"), std::string::npos);
  server.reset();
  const test::Ran nowhere = anima("replay cycle-1");
  EXPECT_EQ(nowhere.code, 6) << nowhere.out;
  EXPECT_NE(nowhere.out.find("--calls FILE"), std::string::npos) << nowhere.out;
  const test::Ran played = anima("replay cycle-1 --calls " + tape);
  EXPECT_EQ(played.code, 0) << played.out;
  EXPECT_NE(played.out.find("calls of the model played"), std::string::npos) << played.out;

  const test::Ran repeated = test::run_command(in_copy + "sleep --replay " + tape + " 2>&1");
  EXPECT_EQ(repeated.code, 0) << repeated.out;
  EXPECT_NE(repeated.out.find("proposed by the model \"local\": sailors"), std::string::npos)
      << repeated.out;
  const std::string domains =
      "kip 'FIND(?x.name, ?d.name) WHERE { (?x, \"belongs_to_domain\", ?d) } ORDER BY ?x.name ASC'";
  EXPECT_EQ(test::run_command(in_copy + domains).out, anima(domains).out);

  ASSERT_EQ(anima("sleep undo 1").code, 0);
  ASSERT_EQ(anima("kip 'UPSERT { CONCEPT { {type: \"Ship\", name: \"Gull\"} } }'").code, 0);
  const test::Ran alone = anima("sleep --all");
  EXPECT_EQ(alone.code, 0) << alone.out;
  EXPECT_NE(alone.out.find("then without it"), std::string::npos) << alone.out;
  EXPECT_EQ(anima("sleep --llm nobody").code, 6);
  EXPECT_EQ(anima("sleep --llm none").code, 0);
}

TEST_F(SleepVerb, BoundsAndMistakes) {
  EXPECT_EQ(json("sleep --max-changes 1").find("status")->as_string(), "partial");
  EXPECT_EQ(json("sleep --phase 6").find("status")->as_string(), "partial");
  EXPECT_EQ(json("sleep --time 10m").find("status")->as_string(), "complete");
  for (const char* wrong : {"sleep --phase 10", "sleep --time soon", "sleep --decay 2",
                            "sleep --max-changes -1", "sleep undo x"})
    EXPECT_EQ(anima(wrong).code, 2) << wrong;
}

}  // namespace
}  // namespace anima::sleep_verb_test
