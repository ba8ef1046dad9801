// What is read of one moment, by the calls of include/anima/view.h.
#include "anima/view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ranges>
#include <thread>

#include "anima/memory.h"
#include "base/files/file.h"

namespace anima {
namespace {

using namespace std::chrono_literals;

constexpr const char* kHosts =
    R"(FIND(?h.name, ?h.attributes.ram_gb) WHERE { ?h {type: "Host"} } ORDER BY ?h.name ASC)";
constexpr const char* kMoreRam =
    R"(UPDATE ?h SET ATTRIBUTES {ram_gb: 128} WHERE { ?h {type: "Host", name: "borea"} })";
constexpr const char* kRules =
    "goes_down_with(S, H) :- runs_on(S, H).\n"
    "goes_down_with(S, X) :- depends_on(S, T), goes_down_with(T, X).\n";

class ViewTest : public ::testing::Test {
 protected:
  void SetUp() override {
    put("hosts.csv", "name,ram_gb\nborea,64\natlas,8\n");
    put("services.csv", "name,runs_on,depends_on\ndb,borea,\nweb,atlas,db\n");
    load("hosts.csv");
    load("services.csv");
    loaded_ = memory_.newest_entry().value();
  }
  void put(const std::string& file, const std::string& text) {
    ASSERT_TRUE(replace_file(system_files(), folder_.file(file), text));
  }
  void load(const std::string& file) {
    Author author{"ann", file, TrustLevel::kVerified};
    const auto done = memory_.load({.files = {folder_.file(file)}}, author);
    ASSERT_TRUE(done) << done.error().describe();
  }
  void change(const char* kip) {
    const Json answer = memory_.kip(kip, {}, {"bo", "a call", TrustLevel::kOperator});
    ASSERT_EQ(answer.find("error"), nullptr) << answer.dump();
  }

  TemporaryDirectory folder_{"anima-view"};
  Memory memory_ = Memory::in_memory().value();
  std::uint64_t loaded_ = 0;
};

// Who is not trusted silences and answers nothing by a thing of the same name.
TEST_F(ViewTest, ANameMeansTheMostTrustedThing) {
  const auto history = [this] { return memory_.view()->history("borea").value().size(); };
  const std::size_t known = history();
  for (const char* type : {"Entity", "Host2"}) {
    const std::string kip = std::string("UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"") +
                            type + "\"} } CONCEPT { {type: \"" + type +
                            "\", name: \"borea\"} SET ATTRIBUTES {kind: \"evil\"} } }";
    const Json answer = memory_.kip(kip, {}, {"eve", "a page", TrustLevel::kUntrusted});
    ASSERT_EQ(answer.find("error"), nullptr) << answer.dump();
    const auto proof = memory_.view()->why("db runs_on borea");
    ASSERT_TRUE(proof) << proof.error().describe();
    EXPECT_NE(proof->text().find("services.csv"), std::string::npos) << proof->text();
    EXPECT_EQ(history(), known) << type;
  }
}

TEST_F(ViewTest, FindsRowsThatIterate) {
  const Rows rows = memory_.find(kHosts).value();
  EXPECT_EQ(rows.columns(), (std::vector<std::string>{"?h.name", "?h.attributes.ram_gb"}));
  std::string told;
  for (const auto& row : rows)
    told += row.text("?h.name") + " " + std::to_string(row[1].as_integer()) + ";";
  EXPECT_EQ(told, "atlas 8;borea 64;");
  EXPECT_TRUE(rows[0]["?h.colour"].is_null());
  EXPECT_TRUE(rows[0][7].is_null());
  const Rows one = memory_.find(R"(FIND(COUNT(?h)) WHERE { ?h {type: "Host"} })").value();
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0][0].as_integer(), 2);
  const auto none =
      memory_.find(R"(FIND(?h) WHERE { ?h {type: "Host", name: :n} })", Json::object({{"n", "x"}}));
  EXPECT_TRUE(none->empty());
}

TEST_F(ViewTest, SaysWhatIsWrongWithAQuery) {
  const Error syntax = memory_.find("FIND(?h WHERE").error();
  EXPECT_EQ(syntax.code, ErrorCode::kSyntax);
  EXPECT_EQ(syntax.message.rfind("KIP_1001", 0), 0u) << syntax.message;
  EXPECT_FALSE(syntax.where.empty());
  EXPECT_EQ(memory_.find(R"(FIND(?h) WHERE { ?h {type: "Hosst"} })").error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_FALSE(memory_.find(kMoreRam)) << "a query writes nothing";
  const std::string two = std::string(kHosts) + " " + std::string(kHosts);
  for (const std::string& none : {std::string(), std::string(" "), two})
    EXPECT_EQ(memory_.find(none).error().code, ErrorCode::kInvalidArgument) << none;
  EXPECT_EQ(memory_.view().value().search(" ").error().code, ErrorCode::kInvalidArgument);
  AskSettings klingon;
  klingon.language = "klingon";
  EXPECT_EQ(memory_.ask("Who is Bo?", klingon).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(memory_.newest_entry().value(), loaded_);
}

TEST_F(ViewTest, StaysAsItIsAndLooksBack) {
  const View before = memory_.view().value();
  change(kMoreRam);
  EXPECT_EQ(memory_.find(kHosts).value()[1][1].as_integer(), 128);
  EXPECT_EQ(before.find(kHosts).value()[1][1].as_integer(), 64);
  const View then = memory_.as_of(std::to_string(loaded_)).value();
  EXPECT_EQ(then.entry(), loaded_);
  EXPECT_EQ(then.find(kHosts).value()[1][1].as_integer(), 64);
  EXPECT_NE(then.ask("What is the ram of borea?")->text.find("64"), std::string::npos);
  EXPECT_EQ(memory_.as_of("now")->find(kHosts).value()[1][1].as_integer(), 128);
  EXPECT_EQ(memory_.as_of("soon").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(memory_.as_of("9000").error().code, ErrorCode::kNotFound);
}

TEST_F(ViewTest, TellsWhatAChangeWouldMake) {
  const Rows rows = memory_.what_if(kMoreRam, kHosts).value();
  EXPECT_EQ(rows[1][1].as_integer(), 128);
  EXPECT_EQ(memory_.find(kHosts).value()[1][1].as_integer(), 64);
  EXPECT_EQ(memory_.newest_entry().value(), loaded_);
  EXPECT_EQ(memory_.what_if("UPSERT", kHosts).error().code, ErrorCode::kSyntax);
  EXPECT_EQ(memory_.what_if(kMoreRam, "FIND(").error().code, ErrorCode::kSyntax);
}

TEST_F(ViewTest, AnswersAQuestionRowByRow) {
  const QuestionAnswer answer = memory_.ask("Which services run on borea?").value();
  EXPECT_EQ(answer.status, QuestionStatus::kAnswered);
  std::vector<std::string> names;
  for (const auto& row : answer) names.push_back(row.text(0));
  EXPECT_EQ(names, std::vector<std::string>{"db"});
  EXPECT_FALSE(answer.query.empty());
  const QuestionAnswer lost = memory_.ask("Which zorks run on borea?").value();
  EXPECT_EQ(lost.status, QuestionStatus::kNotUnderstood);
  EXPECT_EQ(lost.unknown, std::vector<std::string>{"zorks"});
  EXPECT_EQ(to_string(lost.status), "not_understood");
}

TEST_F(ViewTest, SearchesByWords) {
  const View view = memory_.view().value();
  const std::vector<Hit> hits = view.search("borae").value();
  ASSERT_FALSE(hits.empty());
  EXPECT_EQ(hits[0].name, "borea");
  EXPECT_EQ(hits[0].type, "Host");
  EXPECT_TRUE(view.search("borae", {.exact = true})->empty());
  EXPECT_EQ(view.search("db", {.type = "Ship"}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(view.search("db", {.limit = 0}).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(ViewTest, TellsTheHistoryOfAThing) {
  change(kMoreRam);
  const std::vector<Commit> commits = memory_.view()->history("borea").value();
  ASSERT_FALSE(commits.empty());
  EXPECT_EQ(commits.front().author, "ann");
  EXPECT_EQ(commits.front().source, "hosts.csv");
  const Commit& last = commits.back();
  EXPECT_EQ(last.author, "bo");
  EXPECT_EQ(last.trust, TrustLevel::kOperator);
  ASSERT_EQ(last.added.size(), 1u);
  EXPECT_EQ(last.added[0].text(), "borea .ram_gb 128");
  EXPECT_EQ(last.removed[0].text(), "borea .ram_gb 64");
  EXPECT_EQ(memory_.view()->history("borea", 1)->size(), 1u);
  EXPECT_EQ(memory_.view()->history("nobody").error().code, ErrorCode::kNotFound);
}

TEST_F(ViewTest, ProvesAFactDownToTheLog) {
  const View view = memory_.view().value();
  const Proof proof = view.why("db runs_on").value();
  EXPECT_EQ(proof.fact, R"(runs_on("db","borea"))");
  EXPECT_EQ(proof.trust, TrustLevel::kVerified);
  const ProofStep& given = *proof.begin();
  ASSERT_TRUE(given.given);
  ASSERT_EQ(given.asserted.size(), 1u);
  EXPECT_EQ(given.asserted[0].author, "ann");
  EXPECT_NE(given.asserted[0].provenance.find("row 2"), std::string::npos);
  EXPECT_NE(proof.text().find("by ann (source given: services.csv), trust verified"),
            std::string::npos);
  EXPECT_EQ(view.why("db runs_on atlas").error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(view.why_not("db runs_on atlas")->empty());
  EXPECT_EQ(view.why("db").error().code, ErrorCode::kInvalidArgument);
}

TEST_F(ViewTest, RunsRulesOfItsOwn) {
  const Rules rules = memory_.view()->rules({{"down.mg", kRules}}).value();
  const Rows rows = rules.query(R"(goes_down_with(S, "borea"))").value();
  EXPECT_EQ(rows.columns(), std::vector<std::string>{"S"});
  std::vector<std::string> names;
  for (const auto& row : rows) names.push_back(row.text("S"));
  EXPECT_EQ(names, (std::vector<std::string>{"db", "web"}));
  const Proof proof = rules.why(R"(goes_down_with("web", "borea"))").value();
  EXPECT_EQ(proof.steps.back().depth, 2u);
  EXPECT_NE(proof.steps.front().where.find("down.mg:2"), std::string::npos);
  EXPECT_FALSE(rules.why_not(R"(goes_down_with("db", "atlas"))")->empty());
  const Error error = memory_.view()->rules({{"bad.mg", "p(X) :- "}}).error();
  EXPECT_EQ(error.code, ErrorCode::kSyntax);
  EXPECT_NE(error.where.find("bad.mg:1"), std::string::npos);
}

TEST_F(ViewTest, LoadsAPackAndTakesItOut) {
  ASSERT_TRUE(system_files().make_directories(folder_.file("pack")));
  put("pack/compartment.toml",
      "id = \"down\"\nname = \"Down\"\nkind = \"Skill\"\nrules_file = \"rules.mg\"\n");
  put("pack/rules.mg", kRules);
  const auto id = memory_.load_pack(folder_.file("pack"), {"ann", "", TrustLevel::kOperator});
  ASSERT_TRUE(id) << id.error().describe();
  EXPECT_EQ(*id, "down");
  EXPECT_EQ(memory_.load_pack(folder_.file("pack")).value(), "down") << "again";
  const Proof proof = memory_.view()->why(R"(goes_down_with("web", "borea"))").value();
  EXPECT_FALSE(proof.steps.front().given);
  ASSERT_TRUE(memory_.unload_pack("down"));
  EXPECT_FALSE(memory_.view()->why(R"(goes_down_with("web", "borea"))"));
  EXPECT_FALSE(memory_.unload_pack("nothing"));
}

TEST_F(ViewTest, WritesWhatItSays) {
  const View view = memory_.view().value();
  const std::string lines = view.export_text().value();
  EXPECT_NE(lines.find("borea"), std::string::npos);
  EXPECT_EQ(view.export_text("poem").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(view.export_text("csv").error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(view.export_text("ntriples", "none").error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(view.export_file(folder_.file("all.nt")));
  EXPECT_EQ(read_file(system_files(), folder_.file("all.nt")).value(), lines);
  EXPECT_FALSE(view.export_file(folder_.file("all.poem")));
}

TEST_F(ViewTest, FeedsCommitsAsTheyCome) {
  EXPECT_EQ(memory_.changes(1'000'000).error().code, ErrorCode::kInvalidArgument);
  ChangeFeed feed = memory_.changes().value();
  EXPECT_EQ(feed.after(), loaded_);
  EXPECT_FALSE(feed.next({.time = 1ms}).value().has_value());
  std::jthread writer([this] { change(kMoreRam); });
  const auto commit = feed.next().value();
  ASSERT_TRUE(commit);
  EXPECT_EQ(commit->entry, loaded_ + 1);
  EXPECT_EQ(commit->author, "bo");
  std::vector<std::string> added;
  for (const Statement& one : commit->added) added.push_back(one.text());
  EXPECT_EQ(added, std::vector<std::string>{"borea .ram_gb 128"});
  ASSERT_EQ(commit->removed.size(), 1u);
  EXPECT_EQ(commit->removed[0].text(), "borea .ram_gb 64");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(feed.next({.stop = stop.get_token()}).value().has_value());

  change(R"(UPSERT { CONCEPT { {type: "Host", name: "notos"} } })");
  std::vector<std::string> born;
  const auto made = feed.next({.time = 10s}).value();
  for (const Statement& one : made->added) born.push_back(one.text());
  EXPECT_THAT(born, ::testing::IsSupersetOf({"notos is a Host", "notos is named \"notos\""}));

  ChangeFeed all = memory_.changes(0).value();
  std::uint64_t count = 0;
  while (all.next({.time = 1ms}).value()) ++count;
  EXPECT_EQ(count, loaded_ + 2);
}

TEST_F(ViewTest, EndsACallWhenToldOrInTime) {
  std::stop_source stop;
  stop.request_stop();
  const CallLimits stopped{.stop = stop.get_token()};
  const View view = memory_.view().value();
  EXPECT_EQ(memory_.find(kHosts, {}, stopped).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(view.find(kHosts, {}, stopped).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(view.why("db runs_on", stopped).error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(view.why("db runs_on")) << "nothing of the stopped call is kept";
  EXPECT_EQ(view.ask("Which services run on borea?", {.limits = stopped}).error().code,
            ErrorCode::kCancelled);
  EXPECT_NE(memory_.kip(kMoreRam, {}, {}, stopped).find("error"), nullptr);

  // Numbers up to 3,000 in pairs: some nine million rows, which no machine makes in this time.
  const std::string endless =
      "number(0).\nnumber(M) :- number(N), N < 3000, M = fn:plus(N, 1).\n"
      "pair(A, B) :- number(A), number(B).\n";
  const auto late = view.rules({{"endless.mg", endless}}, {.time = 20ms});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kTimeout);
}

// Algorithms and views of C++20 take the tables; what a temporary one gives is
// std::ranges::dangling.
static_assert(std::ranges::random_access_range<const Rows> && std::ranges::sized_range<const Rows>);
static_assert(std::ranges::random_access_range<const SparqlAnswer>);
static_assert(!std::ranges::borrowed_range<Rows> && !std::ranges::borrowed_range<SparqlAnswer>);
static_assert(std::is_same_v<decltype(std::ranges::find_if(Rows(), [](Rows::Row) { return true; })),
                             std::ranges::dangling>);

TEST(Rows, AreARangeOfCpp20) {
  const Rows rows({"n"}, {JsonArray{Json(1)}, JsonArray{Json(3)}, JsonArray{Json(5)}});
  const auto least = [](std::int64_t value) {
    return [value](Rows::Row row) { return row[0].as_integer() >= value; };
  };
  EXPECT_EQ(std::ranges::count_if(rows, least(2)), 2);
  const auto found = std::ranges::find_if(rows, least(4));
  ASSERT_NE(found, rows.end());
  EXPECT_EQ(found - rows.begin(), 2);
  EXPECT_EQ((*found)[0], Json(5));
  EXPECT_EQ(rows.begin()[1].text(0), "3");
  EXPECT_EQ((*std::ranges::prev(rows.end()))[0], Json(5));
  EXPECT_LT(rows.begin(), rows.end());
}

TEST(Rows, AreValues) {
  Rows copy;
  {
    const Rows rows({"a"}, {JsonArray{Json(1)}, JsonArray{Json("x")}});
    copy = rows;
  }
  EXPECT_EQ(copy[0].text("a"), "1");
  EXPECT_EQ(copy[1].text(0), "x");
  EXPECT_EQ(copy[1].size(), 1u);
}

}  // namespace
}  // namespace anima
