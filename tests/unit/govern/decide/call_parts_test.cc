// What whoever makes a call adds to the log entries that tell of it: in the same commits, and so
// that what cannot be added does not start.
#include <gtest/gtest.h>

#include <map>

#include "base/files/file.h"
#include "govern/decide/executor.h"
#include "govern/ledger/ledger.h"

namespace anima::govern::call_parts_test {
namespace {

constexpr store::RecordKind kMine{91};

class Tools : public ToolRunner {
 public:
  Result<Json> run(std::string_view, const Json&, std::int64_t) override {
    ++runs;
    return Json("done");
  }
  int runs = 0;
};

class CallPartsTest : public ::testing::Test {
 protected:
  CallPartsTest() {
    ExecutorOptions options;
    options.approvals = &approvals_;
    options.ledger = &ledger_;
    executor_ = std::make_unique<Executor>(PermissionTable::of_the_source(), tools_, ledger_, line_,
                                           events_, clock_, random_, options);
  }
  static EntryPart saying(std::string text) {
    return [text](WriterTurn& turn) -> Result<std::vector<LedgerRecord>> {
      Json content = Json::object({{"says", text}});
      if (!turn.approval_id.empty()) content.set("approval", turn.approval_id);
      return std::vector<LedgerRecord>{{kMine, std::move(content)}};
    };
  }
  CallParts parts() {
    return {saying("starts"), saying("waits"), [](const Outcome& outcome) {
              return saying(std::string(to_string(outcome.kind)) + ":" + outcome.reason);
            }};
  }
  static CallRequest call(std::string tool) {
    return {.tool = std::move(tool),
            .agent = "planner",
            .trust = Trust::kOperator,
            .arguments = Json::object({{"path", "x"}})};
  }
  // What was added, with the other records of its entry.
  std::vector<std::string> added() {
    std::vector<std::string> added;
    EXPECT_TRUE(space_->log().read(store::Sequence{1}, [&](const store::LogEntry& entry) -> Status {
      std::string mine, others;
      ANIMA_TRY(store::visit_records(
          entry, [&](store::RecordKind kind, std::string_view payload) -> Status {
            const Json content = parse_json(payload).value();
            if (kind == kMine) mine = content.find("says")->as_string();
            if (const Json* action = content.find("action")) others += " " + action->as_string();
            if (kind == kStartRecord) others += " started";
            return {};
          }));
      if (!mine.empty()) added.push_back(mine + " |" + others);
      return {};
    }));
    return added;
  }

  TemporaryDirectory folder_{"anima-parts"};
  ManualClock clock_{Timestamp{1'767'225'600'000'000}};
  SeededRandom random_{3};
  std::shared_ptr<store::Space> space_ =
      store::Space::open(folder_.file("space"), {.create = true}).value();
  Ledger ledger_{*space_, clock_, random_};
  Approvals approvals_{clock_, random_, ledger_, &ledger_};
  Tools tools_;
  StopSwitch line_;
  bus::EventBus events_;
  std::unique_ptr<Executor> executor_;
};

TEST_F(CallPartsTest, EachIsInTheEntryThatTellsOfIt) {
  executor_->execute(call("file:read"), parts());
  EXPECT_EQ(added(), std::vector<std::string>{"done: | tool_executed"});
  executor_->execute(call("file:write"), parts());
  EXPECT_EQ(added().size(), 3u);
  EXPECT_EQ(added()[1], "starts | started");
  EXPECT_EQ(added()[2], "done: | tool_executed");
  const Outcome waits = executor_->execute(call("file:delete"), parts());
  ASSERT_EQ(waits.kind, Outcome::Kind::kWaiting);
  EXPECT_EQ(added().at(3), "waits | approval_requested");
  executor_->execute(call("file:delete"), parts());
  EXPECT_EQ(added().size(), 4u);  // nothing new was asked for
  ASSERT_TRUE(approvals_.grant(waits.approval_id, "operator"));
  executor_->execute(call("file:delete"), parts());
  EXPECT_EQ(added().at(4), "starts | approval_used");
  EXPECT_EQ(added().at(5), "done: | tool_executed");
  executor_->execute(call("audit:clear"), parts());
  EXPECT_TRUE(added().at(6).starts_with("denied:")) << added().at(6);
  EXPECT_TRUE(added().at(6).ends_with("| permission_denied")) << added().at(6);
}

TEST_F(CallPartsTest, AnAskedApprovalIsNamed) {
  std::string named;
  CallParts noting;
  noting.asking = [&](WriterTurn& turn) -> Result<std::vector<LedgerRecord>> {
    named = turn.approval_id;
    return std::vector<LedgerRecord>();
  };
  EXPECT_EQ(executor_->execute(call("file:delete"), noting).approval_id, named);
}

TEST_F(CallPartsTest, WhatCannotBeAddedDoesNotStart) {
  CallParts failing;
  failing.starting = [](WriterTurn&) -> Result<std::vector<LedgerRecord>> {
    return fail(ErrorCode::kConflict, "somebody was faster");
  };
  failing.asking = failing.starting;
  const Outcome write = executor_->execute(call("file:write"), failing);
  EXPECT_EQ(write.kind, Outcome::Kind::kDenied);
  EXPECT_NE(write.reason.find("somebody was faster"), std::string::npos) << write.reason;
  EXPECT_EQ(executor_->execute(call("file:delete"), failing).kind, Outcome::Kind::kDenied);
  EXPECT_TRUE(approvals_.list()->empty());
  const std::string id = executor_->execute(call("file:delete")).approval_id;
  ASSERT_TRUE(approvals_.grant(id, "operator"));
  EXPECT_EQ(executor_->execute(call("file:delete"), failing).kind, Outcome::Kind::kDenied);
  EXPECT_EQ(approvals_.find(id)->status, ApprovalStatus::kApproved);  // not spent
  EXPECT_EQ(tools_.runs, 0);
}

}  // namespace
}  // namespace anima::govern::call_parts_test
