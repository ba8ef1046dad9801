// What the owner's answers teach: kinds of calls, refusals in words, and each answer counted once.
#include "agent/learnings/own_learnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/random.h"
#include "govern/ledger/ledger.h"

namespace anima::agent::own_learnings_test {
namespace {

using ::testing::IsEmpty;

TEST(KindOfAction, IsTheToolWithWhatIsAlike) {
  const auto kind = [](std::string_view tool, std::string_view name, std::string_view value) {
    return kind_of_action(tool, Json::object({{std::string(name), value}}));
  };
  EXPECT_EQ(kind("shell:execute", "command", "rm ./a.txt"), "shell:execute rm");
  EXPECT_EQ(kind("shell_exec", "command", "cd /tmp && sudo /bin/rm -r x; A=1 ls | ls"),
            "shell:execute cd,ls,rm");
  EXPECT_EQ(kind("http_fetch", "url", "https://me@Example.org:80/a?b"),
            "http:fetch example.org:80");
  EXPECT_EQ(kind("file:delete", "path", "a/b.txt"), "file:delete *.txt");
  EXPECT_EQ(kind("file:delete", "path", "a/Makefile"), "file:delete Makefile");
  EXPECT_EQ(kind("file_io", "path", "a.txt"), "file:read *.txt");
  EXPECT_EQ(kind("calendar:create", "title", "Tea"), "calendar:create");
  EXPECT_EQ(kind_of_action("shell:execute", Json()), "shell:execute");
  EXPECT_LT(kind("shell:execute", "command", std::string(5000, 'x')).size(), 200U);
}

TEST(ReasonOfRefusal, IsWhatFollowsTheBecause) {
  EXPECT_EQ(reason_of_refusal("no, because too risky"), "too risky");
  EXPECT_EQ(reason_of_refusal("  No. Because it is too slow! "), "it is too slow");
  EXPECT_EQ(reason_of_refusal("n because style: concise"), "style: concise");
  EXPECT_EQ(reason_of_refusal("Nein, weil zu lang"), "zu lang");
  for (const char* text : {"no", "no, thanks", "not now", "no because", "because of that",
                           "nobody because x", "The user says: no, because x", ""})
    EXPECT_FALSE(reason_of_refusal(text).has_value()) << text;
}

class OwnLearningsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store::SpaceOptions options;
    options.create = true;
    auto space = store::Space::open(folder_.file("space"), options);
    ASSERT_TRUE(space.has_value()) << space.error().describe();
    space_ = std::move(*space);
    ledger_ = std::make_unique<govern::Ledger>(*space_, clock_, random_);
    approvals_ = std::make_unique<govern::Approvals>(clock_, random_, *ledger_, ledger_.get(),
                                                     govern::kPersonAnswers);
    open();
  }
  void open() {
    auto own = OwnLearnings::open(*space_, clock_);
    ASSERT_TRUE(own.has_value()) << own.error().describe();
    own_ = std::move(*own);
  }
  std::string ask(const std::string& command) {
    const govern::CallRequest request{.tool = "shell:execute",
                                      .agent = "main",
                                      .trust = govern::Trust::kStandard,
                                      .arguments = Json::object({{"command", command}})};
    govern::Decision decision;
    decision.effective_trust = govern::Trust::kStandard;
    auto asked = approvals_->ask(request, decision);
    EXPECT_TRUE(asked.has_value()) << asked.error().describe();
    return asked ? asked->approval.id : std::string();
  }
  void refuse(const std::string& command, const std::string& by = "operator") {
    ASSERT_TRUE(approvals_->reject(ask(command), by, "too risky").has_value());
  }
  std::vector<AvoidedAction> avoided() {
    EXPECT_TRUE(own_->catch_up(*approvals_).has_value());
    auto list = own_->avoided();
    EXPECT_TRUE(list.has_value()) << list.error().describe();
    return list ? *list : std::vector<AvoidedAction>();
  }

  TemporaryDirectory folder_{"anima-own-learnings"};
  SystemClock clock_;
  SystemRandom random_;
  std::shared_ptr<store::Space> space_;
  std::unique_ptr<govern::Ledger> ledger_;
  std::unique_ptr<govern::Approvals> approvals_;
  std::unique_ptr<OwnLearnings> own_;
};

TEST_F(OwnLearningsTest, AnAnswerCountsOnceWhoeverReadsIt) {
  refuse("rm a");
  for (int i = 0; i < 5; ++i) {
    open();
    EXPECT_THAT(avoided(), IsEmpty());
  }
  refuse("rm b");
  refuse("rm c");
  const auto list = avoided();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].action, "shell:execute rm");
  EXPECT_EQ(list[0].reason, "too risky");
  EXPECT_EQ(avoided_from_json(to_json(list[0])), list[0]);
}

TEST_F(OwnLearningsTest, OnlyTheOperatorsAnswersCount) {
  for (const char* file : {"a", "b", "c", "d"}) refuse("rm " + std::string(file), "overseer");
  EXPECT_THAT(avoided(), IsEmpty());
  EXPECT_FALSE(file_exists(system_files(), shards_folder(space_->folder())));
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(own_->refused("shell:execute rm", "too risky", govern::Trust::kVerified));
  }
  EXPECT_THAT(avoided(), IsEmpty());
}

TEST_F(OwnLearningsTest, ADenialThatIsTakenBackCountsNoLonger) {
  refuse("rm a");
  refuse("rm b");
  const std::string id = ask("rm c");
  ASSERT_TRUE(approvals_->reject(id, "operator", "too risky").has_value());
  EXPECT_EQ(avoided().size(), 1U);
  open();
  ASSERT_TRUE(approvals_->grant(id, "operator").has_value());
  EXPECT_THAT(avoided(), IsEmpty());
  EXPECT_THAT(own_->store().load_all(learn::kOwnerShard)->learnings, IsEmpty());
  refuse("rm d");  // two and one are three
  EXPECT_EQ(avoided().size(), 1U);
}

TEST_F(OwnLearningsTest, ToolsThatFailAreNobodysWish) {
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(own_->failed("file:read", "style: no such file /a/b", govern::Trust::kHostile));
  const auto learnt = own_->store().load(learn::kToolShard);
  ASSERT_EQ(learnt->learnings.size(), 1U);
  EXPECT_EQ(learn::describe(learnt->learnings[0].predicate, learnt->learnings[0].arguments),
            R"(failure_pattern("file:read", "style:no such file <path>"))");
  EXPECT_EQ(learnt->learnings[0].trust, govern::Trust::kHostile);
  EXPECT_THAT(avoided(), IsEmpty());
}

TEST_F(OwnLearningsTest, TheOwnersFilesSayWhatElseMayBeLearnt) {
  const std::string learn = join_path(space_->folder(), "learn");
  ASSERT_TRUE(system_files().make_directories(learn).has_value());
  ASSERT_TRUE(
      replace_file(system_files(), join_path(learn, "mine.mg"), "learnable(/mine, 1, [/int]).")
          .has_value());
  EXPECT_NE(learnable_table(system_files(), space_->folder())->find("mine"), nullptr);
  ASSERT_TRUE(
      replace_file(system_files(), join_path(learn, "bad.mg"), "p(X) :- q(X).").has_value());
  EXPECT_FALSE(OwnLearnings::open(*space_, clock_).has_value());
}

}  // namespace
}  // namespace anima::agent::own_learnings_test
