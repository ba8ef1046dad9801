// /v1 over a real socket, on a space in a folder: what each route does, for whom, and how often.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "serve/v1/api.h"
#include "serve/v1/routes.h"
#include "store/act.h"
#include "store/own_graphs.h"
#include "support/memory_server.h"

namespace anima::serve::v1_test {
namespace {

using test::HttpAnswer;

class V1 : public test::MemoryServer {
 protected:
  // Whatever a route answers is declared in /openapi.json, by status and content type.
  HttpAnswer http(std::string_view method, std::string_view target, std::string_view body = "",
                  std::string_view headers = "", const std::string& client = "ada") {
    HttpAnswer answer = MemoryServer::http(method, target, body, headers, client);
    const v1::Match found = v1::match(method, target.substr(0, target.find('?')));
    if (found.route == nullptr || method == "HEAD") return answer;
    std::string name;
    for (const char c : method) name += static_cast<char>(c | 0x20);
    const Json* responses =
        document_.find("paths")->find(found.route->path)->find(name)->find("responses");
    const Json* declared = responses->find(std::to_string(answer.status));
    const Json* content = declared == nullptr ? nullptr : declared->find("content");
    const std::string type =
        declared == nullptr  ? found.route->openai ? "application/json" : "application/problem+json"
        : content == nullptr ? ""
                             : content->as_object().begin()->first;
    EXPECT_EQ(answer.header("content-type"), type) << method << " " << target << answer.status;
    EXPECT_TRUE(declared != nullptr || answer.status >= 400) << target << answer.status;
    return answer;
  }
  const Json document_ = v1::openapi("1");
  // How often the memory of this text is there.
  std::size_t count_of(const std::string& text) {
    std::size_t count = 0;
    const Json page = get("/v1/memories?limit=100");
    for (const Json& each : page.find("memories")->as_array())
      count += each.find("text")->as_string() == text ? 1 : 0;
    return count;
  }
  static Json problem(const HttpAnswer& answer, int status) {
    EXPECT_EQ(answer.status, status) << answer.body;
    EXPECT_EQ(answer.header("content-type"), "application/problem+json");
    const auto json = parse_json(answer.body);
    EXPECT_TRUE(json) << answer.body;
    if (!json) return {};
    EXPECT_EQ(json->find("status")->as_integer(), status);
    for (const char* member : {"type", "title", "detail", "code"})
      EXPECT_NE(json->find(member), nullptr) << answer.body;
    return *json;
  }
  std::vector<std::string> refusals() {
    std::vector<std::string> all;
    EXPECT_TRUE(space_->changes(store::Sequence::kNone, [&](const store::LogEntry& entry) {
      return store::visit_records(entry,
                                  [&](store::RecordKind kind, std::string_view payload) -> Status {
                                    if (kind == store::RecordKind::kAudit &&
                                        payload.find("permission_denied") != std::string_view::npos)
                                      all.emplace_back(payload);
                                    return {};
                                  });
    }));
    return all;
  }
};

// By no door does a caller take away what somebody who is trusted more states.
TEST_F(V1, WhatIsStatedByTheMoreTrustedStays) {
  add_client("ver", store::Trust::kVerified, true);
  add_client("pest", store::Trust::kUntrusted, true);
  ASSERT_EQ(http("POST", "/v1/memories", R"({"text":"Walter lives in Bremen"})", "", "ver").status,
            201);
  const auto lives = [&] {
    const Json answer = good(http("POST", "/v1/ask", R"({"question":"Where does Walter live?"})"));
    return answer.dump().find("Bremen") != std::string::npos;
  };
  ASSERT_TRUE(lives());
  const std::string update = "Content-Type: application/sparql-update\r\n";
  const auto sparql = [&](const std::string& text) {
    return test::http(server_->port(), "POST", "/sparql", authorization("pest") + update, text);
  };
  for (const char* text : {"DELETE WHERE { GRAPH ?g { ?s <urn:anima:predicate:lives_in> ?o } }",
                           "DELETE WHERE { ?s ?p ?o }", "CLEAR ALL", "DROP DEFAULT", "CLEAR NAMED"})
    EXPECT_EQ(sparql(text).status, 403) << text;
  for (const char* target : {"/data?default", "/data?graph=urn:anima:compartment:told"})
    EXPECT_EQ(http("DELETE", target, "", "", "pest").status, 403) << target;
  const std::string mallory =
      R"({"command":"UPSERT { CONCEPT { {type: \"Person\", name: \"Mallory\"} } }"})";
  ASSERT_EQ(http("POST", "/v1/kip", mallory, "", "pest").status, 200);
  const HttpAnswer merged = http(
      "POST", "/v1/kip",
      R"({"command":"MERGE CONCEPT ?a INTO ?b WHERE { ?a {type: \"Person\", name: \"Walter\"} )"
      R"(?b {type: \"Person\", name: \"Mallory\"} }"})",
      "", "pest");
  EXPECT_NE(merged.body.find("KIP_3004"), std::string::npos) << merged.body;
  EXPECT_TRUE(lives());
}

// A body whose end is not known would be read as the next request.
TEST_F(V1, ABodyInAnotherCodingIsRefused) {
  for (const char* coding : {"xchunked", "gzip", "gzip, chunked", "identity"}) {
    const HttpAnswer answer = http("POST", "/v1/recall", R"({"question":"Ada"})",
                                   "Transfer-Encoding: " + std::string(coding) + "\r\n");
    EXPECT_TRUE(answer.status == 501 || answer.status == 400) << coding << answer.body;
  }
}

TEST_F(V1, AMemoryIsKeptShownReplacedAndWithdrawn) {
  const HttpAnswer made = http("POST", "/v1/memories", R"({"text":"Ada works at Initech"})");
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string id = parse_json(made.body)->find("id")->as_string();
  EXPECT_EQ(made.header("location"), "/v1/memories/" + id);
  EXPECT_EQ(newest_entry().author, "http:ada");
  EXPECT_EQ(newest_entry().trust, store::Trust::kStandard);
  EXPECT_EQ(http("POST", "/v1/memories", R"({"text":"Ada works at Initech"})").status, 200);
  const HttpAnswer shown = http("GET", "/v1/memories/" + id);
  EXPECT_EQ(good(shown).find("text")->as_string(), "Ada works at Initech");
  const std::string tag = shown.header("etag");
  ASSERT_FALSE(tag.empty());
  EXPECT_EQ(http("GET", "/v1/memories/" + id, "", "If-None-Match: " + tag + "\r\n").status, 304);
  EXPECT_EQ(
      http("PATCH", "/v1/memories/" + id, R"({"text":"no"})", "If-Match: \"other\"\r\n").status,
      412);
  const HttpAnswer changed = http("PATCH", "/v1/memories/" + id,
                                  R"({"text":"Ada works at Globex"})", "If-Match: " + tag + "\r\n");
  const std::string newer = good(changed).find("id")->as_string();
  EXPECT_NE(newer, id);
  EXPECT_EQ(http("GET", "/v1/memories/" + id).status, 404);
  // Who had seen the same state and comes second.
  EXPECT_EQ(http("PATCH", "/v1/memories/" + id, R"({"text":"Ada works at Acme"})",
                 "If-Match: " + tag + "\r\n")
                .status,
            412);
  EXPECT_EQ(changed.header("etag"), http("GET", "/v1/memories/" + newer).header("etag"));
  EXPECT_EQ(http("DELETE", "/v1/memories/" + newer, "", "If-Match: " + tag + "\r\n").status, 412);
  EXPECT_TRUE(good(http("DELETE", "/v1/memories/" + newer)).find("forgotten")->as_bool());
  EXPECT_EQ(get("/v1/memories").find("memories")->as_array().size(), 0U);
}

// Who puts the text back changed loses nothing of it.
TEST_F(V1, AMemoryIsShownWhole) {
  std::string text = "Minutes.";
  for (int i = 0; i < 300; ++i) text += " Item " + std::to_string(i) + " was put off.";
  const HttpAnswer made = http("POST", "/v1/memories", Json::object({{"text", text}}).dump());
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string id = parse_json(made.body)->find("id")->as_string();
  EXPECT_EQ(get("/v1/memories/" + id).find("text")->as_string(), text);
  EXPECT_EQ(get("/v1/memories/" + id).find("bytes"), nullptr);
  const Json listed = get("/v1/memories").find("memories")->as_array()[0];
  EXPECT_EQ(listed.find("text")->as_string(), text.substr(0, 2000));
  EXPECT_EQ(listed.find("bytes")->as_integer(), static_cast<std::int64_t>(text.size()));
}

TEST_F(V1, StatisticsCountWhatAnotherProcessWrote) {
  const std::int64_t before = get("/v1/statistics").find("entries")->as_integer();
  const auto other = store::Space::open(folder_.file("space")).value();
  const store::Origin origin{"other", "test", store::Trust::kStandard, store::Sequence::kNone};
  ASSERT_TRUE(other->write(origin, [](store::Transaction& transaction) -> Status {
    return transaction.upsert_type("Port").map([](store::EntityId) {});
  }));
  EXPECT_EQ(get("/v1/statistics").find("entries")->as_integer(), before + 1);
}

TEST_F(V1, TheListGoesOnByItsCursorAndFindsWords) {
  for (const char* text : {"the sea is salt", "the moon is near", "the sun is far"}) remember(text);
  const Json page = get("/v1/memories?limit=2");
  ASSERT_EQ(page.find("memories")->as_array().size(), 2U);
  EXPECT_EQ(page.find("memories")->as_array()[0].find("text")->as_string(), "the sun is far");
  const Json rest = get("/v1/memories?limit=2&cursor=" + page.find("next_cursor")->as_string());
  ASSERT_EQ(rest.find("memories")->as_array().size(), 1U);
  EXPECT_EQ(get("/v1/memories?query=moon").find("memories")->as_array().size(), 1U);
}

TEST_F(V1, WhatWasAskedBackIsListedAndAnswered) {
  const Json asked = post("/v1/memories", R"({"text":"Ada works for Free"})");
  const std::string id = asked.find("question")->as_string();
  add_client("bob", store::Trust::kVerified, true);
  EXPECT_TRUE(
      good(http("GET", "/v1/questions", "", "", "bob")).find("questions")->as_array().empty());
  problem(http("POST", "/v1/questions/" + id, R"({"answer":"yes"})", "", "bob"), 403);
  const Json open = get("/v1/questions");
  ASSERT_EQ(open.find("questions")->as_array().size(), 1U);
  EXPECT_EQ(open.find("questions")->as_array()[0].find("id")->as_string(), id);
  problem(http("POST", "/v1/questions/" + id, R"({"answer":"perhaps"})"), 400);
  EXPECT_NE(
      post("/v1/questions/" + id, R"({"answer":"yes"})").find("stated")->as_string().find("Free"),
      std::string::npos);
  EXPECT_TRUE(get("/v1/questions").find("questions")->as_array().empty());
  problem(http("POST", "/v1/questions/" + id, R"({"answer":"yes"})"), 404);
}

TEST_F(V1, QuestionsAreAnsweredWithReasonsAndEarlierStates) {
  ASSERT_FALSE(remember("Ada works at Initech").empty());
  const auto then = std::to_string(static_cast<std::uint64_t>(newest_entry().sequence));
  const std::string question = R"({"question":"Where does Ada work?"})";
  EXPECT_NE(post("/v1/ask", question).dump().find("Initech"), std::string::npos);
  EXPECT_NE(post("/v1/recall", question).find("text")->as_string().find("Initech"),
            std::string::npos);
  const Json why = post("/v1/why", R"({"about":"Ada works at Initech"})");
  EXPECT_NE(why.find("proof")->dump().find("http:ada"), std::string::npos) << why.dump();
  ASSERT_EQ(
      http("POST", "/v1/memories", R"({"text":"Ada no longer works at Initech"})").status / 100, 2);
  EXPECT_NE(post("/v1/ask?as_of=" + then, question).dump().find("Initech"), std::string::npos);
  const Json facts = get("/v1/facts?about=Ada&as_of=" + then);
  EXPECT_EQ(facts.find("name")->as_string(), "Ada");
  const std::string told = facts.find("facts")->dump();
  EXPECT_NE(told.find("Initech"), std::string::npos) << told;
  EXPECT_NE(told.find("\"author\":\"http:ada\""), std::string::npos) << told;
  const Json history = get("/v1/history?about=Ada");
  EXPECT_GE(history.find("entries")->as_array().size(), 1U);
  EXPECT_NE(get("/v1/changes?since=1").find("added")->dump().find("Ada"), std::string::npos);
  EXPECT_GT(get("/v1/statistics").find("entries")->as_integer(), 1);
  problem(http("GET", "/v1/facts?about=Nobody"), 404);
  problem(http("POST", "/v1/ask?as_of=99999", question), 404);
}

TEST_F(V1, KipAnswersAsItsProtocolHasIt) {
  const Json made =
      post("/v1/kip", R"J({"command":"UPSERT { CONCEPT { {type: \"Domain\", name: :n} } }",
                                        "parameters":{"n":"tides"}})J");
  ASSERT_NE(made.find("result"), nullptr) << made.dump();
  const std::string find =
      R"J({"command":"FIND(?d.name) WHERE { ?d {type: \"Domain\", name: \"tides\"} }"})J";
  EXPECT_EQ(post("/v1/kip/readonly", find).find("result")->dump(), "[\"tides\"]");
  const Json early = post("/v1/kip/readonly?as_of=2", find);
  EXPECT_EQ(early.find("result")->dump(), "[]") << early.dump();
  const Json refused =
      post("/v1/kip/readonly",
           R"J({"command":"UPSERT { CONCEPT { {type: \"Domain\", name: \"no\"} } }"})J");
  EXPECT_NE(refused.find("error"), nullptr);
}

TEST_F(V1, WhoUndoesTakesBackHisOwnActsAlone) {
  remember("Ada works at Initech");
  add_client("bob", store::Trust::kVerified, true);
  EXPECT_EQ(http("POST", "/v1/undo", R"({"entries":"last"})", "", "bob").status, 404);
  const auto entry = std::to_string(static_cast<std::uint64_t>(newest_entry().sequence));
  const Json refused =
      problem(http("POST", "/v1/undo", R"({"entries":")" + entry + "\"}", "", "bob"), 403);
  EXPECT_NE(refused.find("detail")->as_string().find("http:ada"), std::string::npos);
  const Json tried = post("/v1/undo", R"({"entries":"last","dry_run":true})");
  EXPECT_NE(tried.find("going")->dump().find("Initech"), std::string::npos) << tried.dump();
  EXPECT_EQ(tried.find("acts")->as_array()[0].find("name")->as_string().find("http:remember"), 0U);
  EXPECT_EQ(count_of("Ada works at Initech"), 1U);
  post("/v1/undo", R"({"entries":"last"})");
  EXPECT_EQ(count_of("Ada works at Initech"), 0U);
}

// Names of tokens are given again, what one could do is not.
TEST_F(V1, ALaterTokenOfTheNameIsAnother) {
  const std::string key = "Idempotency-Key: k-1\r\n", body = R"({"text":"the ferry goes at ten"})";
  const HttpAnswer first = http("POST", "/v1/memories", body, key);
  ASSERT_EQ(first.status, 201);
  const std::string kept(first.header("location"));
  const auto entry = std::to_string(static_cast<std::uint64_t>(newest_entry().sequence));
  ASSERT_TRUE(tokens_->remove("ada"));
  add_client("ada", store::Trust::kStandard, true);
  EXPECT_EQ(http("POST", "/v1/memories", body, key).header("idempotent-replayed"), "");
  const Json refused = problem(http("POST", "/v1/undo", R"({"entries":")" + entry + "\"}"), 403);
  EXPECT_NE(refused.find("detail")->as_string().find("earlier token"), std::string::npos);
  const std::string other = R"({"text":"the ferry goes at noon"})";
  EXPECT_EQ(http("PATCH", kept, other).status, 403);
  EXPECT_EQ(http("DELETE", kept).status, 403);
  const std::string own(http("POST", "/v1/memories", other).header("location"));
  EXPECT_EQ(http("DELETE", own).status, 200);
}

TEST_F(V1, AFactNamesAllWhoStateIt) {
  add_client("bob", store::Trust::kVerified, true);
  ASSERT_EQ(http("POST", "/v1/memories", R"({"text":"Walter lives in Bremen"})").status, 201);
  const std::string same =
      R"({"command":"UPSERT { PROPOSITION { ({type: \"Person\", name: \"Walter\"}, \"lives_in\", )"
      R"({type: \"Place\", name: \"Bremen\"}) } }"})";
  ASSERT_EQ(http("POST", "/v1/kip", same, "", "bob").status, 200);
  const Json facts = get("/v1/facts?about=Walter");
  for (const Json& fact : facts.find("facts")->as_array()) {
    if (fact.find("predicate")->as_string() != "lives_in") continue;
    const Json* all = fact.find("stated_by");
    ASSERT_NE(all, nullptr) << fact.dump();
    EXPECT_EQ(all->as_array().size(), 2U);
    EXPECT_EQ(fact.find("author")->as_string(), "http:bob");
    return;
  }
  ADD_FAILURE() << facts.dump();
}

TEST_F(V1, AKeyHasARequestDoneOnceAlsoAfterARestart) {
  const std::string key = "Idempotency-Key: k-1\r\n";
  const std::string body = R"({"text":"the ferry goes at nine"})";
  const HttpAnswer first = http("POST", "/v1/memories", body, key);
  ASSERT_EQ(first.status, 201);
  const auto entries = get("/v1/statistics").find("entries")->as_integer();
  const auto same = [&] {
    const HttpAnswer again = http("POST", "/v1/memories", body, key);
    EXPECT_EQ(again.status, 201);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(again.header("location"), first.header("location"));
    EXPECT_EQ(again.header("idempotent-replayed"), "true");
  };
  same();
  EXPECT_EQ(get("/v1/statistics").find("entries")->as_integer(), entries);
  problem(http("POST", "/v1/memories", R"({"text":"another"})", key), 422);
  add_client("bob", store::Trust::kStandard, true);
  EXPECT_EQ(
      http("POST", "/v1/memories", R"({"text":"a key is one client's own"})", key, "bob").status,
      201);
  start();
  same();
  problem(http("POST", "/v1/memories", R"({"text":"another"})", key), 422);
  // What failed is no answer to be kept.
  problem(http("DELETE", "/v1/memories/none", "", "Idempotency-Key: k-2\r\n"), 404);
  const std::string id = remember("to be withdrawn");
  const std::string other = "Idempotency-Key: k-3\r\n";
  ASSERT_EQ(http("DELETE", "/v1/memories/" + id, "", other).status, 200);
  EXPECT_EQ(http("DELETE", "/v1/memories/" + id, "", other).status, 200);
  EXPECT_EQ(http("DELETE", "/v1/memories/" + id).status, 404);
}

TEST_F(V1, AKeyIsKeptAsItsHash) {
  const std::string key = "Idempotency-Key: k\r\n";
  ASSERT_EQ(http("POST", "/v1/memories", R"({"text":"Zelda works at Initech"})", key).status, 201);
  std::size_t records = 0;
  ASSERT_TRUE(space_->changes(store::Sequence::kNone, [&](const store::LogEntry& entry) {
    return store::visit_records(entry,
                                [&](store::RecordKind kind, std::string_view payload) -> Status {
                                  if (kind != v1::kAnswerRecord) return {};
                                  ++records;
                                  // The key is kept as its hash.
                                  EXPECT_EQ(payload.find("\"k\""), std::string_view::npos);
                                  return {};
                                });
  }));
  EXPECT_EQ(records, 1U);
}

TEST_F(V1, ADryRunSpendsNoKey) {
  const std::string told =
      R"({"command":"UPSERT { CONCEPT { {type: \"Person\", name: \"Bo\"} } }")";
  for (const char* end : {R"(,"dry_run":true})", "}"})
    EXPECT_EQ(http("POST", "/v1/kip", told + end, "Idempotency-Key: one\r\n").status, 200) << end;
  EXPECT_EQ(get("/v1/facts?about=Bo").find("name")->as_string(), "Bo");
}

TEST_F(V1, WhatIsNotKnownIsRefused) {
  const auto kip = [&](const std::string& member) {
    const std::string body =
        R"({"command":"UPSERT { CONCEPT { {type: \"Person\", name: \"Bo\"} } }",)" + member + "}";
    return http("POST", "/v1/kip", body).body;
  };
  for (const auto& [given, meant] : {std::pair{R"("dryrun":true)", "dry_run"},
                                     {R"("min_trst":"verified")", "min_trust"},
                                     {R"("valid_att":"any")", "valid_at"},
                                     {R"("as_off":1)", "as_of"}}) {
    const std::string answer = kip(given);
    EXPECT_NE(answer.find("KIP_1001"), std::string::npos) << answer;
    EXPECT_NE(answer.find(std::string("did you mean \\\"") + meant), std::string::npos) << answer;
  }
  EXPECT_EQ(http("GET", "/v1/facts?about=Bo").status, 404) << "nothing was written";
  EXPECT_NE(http("GET", "/v1/things?limt=5").body.find("did you mean"), std::string::npos);
  for (const char* empty : {"/v1/things?query=", "/v1/things?query=%20"})
    problem(http("GET", empty), 400);
  problem(http("POST", "/v1/ask", R"({"question":"Who is Bo?","language":"klingon"})"), 404);
  EXPECT_NE(http("GET", "/v1/things?type=Persn").body.find("Person"), std::string::npos);
}

// Of a text of several commands that stops, what is done is told.
TEST_F(V1, AnErrorOfAScriptSaysWhatStays) {
  const std::string answer =
      http("POST", "/v1/kip",
           R"({"command":"UPSERT { CONCEPT { {type: \"Person\", name: \"Bo\"} } } )"
           R"(UPSERT { CONCEPT { {type: \"Nobody\", nam: 1} } }"})")
          .body;
  const std::string later =
      http("POST", "/v1/kip",
           R"({"commands":["UPSERT { CONCEPT { {type: \"Person\", name: \"Cy\"} } }","FIND("]})")
          .body;
  EXPECT_NE(later.find("1 command before it wrote, and that stays"), std::string::npos) << later;
  problem(http("GET", "/v1/facts?about=Bo"), 404);  // no part of it could be read: nothing ran
  EXPECT_EQ(answer.find("stays"), std::string::npos) << answer;
}

TEST_F(V1, TheSameKeyAtOnceIsDoneOnce) {
  std::vector<std::thread> clients;
  std::vector<int> status(8);
  for (std::size_t i = 0; i < status.size(); ++i) {
    clients.emplace_back([&, i] {
      status[i] =
          http("POST", "/v1/memories", R"({"text":"said eight times"})", "Idempotency-Key: one\r\n")
              .status;
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_GE(std::count(status.begin(), status.end(), 201), 1);
  for (const int each : status) EXPECT_TRUE(each == 201 || each == 409 || each == 503) << each;
  EXPECT_EQ(count_of("said eight times"), 1U);
}

TEST_F(V1, ATokenThatOnlyReadsWritesNothingAndTheAuditTells) {
  add_client("eye", store::Trust::kVerified, false);
  remember("the sea is salt");
  const auto before = refusals().size();
  std::size_t refused = 0;
  for (const v1::Route& route : v1::routes()) {
    std::string path(route.path);
    if (const auto at = path.find("{id}"); at != std::string::npos) path.replace(at, 4, "x");
    const bool query = route.method == "GET" && !route.example.empty();
    const HttpAnswer answer =
        http(route.method, query ? path + "?" + std::string(route.example) : path,
             route.method == "GET" ? "" : route.example, "", "eye");
    if (route.act == agent::Act::kReads) {
      EXPECT_NE(answer.status, 403) << route.door << answer.body;
      EXPECT_LT(answer.status, 500) << route.door << answer.body;
    } else if (route.act == agent::Act::kGoverns) {
      EXPECT_EQ(answer.status, 404) << "there is no approval x: " << answer.body;
    } else {
      EXPECT_EQ(answer.status, 403) << route.door << answer.body;
      if (!route.openai) problem(answer, 403);
      ++refused;
    }
  }
  const auto told = refusals();
  EXPECT_EQ(told.size() - before, refused);
  EXPECT_NE(told.back().find("http:eye"), std::string::npos) << told.back();
  EXPECT_EQ(get("/v1/memories").find("memories")->as_array().size(), 1U);
}

TEST_F(V1, AServerThatOnlyReadsSaysSoAndTheAuditTells) {
  start(true);
  const std::size_t before = refusals().size();
  const Json refused = problem(http("POST", "/v1/memories", R"({"text":"x"})"), 403);
  EXPECT_NE(refused.find("hint")->as_string().find("anima why-denied"), std::string::npos);
  EXPECT_EQ(refusals().size(), before + 1);
  EXPECT_EQ(http("GET", "/v1/memories").status, 200);
  EXPECT_EQ(http("GET", "/readyz").status, 200);
}

TEST_F(V1, TheOwnersRulesHoldForEachRoute) {
  rule(
      "deny(Call, \"no facts for programs\") :- call(Call, \"http:facts\", _, _).\n"
      "ask(Call, \"ask me first\") :- call(Call, \"http:remember\", _, _).\n");
  const Json denied = problem(http("GET", "/v1/facts?about=Ada"), 403);
  EXPECT_NE(denied.find("detail")->as_string().find("no facts for programs"), std::string::npos);
  EXPECT_EQ(http("GET", "/v1/memories").status, 200);
  const std::string body = R"({"text":"Ada works at Initech"})";
  const Json waits =
      problem(http("POST", "/v1/memories", body, "X-Request-Id: 00000000000000aa\r\n"), 403);
  EXPECT_NE(waits.find("hint")->as_string().find("anima approve show"), std::string::npos);
  EXPECT_EQ(waits.find("code")->as_string(), "waiting");
  EXPECT_EQ(waits.find("refusal"), nullptr);
  const std::string refusal = denied.find("refusal")->as_string();
  EXPECT_EQ(good(http("POST", "/v1/why", Json::object({{"about", refusal}}).dump()))
                .find("id")
                ->as_string(),
            refusal);
  // Its own calls that wait are shown to a token, and nobody else's.
  const Json list = get("/v1/approvals");
  ASSERT_EQ(list.find("approvals")->as_array().size(), 1U);
  const std::string id = list.find("approvals")->as_array()[0].find("id")->as_string();
  EXPECT_EQ(waits.find("approval")->as_string(), id);
  EXPECT_EQ(problem(http("POST", "/v1/approvals/none/grant"), 404).find("code")->as_string(),
            "not_found");
  EXPECT_EQ(get("/v1/approvals/" + id).find("tool")->as_string(), "http:remember");
  add_client("bob", store::Trust::kVerified, true);
  EXPECT_EQ(good(http("GET", "/v1/approvals", "", "", "bob")).find("approvals")->as_array().size(),
            0U);
  EXPECT_EQ(http("GET", "/v1/approvals/" + id, "", "", "bob").status, 404);
  // Nobody but the owner answers them; how is said.
  for (const char* answer : {"grant", "deny"}) {
    const Json how = problem(http("POST", "/v1/approvals/" + id + "/" + answer), 403);
    EXPECT_NE(how.find("hint")->as_string().find("anima approve grant " + id), std::string::npos);
  }
  // The approval is for the call, whatever the name of its request.
  ASSERT_TRUE(gate_->approvals().grant(id, "operator"));
  EXPECT_EQ(http("POST", "/v1/memories", body, "X-Request-Id: 00000000000000bb\r\n").status, 201);
}

TEST_F(V1, ARequestHasANameThatIsTakenOrMade) {
  const HttpAnswer named = http("POST", "/v1/memories", R"({"text":"the sea is salt"})",
                                "X-Request-Id: 3f2a9c00-0000-4000-8000-0000000000aa\r\n");
  EXPECT_EQ(named.header("x-request-id"), "3f2a9c00-0000-4000-8000-0000000000aa");
  const auto now = space_->snapshot().value();
  const auto act = store::newest_act_to_undo(*space_, now);
  ASSERT_TRUE(act);
  EXPECT_EQ(act->name, "http:remember, request 3f2a9c00-0000-4000-8000-0000000000aa");
  const std::string made = http("GET", "/v1/statistics").header("x-request-id");
  EXPECT_EQ(made.size(), 16U);
  EXPECT_NE(http("GET", "/v1/statistics").header("x-request-id"), made);
  EXPECT_EQ(http("GET", "/v1/statistics", "", "X-Request-Id: Ada-Lovelace\r\n")
                .header("x-request-id")
                .size(),
            16U);
}

TEST_F(V1, WhatIsNoRequestIsAProblem) {
  problem(http("GET", "/v1/nothing"), 404);
  const HttpAnswer method = http("PUT", "/v1/memories");
  problem(method, 405);
  EXPECT_EQ(method.header("allow"), "POST, GET");
  problem(http("POST", "/v1/memories", "{"), 400);
  problem(http("POST", "/v1/memories", "[]"), 400);
  problem(http("POST", "/v1/memories", R"({"txt":"x"})"), 400);
  problem(http("POST", "/v1/memories", R"({"text":1})"), 400);
  problem(http("POST", "/v1/memories", R"({"text":" "})"), 400);
  problem(http("POST", "/v1/memories"), 400);
  problem(http("GET", "/v1/memories?limit=many"), 400);
  problem(http("GET", "/v1/memories?limit=0"), 400);
  problem(http("GET", "/v1/memories?limit=99999999999999999999"), 400);
  problem(http("GET", "/v1/memories?as_of=1"), 400);
  problem(http("GET", "/v1/facts"), 400);
  problem(http("GET", "/v1/facts?about=a&about=b"), 400);
  problem(http("GET", "/v1/facts?about=%ff"), 400);
  problem(http("POST", "/v1/undo", R"({"entries":"many"})"), 400);
  problem(test::http(server_->port(), "POST", "/v1/memories",
                     authorization("ada") + "Content-Type: text/plain\r\n", "x"),
          415);
  EXPECT_EQ(test::http(server_->port(), "GET", "/v1/memories").status, 401);
  EXPECT_EQ(test::http(server_->port(), "GET", "/openapi.json").status, 401);
}

TEST_F(V1, ItsDescriptionIsMadeOfTheRoutes) {
  const Json document = get("/openapi.json");
  EXPECT_EQ(document.find("openapi")->as_string(), "3.1.0");
  std::set<std::string> doors, ids;
  for (const v1::Route& route : v1::routes()) {
    EXPECT_TRUE(doors.insert(std::string(route.door)).second) << route.door;
    const Json* path = document.find("paths")->find(route.path);
    ASSERT_NE(path, nullptr) << route.path;
    std::string method;
    for (const char c : route.method) method += static_cast<char>(c | 0x20);
    const Json* operation = path->find(method);
    ASSERT_NE(operation, nullptr) << route.path;
    EXPECT_TRUE(ids.insert(operation->find("operationId")->as_string()).second);
    if (route.method != "GET" && !route.example.empty()) {
      EXPECT_TRUE(parse_json(route.example)) << route.example;
    }
  }
}

// What schemathesis found: answers and bounds that the description did not say.
TEST_F(V1, ItsDescriptionSaysTheAnswersAndTheBounds) {
  EXPECT_EQ(http("POST", "/v1/memories", R"({"text":"the sea is salt"})").status, 201);
  EXPECT_EQ(http("POST", "/v1/memories", R"({"text":"the sea is salt"})").status, 200);
  const Json* kept = document_.find("paths")->find("/v1/memories")->find("post")->find("responses");
  EXPECT_TRUE(kept->find("200") != nullptr && kept->find("201") != nullptr) << kept->dump();
  remember("Ada works at Initech");
  std::size_t seen = 0;
  for (const v1::Route& route : v1::routes()) {
    for (const v1::Parameter& each : route.parameters) {
      if (each.in != v1::In::kQuery || each.type != "integer" || each.most == 0) continue;
      ++seen;
      const std::string target =
          std::string(route.path) + "?" +
          (route.example.starts_with(each.name) ? "" : std::string(route.example) + "&") +
          std::string(each.name) + "=";
      for (const std::int64_t outside : {each.least - 1, each.most + 1})
        problem(http(route.method, target + std::to_string(outside)), 400);
      const int status = http(route.method, target + std::to_string(each.most)).status;
      const bool names_one =
          route.path.find("{id}") != std::string_view::npos;  // none that is there
      EXPECT_EQ(status, names_one ? 404 : 200) << target;
    }
  }
  EXPECT_GE(seen, 5U);
  problem(http("POST", "/v1/memories", R"({"text":""})"), 400);
  problem(http("POST", "/v1/recall", R"({"question":"Ada","budget":149})"), 400);
}

TEST_F(V1, ThePageHasEveryRoute) {
  const std::string page =
      read_file(system_files(), ANIMA_SOURCE_DIR "/docs/serve.md", 1 << 20).value();
  for (const v1::Route& route : v1::routes()) {
    const std::string row = "\n| `" + std::string(route.method) + " " + std::string(route.path) +
                            "` | " + std::string(route.summary) +
                            " | `http:" + std::string(route.door) + "`, " +
                            std::string(agent::to_string(route.act)) + " |\n";
    EXPECT_NE(page.find(row), std::string::npos) << "docs/serve.md lacks:" << row;
  }
}

TEST_F(V1, NumbersForPrometheusAndWhetherItIsReady) {
  remember("the sea is salt");
  EXPECT_EQ(http("GET", "/readyz").body, "ready\n");
  const auto entries = newest_entry().sequence;
  EXPECT_EQ(http("GET", "/readyz").body, "ready\n");
  EXPECT_EQ(newest_entry().sequence, entries) << "nothing is written";
  const HttpAnswer metrics = http("GET", "/metrics");
  EXPECT_EQ(metrics.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  for (const char* line :
       {"anima_http_requests_total{route=\"/v1/memories\",method=\"POST\",status=\"201\"} 1\n",
        "anima_http_requests_total{route=\"/readyz\",method=\"GET\",status=\"200\"} 2\n",
        "anima_http_request_seconds_bucket{route=\"/v1/memories\",le=\"+Inf\"} 1\n",
        "# TYPE anima_http_request_seconds histogram\n", "anima_http_connections "})
    EXPECT_NE(metrics.body.find(line), std::string::npos) << line << metrics.body;
  EXPECT_EQ(test::http(server_->port(), "GET", "/metrics").status, 401);
  EXPECT_EQ(test::http(server_->port(), "GET", "/readyz").status, 401);
}

}  // namespace
}  // namespace anima::serve::v1_test
