#include <gtest/gtest.h>

#include "kip/format.h"
#include "kip/parser.h"

namespace anima::kip {
namespace {

Fault fault_of(std::string_view text) {
  auto script = parse(text);
  EXPECT_FALSE(script) << text;
  return script ? Fault{} : script.error();
}

void expect_stable(std::string_view text) {
  auto script = parse(text);
  ASSERT_TRUE(script) << text << "\n" << script.error().message;
  const std::string once = format(*script);
  auto again = parse(once);
  ASSERT_TRUE(again) << once << "\n" << again.error().message;
  EXPECT_EQ(script->statements, again->statements) << once;
  EXPECT_EQ(once, format(*again));
}

TEST(Syntax, FormatsCanonically) {
  auto script = parse(
      "FIND(?c.name,COUNT(DISTINCT ?x.attributes.k))WHERE{?c{name:\"N\",type:\"T\"}"
      "(?c,\"p\"{1,3},{name:\"x\"})FILTER(!(?c.name==\"a\"||?c.name!=\"b\")&&IN(?c.name,[1,2.0]))}"
      "ORDER BY COUNT(?c)DESC LIMIT 5 CURSOR:c");
  ASSERT_TRUE(script) << script.error().message;
  EXPECT_EQ(format(*script),
            "FIND(?c.name, COUNT(DISTINCT ?x.attributes.k))\n"
            "WHERE {\n"
            "  ?c {type: \"T\", name: \"N\"}\n"
            "  (?c, \"p\"{1,3}, {name: \"x\"})\n"
            "  FILTER(!(?c.name == \"a\" || ?c.name != \"b\") && IN(?c.name, [1, 2.0]))\n"
            "}\n"
            "ORDER BY COUNT(?c) DESC\n"
            "LIMIT 5\n"
            "CURSOR :c\n");
}

TEST(Syntax, RoundTrips) {
  for (const char* text : {
           "",
           "// only a comment",
           "DESCRIBE PRIMER",
           "DESCRIBE PRIMER; DESCRIBE DOMAINS",
           "DESCRIBE CONCEPT TYPES LIMIT 3 CURSOR \"x\"",
           "DESCRIBE PROPOSITION TYPE :p",
           "SEARCH CONCEPT :t WITH TYPE \"T\" MODE \"keyword\" THRESHOLD 0.5 LIMIT 10",
           "EXPORT ?n WHERE { ?n {type: \"T\"} } LIMIT 10",
           "FIND(?x) WHERE { }",
           "FIND(?x) WHERE { ?x {} NOT { (?x, ?p, (?a, \"b\" | \"c\", ?d)) } OPTIONAL { ?l (id: "
           "\"P:1\") } UNION { ?x {id: :i} } }",
           "UPSERT { CONCEPT ?a { {type: \"T\", name: :n} EXPECT VERSION 3 SET ATTRIBUTES "
           "{ok:true, n:null, \"odd key\": [1, {a: -2.5e3}, ], } "
           "SET PROPOSITIONS { (\"p\", ?b), (\"q\", {type:\"A\",name:\"B\"}) WITH METADATA {x:1} "
           "(\"r\", (?a, \"b\", ?c)) } } WITH METADATA {s: \"é\"} "
           "PROPOSITION { (?a, :p, ?b) SET ATTRIBUTES {k: 1} } } WHERE { ?b {type: \"T\"} } WITH "
           "METADATA { a: 1 } UPSERT { CONCEPT { {id: \"C:1\"} } }",
           "UPSERT { CONCEPT { {id: \"C:1\"} } } ; UPSERT { CONCEPT { {id: \"C:2\"} } }",
           "DELETE ATTRIBUTES {\"a\", \"b\"} FROM ?x WHERE { ?x {name: \"n\"} }",
           "DELETE METADATA {\"a\"} FROM ?x WHERE { ?x {} }",
           "DELETE PROPOSITIONS ?l WHERE { ?l (?s, ?p, ?o) FILTER(?l.metadata.source == :s) }",
           "DELETE CONCEPT ?x DETACH WHERE { ?x {} }",
           "MERGE CONCEPT ?a INTO ?b WHERE { ?a {} ?b {} }",
           "UPDATE ?c SET ATTRIBUTES { p: MUL(?c.attributes.p, 2), q: CLAMP(ADD(?c.metadata.x, 1), "
           "0, :max), r: \"x\" } SET METADATA { m: COALESCE(?c.metadata.m, 1) } WHERE { ?c {} } "
           "LIMIT :n",
           "FIND(?x.attributes.\"odd key\") WHERE { ?x {} FILTER(IN(?x.name, :list) || "
           "!IS_NULL(?x.name) && !(!(?x.name < 3))) }",
       }) {
    expect_stable(text);
  }
}

TEST(Syntax, PlacesAndHints) {
  const Fault fault = fault_of("FIND(?c.name)\nWHERE {\n  ?c {typ: \"City\"}\n}");
  EXPECT_EQ(fault.code, Code::kInvalidSyntax);
  EXPECT_EQ(fault.line, 3u);
  EXPECT_EQ(fault.column, 7u);
  EXPECT_NE(fault_of("find(?c) WHERE {}").hint.find("upper case"), std::string::npos);
  EXPECT_NE(fault_of("FIND(?c) WHERE { ?c {type: 'X'} }").hint.find("\""), std::string::npos);
  EXPECT_EQ(fault_of("FIND(?1c) WHERE { }").code, Code::kInvalidIdentifier);
  EXPECT_NE(fault_of("DELETE CONCEPT ?c WHERE { ?c {} }").hint.find("DETACH"), std::string::npos);
}

TEST(Syntax, Rejects) {
  for (const char* text : {
           "FIND() WHERE {}",
           "FIND(?a,) WHERE {}",
           "FIND(COUNT(*)) WHERE {}",
           "FIND(?a)",
           "FIND(?a) WHERE { ?a {\"type\": \"X\"} }",
           "FIND(?a) WHERE { ?a {type: \"X\",} }",
           "FIND(?a) WHERE { ?a {id: \"1\", type: \"X\"} }",
           "FIND(?a) WHERE { (?a, \"p\"{,3}, ?b) }",
           "FIND(?a) WHERE { (?a, \"p\"{3,1}, ?b) }",
           "FIND(?a) WHERE { (?a, \"p\"|\"q\"{1,2}, ?b) }",
           "FIND(?a) WHERE { (?a, ?p{1,2}, ?b) }",
           "FIND(?a) WHERE { (?a, \"p\", ?b {type:\"T\"}) }",
           "FIND(?a) WHERE { (?a, \"p\", {}) }",
           "FIND(?a) WHERE { ?a {} FILTER(?a.attributes.ok) }",
           "FIND(?a) WHERE { ?a {} FILTER(CONTAINS(?a.name, \"x\") == true) }",
           "FIND(?a) WHERE { ?a {} FILTER(?a.attributes.n + 1 > 2) }",
           "FIND(?a) WHERE { ?a {} } LIMIT 0",
           "FIND(?a) WHERE { ?a {} } LIMIT -1",
           "FIND(?a) WHERE { ?a {} } LIMIT 3 ORDER BY ?a",
           "FIND(?a) WHERE { NOT { } }",
           "UPSERT { }",
           "UPSERT { CONCEPT ?a { {type: \"T\"} } }",
           "UPSERT { CONCEPT ?a {type: \"T\", name: \"N\"} }",
           "UPSERT { CONCEPT { {id: \"x\"} SET ATTRIBUTES { a: 01 } } }",
           "UPSERT { CONCEPT { {id: \"x\"} SET ATTRIBUTES { a: .5 } } }",
           "UPSERT { CONCEPT { {id: \"x\"} SET ATTRIBUTES { a: \"\\q\" } } }",
           "UPSERT { CONCEPT { {id: \"x\"} SET ATTRIBUTES { a: \"\\ud800\" } } }",
           "FIND(?a) WHERE { ?a {name: \"open} }",
           "/* open",
           "DESCRIBE",
           "GARBAGE",
           "UPSERT { CONCEPT { {id: \"x\"} SET ATTRIBUTES { a: 1, a: 2 } } }",
           "FIND(?a) WHERE { ?a {name: \"\xff\"} }",
       }) {
    fault_of(text);
  }
}

TEST(Syntax, Limits) {
  EXPECT_EQ(fault_of(std::string(kMaxTextBytes + 1, ' ')).code, Code::kInvalidSyntax);
  std::string deep = "UPSERT { CONCEPT { {id: \"x\"} SET ATTRIBUTES { a: ";
  EXPECT_FALSE(parse(deep + std::string(100000, '[')));
  EXPECT_FALSE(parse("FIND(?a) WHERE { FILTER(" + std::string(100000, '!')));
  EXPECT_FALSE(parse("FIND(?a) WHERE { FILTER(" + std::string(100000, '(')));
  EXPECT_FALSE(parse("FIND(?a) WHERE { " + std::string(100000, '(')));
  std::string blocks;
  for (int i = 0; i < 20000; ++i) blocks += "NOT {";
  EXPECT_FALSE(parse("FIND(?a) WHERE { " + blocks));
}

TEST(Syntax, DecodesStrings) {
  auto script = parse("SEARCH CONCEPT \"q\\\" b\\\\ n\\n u\\u00e9 s\\ud83d\\ude00 \\/\"");
  ASSERT_TRUE(script);
  EXPECT_EQ(std::get<Search>(script->statements[0].body).term.text,
            "q\" b\\ n\n u\xC3\xA9 s\xF0\x9F\x98\x80 /");
}

}  // namespace
}  // namespace anima::kip
