#include "serve/mcp.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "base/files/file.h"
#include "govern/ledger/ledger.h"
#include "govern/ledger/sealed_members.h"
#include "support/needs_sandbox.h"
#include "tools/sandbox/sandbox.h"

namespace anima::serve {
namespace {

class Mcp : public testing::Test {
 protected:
  void SetUp() override {
    auto space = store::Space::in_memory();
    ASSERT_TRUE(space);
    auto engine = kip::Engine::open(*space);
    ASSERT_TRUE(engine);
    server_ = std::make_unique<McpServer>(*engine, McpOptions{});
  }
  Json request(const char* method, Json params) {
    return Json::object(
        {{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", std::move(params)}});
  }
  Json old(const char* method, Json params = Json(JsonObject{})) {
    return *server_->handle(request(method, std::move(params)));
  }
  Json modern(const char* method, Json params = Json(JsonObject{}),
              const char* version = "2026-07-28") {
    params.set("_meta",
               Json::object({{"io.modelcontextprotocol/protocolVersion", version},
                             {"io.modelcontextprotocol/clientCapabilities", Json(JsonObject{})}}));
    return *server_->handle(request(method, std::move(params)));
  }
  Json call(const char* tool, Json arguments) {
    return *old("tools/call", Json::object({{"name", tool}, {"arguments", std::move(arguments)}}))
                .find("result");
  }
  std::unique_ptr<McpServer> server_;
};

TEST_F(Mcp, BothErasMeet) {
  const Json first = old("initialize", Json::object({{"protocolVersion", "2025-06-18"}}));
  EXPECT_EQ(first.find("result")->find("protocolVersion")->as_string(), "2025-06-18");
  EXPECT_EQ(old("initialize", Json::object({{"protocolVersion", "1999-01-01"}}))
                .find("result")
                ->find("protocolVersion")
                ->as_string(),
            "2025-11-25");
  EXPECT_EQ(old("ping").find("result")->dump(), "{}");
  const Json discovered = modern("server/discover");
  EXPECT_EQ(discovered.find("result")->find("supportedVersions")->as_array()[0].as_string(),
            "2026-07-28");
  EXPECT_EQ(discovered.find("result")->find("resultType")->as_string(), "complete");
  EXPECT_NE(modern("tools/list").find("result")->find("ttlMs"), nullptr);
  EXPECT_EQ(modern("initialize").find("error")->find("code")->as_integer(), -32601);
  const Json refused = modern("tools/list", Json(JsonObject{}), "2030-01-01");
  EXPECT_EQ(refused.find("error")->find("code")->as_integer(), -32022);
  EXPECT_EQ(refused.find("error")->find("data")->find("requested")->as_string(), "2030-01-01");
}

TEST_F(Mcp, ASessionOfAnAgent) {
  EXPECT_EQ(old("tools/list").find("result")->find("tools")->as_array().size(), 3u);
  const Json primer = call("execute_kip", Json::object({{"command", "DESCRIBE PRIMER"}}));
  EXPECT_NE(primer.find("structuredContent")->find("result")->find("domain_map"), nullptr);
  const Json wrong = call(
      "execute_kip", Json::object({{"command", "FIND(?p.name) WHERE { ?p {type: \"Persn\"} }"}}));
  EXPECT_TRUE(wrong.find("isError")->as_bool());
  EXPECT_NE(
      wrong.find("structuredContent")->find("error")->find("hint")->as_string().find("Person"),
      std::string::npos);
  const Json written =
      call("execute_kip",
           Json::object({{"command", "UPSERT { CONCEPT { {type: \"Person\", name: :n} } }"},
                         {"parameters", Json::object({{"n", "Ada"}})}}));
  EXPECT_EQ(written.find("structuredContent")->find("error"), nullptr);
  const Json refused =
      call("execute_kip_readonly",
           Json::object({{"command", "UPSERT { CONCEPT { {type: \"Person\", name: \"Eve\"} } }"}}));
  EXPECT_EQ(refused.find("structuredContent")->find("error")->find("code")->as_string(),
            "KIP_1001");
  EXPECT_TRUE(call("execute_kip", Json::object({{"command", "DESCRIBE PRIMER"}, {"surprise", 1}}))
                  .find("isError")
                  ->as_bool());
  const Json logs = call("list_logs", Json::object({{"limit", 2}}));
  const Json& body = *logs.find("structuredContent");
  EXPECT_EQ(body.find("result")->as_array().size(), 2u);
  EXPECT_EQ(body.find("result")->as_array()[0].find("command")->as_string(), "KML");
  const Json rest =
      call("list_logs", Json::object({{"limit", 100}, {"cursor", *body.find("next_cursor")}}));
  EXPECT_EQ(rest.find("structuredContent")->find("result")->as_array().size(), 2u);
}

TEST_F(Mcp, WhatKipRefusesIsAnErrorAlsoInOneOfSeveralCommands) {
  const auto is_error = [&](const char* tool, Json arguments) {
    const Json answer = call(tool, std::move(arguments));
    const Json* flag = answer.find("isError");
    return flag != nullptr && flag->as_bool();
  };
  const Json good = "DESCRIBE PRIMER", bad = "FIND(";
  EXPECT_FALSE(is_error("execute_kip", Json::object({{"command", good}})));
  EXPECT_TRUE(is_error("execute_kip", Json::object({{"command", bad}})));
  EXPECT_FALSE(is_error("execute_kip", Json::object({{"commands", Json::array({good, good})}})));
  EXPECT_TRUE(is_error("execute_kip", Json::object({{"commands", Json::array({good, bad})}})));
  EXPECT_TRUE(is_error("execute_kip_readonly", Json::object({{"command", bad}})));
}

TEST_F(Mcp, AWrongArgumentIsToldTheNamesThatThereAre) {
  for (const char* tool : {"execute_kip", "list_logs"}) {
    const Json refused = call(tool, Json::object({{"surprise", 1}}));
    EXPECT_TRUE(refused.find("isError")->as_bool());
    const std::string told = refused.dump();
    for (const char* name : tool == std::string_view("list_logs")
                                ? std::vector<const char*>{"cursor", "limit"}
                                : std::vector<const char*>{"command", "parameters", "dry_run"})
      EXPECT_NE(told.find(name), std::string::npos) << told;
  }
}

// Acting: what is wrong is told before it is judged, and before a person is asked.
TEST(McpActing, AWrongArgumentAsksNobody) {
  const TemporaryDirectory folder("anima-mcp");
  store::SpaceOptions options;
  options.create = true;
  const auto space = store::Space::open(folder.file("space"), options).value();
  SystemClock clock;
  SystemRandom random;
  agent::HouseOptions settings;
  settings.agent = kMcpAgent;
  settings.tools.work_folder = folder.file("work");
  const auto house = agent::GovernedHouse::open(space, clock, random, std::move(settings)).value();
  const auto session =
      agent::GuardSession::open(*house, {"mcp", {}, govern::Trust::kVerified}).value();
  McpActing acting(*house, *session, govern::Trust::kVerified);
  const auto call = [&](const char* tool, Json arguments) {
    return *acting.call("call_tool",
                        Json::object({{"tool", tool}, {"arguments", std::move(arguments)}}));
  };
  const store::Sequence before = space->snapshot().value().sequence();
  for (const Json& arguments :
       {Json::object({{"pth", "a.txt"}}), Json::object({{"path", "a.txt"}, {"force", true}}),
        Json::object(), Json::object({{"path", Json()}})}) {
    const auto refused = call("file:delete", arguments);
    EXPECT_TRUE(refused.is_error);
    const Json* error = refused.body.find("error");
    ASSERT_NE(error, nullptr) << refused.body.dump();
    EXPECT_EQ(error->find("code")->as_string(), "invalid_argument");
    EXPECT_NE(error->find("hint")->as_string().find("path (needed)"), std::string::npos);
  }
  EXPECT_EQ(space->snapshot().value().sequence(), before);
  EXPECT_TRUE(house->approvals().list()->empty());
  const auto asked = call("file:delete", Json::object({{"path", "a.txt"}}));
  EXPECT_FALSE(asked.is_error) << asked.body.dump();  // waits
  const auto stray = acting.call("why_denied", Json::object({{"id", "x"}, {"why", 1}}));
  EXPECT_NE(stray->body.dump().find("there are: id"), std::string::npos) << stray->body.dump();
  EXPECT_FALSE(acting.call("list_tools", Json::object())->is_error);
  EXPECT_TRUE(acting.call("list_tools", Json::object({{"x", 1}}))->is_error);
}

// A command that runs for the client ends when the client takes its call back.
TEST(McpCancellation, ACancellationEndsTheToolThatRuns) {
  ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
  const TemporaryDirectory folder("anima-mcp");
  store::SpaceOptions options;
  options.create = true;
  const auto space = store::Space::open(folder.file("space"), options).value();
  SystemClock clock;
  SystemRandom random;
  agent::HouseOptions settings;
  settings.agent = kMcpAgent;
  settings.tools.work_folder = folder.file("work");
  ASSERT_TRUE(system_files().make_directories(folder.file("work"), 0777));
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  ASSERT_EQ(::chown(folder.file("work").c_str(), tools::sandbox_user(), static_cast<gid_t>(-1)), 0);
  const auto house = agent::GovernedHouse::open(space, clock, random, std::move(settings)).value();
  const auto session =
      agent::GuardSession::open(*house, {"mcp", {}, govern::Trust::kOperator}).value();
  McpActing acting(*house, *session, govern::Trust::kOperator);
  const Json arguments =
      Json::object({{"tool", "shell:execute"},
                    {"arguments", Json::object({{"command", "echo begun > begun; sleep 60"}})}});

  McpOptions server_options;
  server_options.acting = &acting;
  McpServer server(kip::Engine::open(space).value(), std::move(server_options));
  const auto begin = std::chrono::steady_clock::now();
  std::optional<Json> answer;
  std::thread caller([&] {
    answer = server.handle(Json::object(
        {{"jsonrpc", "2.0"},
         {"id", 7},
         {"method", "tools/call"},
         {"params", Json::object({{"name", "call_tool"}, {"arguments", arguments}})}}));
  });
  // Only the command sees what it wrote.
  const auto begun = [&] {
    const std::string staged = folder.file("space/staged");
    const auto views = system_files().list(staged);
    return views && std::ranges::any_of(*views, [&](const DirectoryEntry& view) {
             return file_exists(system_files(), staged + "/" + view.name + "/upper/begun") ||
                    file_exists(system_files(), staged + "/" + view.name + "/copy/begun");
           });
  };
  for (int i = 0; i < 2000 && !begun(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(begun());
  server.handle(Json::object({{"jsonrpc", "2.0"},
                              {"method", "notifications/cancelled"},
                              {"params", Json::object({{"requestId", 7}})}}));
  caller.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_FALSE(answer) << answer->dump();  // nobody waits for it
  // It ran, and the log says how it ended.
  std::string told;
  const auto chain = govern::audit_chain_of(space->log());
  ASSERT_TRUE(chain) << chain.error().describe();
  for (const govern::PlacedAudit& placed : *chain) {
    if (placed.entry.action != "tool_executed") continue;
    Json details = placed.entry.details.value_or(Json());
    ASSERT_TRUE(govern::unseal_members(*space, details));
    told += details.dump();
  }
  EXPECT_NE(told.find("taken back"), std::string::npos) << told;
}

TEST_F(Mcp, DocumentsPromptsAndFaults) {
  EXPECT_EQ(old("resources/list").find("result")->find("resources")->as_array().size(), 2u);
  const Json card = old("resources/read", Json::object({{"uri", "kip://docs/KIP.md"}}));
  EXPECT_NE(
      card.find("result")->find("contents")->as_array()[0].find("text")->as_string().find("FIND("),
      std::string::npos);
  EXPECT_EQ(old("resources/read", Json::object({{"uri", "kip://docs/none"}}))
                .find("error")
                ->find("code")
                ->as_integer(),
            -32002);
  EXPECT_EQ(old("prompts/get", Json::object({{"name", "kip_bootstrap"}}))
                .find("result")
                ->find("messages")
                ->as_array()
                .size(),
            2u);
  EXPECT_EQ(old("no/such").find("error")->find("code")->as_integer(), -32601);
  EXPECT_FALSE(
      server_->handle(Json::object({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}})));
  EXPECT_EQ(server_->handle(Json(JsonArray{}))->find("error")->find("code")->as_integer(), -32600);
  EXPECT_EQ(
      old("tools/call", Json::object({{"name", "rm"}})).find("error")->find("code")->as_integer(),
      -32602);
}

// --- list_logs over processes ----------------------------------------------------------------

std::unique_ptr<McpServer> serve_folder(const std::string& folder, bool readonly = false) {
  store::SpaceOptions options;
  options.create = !readonly;
  options.read_only = readonly;
  auto space = store::Space::open(folder, options);
  EXPECT_TRUE(space);
  kip::EngineOptions engine_options;
  engine_options.load_genesis = !readonly;
  auto engine = kip::Engine::open(*space, engine_options);
  EXPECT_TRUE(engine);
  McpOptions mcp;
  mcp.readonly = readonly;
  return std::make_unique<McpServer>(*engine, mcp);
}

Json body_of(McpServer& server, const char* tool, Json arguments) {
  const Json answer = *server.handle(Json::object(
      {{"jsonrpc", "2.0"},
       {"id", 1},
       {"method", "tools/call"},
       {"params", Json::object({{"name", tool}, {"arguments", std::move(arguments)}})}}));
  return *answer.find("result")->find("structuredContent");
}

Json kip_call(McpServer& server, const std::string& command) {
  return body_of(server, "execute_kip_readonly", Json::object({{"command", command}}));
}

// The commands of all pages of `limit`, newest first.
std::vector<std::string> logged(McpServer& server, int limit) {
  std::vector<std::string> commands;
  Json arguments = Json::object({{"limit", limit}});
  for (;;) {
    const Json body = body_of(server, "list_logs", arguments);
    EXPECT_NE(body.find("result"), nullptr) << body.dump();
    for (const Json& one : body.find("result")->as_array())
      commands.push_back(one.find("request")->find("command")->as_string());
    const Json* next = body.find("next_cursor");
    if (next == nullptr) return commands;
    arguments.set("cursor", *next);
  }
}

TEST(McpLogs, OutliveTheProcessAndPage) {
  const TemporaryDirectory folder;
  std::vector<std::string> expected;
  for (int process = 0; process < 2; ++process) {
    const auto server = serve_folder(folder.path());
    for (int i = 0; i < 40; ++i) {
      const std::string command = "SEARCH CONCEPT \"word" + std::to_string(process * 40 + i) + "\"";
      EXPECT_NE(kip_call(*server, command).find("result"), nullptr);
      expected.insert(expected.begin(), command);
    }
  }
  const auto server = serve_folder(folder.path());
  EXPECT_EQ(logged(*server, 100), expected);
  EXPECT_EQ(logged(*server, 7), expected);
  EXPECT_EQ(logged(*server, 80), expected);
  EXPECT_EQ(body_of(*server, "list_logs", Json::object({{"cursor", "12x"}})).find("result"),
            nullptr);
}

TEST(McpAnswers, AreBoundedAndPaged) {
  auto space = store::Space::in_memory();
  ASSERT_TRUE(space);
  auto engine = kip::Engine::open(*space);
  ASSERT_TRUE(engine);
  McpOptions options;
  options.most_answer_bytes = 4000;
  McpServer server(*engine, options);
  for (int i = 0; i < 200; ++i) {
    body_of(server, "execute_kip",
            Json::object({{"command", "UPSERT { CONCEPT ?p { {type: \"Person\", name: \"Person " +
                                          std::to_string(i) + "\"} } }"}}));
  }
  std::size_t rows = 0;
  std::string cursor;
  do {
    const Json body = kip_call(server, "FIND(?p.name) WHERE { ?p {type: \"Person\"} }" +
                                           (cursor.empty() ? "" : " CURSOR \"" + cursor + "\""));
    ASSERT_NE(body.find("result"), nullptr) << body.dump();
    EXPECT_LE(body.find("result")->dump().size(), 4000u);
    rows += body.find("result")->as_array().size();
    cursor = body.find("next_cursor") == nullptr ? "" : body.find("next_cursor")->as_string();
  } while (!cursor.empty());
  EXPECT_GE(rows, 200u);
  const Json logs = body_of(server, "list_logs", Json::object({{"limit", 100}}));
  EXPECT_LE(logs.find("result")->dump().size(), 4100u);
  EXPECT_GE(logged(server, 100).size(), 200u);
}

// An answer nests deeper than the value that it tells.
TEST(McpLogs, NoCallClosesTheList) {
  const TemporaryDirectory folder;
  {
    const auto server = serve_folder(folder.path());
    Json deep("end");
    for (int i = 0; i < 60; ++i) deep = Json::array({deep});
    body_of(*server, "execute_kip",
            Json::object({{"command",
                           "UPSERT { CONCEPT { {type: \"Person\", name: \"Ada\"} SET ATTRIBUTES "
                           "{ notes: :deep } } }"},
                          {"parameters", Json::object({{"deep", deep}})}}));
    kip_call(*server, "FIND(?p) WHERE { ?p {type: \"Person\", name: \"Ada\"} }");
    EXPECT_EQ(logged(*server, 10).size(), 2u);
  }
  const auto server = serve_folder(folder.path());
  kip_call(*server, "DESCRIBE DOMAINS");
  const auto commands = logged(*server, 10);
  ASSERT_EQ(commands.size(), 3u);
  EXPECT_EQ(commands[1].substr(0, 8), "FIND(?p)");
  const Json newest = body_of(*server, "list_logs", Json::object({{"limit", 2}}));
  const Json& found = newest.find("result")->as_array()[1];
  EXPECT_NE(found.find("response")->find("omitted_bytes"), nullptr);
}

TEST(McpLogs, AreErasedApartFromWhatWasLearnt) {
  const TemporaryDirectory folder;
  {
    const auto server = serve_folder(folder.path());
    body_of(
        *server, "execute_kip",
        Json::object({{"command", "UPSERT { CONCEPT { {type: \"Person\", name: \"Ada\"} } }"}}));
  }
  store::SpaceOptions options;
  {
    auto space = store::Space::open(folder.path(), options);
    ASSERT_TRUE(space);
    ASSERT_TRUE((*space)->erase("mcp-calls"));
  }
  const auto server = serve_folder(folder.path());
  EXPECT_TRUE(logged(*server, 10).empty());
  EXPECT_EQ(
      kip_call(*server, "FIND(?p.name) WHERE { ?p {type: \"Person\", name: \"Ada\"} }").dump(),
      R"({"result":["Ada"]})");
  EXPECT_EQ(logged(*server, 10).size(), 1u);
}

TEST(McpLogs, OfAReaderStayInMemoryBeforeThoseOfTheLog) {
  const TemporaryDirectory folder;
  kip_call(*serve_folder(folder.path()), "DESCRIBE DOMAINS");
  {
    const auto reader = serve_folder(folder.path(), true);
    kip_call(*reader, "DESCRIBE PRIMER");
    const std::vector<std::string> both = {"DESCRIBE PRIMER", "DESCRIBE DOMAINS"};
    EXPECT_EQ(logged(*reader, 1), both);
    EXPECT_EQ(logged(*reader, 10), both);
  }
  EXPECT_EQ(logged(*serve_folder(folder.path()), 10).size(), 1u);
}

// --- a client takes a request back

Json cancellation(Json id) {
  return Json::object({{"jsonrpc", "2.0"},
                       {"method", "notifications/cancelled"},
                       {"params", Json::object({{"requestId", std::move(id)}})}});
}

Json kip_request(Json id, const std::string& command) {
  return Json::object(
      {{"jsonrpc", "2.0"},
       {"id", std::move(id)},
       {"method", "tools/call"},
       {"params", Json::object({{"name", "execute_kip_readonly"},
                                {"arguments", Json::object({{"command", command}})}})}});
}

TEST(McpCancellation, ACancelledQueryEndsAndIsNotAnswered) {
  auto space = store::Space::in_memory();
  ASSERT_TRUE(space);
  kip::EngineOptions options;
  options.budget.time_ms = 120'000;
  options.budget.rows = ~std::uint64_t{0};
  auto engine = kip::Engine::open(*space, std::move(options));
  ASSERT_TRUE(engine);
  ASSERT_TRUE((*space)->write({}, [](store::Transaction& t) -> Status {
    ANIMA_ASSIGN(const store::EntityId type, t.upsert_type("Thing"));
    for (int i = 0; i < 3000; ++i) ANIMA_TRY(t.upsert_concept(type, std::to_string(i)));
    return {};
  }));
  McpServer server(*engine, McpOptions{});
  const std::string endless =  // 3000^4 rows, none of which the filter lets through
      "FIND(?a) WHERE { ?a {type: \"Thing\"} ?b {type: \"Thing\"} ?c {type: \"Thing\"} "
      "?d {type: \"Thing\"} FILTER(?a.name == ?b.id && ?c.name == ?d.id) }";
  std::atomic<bool> done = false;
  std::optional<Json> answer = Json("not yet");
  std::thread asks([&] {
    answer = server.handle(kip_request("slow", endless));
    done = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(done);
  EXPECT_FALSE(server.handle(cancellation("slow")));
  asks.join();  // it would run for two minutes
  EXPECT_FALSE(answer);
  EXPECT_TRUE(server.handle(kip_request("quick", "DESCRIBE DOMAINS")));
}

TEST(McpCancellation, ACancellationMayOvertakeItsRequest) {
  auto space = store::Space::in_memory();
  ASSERT_TRUE(space);
  auto engine = kip::Engine::open(*space);
  ASSERT_TRUE(engine);
  McpServer server(*engine, McpOptions{});
  EXPECT_FALSE(server.handle(cancellation(7)));
  EXPECT_FALSE(server.handle(kip_request(7, "DESCRIBE DOMAINS")));
  EXPECT_TRUE(server.handle(kip_request(8, "DESCRIBE DOMAINS")));
  EXPECT_FALSE(server.handle(cancellation(Json(JsonArray{}))));
}

}  // namespace
}  // namespace anima::serve
