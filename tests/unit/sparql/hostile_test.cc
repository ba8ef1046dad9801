// Texts that were written to hurt: what would grow without end ends in a clear error within the
// budget of the request, and what is nested without end is refused before anything is built.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include "base/text/text.h"
#include "sparql/engine.h"
#include "sparql/rdf_load.h"
#include "store/space.h"

namespace anima::sparql::hostile_test {
namespace {

constexpr std::size_t kMany = 20'000;

std::string repeat(std::string_view part, std::size_t times) {
  std::string text;
  text.reserve(part.size() * times);
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

// The numbers from 0 on, each as `make` writes it.
std::string each(std::size_t count, const std::function<std::string(std::string)>& make) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += make(std::to_string(i));
  return text;
}

// Ten things, each of which leads to each.
class Hostile : public testing::Test {
 protected:
  void SetUp() override {
    space_ = store::Space::in_memory().value();
    engine_ = Engine::open(space_).value();
    std::string data = "INSERT DATA {";
    for (int i = 0; i < 10; ++i) {
      data += " <urn:" + std::to_string(i) + "> <urn:v> " + std::to_string(i) + " .";
      for (int j = 0; j < 10; ++j)
        data += " <urn:" + std::to_string(i) + "> <urn:p> <urn:" + std::to_string(j) + "> .";
    }
    ASSERT_TRUE(engine_->update(data + " }", UpdateOptions()));
  }

  // "ok" or the code of the error, within a fifth of a second of budget and a little of grace.
  std::string ask(const std::string& text, std::uint64_t memory_mib = 64,
                  std::uint64_t time_ms = 200) {
    QueryOptions options;
    options.budget.time_ms = static_cast<std::int64_t>(time_ms);
    options.budget.memory_bytes = memory_mib << 20;
    const auto start = std::chrono::steady_clock::now();
    const auto answer = engine_->query(text, options);
    const auto spent = std::chrono::steady_clock::now() - start;
    // Sanitizers and busy machines are slow; without an end it would be hours.
    EXPECT_LT(spent, std::chrono::minutes(5)) << text.substr(0, 100);
    last_ = answer ? "" : answer.error().message;
    if (answer) return "ok";
    EXPECT_FALSE(last_.empty());
    const ErrorCode code = answer.error().code;
    return code == ErrorCode::kLimitExceeded || code == ErrorCode::kTimeout ? "limit"
           : code == ErrorCode::kSyntax                                     ? "syntax"
                                                                            : "other: " + last_;
  }

  // What must be answered, however slow the machine is.
  std::string ask_patiently(const std::string& text) { return ask(text, 64, 120'000); }

  std::shared_ptr<store::Space> space_;
  std::shared_ptr<Engine> engine_;
  std::string last_;
};

TEST_F(Hostile, NestingIsRefusedWhereTheTextIsRead) {
  const auto nested = [](std::string_view open, std::string_view close) {
    return "SELECT * " + repeat(open, kMany) + repeat(close, kMany);
  };
  EXPECT_EQ(ask(nested("{", "}")), "limit");
  EXPECT_NE(last_.find("200 levels"), std::string::npos) << last_;
  EXPECT_EQ(ask(nested("{ ?s ?p ?o OPTIONAL ", "{}}")), "limit");
  EXPECT_EQ(ask(nested("{ ?s ?p ?o MINUS ", "{}}")), "limit");
  EXPECT_EQ(ask(nested("{ GRAPH ?g ", "{}}")), "limit");
  EXPECT_EQ(ask(nested("{ {} UNION ", "{}}")), "limit");
  EXPECT_EQ(ask(nested("{ FILTER NOT EXISTS ", "{}}")), "limit");
  EXPECT_EQ(ask(nested("{ SELECT * ", "}")), "limit");
  EXPECT_EQ(ask("SELECT * { ?s " + repeat("(", kMany) + "<urn:p>" + repeat(")*", kMany) + " ?o }"),
            "limit");
  EXPECT_EQ(ask("SELECT * { ?s ?p " + repeat("(", kMany) + repeat(")", kMany) + " }"), "limit");
  EXPECT_EQ(ask("SELECT * { ?s ?p " + repeat("[ ?q ", kMany) + repeat("]", kMany) + " }"), "limit");
  EXPECT_EQ(ask("SELECT (" + repeat("STR(", kMany) + "1" + repeat(")", kMany) + " AS ?x) {}"),
            "limit");
}

TEST_F(Hostile, LengthWithoutNestingIsLimitedToo) {
  const auto group = [](std::string_view part) {
    return "SELECT * {" + repeat(part, kMany) + " }";
  };
  for (const char* part : {" OPTIONAL { ?s <urn:p> ?o }", " MINUS { ?s <urn:p> ?o }",
                           " FILTER(?o != 1)", " VALUES ?x { 1 2 }", " { ?s <urn:p> ?o }"})
    EXPECT_EQ(ask(group(part)), "limit") << part;
  EXPECT_EQ(ask("SELECT * { {}" + repeat(" UNION { ?s ?p ?o }", kMany) + " }"), "limit");
  EXPECT_EQ(ask("SELECT * { ?s ?p ?o FILTER(?o = 1" + repeat(" || ?o = 2", kMany) + ") }"),
            "limit");
  EXPECT_EQ(ask("SELECT * { ?s ?p ?o FILTER(?o IN (1" + repeat(", 2", kMany) + ")) }"), "limit");
  EXPECT_EQ(ask("ASK { ?s <urn:p>" + repeat("/<urn:p>", kMany) + " ?o }"), "limit");
  EXPECT_EQ(ask("ASK { ?s <urn:p>" + repeat("|<urn:p>", kMany) + " ?o }"), "limit");
  EXPECT_EQ(ask("SELECT " + each(kMany, [](auto n) { return "(1 AS ?v" + n + ") "; }) + "{}"),
            "limit");
  EXPECT_EQ(ask("SELECT (1 AS ?z) {} GROUP BY" +
                each(kMany, [](auto n) { return " (1 AS ?v" + n + ")"; })),
            "limit");
  EXPECT_EQ(ask("SELECT * { ?s ?p (" + repeat("1 ", kMany) + ") }"), "limit");
  // Said again and again it is said once, or takes too long.
  const std::string again = ask("ASK { " + repeat("?s <urn:p> ?o . ", kMany) + "}");
  EXPECT_TRUE(again == "ok" || again == "limit") << again;
  EXPECT_EQ(ask("ASK { ?s ?p \"" + std::string(std::size_t{17} << 20, 'x') + "\" }"), "limit");
  EXPECT_EQ(
      ask_patiently(each(kMany, [](auto n) { return "PREFIX p" + n + ": <urn:" + n + "> "; }) +
                    "ASK {}"),
      "ok");
}

TEST_F(Hostile, CrossProductsEndInTheBudget) {
  const std::string product =
      each(30, [](auto n) { return "?s" + n + " ?p" + n + " ?o" + n + " . "; });
  for (const std::string& query :
       {"SELECT * { " + product + "}", "SELECT DISTINCT * { " + product + "}",
        "SELECT * { " + product + "} ORDER BY ?o29 ?o0",
        "SELECT (STRLEN(GROUP_CONCAT(?o0)) AS ?n) { " + product + "}",
        "SELECT ?o0 (SUM(?o1) AS ?n) (COUNT(DISTINCT ?o2) AS ?m) { " + product + "} GROUP BY ?o0",
        "SELECT * { " + product + "FILTER(?o0 + ?o29 < 0) }",
        "CONSTRUCT { ?s0 ?p29 ?o5 . ?s3 ?p7 ?o11 } WHERE { " + product + "}",
        "DESCRIBE ?s0 ?s29 WHERE { " + product + "}"})
    EXPECT_EQ(ask(query), "limit") << query.substr(0, 80);
  // What can match nothing is seen through.
  EXPECT_EQ(ask_patiently("SELECT * { ?s ?p ?o MINUS { " + product + "?s ?p 1000 } }"), "ok");
  EXPECT_EQ(ask("SELECT (COUNT(*) AS ?n) {" +
                each(6,
                     [](auto n) {
                       return " VALUES ?v" + n + " {" + each(1000, [](auto m) { return " " + m; }) +
                              " }";
                     }) +
                " FILTER(?v0 + ?v5 < 0) }"),
            "limit");
}

TEST_F(Hostile, PathsEndInTheBudget) {
  const auto many = [](std::size_t count, std::string_view part, std::string_view between) {
    std::string text(part);
    for (std::size_t i = 1; i < count; ++i) text.append(between).append(part);
    return text;
  };
  // 10^60 ways: they are counted as rows (18.2.2.4).
  EXPECT_EQ(ask("SELECT * { ?x " + many(60, "(<urn:p>|<urn:p>)", "/") + " ?y }"), "limit");
  EXPECT_EQ(ask("SELECT (COUNT(*) AS ?n) { ?x " + many(60, "!<urn:q>", "/") + " ?y }"), "limit");
  // A repetition of a repetition is one.
  EXPECT_EQ(
      ask_patiently("SELECT * { ?x " + repeat("(", 150) + "<urn:p>" + repeat(")*", 150) + " ?y }"),
      "ok");
  EXPECT_EQ(
      ask("SELECT * { ?x " + repeat("(", 100) + "<urn:p>" + repeat("/<urn:p>)+", 100) + " ?y }"),
      "limit");
  EXPECT_EQ(ask_patiently("SELECT * { ?x (<urn:p>*/<urn:p>*/<urn:p>*)* ?y }"), "ok");
}

TEST_F(Hostile, RepetitionsOfRepetitionsReachTheSame) {
  ASSERT_TRUE(engine_->update("INSERT DATA { <urn:a> <urn:n> <urn:b> . <urn:b> <urn:n> <urn:c> }",
                              UpdateOptions()));
  const auto rows = [&](const std::string& path) {
    return engine_->query("SELECT * { <urn:a> " + path + " ?y }").value().rows();
  };
  for (const char* star : {"(<urn:n>*)*", "(<urn:n>*)+", "(<urn:n>+)*", "(<urn:n>?)*",
                           "(<urn:n>?)+", "(<urn:n>*)?", "(<urn:n>+)?"})
    EXPECT_EQ(rows(star), 3u) << star;
  EXPECT_EQ(rows("(<urn:n>+)+"), 2u);
  EXPECT_EQ(rows("(<urn:n>?)?"), 2u);
}

TEST_F(Hostile, TextsThatGrowEndInTheMemoryOfTheQuery) {
  const auto grown = [](std::string_view first, std::string_view call, std::size_t times) {
    std::string text = "SELECT (STRLEN(?v" + std::to_string(times) + ") AS ?n) { BIND(\"";
    text.append(first).append("\" AS ?v0)");
    for (std::size_t i = 0; i < times; ++i) {
      text += " BIND(" + replace_all(std::string(call), "?v", "?v" + std::to_string(i)) + " AS ?v" +
              std::to_string(i + 1) + ")";
    }
    return text + " }";
  };
  EXPECT_NE(ask(grown("0123456789abcdef", "CONCAT(?v, ?v)", 60)), "syntax");
  EXPECT_NE(ask(grown("aaaaaaaaaaaaaaaa", "REPLACE(?v, \"a\", \"aaaaaaaaaaaaaaaa\")", 30)),
            "syntax");
  EXPECT_NE(ask(grown("%%%%%%%%%%%%%%%%", "ENCODE_FOR_URI(?v)", 80)), "syntax");
  EXPECT_EQ(ask("SELECT (STRLEN(GROUP_CONCAT(?t)) AS ?n) { ?a <urn:p> ?b . ?c <urn:p> ?d . ?e "
                "<urn:p> ?f BIND(CONCAT(STR(?a), STR(?c), \"" +
                std::string(4000, 'x') + "\") AS ?t) }"),
            "limit");
}

TEST_F(Hostile, RegularExpressionsTakeTimeInProportion) {
  const std::string text = "BIND(\"" + std::string(200'000, 'a') + "!\" AS ?t)";
  for (const char* pattern : {"(a+)+$", "(a|aa)+$", "(a*)*b", "(.*)*(.*)*(.*)*x", "^(([a-z])+.)+$"})
    EXPECT_EQ(ask_patiently("SELECT * { " + text + " FILTER REGEX(?t, \"" + pattern + "\") }"),
              "ok")
        << pattern;
  for (const std::string& pattern :
       {std::string("((a{100}){100}){100}"), repeat("(", kMany) + "a" + repeat(")", kMany),
        std::string("a{1000}{1000}"), std::string("(a)\\\\1"), std::string("[[[")})
    EXPECT_EQ(ask_patiently("SELECT * { " + text + " FILTER REGEX(?t, \"" + pattern + "\") }"),
              "ok")
        << pattern.substr(0, 20);
}

TEST_F(Hostile, NumbersAndDatesWithoutEndAreErrorsOfTheExpression) {
  const std::string digits(1'000'000, '9');
  const std::string xsd = "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> ";
  for (const std::string& expression :
       {digits + " + 1", "0." + digits + " * " + digits, "xsd:integer(\"" + digits + "\")",
        std::string("xsd:decimal(1e308)"), std::string("1e999999999999 - 1e999999999999"),
        "YEAR(\"" + digits + "-01-01T00:00:00Z\"^^xsd:dateTime)",
        "\"P" + digits + "Y\"^^xsd:duration = \"P1Y\"^^xsd:duration",
        "xsd:double(\"" + digits + "\") < 1", std::string("SUBSTR(\"x\", 1e300, 1e300)")})
    EXPECT_EQ(ask_patiently(xsd + "SELECT (" + expression + " AS ?n) {}"), "ok")
        << expression.substr(0, 30);
}

TEST_F(Hostile, UpdatesHaveTheSameLimits) {
  UpdateOptions options;
  options.budget.time_ms = 200;
  const auto change = [&](const std::string& text) {
    const auto start = std::chrono::steady_clock::now();
    const auto report = engine_->update(text, options);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::minutes(5));
    return report ? ErrorCode::kInternal : report.error().code;
  };
  const store::Sequence before = space_->snapshot()->sequence();
  const std::string product =
      each(30, [](auto n) { return "?s" + n + " ?p" + n + " ?o" + n + " . "; });
  for (const std::string& text :
       {"INSERT { ?s0 ?p1 ?o2 } WHERE { " + product + "}", "DELETE WHERE { " + product + "}",
        "DELETE { ?s0 ?p1 ?o2 } INSERT { ?s29 ?p28 ?o27 } WHERE { " + product + "}"}) {
    const ErrorCode code = change(text);
    EXPECT_TRUE(code == ErrorCode::kTimeout || code == ErrorCode::kLimitExceeded) << text;
  }
  EXPECT_EQ(
      change("INSERT DATA { <urn:s> <urn:p> " + repeat("(", kMany) + repeat(")", kMany) + " }"),
      ErrorCode::kLimitExceeded);
  EXPECT_EQ(space_->snapshot()->sequence(), before);
}

// --- documents

std::string load(RdfFormat format, const std::string& text) {
  const auto space = store::Space::in_memory().value();
  const auto loaded = space->write({}, [&](store::Transaction& transaction) -> Status {
    RdfLoadOptions options;
    options.format = format;
    options.base_iri = "http://b/";
    ANIMA_TRY(load_rdf(transaction, text, options));
    return {};
  });
  return loaded ? "ok" : loaded.error().describe();
}

TEST(HostileRdf, NestingIsRefusedInEveryFormat) {
  constexpr std::size_t kDeep = 100'000;
  const auto is_refused = [](RdfFormat format, const std::string& text) {
    const std::string said = load(format, text);
    return said != "ok" && said.size() < 1000;
  };
  for (const RdfFormat format : {RdfFormat::kTurtle, RdfFormat::kTriG}) {
    EXPECT_TRUE(is_refused(format, "<s:> <p:> " + repeat("(", kDeep) + repeat(")", kDeep) + "."));
    EXPECT_TRUE(
        is_refused(format, "<s:> <p:> " + repeat("[<p:> ", kDeep) + repeat("]", kDeep) + "."));
  }
  EXPECT_TRUE(is_refused(RdfFormat::kTriG, repeat("{", kDeep)));
  EXPECT_TRUE(is_refused(RdfFormat::kRdfXml,
                         "<r:RDF xmlns:r='http://www.w3.org/1999/02/"
                         "22-rdf-syntax-ns#' xmlns:e='http://e/'>" +
                             repeat("<e:T><e:p>", kDeep)));
  EXPECT_TRUE(is_refused(RdfFormat::kJsonLd, repeat("[", kDeep)));
  EXPECT_TRUE(is_refused(RdfFormat::kJsonLd, repeat("{\"http://p/\":", kDeep)));
  EXPECT_TRUE(is_refused(RdfFormat::kJsonLd, repeat("{\"@context\":", kDeep)));
  EXPECT_TRUE(is_refused(RdfFormat::kJsonLd, repeat("{\"@list\":[", kDeep)));
  EXPECT_TRUE(is_refused(RdfFormat::kNTriples, repeat("<<", kDeep)));
}

TEST(HostileRdf, EntitiesThatMultiplyAreRefused) {
  std::string text = "<?xml version='1.0'?><!DOCTYPE lolz [<!ENTITY lol0 'lol'>";
  for (int i = 1; i < 12; ++i) {
    text += "<!ENTITY lol" + std::to_string(i) + " '" +
            repeat("&lol" + std::to_string(i - 1) + ";", 10) + "'>";
  }
  text +=
      "]><r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:e='http://e/'>"
      "<e:T e:name='&lol11;'><e:p>&lol11;</e:p></e:T></r:RDF>";
  EXPECT_NE(load(RdfFormat::kRdfXml, text), "ok");
  EXPECT_NE(load(RdfFormat::kRdfXml,
                 "<!DOCTYPE r [<!ENTITY f SYSTEM 'file:///etc/passwd'>]><r:RDF xmlns:r='http://"
                 "www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:e='http://e/'><e:T><e:p>&f;</e:p>"
                 "</e:T></r:RDF>"),
            "ok");
}

// A value may have 16 MiB (store/space.h); what is longer is refused with its place or its size.
TEST(HostileRdf, GiantLiteralsAreRefused) {
  const std::string giant(std::size_t{17} << 20, 'x');
  EXPECT_NE(load(RdfFormat::kNTriples, "<s:> <p:> \"" + giant + "\" .\n"), "ok");
  EXPECT_NE(load(RdfFormat::kNTriples, "<s:" + giant + "> <p:> <o:> .\n"), "ok");
  EXPECT_NE(load(RdfFormat::kTurtle, "<s:> <p:> \"\"\"" + giant + "\"\"\" ."), "ok");
  EXPECT_NE(load(RdfFormat::kTurtle, "<s:> <p:> " + std::string(giant.size(), '9') + " ."), "ok");
  EXPECT_NE(load(RdfFormat::kJsonLd, "{\"http://p/\":\"" + giant + "\"}"), "ok");
  EXPECT_NE(load(RdfFormat::kRdfXml,
                 "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'"
                 " xmlns:e='http://e/'><e:T><e:p>" +
                     giant + "</e:p></e:T></r:RDF>"),
            "ok");
}

}  // namespace
}  // namespace anima::sparql::hostile_test
