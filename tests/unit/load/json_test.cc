// JSON, JSON Lines and SQLite files, each by its proposed mapping, twice.
#include <sqlite3.h>

#include "unit/load/load_fixture.h"

namespace anima::load {
namespace {

using LoadJson = LoadFixture;

TEST_F(LoadJson, LinksWhatIsNestedAndKeepsLists) {
  load_twice({{"orders.json",
               R"([{"id": 1, "customer": {"id": 7, "name": "Ada", "address": {"city": "London"}},
                    "total": 12.5, "paid": true, "tags": ["new", "vip"],
                    "items": [{"sku": "A1", "n": 2}, {"sku": "B2", "n": 1}]},
                   {"id": 2, "customer": {"id": 7, "name": "Ada", "address": {"city": "London"}},
                    "total": 3, "paid": false, "tags": [], "items": [{"sku": "A1", "n": 4}]}])"}});
  ASSERT_EQ(planned_.size(), 4u);
  EXPECT_EQ(form_of("total"), "total: decimal");
  EXPECT_EQ(form_of("paid"), "paid: boolean");
  EXPECT_EQ(kip(R"(FIND(?o.name, ?c.name, ?a.attributes.city) WHERE { ?o {type: "Order"}
                   (?o, "customer", ?c) (?c, "address", ?a) } ORDER BY ?o.name ASC)"),
            R"([["Order 1","Order 2"],["Ada","Ada"],["London","London"]])");
  EXPECT_EQ(kip(R"(FIND(COUNT(?c)) WHERE { ?c {type: "Customer"} })"), "1");
  EXPECT_EQ(kip(R"(FIND(?o.attributes.tags) WHERE { ?o {type: "Order", name: "Order 1"} })"),
            R"([["new","vip"]])");
  EXPECT_EQ(
      kip(R"(FIND(SUM(?i.attributes.n)) WHERE { ({type: "Order", name: "Order 1"}, "items", ?i) })"),
      "3");
}

TEST_F(LoadJson, LosesNoDigitOfAWholeNumber) {
  load_twice({{"stars.json",
               R"([{"name": "Vega", "ref": 9007199254740993}, {"name": "Rigel", "ref": 1.5}])"}});
  EXPECT_EQ(kip(R"(FIND(?s.attributes.ref) WHERE { ?s {type: "Star"} } ORDER BY ?s.name ASC)"),
            "[1.5,9007199254740993]");
  const auto lost =
      try_load({{"moons.json", R"([{"name": "Io \"1", "ref": 12345678901234567890}])"}});
  ASSERT_FALSE(lost);
  EXPECT_NE(lost.error().message.find("12345678901234567890"), std::string::npos);
  EXPECT_NE(lost.error().where.find("row 1"), std::string::npos) << lost.error().where;
  // As a program prints a double, a text, and what fits.
  load({{"suns.json", R"([{"name": "Sol", "a": 12345678901234567000, "b": "12345678901234567890",
                           "c": 9223372036854775807, "d": 1.2345678901234567890123}])"}});
}

TEST_F(LoadJson, ReadsEachArrayOfADocumentAsATable) {
  load_twice(
      {{"house.json",
        R"({"version": 2, "hosts": [{"name": "borea", "ram": 64}, {"name": "atlas", "ram": 8}],
                   "services": [{"name": "db", "host": "borea", "since": "2021-05-06"},
                                {"name": "web", "host": "atlas", "since": "2022-05-06"}]})"}});
  ASSERT_EQ(planned_.size(), 2u);
  EXPECT_EQ(form_of("host", 1), "host -> Host");
  EXPECT_EQ(form_of("since", 1), "since: date");
  EXPECT_EQ(kip(R"(FIND(?s.name) WHERE { (?s, "host", {type: "Host", name: "borea"}) })"),
            R"(["db"])");
}

TEST_F(LoadJson, ReadsLines) {
  load_twice({{"visits.jsonl",
               "{\"user\":\"ann\",\"at\":\"2026-01-01T10:00:00Z\",\"size\":3}\n\n"
               "{\"user\":\"bob\",\"at\":\"2026-01-02T10:00:00Z\",\"size\":5}\n"
               "{\"user\":\"ann\",\"at\":\"2026-01-03T10:00:00Z\",\"size\":7}\n"}});
  EXPECT_EQ(planned_[0].mapping.name, "{user} {at}");
  EXPECT_EQ(kip(R"(FIND(SUM(?v.attributes.size)) WHERE { ?v {type: "Visit"} })"), "15");
}

TEST_F(LoadJson, ReadsAnObjectOfObjectsAsRowsByName) {
  load_twice({{"machines.json", R"({"borea": {"ram": 64}, "atlas": {"ram": 8}})"}});
  EXPECT_EQ(kip(R"(FIND(?m.name, ?m.attributes.ram) WHERE { ?m {type: "Machine"} }
                   ORDER BY ?m.name ASC)"),
            R"([["atlas","borea"],[8,64]])");
}

TEST_F(LoadJson, KeepsTheNamesThatRowsHaveThemselves) {
  load_twice({{"countries.json",
               R"({"ES": {"name": "Spain", "capital": "Madrid"},
                   "FR": {"name": "France", "capital": "Paris"}})"}});
  EXPECT_EQ(kip(R"(FIND(?c.name, ?c.attributes.key) WHERE { ?c {type: "Country"} }
                   ORDER BY ?c.name ASC)"),
            R"([["France","Spain"],["FR","ES"]])");
}

TEST_F(LoadJson, KeepsDictionariesAsValuesAndNamesNoRowByWhatIsNested) {
  load_twice({{"lands.json",
               R"([{"name": {"common": "Spain"}, "code": "ES", "words":
                    {"de": {"w": "Spanien"}, "fr": {"w": "Espagne"}, "it": {"w": "Spagna"},
                     "pt": {"w": "Espanha"}}},
                   {"name": {"common": "France"}, "code": "FR", "words":
                    {"de": {"w": "Frankreich"}, "fr": {"w": "France"}, "it": {"w": "Francia"},
                     "pt": {"w": "Francia"}}}])"}});
  EXPECT_EQ(planned_.size(), 2u);  // lands and their names
  EXPECT_EQ(form_of("words"), "words: text");
  EXPECT_EQ(kip(R"(FIND(?n.attributes.common) WHERE {
                   ?l {type: "Land", name: "ES"} (?l, "name", ?n) })"),
            R"(["Spain"])");
}

TEST_F(LoadJson, ReadsOneObjectAsOneThing) {
  load_twice({{"package.json",
               R"({"name": "left-pad", "version": "1.3.0", "keywords": ["pad", "left"],
                   "repository": {"type": "git", "url": "x"}, "scripts": {"test": "node t"},
                   "matrix": [[1, 2], [3]], "nothing": null})"}});
  EXPECT_EQ(kip(R"(FIND(?p.name, ?p.attributes.version, ?r.attributes.type) WHERE {
                   ?p {type: "Package"} (?p, "repository", ?r) })"),
            R"([["left-pad"],["1.3.0"],["git"]])");
}

TEST_F(LoadJson, NamesWhatIsNoJsonAndWhatIsWrong) {
  auto report = try_load({{"a.json", R"([{"n": 1}, {"n": }])"}});
  ASSERT_FALSE(report.has_value());
  EXPECT_NE(report.error().where.find("a.json row 2"), std::string::npos) << report.error().where;
  report = try_load({{"b.jsonl", "{\"n\": 1}\n{\"n\": 2}\n7\n"}});
  ASSERT_FALSE(report.has_value());
  EXPECT_NE(report.error().where.find("row 3"), std::string::npos);
  report = try_load(
      {{"c.json", R"([{"k":"a","n":1},{"k":"b","n":2},{"k":"c","n":"many"},{"k":"d","n":4}])"}});
  ASSERT_FALSE(report.has_value());
  EXPECT_NE(report.error().message.find("c.json row 3, column n: \"many\" is no whole number"),
            std::string::npos)
      << report.error().message;
}

TEST_F(LoadJson, LoadsNothingOfEmptyObjects) {
  for (const char* text : {"{}", "[{}]", R"({"a": [{}], "b": [{}]})", "[]"})
    EXPECT_FALSE(try_load({{"a.json", text}}).has_value()) << text;
  EXPECT_FALSE(try_load({{"a.jsonl", "{}\n{}"}}).has_value());
  load_twice({{"b.json", R"([{"n": 1, "inner": {}}, {"n": 2, "inner": {}}])"}});
}

TEST_F(LoadJson, ReadsFactsAsTheyAre) {
  const auto report =
      load_twice({{"t.json", R"([{"subject": "Sun", "predicate": "has", "object": "Earth"}])"},
                  {"m.jsonl",
                   "{\"type\":\"entity\",\"name\":\"Ada\",\"entityType\":\"Human\","
                   "\"observations\":[\"x\"]}\n"},
                  {"f.nt", "<http://a> <http://p> <http://b> .\n"}});
  ASSERT_EQ(report.facts.size(), 3u);
  EXPECT_EQ(report.facts[0].statements, 1u);
  EXPECT_EQ(kip(R"(FIND(?o.name) WHERE { (?s, "has", ?o) })"), R"(["Earth"])");
}

// What is yes or no in CSV is that in any file.
TEST_F(LoadJson, ReadsTextsOfTruthAsTruths) {
  load_twice({{"rooms.json",
               R"([{"room": "Aula", "projector": "yes", "door": "on", "zone": "NO", "open": "true"},
                   {"room": "Lab", "projector": "no", "door": "off", "zone": "NO", "open": "-"},
                   {"room": "Attic", "projector": "N/A", "door": "?", "zone": "NO", "open": "false"}])"}});
  EXPECT_EQ(form_of("projector"), "projector: boolean");
  EXPECT_EQ(form_of("door"), "door: boolean");
  EXPECT_EQ(form_of("zone"), "zone: text");
  EXPECT_EQ(form_of("open"), "open: boolean");
  EXPECT_EQ(
      kip(R"(FIND(?r.name) WHERE { ?r {type: "Room"} FILTER(?r.attributes.projector == true) })"),
      R"(["Aula"])");
}

TEST_F(LoadJson, ReadsSqliteTablesWithTheirKeys) {
  const std::string file = folder_.file("shop.db");
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, R"(
      create table customer(id integer primary key, name text, city text, vip boolean,
                            mail text);
      create table purchase(id integer primary key, customer_id integer references customer(id),
                            placed date, total real, blobby blob);
      create table line(purchase_id integer references purchase(id), n integer, what text,
                        primary key(purchase_id, n));
      create view v as select 1;
      insert into customer values(1,'Ada','London',1,'yes'),(2,'Bob',null,0,'no');
      insert into purchase values(1,1,'2026-01-02',12.5,x'00'),(2,2,'2026-02-03',3,null);
      insert into line values(1,1,'Lamp'),(1,2,'Desk'),(2,1,'Lamp');)",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  const auto once = [&] {
    const auto now = space_->snapshot().value();
    auto loading = Loading::open(system_files(), {{file}}, {}, now).value();
    return loading->write(*space_, {}).value();
  };
  const auto first = once();
  ASSERT_EQ(first.tables.size(), 3u);
  EXPECT_TRUE(first.receipt.changed);
  EXPECT_FALSE(once().receipt.changed);
  EXPECT_EQ(
      kip(R"(FIND(?p.name, ?c.name, ?p.attributes.placed, ?p.attributes.total) WHERE {
                   ?p {type: "Purchase"} (?p, "customer", ?c) } ORDER BY ?p.name ASC)"),
      R"([["Purchase 1","Purchase 2"],["Ada","Bob"],["2026-01-02","2026-02-03"],[12.5,3.0]])");
  EXPECT_EQ(kip(R"(FIND(?c.attributes.vip) WHERE { ?c {type: "Customer", name: "Ada"} })"),
            "[true]");
  EXPECT_EQ(kip(R"(FIND(?c.attributes.mail) WHERE { ?c {type: "Customer", name: "Bob"} })"),
            "[false]");
  EXPECT_EQ(
      kip(R"(FIND(COUNT(?l)) WHERE { (?l, "purchase", {type: "Purchase", name: "Purchase 1"}) })"),
      "2");
}

}  // namespace
}  // namespace anima::load
