// Rows L13 to L25, L29, L30 of the acceptance table: what a store takes, keeps and shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "learn/transfer.h"
#include "unit/learn/world.h"

namespace anima::learn::learning_store_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Store : public test::World {
 protected:
  std::size_t audited(std::string_view shard, std::string_view outcome) {
    const auto rows = store_->audit(shard);
    return static_cast<std::size_t>(std::ranges::count_if(
        *rows, [&](const LearningAudit& row) { return row.outcome == outcome; }));
  }
};

TEST_F(Store, L13_Ceiling) {
  for (int i = 0; i < 21; ++i) {
    EXPECT_TRUE(save("coder", "avoid_pattern", R"(["x"])").saved());
    pass(7 * test::kSecond);
  }
  EXPECT_EQ(confidence("coder"), 1.0);
  EXPECT_EQ(everything("coder")[0].reinforcements, 20);
}

TEST_F(Store, L14_TheStepIsAbsolute) {
  save("coder", "avoid_pattern", R"(["x"])");
  sql("coder", "UPDATE learnings SET confidence = 0.3");
  save("coder", "avoid_pattern", R"(["x"])");
  EXPECT_DOUBLE_EQ(confidence("coder"), 0.4);
}

TEST_F(Store, L15_DeDuplication) {
  EXPECT_EQ(save("coder", "rated", R"([ "x" , 1.0 ])").end, SaveEnd::kInserted);
  EXPECT_EQ(save("coder", "rated", R"(["x",1])").end, SaveEnd::kReinforced);
  EXPECT_EQ(everything("coder").size(), 1U);
}

TEST_F(Store, L16_Allowlist) {
  EXPECT_EQ(save("coder", "permitted", R"(["x"])").end, SaveEnd::kPredicateNotAllowed);
  EXPECT_EQ(save("coder", "avoid_error", R"(["x","y"])").end, SaveEnd::kPredicateNotAllowed);
  EXPECT_THAT(everything("coder"), IsEmpty());
  EXPECT_EQ(audited("coder", "PredicateNotAllowed"), 2U);
  EXPECT_TRUE(save("campaign", "avoid_error", R"(["x","y"])").saved());
  EXPECT_EQ(save("coder", "style_pref", R"(["concise"])").predicate, "style_preference");
}

TEST_F(Store, L17_Arity) {
  EXPECT_EQ(save("coder", "avoid_pattern", R"(["a","b"])").end, SaveEnd::kSchemaMismatch);
  EXPECT_EQ(save("coder", "avoid_pattern", R"("a")").end, SaveEnd::kSchemaMismatch);
}

TEST_F(Store, L18_Types) {
  EXPECT_EQ(save("coder", "style_preference", "[7]").end, SaveEnd::kSchemaMismatch);
  EXPECT_EQ(save("coder", "language_hint", R"(["go"])").end, SaveEnd::kSchemaMismatch);
  EXPECT_EQ(save("coder", "rated", R"(["x", 1.5])").end, SaveEnd::kSchemaMismatch);
  EXPECT_EQ(save("coder", "tagged", R"(["go", 1, 1])").end, SaveEnd::kSchemaMismatch);
  EXPECT_THAT(everything("coder"), IsEmpty());
}

TEST_F(Store, L19_ShardNames) {
  for (const char* name :
       {"../evil", "", "Coder", "1a", "a/b", "a.b", "abcdefghijklmnopqrstuvwxyz0123456789"}) {
    EXPECT_EQ(save(name, "avoid_pattern", R"(["x"])").end, SaveEnd::kInvalidShard) << name;
    EXPECT_FALSE(store_->load(name).has_value());
    EXPECT_FALSE(store_->clear(name).has_value());
    EXPECT_FALSE(learner_->track_rejection(name, "a", "b").has_value());
  }
  EXPECT_FALSE(file_exists(system_files(), files_.file("evil_learnings.db")));
  EXPECT_FALSE(file_exists(system_files(), folder()));
  save("user_2", "avoid_pattern", R"(["x"])");
  EXPECT_EQ(system_files().info(folder())->permissions, 0700U);
  EXPECT_THAT(*store_->shards(), ElementsAre("user_2"));
}

TEST_F(Store, L20_Sizes) {
  const auto text = [](std::size_t bytes) { return "[\"" + std::string(bytes, 'x') + "\"]"; };
  EXPECT_EQ(save("coder", "avoid_pattern", text(1025)).end, SaveEnd::kTooLarge);
  EXPECT_TRUE(save("coder", "avoid_pattern", text(1024)).saved());
  EXPECT_EQ(save("coder", "avoid_pattern", R"(["a\u0000b"])").end, SaveEnd::kInvalidText);
  const auto campaign =
      store_->save("coder", {"avoid_pattern", test::args(R"(["x"])"), std::string(129, 'c')});
  EXPECT_EQ(campaign->end, SaveEnd::kTooLarge);
  const auto broken =
      store_->save("coder", {"avoid_pattern", Json::array({Json(std::string("\xff"))})});
  EXPECT_EQ(broken->end, SaveEnd::kInvalidText);
}

TEST_F(Store, L21_TenAMinute) {
  for (int i = 0; i < 10; ++i)
    EXPECT_TRUE(save("coder", "avoid_pattern", "[\"x" + std::to_string(i) + "\"]").saved());
  const SaveReport eleventh = save("coder", "avoid_pattern", R"(["y"])");
  EXPECT_EQ(eleventh.end, SaveEnd::kRateLimited);
  EXPECT_EQ(eleventh.retry_after, 60);
  pass(59 * test::kSecond);
  EXPECT_EQ(save("coder", "avoid_pattern", R"(["x0"])").retry_after, 1);  // reinforcing counts
  EXPECT_TRUE(save("tester", "avoid_pattern", R"(["y"])").saved());       // each shard for itself
  pass(test::kSecond);
  EXPECT_TRUE(save("coder", "avoid_pattern", R"(["y"])").saved());
}

TEST_F(Store, L22_TenAMinuteOverProcesses) {
  const auto six_saves = [&](const std::string& who) {
    LearningStore other(folder(), table_, clock_);
    int refused = 0;
    for (int i = 0; i < 6; ++i) {
      const auto saved =
          other.save("coder", {"avoid_pattern", Json::array({Json(who + std::to_string(i))})});
      if (!saved || saved->end == SaveEnd::kRateLimited) ++refused;
    }
    return refused;
  };
  std::fflush(nullptr);
  pid_t children[2];
  for (int i = 0; i < 2; ++i) {
    children[i] = fork();
    if (children[i] == 0) _exit(six_saves(i == 0 ? "a" : "b"));
  }
  int refused = 0;
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    refused += WEXITSTATUS(status);
  }
  EXPECT_EQ(refused, 2);
  EXPECT_EQ(everything("coder").size(), 10U);
}

TEST_F(Store, L23_Capacity) {
  std::vector<ImportedLearning> rows;
  for (int i = 0; i < 1000; ++i) {
    rows.push_back({{"avoid_pattern", Json::array({Json("x" + std::to_string(i))})},
                    1.0,
                    clock_.now(),
                    clock_.now()});
  }
  ASSERT_EQ(store_->import("coder", rows, false)->added, 1000U);
  EXPECT_EQ(save("coder", "avoid_pattern", R"(["new"])").end, SaveEnd::kCapacityExceeded);
  EXPECT_EQ(save("coder", "avoid_pattern", R"(["x7"])").end, SaveEnd::kReinforced);
  sql("coder", R"(UPDATE learnings SET confidence = 0.2 WHERE fact_args = '["x500"]')");
  EXPECT_EQ(save("coder", "avoid_pattern", R"(["new"])").end, SaveEnd::kInserted);
  const auto all = everything("coder");
  EXPECT_EQ(all.size(), 1000U);
  EXPECT_TRUE(std::ranges::none_of(
      all, [](const Learning& row) { return row.arguments.dump() == R"(["x500"])"; }));
}

TEST_F(Store, L24_VisibleAboveThreeTenths) {
  save("coder", "avoid_pattern", R"(["a"])");
  sql("coder", "UPDATE learnings SET confidence = 0.30");
  EXPECT_THAT(visible("coder"), IsEmpty());
  EXPECT_EQ(everything("coder").size(), 1U);
  sql("coder", "UPDATE learnings SET confidence = 0.31");
  EXPECT_EQ(visible("coder").size(), 1U);
}

TEST_F(Store, L25_Order) {
  for (const char* each : {"a", "b", "c", "d"})
    save("coder", "avoid_pattern", "[\"" + std::string(each) + "\"]");
  sql("coder",
      R"(UPDATE learnings SET confidence = 0.8 WHERE fact_args = '["a"]';)"
      R"(UPDATE learnings SET learned_at = '2026-01-04 12:00:00' WHERE fact_args = '["b"]')");
  std::vector<std::string> order;
  for (const Learning& row : visible("coder"))
    order.push_back(row.arguments.as_array()[0].as_string());
  EXPECT_THAT(order, ElementsAre("c", "d", "b", "a"));
  EXPECT_EQ(store_->load("coder", "style_preference")->learnings.size(), 0U);
}

TEST_F(Store, RowsThatCannotBeUsedAreTold) {
  save("coder", "avoid_pattern", R"(["a"])");
  save("coder", "avoid_pattern", R"(["b"])");
  sql("coder", R"(UPDATE learnings SET fact_args = '[broken' WHERE fact_args = '["a"]';)"
               "INSERT INTO learnings(shard_type, fact_predicate, fact_args, learned_at, "
               "created_at) VALUES('coder', 'permitted', '[1]', '2026-01-05 12:00:00', "
               "'2026-01-05 12:00:00')");
  const auto loaded = store_->load("coder");
  EXPECT_EQ(loaded->learnings.size(), 1U);
  EXPECT_EQ(loaded->skipped.size(), 2U);
}

TEST_F(Store, L29_StatsOfNothing) {
  EXPECT_EQ(store_->stats("coder")->to_json().dump(),
            R"({"total_learnings":0,"avg_confidence":0.0,"by_predicate":{}})");
  EXPECT_FALSE(file_exists(system_files(), folder()));  // reading makes nothing
}

TEST_F(Store, L30_Stats) {
  save("coder", "avoid_pattern", R"(["a"])");
  save("coder", "style_preference", R"(["b"])");
  sql("coder", "UPDATE learnings SET confidence = 0.5 WHERE fact_predicate = 'avoid_pattern'");
  const auto stats = store_->stats("coder");
  EXPECT_EQ(stats->total, 2U);
  EXPECT_DOUBLE_EQ(stats->average, 0.75);
  EXPECT_EQ(stats->by_predicate.at("avoid_pattern"), 1U);
}

TEST_F(Store, NobodyTrustedLessChangesWhatSomebodyTaught) {
  EXPECT_TRUE(save("coder", "avoid_pattern", R"(["a"])", store::Trust::kVerified).saved());
  EXPECT_EQ(save("coder", "avoid_pattern", R"(["a"])", store::Trust::kUntrusted).end,
            SaveEnd::kLessTrusted);
  EXPECT_EQ(everything("coder")[0].reinforcements, 0);
  EXPECT_TRUE(save("coder", "avoid_pattern", R"(["a"])", store::Trust::kOperator).saved());
  EXPECT_EQ(everything("coder")[0].trust, store::Trust::kOperator);
}

TEST_F(Store, ANewerProgramsFileIsLeftAlone) {
  save("coder", "avoid_pattern", R"(["a"])");
  sql("coder", "PRAGMA user_version = 9");
  open();
  const auto saved = store_->save("coder", {"avoid_pattern", test::args(R"(["b"])")});
  ASSERT_FALSE(saved.has_value());
  EXPECT_EQ(saved.error().code, ErrorCode::kVersionMismatch);
}

TEST_F(Store, C2_ExportAndImportElsewhere) {
  save("coder", "avoid_pattern", R"(["a"])");
  pass(8 * test::kDay);
  save("coder", "language_hint", R"(["go:errors"])");
  const auto exported = export_learnings(*store_, "coder", clock_.now());
  ASSERT_TRUE(exported.has_value());
  const auto rows = parse_export(exported->dump(), store::Trust::kStandard, clock_.now());
  ASSERT_TRUE(rows.has_value()) << rows.error().describe();
  EXPECT_EQ(store_->import("tester", *rows, false)->added, 2U);
  auto there = export_learnings(*store_, "tester", clock_.now());
  there->set("shard", "coder");
  EXPECT_EQ(there->dump(), exported->dump());
  // C3: the second time nothing changes.
  const auto again = store_->import("tester", *rows, false);
  EXPECT_EQ(again->unchanged, 2U);
  EXPECT_EQ(again->added + again->updated, 0U);
  // It fades from the day of the export on.
  pass(14 * test::kDay);
  EXPECT_EQ(export_learnings(*store_, "tester", clock_.now())->find("learnings")->dump(),
            export_learnings(*store_, "coder", clock_.now())->find("learnings")->dump());
}

TEST_F(Store, C4_AllRowsOrNone) {
  const std::string file =
      R"({"version":1,"shard":"x","learnings":[{"fact_predicate":"avoid_pattern","fact_args":["a"]},)"
      R"({"fact_predicate":"permitted","fact_args":["a"]},{"fact_args":7},)"
      R"({"fact_predicate":"avoid_pattern","fact_args":["b"],"confidence":1.5},)"
      R"({"fact_predicate":"avoid_pattern","fact_args":["c"],"learned_at":"2030-01-01T00:00:00Z"}]})";
  const auto rows = parse_export(file, store::Trust::kStandard, clock_.now());
  ASSERT_TRUE(rows.has_value()) << rows.error().describe();
  const auto all = store_->import("coder", *rows, false);
  ASSERT_FALSE(all.has_value());
  EXPECT_EQ(all.error().where, "learnings[1]");
  EXPECT_THAT(everything("coder"), IsEmpty());
  const auto some = store_->import("coder", *rows, true);
  EXPECT_EQ(some->added, 1U);
  EXPECT_EQ(some->invalid.size(), 4U);
  for (const char* bad : {"{", "[]", R"({"learnings":7})", R"({"version":2,"learnings":[]})"})
    EXPECT_FALSE(parse_export(bad, store::Trust::kStandard, clock_.now()).has_value()) << bad;
}

TEST_F(Store, TheTableIsExtendedByFactsAlone) {
  LearnableTable table = *LearnableTable::shipped();
  EXPECT_TRUE(table.extend("learnable(/mine, 1, [/int]).", "f").has_value());
  for (const char* bad : {"learnable(/mine, 1, [/string]).", "learnable(/p, 2, [/string]).",
                          "learnable(/p, 1, [/x]).", "learnable(\"p\", 1, [/string]).",
                          "other(/p).", "learnable(/p, 0, []).", "p(X) :- q(X).",
                          "learnable_alias(/a, /nothing).", "learnable_only_in(/nothing, /coder)."})
    EXPECT_FALSE(table.extend(bad, "f").has_value()) << bad;
  EXPECT_EQ(table.find("permitted"), nullptr);
}

// Under 50 ms each, of processor time; it decides in the long run alone.
TEST_F(Store, AThousandAreFast) {
  const auto milliseconds = [](const auto& work) {
    const std::clock_t start = std::clock();
    work();
    return 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  const double saved = milliseconds([&] {
    for (int i = 0; i < 1000; ++i) {
      pass(6 * test::kSecond);
      ASSERT_TRUE(save("coder", "avoid_pattern", "[\"x" + std::to_string(i) + "\"]").saved());
    }
  });
  const auto exported = export_learnings(*store_, "coder", clock_.now());
  const auto rows = parse_export(exported->dump(), store::Trust::kStandard, clock_.now());
  const double imported =
      milliseconds([&] { EXPECT_EQ(store_->import("tester", *rows, false)->added, 1000U); });
  const double loaded = milliseconds([&] { EXPECT_EQ(visible("coder").size(), 1000U); });
  pass(10 * test::kDay);
  const double decayed = milliseconds([&] { EXPECT_EQ(decay("coder").decayed, 1000U); });
  std::printf("a thousand: save %.1f ms one by one, %.1f ms at once, load %.1f ms, decay %.1f ms\n",
              saved, imported, loaded, decayed);
  if (std::getenv("ANIMA_TEST_FULL") == nullptr) return;
  for (const double each : {saved, imported, loaded, decayed}) EXPECT_LT(each, 50);
}

}  // namespace
}  // namespace anima::learn::learning_store_test
