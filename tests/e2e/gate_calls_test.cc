// The doors that are no verbs: HTTP, MCP, the library, the loop, the tools. The lists of routes and
// tools are the program's own, that of calls is read from the public header.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "agent/conversation/guard_session.h"
#include "agent/findings/doc_tool.h"
#include "agent/house/gate.h"
#include "agent/house/gate_settings.h"
#include "agent/house/governed_house.h"
#include "anima/agent.h"
#include "anima/memory.h"
#include "cli/frame/verb.h"
#include "serve/http/endpoint.h"
#include "serve/mcp_tools/mcp_acting.h"
#include "serve/mcp_tools/mcp_memory.h"
#include "serve/space_server.h"
#include "serve/v1/routes.h"
#include "support/held_space.h"
#include "support/http_client.h"
#include "support/memory_parts.h"
#include "support/needs.h"
#include "support/postgres_proxy.h"
#include "support/postgres_server.h"

namespace anima::gate_calls_test {
namespace {

using agent::Act;

class Calls : public test::HeldSpace {
 protected:
  std::shared_ptr<agent::Gate> gate() {
    auto settings = agent::configured_gate(system_files(), environment_, space_);
    EXPECT_TRUE(settings) << settings.error().describe();
    auto opened = agent::Gate::open(store::Space::open(space_).value(), clock_, random_, *settings);
    EXPECT_TRUE(opened);
    return *opened;
  }

  SystemClock clock_;
  SystemRandom random_;
};

struct RouteRequest {
  std::string method, target, type, body;
  bool governs = false;
};

// A request of each route, by its door; those of /v1 are the examples of its table.
std::map<std::string, RouteRequest> route_requests() {
  std::map<std::string, RouteRequest> requests = {
      {"sparql query", {"POST", "/sparql", "application/sparql-query", "ASK { ?s ?p ?o }"}},
      {"sparql update",
       {"POST", "/sparql", "application/sparql-update", "INSERT DATA { <urn:a> <urn:b> <urn:c> }"}},
      {"graph read", {"GET", "/data?default", "", ""}},
      {"graph write",
       {"POST", "/data?graph=urn:g", "application/n-triples", "<urn:a> <urn:b> <urn:c> .\n"}},
      {"graph drop", {"DELETE", "/data?default", "", ""}},
  };
  for (const serve::v1::Route& route : serve::v1::routes()) {
    RouteRequest request{std::string(route.method), std::string(route.path), "", "",
                         route.act == Act::kGoverns};
    if (const auto at = request.target.find("{id}"); at != std::string::npos)
      request.target.replace(at, 4, "x");
    if (route.method == "GET") {
      if (!route.example.empty()) request.target += "?" + std::string(route.example);
    } else if (!route.example.empty()) {
      request.type = "application/json";
      request.body = route.example;
    }
    requests.emplace(route.door, std::move(request));
  }
  return requests;
}

TEST_P(Calls, NoRouteActs) {
  const std::map<std::string, RouteRequest> requests = route_requests();
  hold();
  serve::SpaceServerOptions options;
  options.port = 0;
  const TemporaryDirectory folder;
  options.tokens = std::make_shared<serve::TokenBook>(system_files(), folder.path());
  SystemRandom random;
  const auto token = options.tokens->add({"client", store::Trust::kStandard, true, {}, {}}, random);
  ASSERT_TRUE(token) << token.error().describe();
  const std::shared_ptr<agent::Gate> behind = gate();
  options.memory = test::memory_parts(behind, false, folder.file("work"));
  // Without a house there are the routes of SPARQL alone.
  EXPECT_EQ(options.memory == nullptr, GetParam().name == "PinnedApprovers");
  const bool whole = options.memory != nullptr;
  const auto server = serve::SpaceServer::start(behind, options);
  ASSERT_TRUE(server) << server.error().describe();
  const std::string before = run({"export"}).out;
  const std::vector<std::string> doors = whole ? serve::http_doors() : serve::http::sparql_doors();
  for (const std::string& door : doors) {
    ASSERT_TRUE(requests.contains(door)) << "no request for the door http:" << door;
    const RouteRequest& asked = requests.at(door);
    const std::string type = "Authorization: Bearer " + *token + "\r\n" +
                             (asked.type.empty() ? "" : "Content-Type: " + asked.type + "\r\n");
    const test::HttpAnswer answer =
        test::http((*server)->port(), asked.method, asked.target, type, asked.body);
    // Which the constitution denies, whatever is asked for, and the approval is not there.
    if (asked.governs) {
      EXPECT_TRUE(answer.status == 403 || answer.status == 404) << door << answer.body;
      continue;
    }
    EXPECT_EQ(answer.status, 403) << door << answer.body;
    EXPECT_NE(answer.body.find(GetParam().reason), std::string::npos) << door << answer.body;
    EXPECT_TRUE(told("http:" + door)) << door;
  }
  EXPECT_EQ(test::http((*server)->port(), "GET", "/healthz", "", "").status, 200);
  EXPECT_EQ(run({"export"}).out, before);
}

TEST_P(Calls, NoToolOfTheMemoryIsUsedOverMcp) {
  hold();
  auto house = agent::GovernedHouse::open(gate(), {});
  if (GetParam().name == "PinnedApprovers") {
    EXPECT_FALSE(house);  // there is no server
    return;
  }
  ASSERT_TRUE(house) << house.error().describe();
  const auto space = (*house)->gate().shared_space();
  agent::SpaceWhy why(space, system_files());
  serve::McpMemoryOptions options;
  options.trust = govern::Trust::kVerified;
  serve::McpMemory memory(**house, why, options);
  for (const std::string& door : serve::mcp_doors()) {
    EXPECT_TRUE(memory.refused(door, Json::object({{"text", "written"}}))) << door;
    EXPECT_TRUE(told("mcp:" + door)) << door;
  }
}

// Names of the functions of a class, from the header that users read.
std::set<std::string> calls_of(const std::string& file, const std::string& name) {
  const std::string header =
      read_file(system_files(), ANIMA_SOURCE_DIR "/include/anima/" + file).value();
  const std::size_t begin = header.find("class " + name + " {");
  const std::size_t end = header.find(" private:", begin);
  const std::string text = header.substr(begin, end - begin);
  const std::regex call(R"(\n  (?:static )?(?:Result<[^;]*?>|\w+) (\w+)\()");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), call), none; at != none; ++at)
    names.insert((*at)[1]);
  return names;
}

TEST_P(Calls, NoCallOfTheLibraryActs) {
  auto opened = Memory::open(space_);
  ASSERT_TRUE(opened) << opened.error().describe();
  Memory& memory = *opened;
  const std::string table = folder_.file("table.csv");
  ASSERT_TRUE(replace_file(system_files(), table, "name,kind\nwritten,thing\n"));
  const auto refused_kip = [](const Json& answer) { return answer.find("error") != nullptr; };
  const std::map<std::string, std::function<bool()>> rows = {
      {"kip", [&] { return refused_kip(memory.kip("DESCRIBE PRIMER")); }},
      {"execute_kip",
       [&] {
         return refused_kip(memory.execute_kip(Json::object(
             {{"command", "UPSERT { CONCEPT { {type: \"Domain\", name: \"written\"} } }"}})));
       }},
      {"execute_kip_readonly",
       [&] {
         return refused_kip(
             memory.execute_kip_readonly(Json::object({{"command", "DESCRIBE PRIMER"}})));
       }},
      {"find", [&] { return !memory.find("FIND(?d.name) WHERE { ?d {type: \"Domain\"} }"); }},
      {"what_if",
       [&] {
         return !memory.what_if("UPSERT { CONCEPT { {type: \"Domain\", name: \"x\"} } }",
                                "FIND(?d.name) WHERE { ?d {type: \"Domain\"} }");
       }},
      {"sparql", [&] { return !memory.sparql("ASK { ?s ?p ?o }"); }},
      {"sparql_update",
       [&] { return !memory.sparql_update("INSERT DATA { <urn:a> <urn:b> <urn:c> }"); }},
      {"import_rdf",
       [&] {
         RdfText rdf;
         rdf.text = "<urn:a> <urn:b> <urn:c> .\n";
         rdf.format = "ntriples";
         return !memory.import_rdf(rdf);
       }},
      {"ask", [&] { return !memory.ask("list the domains"); }},
      {"view", [&] { return !memory.view(); }},
      {"as_of", [&] { return !memory.as_of("1"); }},
      {"load",
       [&] {
         LoadRequest request;
         request.files = {table};
         return !memory.load(request);
       }},
      {"load_pack", [&] { return !memory.load_pack(folder_.file("pack")); }},
      {"unload_pack", [&] { return !memory.unload_pack("pack"); }},
      {"undo", [&] { return !memory.undo(1, 2); }},
      {"changes",
       [&] {
         auto feed = memory.changes(1);
         return !feed || !feed->next({});
       }},
      {"backup", [&] { return !memory.backup(folder_.file("copy")); }},
  };
  // What opens, counts and checks the log itself tells nothing of what is known.
  const std::set<std::string> others = {"open", "in_memory", "newest_entry", "verify", "result_of"};
  for (const std::string& name : calls_of("memory.h", "Memory"))
    EXPECT_TRUE(rows.contains(name) || others.contains(name)) << "no row for Memory::" << name;
  hold();
  auto held = Memory::open(space_);
  ASSERT_TRUE(held) << held.error().describe();
  opened = std::move(held);
  const std::string before = run({"export"}).out;
  for (const auto& [name, is_refused] : rows) EXPECT_TRUE(is_refused()) << name;
  EXPECT_TRUE(told("library:memory"));
  EXPECT_EQ(run({"export"}).out, before);
}

TEST_P(Calls, NoCallOfTheLibrarysAgentActs) {
  auto before_hold = Agent::open(space_, {.create = true});
  ASSERT_TRUE(before_hold) << before_hold.error().describe();
  const std::string item = before_hold
                               ->remember("the tide follows the moon",
                                          {.trust = TrustLevel::kUntrusted, .source = "ada"})
                               .value()
                               .id;
  const std::string question =
      before_hold->remember("I work for Free", {.source = "ada", .speaker = "Ada"})
          .value()
          .question;
  ASSERT_FALSE(question.empty());
  const std::string card = before_hold->remember_card("tide?", "moon").value();
  hold();
  auto agent = Agent::open(space_, {.create = true});
  if (GetParam().name == "PinnedApprovers") {
    ASSERT_FALSE(agent);
    EXPECT_NE(agent.error().message.find("approver"), std::string::npos);
    return;
  }
  ASSERT_TRUE(agent) << agent.error().describe();
  ToolCall call;
  call.tool = "file:write";
  call.arguments = Json::object({{"path", "w.txt"}, {"content", "written"}});
  call.caller = call.label = TrustLevel::kOperator;
  const auto done = [](const auto& result) { return result && result->outcome == Outcome::kDone; };
  const auto answers_nothing = [](const auto& response) {
    return !response || !succeeded(response->outcome);
  };
  const std::map<std::string, std::function<bool()>> rows = {
      {"handle",
       [&] {
         const auto answer = agent->handle({.content = "write \"written\" to w.txt"});
         return !answer || answer->outcome != Outcome::kDone;
       }},
      {"call", [&] { return !done(agent->call(call)); }},
      {"ask", [&] { return answers_nothing(agent->ask("What follows the moon?")); }},
      {"run", [&] { return answers_nothing(agent->run("write \"written\" to w.txt")); }},
      {"chat", [&] { return answers_nothing(agent->chat("write \"written\" to w.txt")); }},
      {"recall", [&] { return !agent->recall("moon"); }},
      {"remember", [&] { return !agent->remember("written", {.source = "somebody"}); }},
      {"memories", [&] { return !agent->memories(); }},
      {"remembered", [&] { return !agent->remembered(item); }},
      {"verify_memory", [&] { return !agent->verify_memory(item); }},
      {"update_memory", [&] { return !agent->update_memory(item, "written"); }},
      {"forget_memory", [&] { return !agent->forget_memory(item); }},
      {"would_forget", [&] { return !agent->would_forget(item); }},
      {"questions", [&] { return !agent->questions(); }},
      {"answer", [&] { return !agent->answer(question, "yes"); }},
      {"end_session", [&] { return !agent->end_session("talk"); }},
      {"remember_card", [&] { return !agent->remember_card("written?", "yes"); }},
      {"due_cards", [&] { return !agent->due_cards(30); }},
      {"review_card", [&] { return !agent->review_card(card, 4); }},
      {"continue_plan", [&] { return !agent->continue_plan("3f2a"); }},
  };
  // What a message is, what would be decided, and what stops, resumes, answers, votes and tells of
  // it: books of the space that have their own keys and roles.
  const std::set<std::string> others = {"open",
                                        "over",
                                        "admit",
                                        "would_call",
                                        "assess",
                                        "approvals",
                                        "waiting",
                                        "approval",
                                        "grant",
                                        "deny",
                                        "plans",
                                        "abandon_plan",
                                        "propose",
                                        "vote",
                                        "veto",
                                        "proposal",
                                        "why",
                                        "events_behind",
                                        "audit_behind",
                                        "halt",
                                        "resume",
                                        "line",
                                        "what_would_allow",
                                        "emergency_stop",
                                        "halted",
                                        "tools"};
  for (const std::string& name : calls_of("agent.h", "Agent"))
    EXPECT_TRUE(rows.contains(name) || others.contains(name)) << "no row for Agent::" << name;
  const std::string before = run({"export"}).out;
  for (const auto& [name, is_refused] : rows) EXPECT_TRUE(is_refused()) << name;
  EXPECT_EQ(run({"export"}).out, before);
  EXPECT_FALSE(file_exists(system_files(), space_ + "/work/w.txt"));
  EXPECT_TRUE(told("library:agent"));
  if (GetParam().name != "KeyedApprovals") return;
  const auto waiting = agent->waiting();
  ASSERT_TRUE(waiting && !waiting->empty());
  EXPECT_FALSE(agent->grant(waiting->front().id));  // by nobody's key
  EXPECT_FALSE(done(agent->call(call)));
}

// The rule comes into force while the loop runs.
TEST_P(Calls, TheLoopsOwnToolsAreJudged) {
  agent::HouseOptions options;
  options.door = {"terminal", "run", "ada", govern::Trust::kOperator};
  auto house = agent::GovernedHouse::open(gate(), std::move(options));
  ASSERT_TRUE(house) << house.error().describe();
  memory::CompartmentManager compartments((*house)->gate().space(), system_files(), "");
  auto agent = (*house)->start_agent(compartments, system_files(), {});
  ASSERT_TRUE(agent) << agent.error().describe();
  if (GetParam().name == "PinnedApprovers") return;  // known when it begins
  hold();
  const std::string before = run({"export"}).out;
  const auto done = (*agent)->perform(
      "kg_mutate", {{"subject", "written"}, {"predicate", "is-a"}, {"object", "thing"}});
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find(GetParam().reason), std::string::npos)
      << done.error().describe();
  EXPECT_TRUE(told("loop:kg_mutate") || told("loop:cycle"));
  EXPECT_EQ(run({"export"}).out, before);
}

INSTANTIATE_TEST_SUITE_P(Gate, Calls, testing::ValuesIn(test::holds()),
                         [](const auto& each) { return each.param.name; });

// Every door, by the lists of the program.
std::vector<agent::DoorCall> all_doors() {
  std::vector<agent::DoorCall> doors;
  const auto add = [&](std::string_view place, std::string_view name) {
    doors.push_back({std::string(place), std::string(name), "eve", govern::Trust::kVerified});
  };
  for (const cli::Verb* verb : cli::all_verbs()) add("terminal", verb->name);
  for (const std::string& door : serve::http_doors()) add("http", door);
  for (const std::string& door : serve::mcp_doors()) add("mcp", door);
  for (const std::string_view call : {"memory", "agent"}) add("library", call);
  tools::ToolTable loop;
  agent::add_inside_tools(loop);
  for (const tools::Tool* tool : loop.all()) add("loop", tool->info().name);
  add("loop", "cycle");
  add("world", "tick");
  return doors;
}

// No rule, setting or approval lets through what the constitution forbids: by its first rule, to
// govern the space for anybody but its owner.
TEST(GateConstitution, NobodyButTheOwnerGovernsAtAnyDoor) {
  SystemClock clock;
  SystemRandom random;
  agent::GateOptions options;
  options.rules.push_back({"lenient.mg", "permitted(Call) :- call(Call, _, _, _).\n"});
  const auto gate =
      agent::Gate::open(store::Space::in_memory().value(), clock, random, options).value();
  for (const agent::DoorCall& door : all_doors()) {
    const std::string name = agent::name_of(door);
    const auto refused = gate->refused(door, Act::kGoverns);
    ASSERT_TRUE(refused) << name;
    EXPECT_EQ(refused->decision.layer, govern::Layer::kConstitution) << name;
    EXPECT_EQ(refused->decision.rule, "constitution: creator primacy") << name;
    const auto told = govern::find_refusal(gate->space(), refused->audit_id);
    ASSERT_TRUE(told) << name;
    EXPECT_EQ(told->entry.details->find("tool")->as_string(), name);
    EXPECT_NE(told->entry.details->find("reason")->as_string().find("creator"), std::string::npos);
  }
}

// By its fourth: whatever can call a tool cannot call one that changes the audit.
TEST(GateConstitution, NoDoorOfToolsRunsOneThatChangesTheAudit) {
  SystemClock clock;
  SystemRandom random;
  int ran = 0;
  agent::HouseOptions options;
  agent::OwnTool trim;
  trim.info.name = trim.policy.tool = "audit:trim";
  trim.policy.tier = govern::Tier::kWriteSafe;
  trim.policy.agents = {"*"};
  trim.run = [&](const Json&) -> Result<Json> { return Json(++ran); };
  options.own_tools.push_back(trim);
  const auto house = agent::GovernedHouse::open(store::Space::in_memory().value(), clock, random,
                                                std::move(options))
                         .value();
  const std::string_view reason = "append-only";
  govern::CallRequest request;
  request.tool = "audit:trim";
  request.trust = govern::Trust::kOperator;
  for (const std::string_view who : {"terminal", "executor", "main", "library"}) {
    request.agent = who;
    const govern::Outcome outcome = house->call(request);
    EXPECT_EQ(outcome.decision.layer, govern::Layer::kConstitution) << who << outcome.reason;
    EXPECT_NE(outcome.reason.find(reason), std::string::npos) << outcome.reason;
    EXPECT_TRUE(govern::find_refusal(house->space(), outcome.audit_id)) << who;
  }
  const auto session =
      agent::GuardSession::open(*house,
                                {"default",
                                 {"ada", "test", store::Trust::kOperator, store::Sequence::kNone},
                                 govern::Trust::kVerified})
          .value();
  const auto judged = session->call("audit:trim", Json::object({}));
  ASSERT_TRUE(judged);
  EXPECT_NE(judged->outcome.kind, govern::Outcome::Kind::kDone);
  serve::McpActing acting(*house, *session, govern::Trust::kVerified);
  const auto answer = acting.call(
      "call_tool", Json::object({{"tool", "audit:trim"}, {"arguments", Json::object({})}}));
  ASSERT_TRUE(answer);
  EXPECT_NE(answer->body.dump().find(reason), std::string::npos) << answer->body.dump();
  AgentOptions of_library;
  OwnTool own;
  own.name = "audit:trim";
  own.run = [&](const Json&) -> Result<Json> { return Json(++ran); };
  of_library.tools = {own};
  auto agent = Agent::over(Memory::in_memory().value(), of_library);
  ASSERT_TRUE(agent) << agent.error().describe();
  ToolCall call;
  call.tool = "audit:trim";
  call.caller = call.label = TrustLevel::kOperator;
  const auto called = agent->call(call);
  ASSERT_TRUE(called);
  EXPECT_EQ(called->outcome, Outcome::kDenied);
  EXPECT_EQ(ran, 0);
}

// A database that is away is an error of the call, and no stop.
TEST(GateCalls, ALostDatabaseStopsNothing) {
  const test::PostgresServer server;
  ANIMA_NEEDS(test::kPostgres, server.there());
  test::PostgresProxy proxy(server.socket_folder());
  SystemClock clock;
  SystemRandom random;
  store::SpaceOptions options;
  options.create = true;
  options.turn_wait_milliseconds = 2'000;
  auto space = store::Space::open(proxy.address(), options);
  ASSERT_TRUE(space) << space.error().describe();
  const auto gate = agent::Gate::open(*space, clock, random).value();
  const agent::DoorCall call{"library", "memory", "program", govern::Trust::kOperator};
  ASSERT_TRUE(gate->pass(call, Act::kWrites));
  proxy.set(test::PostgresProxy::Mode::kRefuse);
  const auto mine = gate->space_for(call);
  const store::Origin origin{"ada", "test", store::Trust::kOperator, store::Sequence::kNone};
  const auto nothing = [](store::Transaction&) { return Status(); };
  EXPECT_FALSE(mine->write(origin, nothing));
  EXPECT_FALSE(gate->line().halt("operator", "while it is away"));  // and says so
  EXPECT_FALSE(gate->line().halted());
  proxy.set(test::PostgresProxy::Mode::kPass);
  Status again;
  for (int attempt = 0; attempt < 50; ++attempt) {
    again = gate->pass(call, Act::kWrites);
    if (again) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_TRUE(again) << again.error().describe();
  EXPECT_FALSE(gate->line().state().value().halted);
  EXPECT_TRUE(mine->write(origin, nothing));
  // What somebody decides holds, has its reason, and ends with `guard resume`.
  ASSERT_TRUE(gate->line().halt("operator", "a look"));
  const Status stopped = gate->pass(call, Act::kWrites);
  ASSERT_FALSE(stopped);
  EXPECT_NE(stopped.error().message.find("a look"), std::string::npos);
  ASSERT_TRUE(gate->line().resume("operator"));
  EXPECT_TRUE(gate->pass(call, Act::kWrites));
}

}  // namespace
}  // namespace anima::gate_calls_test
