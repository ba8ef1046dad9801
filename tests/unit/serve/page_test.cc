// The page of the server: its files for whoever asks, and what it asks /v1 for.
#include "serve/page.h"

#include <gtest/gtest.h>

#include <string>

#include "base/packs.h"
#include "govern/approve/approvals.h"
#include "serve/v1/routes.h"
#include "support/memory_server.h"

namespace anima::serve::page_test {
namespace {

using test::HttpAnswer;

class Page : public test::MemoryServer {
 protected:
  // As a browser asks: without a token.
  HttpAnswer plain(std::string_view method, const std::string& path, const std::string& host,
                   const std::string& more = "") {
    test::HttpClient client(server_->port());
    client.send(std::string(method) + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + more +
                "\r\n");
    return client.receive(method == "HEAD");
  }
  std::string here() const { return "127.0.0.1:" + std::to_string(server_->port()); }
};

TEST_F(Page, ItsFilesAreGivenWithoutAToken) {
  for (const char* path : {"/", "/page.js", "/page.css", "/icon.svg"}) {
    const HttpAnswer answer = plain("GET", path, here());
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_FALSE(answer.body.empty());
    const std::string policy = answer.header("content-security-policy");
    EXPECT_EQ(policy.find("default-src 'none'"), 0U) << policy;
    EXPECT_EQ(policy.find("unsafe"), std::string::npos) << policy;
    EXPECT_EQ(answer.header("x-content-type-options"), "nosniff");
    EXPECT_EQ(answer.header("referrer-policy"), "no-referrer");
    EXPECT_EQ(plain("POST", path, here()).status, 405);
    EXPECT_EQ(plain("HEAD", path, here()).status, 200);
    // Who shows a token shows a good one.
    EXPECT_EQ(plain("GET", path, here(), "Authorization: Bearer no\r\n").status, 401);
  }
  for (const char* path : {"/page", "/page.js/", "/web/dist/page.js", "/v1/me", "/metrics"})
    EXPECT_EQ(plain("GET", path, here()).status, 401) << path;
}

// A page of another name could not ask /v1 for anything.
TEST_F(Page, AnotherNameOfTheMachineLeadsToTheAddress) {
  const std::string port = std::to_string(server_->port());
  const HttpAnswer answer = plain("GET", "/", "localhost:" + port);
  EXPECT_EQ(answer.status, 302);
  EXPECT_EQ(answer.header("location"), "http://127.0.0.1:" + port + "/");
  EXPECT_EQ(plain("GET", "/", "evil.example:" + port).status, 403);
  const HttpAnswer tunnel = plain("GET", "/", "127.0.0.1:1");
  EXPECT_EQ(tunnel.status, 403);
  EXPECT_NE(tunnel.body.find("http://127.0.0.1:" + port), std::string::npos) << tunnel.body;
}

TEST_F(Page, ItHasNoScriptOrStyleInItsMarkup) {
  const std::string page(*pack_file("web/dist/index.html"));
  EXPECT_EQ(page.find("<style"), std::string::npos);
  EXPECT_EQ(page.find("style="), std::string::npos);
  EXPECT_EQ(page.find("://"), std::string::npos);
  EXPECT_NE(page.find("<script src=\"/page.js\" defer></script>"), std::string::npos);
}

TEST_F(Page, TheServerTellsATokenWhatItMay) {
  add_client("eye", store::Trust::kVerified, false);
  const Json ada = get("/v1/me");
  EXPECT_EQ(ada.find("name")->as_string(), "http:ada");
  EXPECT_TRUE(ada.find("may_write")->as_bool());
  EXPECT_EQ(ada.find("sees_approvals")->as_string(), "own");
  EXPECT_FALSE(good(http("GET", "/v1/me", "", "", "eye")).find("may_write")->as_bool());
  start(true);
  const Json readonly = get("/v1/me");
  EXPECT_FALSE(readonly.find("may_write")->as_bool());
  EXPECT_TRUE(readonly.find("readonly_server")->as_bool());
}

TEST_F(Page, ThingsAreFoundAndListedTheNewestFirst) {
  remember("Ada works at Initech");
  remember("Walter works at Globex");
  const Json found = get("/v1/things?query=Ada");
  ASSERT_FALSE(found.find("things")->as_array().empty());
  EXPECT_EQ(found.find("things")->as_array()[0].find("name")->as_string(), "Ada");
  const std::string type = found.find("things")->as_array()[0].find("type")->as_string();
  const Json all = get("/v1/things?type=" + type);
  ASSERT_GE(all.find("things")->as_array().size(), 2U) << all.dump();
  EXPECT_EQ(all.find("things")->as_array()[0].find("name")->as_string(), "Walter") << all.dump();
  const Json page = get("/v1/things?limit=1");
  const Json next = get("/v1/things?limit=1&cursor=" + page.find("next_cursor")->as_string());
  EXPECT_NE(page.find("things")->dump(), next.find("things")->dump());
  EXPECT_EQ(http("GET", "/v1/things?type=Nothing").status, 404);
  EXPECT_EQ(http("GET", "/v1/things?cursor=x").status, 400);
  // What Anima keeps of itself is no thing.
  EXPECT_EQ(get("/v1/things?limit=1000").dump().find("the ferry"), std::string::npos);
}

TEST_F(Page, FactsNameTheirThingsByNumberAndTheProofHasSteps) {
  remember("Ada works at Initech");
  const Json facts = get("/v1/facts?about=Ada");
  const std::string ada = facts.find("entity")->as_string();
  bool link = false;
  for (const Json& each : facts.find("facts")->as_array()) {
    const Json* object = each.find("object_id");
    if (object == nullptr || each.find("subject_id")->as_string() != ada) continue;
    link = true;
    EXPECT_EQ(get("/v1/facts?about=" + object->as_string()).find("name")->as_string(), "Initech");
  }
  EXPECT_TRUE(link) << facts.dump();
  const Json why = post("/v1/why", R"({"about":"Ada works at Initech","steps":true})");
  const Json& step = why.find("proof")->as_array().at(0);
  EXPECT_EQ(step.find("depth")->as_integer(), 0);
  const Json& asserted = step.find("asserted")->as_array().at(0);
  EXPECT_EQ(asserted.find("author")->as_string(), "http:ada");
  const std::string entry = std::to_string(asserted.find("entry")->as_integer());
  const Json told = get("/v1/entries/" + entry);
  EXPECT_EQ(told.find("author")->as_string(), "http:ada");
  EXPECT_NE(told.find("added")->dump().find("Initech"), std::string::npos) << told.dump();
  EXPECT_EQ(http("GET", "/v1/entries/0").status, 400);
  EXPECT_EQ(http("GET", "/v1/entries/x").status, 400);
  EXPECT_EQ(http("GET", "/v1/entries/99999").status, 404);
  // Each can be asked for its proof, whatever else bears its names.
  post("/v1/kip",
       R"J({"commands":["UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"Ship\"} } }",)J"
       R"J("UPSERT { CONCEPT { {type: \"Ship\", name: \"Ada\"} SET ATTRIBUTES {masts: 3,)J"
       R"J( built: \"in \\\"1848\\\"\", sails: true} } }"]})J");
  const Json ships = get("/v1/things?type=Ship");
  const std::string ship = ships.find("things")->as_array().at(0).find("id")->as_string();
  std::size_t proved = 0;
  for (const std::string& about : {ada, ship}) {
    const Json told = get("/v1/facts?about=" + about);
    for (const Json& each : told.find("facts")->as_array()) {
      const Json* rule = each.find("rule_text");
      if (rule == nullptr) continue;
      const Json asked = Json::object({{"about", *rule}, {"steps", true}});
      EXPECT_FALSE(post("/v1/why", asked.dump()).find("proof")->as_array().empty()) << each.dump();
      ++proved;
    }
  }
  EXPECT_GE(proved, 4U);
}

TEST_F(Page, WhatWouldGoWithAMemoryIsToldBefore) {
  const std::string id = remember("Ada works at Initech");
  const auto entries = get("/v1/statistics").find("entries")->as_integer();
  const Json tried = good(http("DELETE", "/v1/memories/" + id + "?dry_run=true"));
  EXPECT_NE(tried.find("would_take_back")->dump().find("Initech"), std::string::npos)
      << tried.dump();
  EXPECT_EQ(get("/v1/statistics").find("entries")->as_integer(), entries);
  const Json gone = good(http("DELETE", "/v1/memories/" + id));
  EXPECT_EQ(gone.find("taken_back")->as_array().size(),
            tried.find("would_take_back")->as_array().size());
  add_client("bea", store::Trust::kStandard, true);
  const std::string other = remember("Bea works at Globex");
  EXPECT_EQ(http("DELETE", "/v1/memories/" + other + "?dry_run=true", "", "", "bea").status, 403);
}

TEST_F(Page, ATokenThatWasMadeSoSeesAllThatWaits) {
  rule("ask(Call, \"ask me first\") :- call(Call, \"http:remember\", _, _).\n");
  keys_["owner"] =
      *tokens_->add({"owner", store::Trust::kStandard, false, clock_.now(), {}, true}, random_);
  add_client("bea", store::Trust::kStandard, true);
  http("POST", "/v1/memories", R"({"text":"the sea is salt"})");
  const auto seen = [&](const std::string& client) {
    return good(http("GET", "/v1/approvals", "", "", client)).find("approvals")->as_array();
  };
  ASSERT_EQ(seen("ada").size(), 1U);
  EXPECT_EQ(seen("bea").size(), 0U);
  ASSERT_EQ(seen("owner").size(), 1U);
  const std::string id = seen("owner")[0].find("id")->as_string();
  EXPECT_EQ(http("GET", "/v1/approvals/" + id, "", "", "owner").status, 200);
  EXPECT_EQ(http("GET", "/v1/approvals/" + id, "", "", "bea").status, 404);
  // To see is not to answer.
  EXPECT_EQ(http("POST", "/v1/approvals/" + id + "/grant", "", "", "owner").status, 403);
}

}  // namespace
}  // namespace anima::serve::page_test
