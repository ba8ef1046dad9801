// `anima mcp` with a client that does not wait for answers: calls run side by side, what was told
// is found by what was asked behind it, and what runs can be taken back. The program itself, over
// its pipes. No time decides: a long call goes on until the test ends it.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/json/json_member.h"
#include "base/process.h"
#include "support/needs_sandbox.h"

namespace anima::mcp_side_by_side_test {
namespace {

constexpr std::int64_t kPatienceMs = 120'000;

class McpSideBySide : public testing::Test {
 protected:
  void TearDown() override {
    if (child_ != nullptr) child_->signal(SIGKILL);
  }
  void start(std::vector<std::string> arguments) {
    ProcessOptions options;
    options.arguments = {ANIMA_BINARY_DIR "/anima", "mcp", "--space", folder_.file("space")};
    for (std::string& each : arguments) options.arguments.push_back(std::move(each));
    auto child = ChildProcess::start(options);
    ASSERT_TRUE(child) << child.error().describe();
    child_ = std::move(*child);
    send(1, "initialize",
         R"({"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},)"
         R"("clientInfo":{"name":"t","version":"1"}})");
  }
  void write(const std::string& line) {
    const Status written = child_->write(line + "\n");
    ASSERT_TRUE(written) << written.error().describe();
  }
  void send(int id, const std::string& method, const std::string& params = "{}") {
    write(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" + method +
          R"(","params":)" + params + "}");
  }
  void call(int id, const std::string& tool, const Json& arguments) {
    send(id, "tools/call", R"({"name":")" + tool + R"(","arguments":)" + arguments.dump() + "}");
  }
  void kip(int id, const std::string& command, bool readonly = false) {
    call(id, readonly ? "execute_kip_readonly" : "execute_kip",
         Json::object({{"command", command}}));
  }
  // A question over 100^5 rows of the things of `fill`, which ends by its limit of 30 s.
  void long_call(int id) {
    kip(id,
        "FIND(COUNT(?a)) WHERE { ?a {type: \"Thing\"} ?b {type: \"Thing\"} ?c {type: \"Thing\"} "
        "?d {type: \"Thing\"} ?e {type: \"Thing\"} FILTER(CONTAINS(?a.name, ?b.id) || "
        "CONTAINS(?c.id, ?d.name) || CONTAINS(?d.id, ?e.name)) }",
        true);
  }
  void fill(int id) {
    std::string command =
        "UPSERT { CONCEPT ?t { {type: \"$ConceptType\", name: \"Thing\"} } } UPSERT {";
    for (int i = 0; i < 100; ++i)
      command += " CONCEPT { {type: \"Thing\", name: \"" + std::to_string(i) + "\"} }";
    kip(id, command + " }");
  }
  void cancel(int id) {
    write(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
          std::to_string(id) + "}}");
  }
  // The next message; null at the end.
  Json next() {
    const auto line = child_->read_line(kPatienceMs);
    if (!line) {
      EXPECT_EQ(line.error().code, ErrorCode::kNotFound) << line.error().describe();
      return {};
    }
    const auto message = parse_json(*line);
    EXPECT_TRUE(message) << *line;
    return message ? *message : Json();
  }
  // The answer to that request, whatever is answered before it.
  Json answer(int id) {
    while (!answers_.contains(id)) {
      const Json message = next();
      const Json* own = message.find("id");
      if (own == nullptr || !own->is_integer()) {
        ADD_FAILURE() << "instead of the answer to " << id << ": " << message.dump();
        return {};
      }
      answers_[static_cast<int>(own->as_integer())] = message;
    }
    return answers_[id];
  }
  std::string text(int id) { return answer(id).dump(); }
  // The exit code, once all that was sent is answered or dropped.
  int ended() {
    const auto end = child_->wait(kPatienceMs);
    EXPECT_TRUE(end) << end.error().describe();
    return end ? end->exit_code : -1;
  }
  // The ids of what is answered until the end.
  std::vector<int> rest() {
    std::vector<int> ids;
    for (Json message = next(); !message.is_null(); message = next())
      ids.push_back(static_cast<int>(message.find("id")->as_integer()));
    return ids;
  }

  TemporaryDirectory folder_{"anima-mcp"};
  std::unique_ptr<ChildProcess> child_;
  std::map<int, Json> answers_;
};

TEST_F(McpSideBySide, ALongCallHoldsUpNoOther) {
  start({"--create"});
  fill(2);
  EXPECT_EQ(text(2).find("isError"), std::string::npos) << text(2);
  long_call(3);
  send(4, "ping");
  kip(5, "DESCRIBE DOMAINS", true);
  call(6, "ask", Json::object({{"question", "Who is Ada?"}}));
  send(7, "tools/list");
  for (const int id : {4, 5, 6, 7}) EXPECT_NE(answer(id).find("result"), nullptr) << id;
  EXPECT_FALSE(answers_.contains(3)) << "it runs yet";
  cancel(3);
  // This one waits for the long one, which has ended by that.
  call(8, "remember", Json::object({{"text", "Ada works at Initech"}}));
  EXPECT_NE(answer(8).find("result"), nullptr);
  child_->close_input();
  EXPECT_EQ(rest(), std::vector<int>{});
  EXPECT_EQ(ended(), 0);
  EXPECT_FALSE(answers_.contains(3)) << "what was taken back is not answered";
}

TEST_F(McpSideBySide, WhatWasToldIsFoundByWhatWasAskedBehindIt) {
  start({"--create", "--schema", "open"});
  for (int i = 0; i < 30; ++i) {
    const int id = 100 + 4 * i;
    const std::string name = "Box" + std::to_string(i);
    kip(id, "UPSERT { CONCEPT { {type: \"Parcel\", name: \"" + name + "\"} } }");
    kip(id + 1, "FIND(COUNT(?p)) WHERE { ?p {type: \"Parcel\"} }", i % 2 == 0);
    call(id + 2, "remember",
         Json::object({{"text", "Person" + std::to_string(i) + " works at Initech"}}));
    call(id + 3, "list_memories", Json::object({{"limit", 1}}));
  }
  for (int i = 0; i < 30; ++i) {
    const int id = 100 + 4 * i;
    EXPECT_NE(text(id + 1).find("{\"result\":" + std::to_string(i + 1) + "}"), std::string::npos)
        << text(id + 1);
    EXPECT_NE(text(id + 3).find("Person" + std::to_string(i) + " works"), std::string::npos)
        << text(id + 3);
  }
}

TEST_F(McpSideBySide, TwoHundredRequestsAtOnceAreAllAnswered) {
  start({"--create", "--schema", "open"});
  const std::vector<std::string> kinds = {"kip", "find", "recall", "ask", "list", "ping"};
  for (int id = 2; id <= 201; ++id) {
    const std::string& kind = kinds[static_cast<std::size_t>(id) % kinds.size()];
    const std::string number = std::to_string(id);
    if (kind == "kip")
      kip(id, "UPSERT { CONCEPT { {type: \"Parcel\", name: \"" + number + "\"} } }");
    if (kind == "find") kip(id, "FIND(?p.name) WHERE { ?p {type: \"$ConceptType\"} }");
    if (kind == "recall") call(id, "recall", Json::object({{"question", "Parcel " + number}}));
    if (kind == "ask") call(id, "ask", Json::object({{"question", "How many parcels are there?"}}));
    if (kind == "list") call(id, "list_logs", Json::object({{"limit", 2}}));
    if (kind == "ping") send(id, "ping");
  }
  for (int id = 1; id <= 201; ++id) EXPECT_NE(answer(id).find("result"), nullptr) << text(id);
  child_->close_input();
  EXPECT_EQ(ended(), 0);
  EXPECT_EQ(answers_.size(), 201u);
}

TEST_F(McpSideBySide, WhatCameBeforeTheInputEndedIsAnswered) {
  start({"--create", "--schema", "open"});
  for (int id = 2; id <= 41; ++id) {
    if (id % 2 == 0)
      kip(id, "UPSERT { CONCEPT { {type: \"Parcel\", name: \"" + std::to_string(id) + "\"} } }");
    else
      kip(id, "FIND(COUNT(?p)) WHERE { ?p {type: \"Parcel\"} }", true);
  }
  child_->close_input();
  for (int id = 1; id <= 41; ++id) EXPECT_NE(answer(id).find("result"), nullptr) << id;
  EXPECT_NE(text(41).find(R"({"result":20})"), std::string::npos) << text(41);
  EXPECT_EQ(rest(), std::vector<int>{});
  EXPECT_EQ(ended(), 0);
}

TEST_F(McpSideBySide, ASignalEndsWhatRunsAlsoAfterTheInput) {
  for (const bool closed : {false, true}) {
    start({"--create"});
    fill(2);
    answer(2);
    for (int id = 3; id <= 12; ++id) long_call(id);
    send(13, "ping");
    answer(13);
    if (closed) child_->close_input();
    child_->signal(SIGTERM);
    EXPECT_EQ(ended(), 130) << child_->take_error_output();
    answers_.clear();
  }
}

// Another server, in front of which it stands: a call of its tool `note` asks the person.
class McpSideBySideFront : public McpSideBySide {
 protected:
  void SetUp() override {
    ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
    const auto script =
        read_file(system_files(), ANIMA_SOURCE_DIR "/tests/support/mcp_server.py", 1 << 20);
    ASSERT_TRUE(script);
    ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
    ASSERT_TRUE(system_files().make_directories(notes()));
    ASSERT_EQ(::chmod(notes().c_str(), 0777), 0);
    ASSERT_TRUE(replace_file(system_files(), notes() + "/server.py", *script));
    anima({"init"});
    anima({"mcp", "add", "peer", "--folder", notes() + ":rw", "--reads", "echo", "--",
           "/usr/bin/python3", "-I", notes() + "/server.py", "good", notes()});
    start({"--front", "peer"});
    answer(1);
  }
  std::string notes() const { return folder_.file("notes"); }
  void anima(std::vector<std::string> arguments) const {
    ProcessOptions options;
    options.arguments = {ANIMA_BINARY_DIR "/anima"};
    for (std::string& each : arguments) options.arguments.push_back(std::move(each));
    Environment environment = system_environment();
    environment["ANIMA_SPACE"] = folder_.file("space");
    options.environment = environment;
    options.timeout_ms = kPatienceMs;
    const auto ran = run_process(options);
    ASSERT_TRUE(ran);
    ASSERT_EQ(ran->exit_code, 0) << ran->out << ran->err;
  }
  void note(int id, const std::string& words) { call(id, "note", Json::object({{"text", words}})); }
  // The id of the question that comes next.
  Json asked() {
    const Json question = next();
    EXPECT_EQ(text_member(question, "method"), "elicitation/create") << question.dump();
    return text_member(question, "id");
  }
  void allow(const Json& question) {
    write(R"({"jsonrpc":"2.0","id":)" + question.dump() +
          R"(,"result":{"action":"accept","content":{"allow":true}}})");
  }
};

TEST_F(McpSideBySideFront, APingIsAnsweredWhileTheClientIsAsked) {
  note(2, "hello");
  const Json question = asked();
  for (int id = 10; id < 30; ++id) send(id, "ping");
  send(30, "tools/list");
  for (int id = 10; id <= 30; ++id) EXPECT_NE(answer(id).find("result"), nullptr);
  EXPECT_FALSE(answers_.contains(2));
  allow(question);
  EXPECT_NE(text(2).find("kept"), std::string::npos) << text(2);
  child_->close_input();
  EXPECT_EQ(ended(), 0);
}

TEST_F(McpSideBySideFront, ACancellationEndsTheQuestionAndIsNotAnswered) {
  note(2, "hello");
  const Json question = asked();
  note(3, "again");
  cancel(2);
  const Json taken = next();
  EXPECT_EQ(text_member(taken, "method"), "notifications/cancelled");
  const Json* params = taken.find("params");
  ASSERT_NE(params, nullptr);
  EXPECT_EQ(text_member(*params, "requestId"), question.as_string());
  allow(asked());
  EXPECT_NE(text(3).find("kept"), std::string::npos) << text(3);
  child_->close_input();
  EXPECT_EQ(rest(), std::vector<int>{});
  EXPECT_EQ(ended(), 0);
  EXPECT_EQ(read_file(system_files(), notes() + "/notes.txt", 1 << 20).value(), "again\n");
}

}  // namespace
}  // namespace anima::mcp_side_by_side_test
