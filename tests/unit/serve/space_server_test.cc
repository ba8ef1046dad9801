// The SPARQL protocol and the Graph Store over real sockets, on a space in
// memory.
#include "serve/space_server.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "store/own_graphs.h"
#include "support/http_client.h"

namespace anima::serve::space_server_test {
namespace {

using test::HttpAnswer;

class SpaceServerTest : public testing::Test {
 protected:
  void start(SpaceServerOptions options = {}) {
    options.port = 0;
    options.tokens = tokens_;
    space_ = *store::Space::in_memory();
    gate_ = *agent::Gate::open(space_, clock_, random_);
    auto server = SpaceServer::start(gate_, std::move(options));
    ASSERT_TRUE(server.has_value()) << server.error().describe();
    server_ = std::move(*server);
  }
  HttpAnswer http(std::string_view method, std::string_view target, std::string_view headers = "",
                  std::string_view body = "") {
    return test::http(server_->port(), method, target,
                      std::string(headers) + "Authorization: Bearer " + token_ + "\r\n", body);
  }
  std::string token(std::string_view name, store::Trust trust, bool may_write = true) {
    return *tokens_->add({std::string(name), trust, may_write, clock_.now(), {}}, random_);
  }
  HttpAnswer update(std::string_view text, std::string_view headers = "") {
    return http("POST", "/sparql",
                "Content-Type: application/sparql-update\r\n" + std::string(headers), text);
  }
  HttpAnswer query(std::string_view text, std::string_view accept) {
    return http("POST", "/sparql",
                "Content-Type: application/sparql-query\r\nAccept: " + std::string(accept) + "\r\n",
                text);
  }

  TemporaryDirectory folder_;
  SystemClock clock_;
  SystemRandom random_;
  std::shared_ptr<TokenBook> tokens_ = std::make_shared<TokenBook>(system_files(), folder_.path());
  std::string token_ = token("test", store::Trust::kStandard);
  std::shared_ptr<store::Space> space_;
  std::shared_ptr<agent::Gate> gate_;
  std::unique_ptr<SpaceServer> server_;
};

constexpr std::string_view kForm = "Content-Type: application/x-www-form-urlencoded\r\n";
constexpr std::string_view kTurtle = "Content-Type: text/turtle\r\n";

TEST_F(SpaceServerTest, AnswersQueriesInEveryWay) {
  start();
  ASSERT_EQ(update("INSERT DATA { <http://e/a> <http://e/p> 'x'@en }").status, 200);
  const std::string wanted =
      R"({"head":{"vars":["o"]},"results":{"bindings":[{"o":{"type":"literal","value":"x","xml:lang":"en"}}]}})";
  const auto is_wanted = [&](const HttpAnswer &answer) {
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.header("content-type"), "application/sparql-results+json");
    const auto json = parse_json(answer.body);
    return json && *json == *parse_json(wanted);
  };
  const std::string encoded = "query=SELECT+%3Fo+%7B%3Chttp%3A%2F%2Fe%2Fa%3E+%3Fp+%3Fo%7D";
  EXPECT_TRUE(is_wanted(http("GET", "/sparql?" + encoded)));
  EXPECT_TRUE(is_wanted(http("POST", "/sparql", kForm, encoded)));
  EXPECT_TRUE(is_wanted(query("SELECT ?o {<http://e/a> ?p ?o}", "*/*")));
  EXPECT_EQ(query("SELECT ?o {?s ?p ?o}", "text/csv").body, "o\r\nx\r\n");
  EXPECT_EQ(query("SELECT ?o {?s ?p ?o}", "text/tab-separated-values").body, "?o\n\"x\"@en\n");
  EXPECT_NE(query("ASK {?s ?p ?o}", "application/sparql-results+xml").body.find("<boolean>true"),
            std::string::npos);
  const auto graph = query("CONSTRUCT {?s ?p ?o} WHERE {?s ?p ?o}", "application/n-triples");
  EXPECT_EQ(graph.body, "<http://e/a> <http://e/p> \"x\"@en .\n");
  EXPECT_EQ(graph.header("content-type"), "application/n-triples");
  for (const char *type : {"text/turtle", "application/rdf+xml", "application/ld+json"}) {
    const auto answer = query("CONSTRUCT WHERE {?s ?p ?o}", type);
    EXPECT_EQ(answer.status, 200) << type;
    EXPECT_EQ(answer.header("content-type").find(type), 0u);
  }
  EXPECT_EQ(query("SELECT * {?s ?p ?o}", "image/png").status, 406);
}

TEST_F(SpaceServerTest, TakesTheDatasetOfTheRequest) {
  start();
  ASSERT_EQ(update("INSERT DATA { <s:a> <p:p> 1 . GRAPH <g:1> { <s:b> <p:p> 2 } "
                   "GRAPH <g:2> { <s:c> <p:p> 3 } }")
                .status,
            200);
  const auto csv = [&](const std::string &parameters) {
    return http("POST", "/sparql?" + parameters,
                "Content-Type: application/sparql-query\r\nAccept: text/csv\r\n",
                "SELECT ?s {?s <p:p> ?o} ORDER BY ?s")
        .body;
  };
  EXPECT_EQ(csv("default-graph-uri=g:1"), "s\r\ns:b\r\n");
  EXPECT_EQ(csv("default-graph-uri=g:1&default-graph-uri=g:2"), "s\r\ns:b\r\ns:c\r\n");
  EXPECT_EQ(csv("named-graph-uri=g:1"), "s\r\n");
  EXPECT_EQ(
      http("POST", "/sparql?using-graph-uri=g:2", "Content-Type: application/sparql-update\r\n",
           "INSERT { GRAPH <g:3> { ?s <p:q> ?o } } WHERE { ?s <p:p> ?o }")
          .status,
      200);
  EXPECT_EQ(query("SELECT ?s {GRAPH <g:3> {?s ?p ?o}}", "text/csv").body, "s\r\ns:c\r\n");
  EXPECT_EQ(http("GET", "/sparql?query=ASK%7B%7D&default-graph-uri=relative").status, 400);
}

TEST_F(SpaceServerTest, RefusesWhatTheProtocolDoesNotHave) {
  start();
  EXPECT_EQ(http("GET", "/sparql?update=CLEAR+ALL").status, 400);
  EXPECT_EQ(http("GET", "/sparql?query=ASK%7B%7D&query=ASK%7B%7D").status, 400);
  EXPECT_EQ(http("POST", "/sparql", kForm, "query=ASK%7B%7D&update=CLEAR+ALL").status, 400);
  EXPECT_EQ(http("POST", "/sparql", kForm, "q=1").status, 400);
  EXPECT_EQ(http("POST", "/sparql", "Content-Type: text/plain\r\n", "ASK {}").status, 415);
  EXPECT_EQ(http("POST", "/sparql", "Content-Type: application/sparql-query; charset=latin1\r\n",
                 "ASK {}")
                .status,
            415);
  EXPECT_EQ(query("ASK {\xff}", "*/*").status, 400);
  EXPECT_EQ(http("DELETE", "/sparql").status, 405);
  EXPECT_EQ(http("GET", "/elsewhere").status, 404);
  const auto wrong = query("SELECT ?x WHERE { ?x ", "*/*");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_EQ(wrong.header("content-type"), "application/problem+json");
  const auto json = parse_json(wrong.body);
  ASSERT_TRUE(json.has_value()) << wrong.body;
  EXPECT_EQ(json->find("code")->as_string(), "syntax");
  EXPECT_NE(json->find("where"), nullptr);
  EXPECT_EQ(update("LOAD <file:///etc/passwd>").status / 100, 4);
  EXPECT_EQ(query("SELECT * { SERVICE <http://e/> { ?s ?p ?o } }", "*/*").status, 400);
}

TEST_F(SpaceServerTest, DescribesItself) {
  start();
  const auto answer = http("GET", "/sparql", "Accept: application/n-triples\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_NE(answer.body.find("service-description#endpoint> <http://localhost/sparql> ."),
            std::string::npos)
      << answer.body;
  EXPECT_EQ(http("GET", "/healthz").body, "ok\n");
}

TEST_F(SpaceServerTest, KeepsGraphs) {
  start();
  EXPECT_EQ(http("GET", "/data?graph=http://e/g").status, 404);
  EXPECT_EQ(http("PUT", "/data?graph=http://e/g", kTurtle, "<a> <p:p> <b>, _:x .").status, 201);
  const std::string_view lines = "Accept: application/n-triples\r\n";
  EXPECT_EQ(http("GET", "/data?graph=http://e/g", lines).body,
            "<http://e/a> <p:p> <http://e/b> .\n<http://e/a> <p:p> _:x .\n");
  EXPECT_EQ(http("HEAD", "/data?graph=http://e/g", lines).status, 200);
  EXPECT_EQ(http("POST", "/data?graph=http://e/g", "Content-Type: application/n-triples\r\n",
                 "<c:> <p:p> \"more\" .")
                .status,
            204);
  EXPECT_EQ(http("GET", "/data?graph=http://e/g", lines).body,
            "<c:> <p:p> \"more\" .\n<http://e/a> <p:p> <http://e/b> "
            ".\n<http://e/a> <p:p> _:x .\n");
  EXPECT_EQ(http("PUT", "/data?graph=http://e/g", "Content-Type: application/ld+json\r\n",
                 R"({"@id":"d:","p:p":"new"})")
                .status,
            204);
  EXPECT_EQ(http("GET", "/data?graph=http://e/g", lines).body, "<d:> <p:p> \"new\" .\n");
  EXPECT_EQ(http("PUT", "/data?default", kTurtle, "<http://e/x> <p:p> 1 .").status, 204);
  EXPECT_EQ(http("GET", "/data?default", lines).body,
            "<http://e/x> <p:p> "
            "\"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n");
  EXPECT_EQ(http("DELETE", "/data?graph=http://e/g").status, 204);
  EXPECT_EQ(http("DELETE", "/data?graph=http://e/g").status, 404);
  EXPECT_EQ(http("DELETE", "/data?default").status, 204);
  EXPECT_EQ(http("GET", "/data?default", lines).body, "");
}

TEST_F(SpaceServerTest, AFaultChangesNoGraph) {
  start();
  ASSERT_EQ(http("PUT", "/data?graph=g:1", kTurtle, "<s:> <p:> 'kept' .").status, 201);
  const auto wrong = http("PUT", "/data?graph=g:1", kTurtle, "<s:> <p:> 'new' .\n<s:> <p:> x .");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_NE(wrong.body.find("2:11"), std::string::npos) << wrong.body;
  EXPECT_EQ(http("POST", "/data?graph=g:1", "Content-Type: application/n-quads\r\n",
                 "<s:> <p:> <o:> <g:2> .")
                .status,
            400);
  EXPECT_EQ(http("GET", "/data?graph=g:1", "Accept: application/n-triples\r\n").body,
            "<s:> <p:> \"kept\" .\n");
  EXPECT_EQ(http("PUT", "/data?graph=g:1", "Content-Type: text/html\r\n", "<p>").status, 415);
  EXPECT_EQ(http("PUT", "/data", kTurtle, "").status, 400);
  EXPECT_EQ(http("PUT", "/data?default&graph=g:1", kTurtle, "").status, 400);
  EXPECT_EQ(http("PATCH", "/data?default").status, 405);
  EXPECT_EQ(http("PUT", "/data?graph=urn:anima:memory", kTurtle, "<s:> <p:> 1 .").status, 403);
  EXPECT_EQ(http("GET", "/data?graph=urn:anima:memory").status, 403);
  EXPECT_EQ(http("GET", "/data?graph=g:1", "Accept: image/png\r\n").status, 406);
}

TEST_F(SpaceServerTest, ATokenSaysWhoWritesAndHowFarHeIsTrusted) {
  start();
  const auto entry = [&] {
    const auto now = space_->snapshot();
    return now->entry(now->sequence());
  };
  EXPECT_EQ(update("INSERT DATA { <s:> <p:> 1 }").status, 200);
  EXPECT_EQ(entry().trust, store::Trust::kStandard);
  EXPECT_EQ(entry().author, "http:test");
  token_ = token("crawler", store::Trust::kUntrusted);
  EXPECT_EQ(http("PUT", "/data?graph=g:1", kTurtle, "<s:> <p:> 3 .").status, 201);
  EXPECT_EQ(entry().trust, store::Trust::kUntrusted);
  EXPECT_EQ(entry().author, "http:crawler");
  token_ = token("dashboard", store::Trust::kStandard, false);
  EXPECT_EQ(query("ASK {}", "*/*").status, 200);
  EXPECT_EQ(http("GET", "/data?default").status, 200);
  EXPECT_EQ(update("INSERT DATA { <s:> <p:> 2 }").status, 403);
  EXPECT_EQ(http("PUT", "/data?graph=g:1", kTurtle, "<s:> <p:> 1 .").status, 403);
  EXPECT_EQ(http("DELETE", "/data?graph=g:1").status, 403);
}

TEST_F(SpaceServerTest, WithoutAGoodTokenThereIsNothing) {
  start();
  const std::string type = "Content-Type: application/sparql-update\r\n";
  for (const std::string_view target : {"/sparql", "/data?default", "/healthz", "/", "/nothing"}) {
    for (const std::string &wrong : std::vector<std::string>{
             "Authorization: Bearer nope\r\n", "Authorization: Bearer \r\n",
             "Authorization: Basic " + token_ + "\r\n", "Authorization: " + token_ + "\r\n",
             "Authorization: Bearer " + token_ + "x\r\n",
             "Authorization: Bearer x\r\nAuthorization: Bearer " + token_ + "\r\n"}) {
      const HttpAnswer answer = test::http(server_->port(), "GET", target, wrong);
      EXPECT_EQ(answer.status, 401) << target << wrong << answer.body;
      EXPECT_EQ(answer.header("www-authenticate"), "Bearer");
    }
    const HttpAnswer none = test::http(server_->port(), "GET", target);
    EXPECT_EQ(none.status, target == "/healthz" ? 200 : 401) << target;
  }
  EXPECT_EQ(
      test::http(server_->port(), "POST", "/sparql", type, "INSERT DATA { <s:> <p:> 1 }").status,
      401);
  // A token that is taken back counts no more, nor does one of a file that others can read.
  EXPECT_EQ(query("ASK {}", "*/*").status, 200);
  ASSERT_TRUE(tokens_->remove("test"));
  EXPECT_EQ(query("ASK {}", "*/*").status, 401);
  token_ = token("other", store::Trust::kStandard);
  EXPECT_EQ(query("ASK {}", "*/*").status, 200);
  const std::string file = folder_.path() + "/serve_tokens.json";
  const std::string kept = *read_file(system_files(), file);
  ASSERT_TRUE(replace_file(system_files(), file, kept, 0644));
  EXPECT_EQ(query("ASK {}", "*/*").status, 500);
  ASSERT_TRUE(replace_file(system_files(), file, kept.substr(0, kept.size() / 2), 0600));
  EXPECT_EQ(query("ASK {}", "*/*").status, 500);
  ASSERT_TRUE(replace_file(system_files(), file, kept, 0600));
  EXPECT_EQ(query("ASK {}", "*/*").status, 200);
}

TEST_F(SpaceServerTest, AtTheSocketNobodyElseIs) {
  SpaceServerOptions options;
  options.socket = folder_.path() + "/serve.sock";
  start(options);
  test::HttpClient client(options.socket);
  EXPECT_EQ(client
                .request("POST", "/sparql", "Content-Type: application/sparql-update\r\n",
                         "INSERT DATA { <s:> <p:> 1 }")
                .status,
            200);
  const auto now = space_->snapshot();
  EXPECT_EQ(now->entry(now->sequence()).trust, store::Trust::kStandard);
}

TEST_F(SpaceServerTest, ReadsOnlyWhenToldSo) {
  start({.readonly = true});
  EXPECT_EQ(update("INSERT DATA { <s:> <p:> 1 }").status, 403);
  EXPECT_EQ(http("PUT", "/data?graph=g:1", kTurtle, "<s:> <p:> 1 .").status, 403);
  EXPECT_EQ(http("DELETE", "/data?default").status, 403);
  EXPECT_EQ(query("ASK {}", "*/*").status, 200);
}

TEST_F(SpaceServerTest, BoundsARequest) {
  SpaceServerOptions options;
  options.budget.time_ms = 200;
  start(std::move(options));
  std::string data = "INSERT DATA {";
  for (int i = 0; i < 300; ++i)
    data += " <s:" + std::to_string(i) + "> <p:p> " + std::to_string(i) + " .";
  ASSERT_EQ(update(data + "}").status, 200);
  const auto hostile = query(
      "SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d . "
      "?e ?r ?f . ?g ?t ?h FILTER(?b+?d+?f+?h < 0) }",
      "*/*");
  EXPECT_EQ(hostile.status, 500) << hostile.body;
}

}  // namespace
}  // namespace anima::serve::space_server_test
