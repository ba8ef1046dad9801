// Separated values with the habits of the world, each by its proposed mapping, twice.
#include "base/text/text.h"
#include "load/read/csv_reader.h"
#include "unit/load/load_fixture.h"

namespace anima::load {
namespace {

using LoadCsv = LoadFixture;

TEST_F(LoadCsv, ReadsPlainCommas) {
  const auto report = load_twice({{"hosts.csv",
                                   "name,ram_gb,bought,active,serial\n"
                                   "borea,64,2021-03-04,yes,007\n"
                                   "atlas,128,2022-11-20,no,013\n"
                                   "cirrus,,2019-01-15,no,101\n"}});
  ASSERT_EQ(report.tables.size(), 1u);
  EXPECT_EQ(report.tables[0].type, "Host");
  EXPECT_EQ(report.tables[0].created, 3u);
  EXPECT_EQ(form_of("name"), "skip");
  EXPECT_EQ(form_of("ram_gb"), "ram_gb: integer");
  EXPECT_EQ(form_of("bought"), "bought: date");
  EXPECT_EQ(form_of("active"), "active: boolean");
  EXPECT_EQ(form_of("serial"), "serial: text");
  EXPECT_EQ(kip(R"(FIND(?h.attributes.ram_gb, ?h.attributes.serial, ?h.attributes.active)
                   WHERE { ?h {type: "Host", name: "borea"} })"),
            R"([[64],["007"],[true]])");
  EXPECT_EQ(kip(R"(FIND(SUM(?h.attributes.ram_gb)) WHERE { ?h {type: "Host"} })"), "192");
}

TEST_F(LoadCsv, TakesTheTypeFromTheKeyWhereTheFilesNameIsNoWord) {
  const std::string ships = "ship,built,owner\nAurora,2001,Acme\nBora,1999,Zeta\n";
  EXPECT_EQ(load_twice({{"s.csv", ships}}).tables[0].type, "Ship");
  EXPECT_EQ(kip(R"(FIND(?s.name) WHERE { ?s {type: "Ship"} } ORDER BY ?s.name ASC)"),
            R"(["Aurora","Bora"])");
  EXPECT_EQ(load({{"2025.csv", "vessel_id,flag\n17,Malta\n18,Cyprus\n"}}).tables[0].type, "Vessel");
  LoadSettings settings;
  settings.wishes.key = {"crate number"};
  const Files crates = {{"t10.csv", "color,crate number\nred,4\nblue,5\n"}};
  EXPECT_EQ(load(crates, settings).tables[0].type, "CrateNumber");
  // A title that says nothing either leaves the file's name.
  EXPECT_EQ(load({{"q.csv", "id,weight\n1,20\n2,30\n"}}).tables[0].type, "Q");
  EXPECT_EQ(load({{"19.csv", "name,weight\nUna,20\nDuo,30\n"}}).tables[0].type, "Row");
}

TEST_F(LoadCsv, ACodeIsNoTruthAndNoMissingValue) {
  load_twice({{"people.csv", "name,country\nAnna,NO\nBeate,NO\nCleo,NO\n"}});
  EXPECT_EQ(form_of("country"), "country: text");
  load_twice({{"drivers.csv", "name,province\nDora,ON\nEmil,ON\n"}});
  EXPECT_EQ(form_of("province"), "province: text");
  load_twice({{"capitals.csv", "name,country\nWindhoek,NA\nOslo,NO\n"}});
  EXPECT_EQ(kip(R"(FIND(?c.name, ?c.attributes.country) WHERE { ?c {type: "Capital"} }
                   ORDER BY ?c.name ASC)"),
            R"([["Oslo","Windhoek"],["NO","NA"]])");
  load({{"words.csv", "word,language\nhei,no\nhai,ja\n"}});
  EXPECT_EQ(form_of("language"), "language: text");
  // Both words of a pair, or the word itself.
  load({{"flags.csv", "name,on,off,seen\na,yes,true,on\nb,no,true,off\nc,NA,true,on\n"}});
  EXPECT_EQ(form_of("on"), "on: boolean");
  EXPECT_EQ(form_of("off"), "off: boolean");
  EXPECT_EQ(form_of("seen"), "seen: boolean");
}

TEST_F(LoadCsv, NumbersThatDifferInWritingAloneStayApart) {
  load_twice({{"releases.csv", "version,notes\n1.1,first\n1.10,tenth\n1.2,second\n"}});
  EXPECT_EQ(form_of("version"), "version: text");
  EXPECT_EQ(kip(R"(FIND(?r.attributes.version) WHERE { ?r {type: "Release"} }
                   ORDER BY ?r.attributes.version ASC)"),
            R"(["1.1","1.10","1.2"])");
  load({{"sections.csv", "title,section\nOne,1.0\nTwo,1\n"}});
  EXPECT_EQ(form_of("section"), "section: text");
  load({{"abschnitte.csv", "titel;nummer\nEins;1,10\nZwei;1,1\n"}});
  EXPECT_EQ(form_of("nummer"), "nummer: text");
  load({{"prices.csv", "item,price\npen,1.10\nink,2.50\npad,12.00\n"}});
  EXPECT_EQ(form_of("price"), "price: decimal");
  load({{"preise.csv", "ware;preis\nHaus;1.000\nBoot;1\nHof;2.500.000\n"}});
  EXPECT_EQ(form_of("preis"), "preis: integer 1.234");
  LoadSettings settings;
  settings.wishes.forms = {{"length", "decimal"}};
  load({{"pipes.csv", "pipe,length\nA,1.5\nB,1.50\n"}}, settings);
  EXPECT_EQ(form_of("length"), "length: decimal");
}

TEST_F(LoadCsv, NumbersThatMayBeMeantOtherwiseStayText) {
  std::size_t tables = 0;  // a name of its own each, or the mapping of the one before is kept
  const auto form = [&](const std::string& cells) {
    std::string text = "item\tx\n";
    std::size_t row = 0;
    for (const std::string_view cell : split(cells, ' '))
      text += "item " + std::to_string(++row) + "\t" + std::string(cell) + "\n";
    load({{"t" + std::to_string(++tables) + ".tsv", text}});
    const std::string found = form_of("x").substr(3);
    EXPECT_EQ(found == "text" ? 1u : 0u, notes_.size()) << cells;
    return found;
  };
  EXPECT_EQ(form("1.9 1.10 2.3"), "text");            // versions
  EXPECT_EQ(form("1.0 1.25 2.5"), "decimal");         // numbers as programs print them
  EXPECT_EQ(form("19.90 5.00 7"), "decimal");         // prices
  EXPECT_EQ(form("52.50 13.40495 48.2"), "decimal");  // places
  EXPECT_EQ(form("+49123 +4477"), "text");            // phones
  EXPECT_EQ(form("+49123 17"), "text");
  EXPECT_EQ(form("+5 -3 0"), "integer");   // differences
  EXPECT_EQ(form("1e5 2E10 77"), "text");  // codes
  EXPECT_EQ(form("1.5e3 2e-7 1e5"), "decimal");
  EXPECT_EQ(form("9007199254740993 1.5"), "text");
  EXPECT_EQ(form("9007199254740993.25 1.5"), "text");
  EXPECT_EQ(form("9007199254740992 1.5"), "decimal");
  EXPECT_EQ(form("9007199254740993 7"), "integer");
  EXPECT_EQ(form("1 2 3 4 12345678901234567890"), "text");
  load({{"z.csv", "item,zip\na,0049\nb,17\n"}});
  EXPECT_EQ(form_of("zip"), "zip: text");
  load({{"apps.csv", "app,App Version,release,score\na,1.11,1.12,1.5\nb,1.12,1.13,2.5\n"}});
  EXPECT_EQ(form_of("App Version"), "app_version: text");
  EXPECT_EQ(form_of("release"), "release: text");
  EXPECT_EQ(form_of("score"), "score: decimal");
  EXPECT_EQ(kip(R"(FIND(?a.attributes.release) WHERE { ?a {type: "App"} }
                   ORDER BY ?a.name ASC)"),
            R"(["1.12","1.13"])");
}

TEST_F(LoadCsv, ACodeThatLooksLikeANumberIsAKey) {
  load({{"parts.csv", "code,colour\n1e5,red\n2E10,blue\n77,red\n"}});
  EXPECT_EQ(planned_[0].mapping.key, std::vector<std::string>{"code"});
}

TEST_F(LoadCsv, SaysWhatAKeptMappingReadsAsItWas) {
  load({{"sizes.csv", "item,size\na,1.1\nb,1.2\n"}});
  load({{"sizes.csv", "item,size\na,1.1\nb,1.10\n"}});
  EXPECT_EQ(form_of("size"), "size: decimal");
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_NE(notes_[0].find("but it is read as decimal, as it was before"), std::string::npos);
  LoadSettings settings;
  settings.wishes.forms = {{"size", "decimal"}};
  load({{"sizes.csv", "item,size\na,1.1\nb,1.10\n"}}, settings);
  EXPECT_TRUE(notes_.empty());
}

TEST_F(LoadCsv, FindsTheTitlesOfColumns) {
  const auto columns = [](const std::string& text) {
    const auto table = csv_of(text, "a.csv", {});
    return table ? (*table)->columns : std::vector<std::string>{};
  };
  const auto rows = [](const std::string& text) {
    const auto table = csv_of(text, "a.csv", {});
    auto reader = (*table)->open();
    Row row;
    std::vector<std::uint64_t> numbers;
    while ((*reader)->next(row).value_or(false)) numbers.push_back(row.number);
    return numbers;
  };
  using Names = std::vector<std::string>;
  using Numbers = std::vector<std::uint64_t>;
  EXPECT_EQ(columns("id,1,2\na,x,y\nb,z,w\n"), (Names{"id", "1", "2"}));
  EXPECT_EQ(columns("Oslo,7\nRome,9\nKyiv,3\n"), (Names{"column_1", "column_2"}));
  EXPECT_EQ(columns("7,red\n8,blue\n9,green\n"), (Names{"column_1", "column_2"}));
  EXPECT_EQ(columns(",,\n1,2,3\n4,5,6\n"), (Names{"column_1", "column_2", "column_3"}));
  EXPECT_EQ(rows(",,\n1,2,3\n,,\n4,5,6\n,,\n"), (Numbers{2, 4}));
  EXPECT_EQ(columns("Report of 2024\n\nname,v\nA,1\nB,2\n"), (Names{"name", "v"}));
  EXPECT_EQ(rows("Report of 2024\n\nname,v\nA,1\nB,2\n"), (Numbers{4, 5}));
  EXPECT_EQ(columns("Sales by region\nAll of Europe\nregion,sum\nNorth,1\n"),
            (Names{"region", "sum"}));
  EXPECT_EQ(columns("Inventory\n\nname,v\nA,1\nB,2\n"), (Names{"name", "v"}));
  // A word alone may be the only title that there is.
  EXPECT_EQ(columns("name\nA,x\nB,y\n"), (Names{"name"}));
  EXPECT_EQ(columns("name\nAda\nBob\n"), (Names{"name"}));
}

TEST_F(LoadCsv, ReadsSemicolonsAndDecimalCommas) {
  load_twice({{"Messwerte.csv",
               "Sensor;Temperatur (°C);Datum;Menge\r\n"
               "S-1;21,5;31.12.2025;1.234,50\r\n"
               "S-2;-3,25;1.2.2026;12,00\r\n"
               "S-3;0;28.02.2026;999,9\r\n"}});
  EXPECT_EQ(planned_[0].mapping.type, "Messwerte");
  EXPECT_EQ(form_of("Temperatur (°C)"), "temperatur_c: decimal 1,5");
  EXPECT_EQ(form_of("Datum"), "datum: date 31.12.2026");
  EXPECT_EQ(form_of("Menge"), "menge: decimal 1.234,5");
  EXPECT_EQ(kip(R"(FIND(?s.attributes.temperatur_c, ?s.attributes.datum, ?s.attributes.menge)
                   WHERE { ?s {type: "Messwerte"} } ORDER BY ?s.name ASC)"),
            R"([[21.5,-3.25,0.0],["2025-12-31","2026-02-01","2026-02-28"],[1234.5,12.0,999.9]])");
}

TEST_F(LoadCsv, ReadsQuotesWithLineEndsAndDelimiters) {
  load_twice({{"books.csv",
               "title,author,notes\n"
               "\"Dune, the first\",\"Herbert, Frank\",\"two\nlines\"\n"
               "\"The \"\"Odyssey\"\"\",Homer,\n"}});
  EXPECT_EQ(
      kip(R"(FIND(?b.name, ?b.attributes.author, ?b.attributes.notes)
                   WHERE { ?b {type: "Book"} } ORDER BY ?b.name ASC)"),
      R"([["Dune, the first","The \"Odyssey\""],["Herbert, Frank","Homer"],["two\nlines",null]])");
}

TEST_F(LoadCsv, PassesCommentsAboveTheTableAndTakesTheirTitles) {
  load_twice({{"zone.tab",
               "# tzdb timezone descriptions\n"
               "# This file is in the public domain.\n"
               "#\n"
               "#codes\tcoordinates\tTZ\tcomments\n"
               "AD\t+4230+00131\tEurope/Andorra\n"
               "AE,OM\t+2518+05518\tAsia/Dubai\tCrozet\n"}});
  EXPECT_EQ(kip(R"(FIND(?z.attributes.tz, ?z.attributes.comments) WHERE { ?z {type: "Zone"} }
                   ORDER BY ?z.attributes.tz ASC)"),
            R"([["Asia/Dubai","Europe/Andorra"],["Crozet",null]])");
}

TEST_F(LoadCsv, ARowBehindCommentsKeepsItsNumber) {
  const auto table =
      csv_of("# two lines\n# of comment\nname,ports\nborea,1\natlas,1,2\n", "a.csv", {});
  ASSERT_TRUE(table);
  EXPECT_EQ((*table)->columns, (std::vector<std::string>{"name", "ports"}));
  auto reader = (*table)->open();
  ASSERT_TRUE(reader);
  Row row;
  ASSERT_TRUE((*reader)->next(row));
  EXPECT_EQ(row.number, 4u);
  const auto wrong = (*reader)->next(row);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().where.find("row 5"), std::string::npos);
  // Rows that all begin with a hash are rows.
  const auto hashes = csv_of("#1,red\n#2,blue\n", "b.csv", {.delimiter = {}, .header = false});
  ASSERT_TRUE(hashes);
  EXPECT_EQ((*hashes)->columns.size(), 2u);
}

TEST_F(LoadCsv, ReadsTabsBehindAByteOrderMark) {
  load_twice({{"people.tsv",
               "\xef\xbb\xbfPERSON_ID\tFull Name\tManager ID\tJoined\n"
               "17\tAnn Smith\t\t5/31/2020\n"
               "18\tBob Hill\t17\t12/1/2021\n"
               "19\tAnn Smith\t17\t2/3/2022\n"}});
  EXPECT_EQ(planned_[0].mapping.type, "Person");
  EXPECT_EQ(form_of("Manager ID"), "manager -> Person");
  EXPECT_EQ(form_of("Joined"), "joined: date 12/31/2026");
  EXPECT_EQ(kip(R"(FIND(?p.name, ?m.name) WHERE { ?p {type: "Person"} (?p, "manager", ?m) }
                   ORDER BY ?p.name ASC)"),
            R"j([["Ann Smith (19)","Bob Hill"],["Ann Smith","Ann Smith"]])j");
  EXPECT_EQ(kip(R"(FIND(?p.attributes.joined) WHERE { ?p {type: "Person", name: "Bob Hill"} })"),
            R"(["2021-12-01"])");
}

TEST_F(LoadCsv, ReadsLatin1AndPipesWithoutAHeader) {
  load_twice({{"cities.csv", "M\xfcnchen|1487708|3.5\nK\xf6ln|1073096|2.5\nUlm|126405|1.25\n"}});
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_NE(notes_[0].find("Latin-1"), std::string::npos);
  EXPECT_EQ(planned_[0].mapping.name, "{column_1}");
  EXPECT_EQ(kip(R"(FIND(?c.name, ?c.attributes.column_2) WHERE { ?c {type: "City"} }
                   ORDER BY ?c.attributes.column_2 DESC LIMIT 2)"),
            R"([["München","Köln"],[1487708,1073096]])");
}

TEST_F(LoadCsv, ReadsUtf16) {
  std::string bytes = "\xff\xfe";
  for (const char c : std::string("name,size\nAda,3\nBob,4\n")) bytes += {c, '\0'};
  load_twice({{"things.csv", bytes}});
  EXPECT_EQ(kip(R"(FIND(SUM(?t.attributes.size)) WHERE { ?t {type: "Thing"} })"), "7");
}

TEST_F(LoadCsv, LinksFilesOfOneCommandByTheirKeys) {
  load_twice({{"services.csv",
               "service,runs_on,needs\norders-db,borea,\nshop-web,atlas,orders-db; auth-api\n"
               "auth-api,borea,orders-db\n"},
              {"hosts.csv", "name,ram\nborea,64\natlas,8\n"}});
  EXPECT_EQ(form_of("runs_on"), "runs_on -> Host");
  EXPECT_EQ(form_of("needs"), "needs -> Service");
  EXPECT_EQ(kip(R"(FIND(?s.name) WHERE { (?s, "needs", {type: "Service", name: "orders-db"}) }
                   ORDER BY ?s.name ASC)"),
            R"(["auth-api","shop-web"])");
  EXPECT_EQ(kip(R"(FIND(?h.name) WHERE { ({type: "Service", name: "shop-web"}, "runs_on", ?h) })"),
            R"(["atlas"])");
}

TEST_F(LoadCsv, LinksToWhatTheSpaceKnows) {
  load({{"hosts.csv", "name,ram\nborea,64\natlas,8\n"}});
  load_twice({{"disks.csv", "disk,host,size\nsda1,borea,10\nsdb1,atlas,20\nsdc1,borea,30\n"}});
  EXPECT_EQ(form_of("host"), "host -> Host");
  EXPECT_EQ(kip(R"(FIND(COUNT(?h)) WHERE { ?h {type: "Host"} })"), "2");
}

TEST_F(LoadCsv, MakesWhatALinkNamesAndNoRowDescribes) {
  LoadSettings settings;
  settings.wishes.links = {{"host", "Host", "runs_on"}};
  const auto report =
      load_twice({{"services.csv", "name,host\norders-db,borea\nshop-web,borea\n"}}, settings);
  EXPECT_EQ(report.tables[0].mentioned, 1u);
  // Described later, it is the same thing.
  load({{"hosts.csv", "name,ram\nborea,64\n"}});
  EXPECT_EQ(kip(R"(FIND(?h.name, ?h.attributes.ram) WHERE { ?h {type: "Host"} })"),
            R"([["borea"],[64]])");
}

TEST_F(LoadCsv, ReplacesWhatARowChanges) {
  load({{"hosts.csv", "name,ram,site\nborea,64,cellar\natlas,8,attic\n"}});
  const auto report = load({{"hosts.csv", "name,ram,site\nborea,96,\natlas,8,attic\n"}});
  EXPECT_TRUE(report.receipt.changed);
  EXPECT_EQ(report.tables[0].changed, 1u);
  EXPECT_EQ(report.tables[0].unchanged, 1u);
  EXPECT_EQ(report.tables[0].withdrawn, 2u);
  EXPECT_EQ(kip(R"(FIND(?h.attributes.ram, ?h.attributes.site)
                   WHERE { ?h {type: "Host", name: "borea"} })"),
            R"([[96],[null]])");
  const auto before = space_->snapshot()
                          ->as_of(store::Sequence{report.receipt.sequence})
                          ->as_of(static_cast<store::Sequence>(
                              static_cast<std::uint64_t>(report.receipt.sequence) - 1));
  ASSERT_TRUE(before.has_value());
  const auto host = before->find_concept(*before->find_type("Host"), "borea");
  EXPECT_EQ(before->value(*before->attribute(*host, "ram")).integer, 64);
}

TEST_F(LoadCsv, ReplacesALinkOfItsOwnAndLeavesThoseOfOthers) {
  const Files hosts = {{"hosts.csv", "name,ram\nborea,64\natlas,8\ncirrus,4\n"}};
  load(hosts);
  load({{"services.csv", "name,host\nweb,borea\ndb,atlas\n"}});
  engine_->execute(R"(UPSERT { PROPOSITION { ({type: "Service", name: "web"}, "host",
                      {type: "Host", name: "cirrus"}) } })",
                   Json::object(), {});
  load({{"services.csv", "name,host\nweb,atlas\ndb,atlas\n"}});
  EXPECT_EQ(kip(R"(FIND(?h.name) WHERE { ({type: "Service", name: "web"}, "host", ?h) }
                   ORDER BY ?h.name ASC)"),
            R"(["atlas","cirrus"])");
}

TEST_F(LoadCsv, KeepsWhatSomebodyElseSaysWhereACellIsEmpty) {
  load({{"hosts.csv", "name,ram,site\nborea,64,\natlas,8,attic\n"}});
  engine_->execute(R"(UPSERT { CONCEPT { {type: "Host", name: "borea"}
                      SET ATTRIBUTES {site: "cellar"} } })",
                   Json::object(), {});
  EXPECT_FALSE(load({{"hosts.csv", "name,ram,site\nborea,64,\natlas,8,attic\n"}}).receipt.changed);
}

TEST_F(LoadCsv, NamesAWrongCellByFileRowAndColumn) {
  const auto head = sequence();
  const auto report = try_load({{"hosts.csv", "name,port\na,1\nb,2\nc,lots\nd,4\n"}});
  ASSERT_FALSE(report.has_value());
  EXPECT_NE(
      report.error().message.find("hosts.csv row 4, column port: \"lots\" is no whole number"),
      std::string::npos)
      << report.error().describe();
  EXPECT_NE(report.error().hint.find("--as port=text"), std::string::npos);
  EXPECT_EQ(sequence(), head);
  LoadSettings settings;
  settings.wishes.forms = {{"port", "text"}};
  load({{"hosts.csv", "name,port\na,1\nb,2\nc,lots\nd,4\n"}}, settings);
  EXPECT_EQ(kip(R"(FIND(?h.attributes.port) WHERE { ?h {type: "Host"} } ORDER BY ?h.name ASC)"),
            R"(["1","2","lots","4"])");
}

TEST_F(LoadCsv, NamesABrokenRow) {
  auto report = try_load({{"hosts.csv", "name,port\na,1,2\nb,2\nc,4\n"}});
  ASSERT_FALSE(report.has_value());
  EXPECT_NE(report.error().where.find("hosts.csv row 2"), std::string::npos);
  report = try_load({{"hosts.csv", "name,port\na,1\nb,\"2\n"}});
  ASSERT_FALSE(report.has_value());
  EXPECT_NE(report.error().describe().find("row 3: a quote is not closed"), std::string::npos);
}

TEST_F(LoadCsv, TellsWhatDoesNotFit) {
  LoadSettings settings;
  settings.wishes.key = {"nothing"};
  EXPECT_NE(try_load({{"hosts.csv", "name\na\n"}}, settings).error().message.find("nothing"),
            std::string::npos);
  settings = {};
  settings.wishes.forms = {{"name", "number"}};
  EXPECT_FALSE(try_load({{"hosts.csv", "name\na\n"}}, settings).has_value());
}

TEST_F(LoadCsv, PutsRowsOfOneKeyTogether) {
  LoadSettings settings;
  settings.wishes.key = {"name"};
  load_twice({{"tags.csv", "name,tag\nborea,old\nborea,loud\natlas,new\n"}}, settings);
  EXPECT_EQ(kip(R"(FIND(?t.attributes.tag) WHERE { ?t {type: "Tag", name: "borea"} })"),
            R"([["old","loud"]])");
}

TEST_F(LoadCsv, TellsRowsApartByTwoColumnsOrByNumber) {
  load_twice({{"visits.csv", "who,day,n\nAda,2026-01-01,1\nBob,2026-01-01,1\nAda,2026-01-02,1\n"}});
  EXPECT_EQ(planned_[0].mapping.name, "{who} {day}");
  load_twice({{"readings.csv", "value\n1.5\n1.5\n2.5\n"}});
  EXPECT_EQ(planned_[0].mapping.name, "Reading {#}");
}

TEST_F(LoadCsv, KeepsAndTakesMappings) {
  LoadSettings settings;
  settings.wishes.type = "Machine";
  settings.wishes.forms = {{"ram", "skip"}};
  load({{"hosts.csv", "name,ram\nborea,64\natlas,8\n"}}, settings);
  load({{"hosts.csv", "name,ram,site\nborea,64,cellar\natlas,8,attic\n"}});
  EXPECT_TRUE(planned_[0].kept);
  EXPECT_EQ(planned_[0].mapping.type, "Machine");
  EXPECT_EQ(form_of("ram"), "skip");
  EXPECT_EQ(form_of("site"), "site: text");
  // As JSON, and back.
  Mapping mapping;
  for (const PlannedTable& table : planned_) mapping.tables.push_back(table.mapping);
  const auto again = mapping_from_json(to_json(mapping));
  ASSERT_TRUE(again.has_value()) << again.error().describe();
  EXPECT_EQ(again->tables, mapping.tables);
  const Json kept = to_json(kept_mappings(*space_->snapshot()));
  EXPECT_EQ(kept.dump(), to_json(mapping).dump());
}

TEST_F(LoadCsv, TakesAMappingThatFitsAndNoOther) {
  load({{"hosts.csv", "name,ram\nborea,64\natlas,8\n"}});
  LoadSettings settings;
  settings.mapping = Mapping{{planned_[0].mapping}};
  load({{"machines.csv", "name,ram\ncirrus,4\n"}}, settings);
  EXPECT_EQ(planned_[0].mapping.type, "Host");
  EXPECT_FALSE(try_load({{"machines.csv", "title,size\ncirrus,4\n"}}, settings).has_value());
  settings.mapping->tables.push_back(settings.mapping->tables[0]);
  EXPECT_FALSE(try_load({{"machines.csv", "name,ram\ncirrus,4\n"}}, settings).has_value());
}

TEST_F(LoadCsv, RefusesTypesOfAnimasOwn) {
  LoadSettings settings;
  settings.wishes.type = "$ConceptType";
  EXPECT_EQ(try_load({{"types.csv", "name,ram\nborea,64\n"}}, settings).error().code,
            ErrorCode::kDenied);
  load({{"events.csv", "name,size\nparty,64\nwedding,8\n"}});
  EXPECT_EQ(planned_[0].mapping.type, "EventRecord");
}

// What strangers' files got wrong at first.
TEST_F(LoadCsv, CallsThingsByTheirNamesBesideAUniqueCode) {
  load_twice({{"airports.csv",
               "iata,name,state\n00M,Thigpen,MS\n00R,Livingston Municipal,TX\nABC,Thigpen,CO\n"}});
  EXPECT_EQ(planned_[0].mapping.name, "{name}");
  EXPECT_EQ(kip(R"(FIND(?a.attributes.iata) WHERE { ?a {type: "Airport", name: "Thigpen"} })"),
            R"(["00M"])");
}

TEST_F(LoadCsv, AColumnThatIsCalledAsTheTypeNamesNoRowsOfWhichOneHasSeveral) {
  load_twice({{"kilns.csv",
               "firing,kiln,fired_on\nF1,Bertha,2026-01-03\nF2,Joe,2026-01-09\n"
               "F3,Bertha,2026-02-02\n"}});
  EXPECT_EQ(kip(R"(FIND(?k.name, ?k.attributes.kiln) WHERE { ?k {type: "Kiln"} }
                   ORDER BY ?k.name ASC)"),
            R"([["F1","F2","F3"],["Bertha","Joe","Bertha"]])");
  // Beside an identifier two people may share a name.
  load_twice(
      {{"employees.csv", "id,employee,wage\n1,Tom Smith,10\n2,Tom Smith,12\n3,Ann Lee,15\n"}});
  EXPECT_EQ(
      kip(R"(FIND(?e.name) WHERE { ?e {type: "Employee"} FILTER(?e.attributes.wage == 15) })"),
      R"(["Ann Lee"])");
}

TEST_F(LoadCsv, ANumberThatIsCalledAsTheTypeNamesItsRowsBesideACode) {
  load_twice({{"ovens.csv", "oven,fuel,code\n1,gas,BB\n2,wood,LJ\n"}});
  EXPECT_EQ(kip(R"(FIND(?o.name) WHERE { ?o {type: "Oven"} } ORDER BY ?o.name ASC)"),
            R"(["Oven 1","Oven 2"])");
}

TEST_F(LoadCsv, TakesAUniqueColumnForNoLinkToItsOwnTable) {
  load_twice({{"countries.csv", "key,name,iso\nES,Spain,ES\nFR,France,FR\n"}});
  EXPECT_EQ(form_of("iso"), "iso: text");
}

TEST_F(LoadCsv, SeesThatHashesAreNoHeader) {
  load({{"sums.csv",
         "a.org/x,v0.0.2,2c42aad9ed60e24046fbf5720f438884942897197cb790ce58cccdacedd9532d\n"
         "b.org/y,v1.0.0,3c42aad9ed60e24046fbf5720f438884942897197cb790ce58cccdacedd9532d\n"}});
  EXPECT_EQ(planned_[0].rows, 2u);
}

TEST_F(LoadCsv, FindsRenamedThingsByTheirKey) {
  load({{"members.csv", "id,name\n1,Ada\n2,Bob\n"}});
  load({{"members.csv", "id,name\n1,Ada Lovelace\n2,Bob\n"}});
  EXPECT_EQ(kip(R"(FIND(?p.name, ?p.attributes.alias) WHERE { ?p {type: "Member"} }
                   ORDER BY ?p.name ASC)"),
            R"([["Ada","Bob"],["Ada Lovelace",null]])");
  EXPECT_FALSE(load({{"members.csv", "id,name\n1,Ada Lovelace\n2,Bob\n"}}).receipt.changed);
}

TEST_F(LoadCsv, ReadsNoValueForWhatItIs) {
  load({{"hosts.csv", "name,port,code\na,1,NA\nb,NA,DE\nc,-,FR\nd,4,NULL\n"}});
  EXPECT_EQ(form_of("port"), "port: integer");
  EXPECT_EQ(kip(R"(FIND(?h.attributes.port, ?h.attributes.code) WHERE { ?h {type: "Host"} }
                   ORDER BY ?h.name ASC)"),
            R"([[1,null,null,4],["NA","DE","FR",null]])");
}

// What is called like an identifier goes before what is there once by chance.
TEST_F(LoadCsv, TakesAnIdentifierForTheKey) {
  load_twice({{"shipments.csv", "order_id,currency,value\n1001,EUR,5\n1002,USD,7\n1003,CHF,9\n"}});
  EXPECT_EQ(planned_[0].mapping.key, std::vector<std::string>{"order_id"});
  load_twice({{"airports.csv", "name,iata,city\nBari Palese,BRI,Bari\nPortoroz,POW,Piran\n"},
              {"flights.csv", "flight,source,target\nF1,BRI,POW\nF2,POW,BRI\n"}});
  EXPECT_EQ(planned_[0].mapping.key, std::vector<std::string>{"iata"});
  EXPECT_EQ(form_of("source", 1), "source -> Airport");
  EXPECT_EQ(kip(R"(FIND(?a.name) WHERE { ({type: "Flight", name: "F1"}, "source", ?a) })"),
            R"(["Bari Palese"])");
  load_twice({{"books.csv", "title,author_id\nEmma,7\nDune,9\n"}});
  EXPECT_EQ(planned_[0].mapping.key, std::vector<std::string>{"title"});
}

// One row for each thing of another table: its key stays the link to it.
TEST_F(LoadCsv, KeepsTheLinkThatIsAKey) {
  load_twice({{"orders.csv", "order_id,total\nO1,5\nO2,7\n"},
              {"payments.csv", "order_id,method\nO1,card\nO2,cash\n"}});
  EXPECT_EQ(planned_[1].mapping.key, std::vector<std::string>{"order_id"});
  EXPECT_EQ(form_of("order_id", 1), "order -> Order");
  EXPECT_EQ(kip(R"(FIND(?p.name) WHERE { (?p, "order", {type: "Order", name: "O2"}) })"),
            R"(["Payment O2"])");
}

}  // namespace
}  // namespace anima::load
