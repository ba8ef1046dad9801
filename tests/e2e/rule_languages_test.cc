// A rule of the Debian pack, asked at every door in Datalog, KIP and SPARQL: the same rows and the
// same proof, before and after a transaction that changes what it derives.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "anima/memory.h"
#include "base/files/file.h"
#include "base/text/text.h"
#include "serve/space_server.h"
#include "store/space.h"
#include "support/command.h"
#include "support/http_client.h"

namespace anima::rule_languages_test {
namespace {

using Names = std::set<std::string>;

constexpr const char* kKip =
    R"(FIND(?p.name) WHERE { (?p, "stops_working", {type: "Entity", name: "libc6"}) })";
constexpr const char* kSparql =
    "SELECT ?p { ?p <urn:anima:predicate:stops_working> <urn:anima:concept:Entity:libc6> }";
constexpr const char* kDatalog = R"(stops_working(P, "libc6"))";

// "urn:anima:concept:Entity:curl" and the like.
std::string name_of(std::string_view iri) { return std::string(iri.substr(iri.rfind(':') + 1)); }

// Cells of a column of CSV, without its head.
Names names_of_csv(const std::string& csv) {
  Names names;
  for (const std::string_view line : split(csv, '\n')) {
    const std::string_view cell = trim(line);
    if (cell.find(':') != std::string_view::npos) names.insert(name_of(cell));
  }
  return names;
}

Names strings_of(const Json& array) {
  Names names;
  for (const Json& item : array.as_array()) names.insert(item.as_string());
  return names;
}

class RuleLanguages : public ::testing::Test {
 protected:
  void SetUp() override {
    test::init_space(folder_);
    const std::string pack = folder_.file("pack");
    std::filesystem::copy(ANIMA_SOURCE_DIR "/examples/debian/pack", pack);
    std::ofstream(pack + "/triples.json") << triples();
    const test::Ran loaded = anima("compartment load " + pack + " --activate");
    ASSERT_EQ(loaded.code, 0) << loaded.out;
    auto memory = Memory::open(folder_.file("space"));
    ASSERT_TRUE(memory.has_value()) << memory.error().describe();
    memory_.emplace(std::move(*memory));
  }

  // Each depends on the one after the colon: git: curl, curl: libssl3, wget: libssl3, libssl3:
  // libc6.
  static std::string triples() {
    std::string text = "[";
    const auto say = [&text](const std::string& subject, const char* predicate,
                             const std::string& object) {
      if (text.size() > 1) text += ",\n";
      text += R"({"subject": ")" + subject + R"(", "predicate": ")" + predicate +
              R"(", "object": ")" + object + R"(", "confidence": 1.0})";
    };
    const std::vector<std::pair<std::string, std::string>> depends = {
        {"git", "curl"}, {"curl", "libssl3"}, {"wget", "libssl3"}, {"libssl3", "libc6"}};
    for (const char* package : {"git", "curl", "wget", "libssl3", "libc6"})
      say(package, "version", "1.0");
    for (const auto& [package, other] : depends) {
      say(package, "depends", "group-of-" + package);
      say("group-of-" + package, "alternative", "any-" + other);
      say("any-" + other, "satisfied_by", other);
    }
    // What the pack's rules speak of besides.
    say("wget", "pre_depends", "group-of-wget");
    say("git", "recommends", "group-of-git");
    say("curl", "provides", "downloader");
    return text + "]";
  }

  test::Ran anima(const std::string& arguments) {
    return test::run_anima(folder_, arguments, "2>&1 </dev/null");
  }
  Json json(const std::string& arguments) {
    const test::Ran ran = test::run_anima(folder_, arguments);
    EXPECT_EQ(ran.code, 0) << arguments << "\n" << ran.out;
    return ran.json();
  }

  // --- the doors

  Names datalog_of_the_shell() {
    const Json answers =
        json("datalog run " + folder_.file("pack") + "/rules.mg --json --query '" + kDatalog + "'");
    Names names;
    for (const Json& fact : answers.find("answers")->as_array()[0].find("facts")->as_array())
      names.insert(std::string(split(fact.as_string(), '"')[1]));
    return names;
  }
  Names kip_of_the_shell() {
    return strings_of(*json("kip --json '" + std::string(kKip) + "'").find("result"));
  }
  Names sparql_of_the_shell() {
    return names_of_csv(anima("sparql --format csv '" + std::string(kSparql) + "'").out);
  }
  Names kip_over_mcp() {
    const Json call = Json::object(
        {{"jsonrpc", "2.0"},
         {"id", 2},
         {"method", "tools/call"},
         {"params", Json::object({{"name", "execute_kip_readonly"},
                                  {"arguments", Json::object({{"command", kKip}})}})}});
    std::ofstream(folder_.file("calls"))
        << R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":)"
        << R"("2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})"
        << "\n"
        << call.dump() << "\n";
    const test::Ran ran =
        test::run_anima(folder_, "mcp --readonly", "2>/dev/null <" + folder_.file("calls"));
    for (const std::string_view line : split(ran.out, '\n')) {
      const auto answer = parse_json(line);
      const Json* result = answer ? answer->find("result") : nullptr;
      const Json* content = result == nullptr ? nullptr : result->find("content");
      if (content == nullptr) continue;
      const auto said = parse_json(content->as_array()[0].find("text")->as_string());
      if (said && said->find("result") != nullptr) return strings_of(*said->find("result"));
    }
    ADD_FAILURE() << ran.out;
    return {};
  }
  Names sparql_over_http(std::uint16_t port) {
    return names_of_csv(test::http(port, "POST", "/sparql",
                                   "Content-Type: application/sparql-query\r\nAccept: text/csv\r\n"
                                   "Authorization: Bearer " +
                                       token_ + "\r\n",
                                   kSparql)
                            .body);
  }
  Names kip_of_the_library() {
    Names names;
    const Rows rows = memory_->find(kKip).value();
    for (const auto& row : rows) names.insert(row.text(0));
    return names;
  }
  Names sparql_of_the_library() {
    Names names;
    const SparqlAnswer answer = memory_->sparql(kSparql).value();
    for (const auto& row : answer) names.insert(name_of(row["p"].text));
    return names;
  }
  Names datalog_of_the_library() {
    Names names;
    const Rows rows = memory_->view()->rules()->query(kDatalog).value();
    for (const auto& row : rows) names.insert(row.text("P"));
    return names;
  }

  void expect_everywhere(const Names& wanted, std::uint16_t port) {
    EXPECT_EQ(datalog_of_the_shell(), wanted);
    EXPECT_EQ(kip_of_the_shell(), wanted);
    EXPECT_EQ(sparql_of_the_shell(), wanted);
    EXPECT_EQ(kip_over_mcp(), wanted);
    EXPECT_EQ(sparql_over_http(port), wanted);
    EXPECT_EQ(kip_of_the_library(), wanted);
    EXPECT_EQ(sparql_of_the_library(), wanted);
    EXPECT_EQ(datalog_of_the_library(), wanted);
    const test::Ran asked = anima("run --fresh 'what breaks if I remove libc6'");
    for (const std::string& name : wanted)
      EXPECT_NE(asked.out.find(name), std::string::npos) << asked.out;
  }
  // The same proof, whichever language the fact is written in.
  void expect_one_proof(const std::string& package, const std::string& holds) {
    const std::string fact = "stops_working(\"" + package + "\", \"libc6\")";
    const std::string triple = "<urn:anima:concept:Entity:" + package +
                               "> <urn:anima:predicate:stops_working> "
                               "<urn:anima:concept:Entity:libc6>";
    const Json datalog = json("--json why '" + fact + "'");
    EXPECT_EQ(json("--json why '" + triple + "'"), datalog);
    EXPECT_EQ(json("--json why " + package + " stops_working libc6"), datalog);
    const std::string quoted = Json(holds).dump();
    EXPECT_NE(datalog.dump().find(quoted.substr(1, quoted.size() - 2)), std::string::npos)
        << datalog.dump(1);
    const auto view = memory_->view();
    const std::string proof = view->why(fact)->text();
    EXPECT_EQ(view->why(triple)->text(), proof);
    EXPECT_NE(proof.find(holds), std::string::npos) << proof;
  }

  TemporaryDirectory folder_{"anima-languages"};
  std::optional<Memory> memory_;
  std::string token_;
};

TEST_F(RuleLanguages, SayTheSameAtEveryDoorBeforeAndAfterAChange) {
  auto space = store::Space::open(folder_.file("space"));
  ASSERT_TRUE(space.has_value());
  serve::SpaceServerOptions options;
  options.port = 0;
  SystemClock clock;
  SystemRandom random;
  const auto gate = agent::Gate::open(*space, clock, random);
  ASSERT_TRUE(gate.has_value()) << gate.error().describe();
  options.tokens = std::make_shared<serve::TokenBook>(system_files(), folder_.path());
  token_ = *options.tokens->add({"client", store::Trust::kStandard, true, clock.now(), {}}, random);
  const auto server = serve::SpaceServer::start(*gate, options);
  ASSERT_TRUE(server.has_value()) << server.error().describe();
  const std::uint16_t port = (*server)->port();

  expect_everywhere({"git", "curl", "wget", "libssl3"}, port);
  expect_one_proof("curl", "needs(\"libssl3\",\"libc6\")");

  // Another library now satisfies what curl and wget depend on.
  const Json changed = json(
      "sparql --json --update 'INSERT DATA { <urn:anima:concept:Entity:any-libssl3> "
      "<urn:anima:predicate:satisfied_by> <urn:anima:concept:Entity:libressl> . "
      "<urn:anima:concept:Entity:libressl> <urn:anima:predicate:version> "
      "<urn:anima:concept:Entity:1.0> }'");
  expect_everywhere({"libssl3"}, port);
  expect_one_proof("libssl3", "group-of-libssl3");

  ASSERT_EQ(anima("undo " + changed.find("entry")->dump()).code, 0);
  expect_everywhere({"git", "curl", "wget", "libssl3"}, port);
}

TEST_F(RuleLanguages, PathsFollowWhatRulesDerive) {
  const auto by_sparql = [&](const std::string& path) {
    return names_of_csv(anima("sparql --format csv 'SELECT DISTINCT ?p { ?p " + path +
                              " <urn:anima:concept:Entity:libc6> }'")
                            .out);
  };
  const std::string needs = "<urn:anima:predicate:needs>";
  EXPECT_EQ(by_sparql(needs), (Names{"libssl3"}));
  EXPECT_EQ(by_sparql(needs + "+"), (Names{"git", "curl", "wget", "libssl3"}));
  EXPECT_EQ(by_sparql(needs + "*"), (Names{"git", "curl", "wget", "libssl3", "libc6"}));
  EXPECT_EQ(by_sparql(needs + "/" + needs), (Names{"curl", "wget"}));
  EXPECT_EQ(by_sparql("(" + needs + "/" + needs + ")?"), (Names{"curl", "wget", "libc6"}));
  EXPECT_EQ(strings_of(*json("kip --json 'FIND(?p.name) WHERE { (?p, \"needs\"{1,2}, {type: "
                             "\"Entity\", name: \"libc6\"}) }'")
                            .find("result")),
            (Names{"curl", "wget", "libssl3"}));
  EXPECT_EQ(strings_of(*json("kip --json 'FIND(?p.name) WHERE { ({type: \"Entity\", name: "
                             "\"git\"}, \"needs\"{2,3}, ?p) }'")
                            .find("result")),
            (Names{"libssl3", "libc6"}));
}

}  // namespace
}  // namespace anima::rule_languages_test
