// A log on PostgreSQL that is away for a while: calls fail until it is back, and nothing is
// stopped.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "govern/decide/executor.h"
#include "support/needs.h"
#include "support/postgres_proxy.h"
#include "support/postgres_server.h"

namespace anima::govern::lost_log_test {
namespace {

using Kind = Outcome::Kind;

class CountingTool final : public ToolRunner {
 public:
  Result<Json> run(std::string_view, const Json&, std::int64_t) override {
    ++runs;
    if (inside) inside();
    return Json("done");
  }
  std::function<void()> inside = nullptr;
  int runs = 0;
};

class LostLog : public testing::Test {
 protected:
  void SetUp() override {
    ANIMA_NEEDS(test::kPostgres, server_.there());
    store::SpaceOptions options;
    options.create = true;
    options.turn_wait_milliseconds = 2'000;
    auto space = store::Space::open(proxy_.address(), options);
    ASSERT_TRUE(space) << space.error().describe();
    space_ = *std::move(space);
    ledger_ = std::make_unique<Ledger>(*space_, clock_, random_);
    line_ = std::make_unique<StopSwitch>(*ledger_);
    executor_ = std::make_unique<Executor>(PermissionTable::of_the_source(), tool_, *ledger_,
                                           *line_, events_, clock_, random_,
                                           ExecutorOptions{.ledger = ledger_.get()});
  }
  Outcome call(const std::string& tool) {
    return executor_->execute({.tool = tool, .agent = "planner", .trust = Trust::kOperator});
  }
  // Once connections are made again.
  Outcome call_until_done(const std::string& tool) {
    Outcome outcome;
    for (int attempt = 0; attempt < 100; ++attempt) {
      outcome = call(tool);
      if (outcome.kind == Kind::kDone) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return outcome;
  }

  SystemClock clock_;
  SystemRandom random_;
  test::PostgresServer server_;
  test::PostgresProxy proxy_{server_.socket_folder()};
  std::shared_ptr<store::Space> space_;
  bus::EventBus events_;
  CountingTool tool_;
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<StopSwitch> line_;
  std::unique_ptr<Executor> executor_;
};

TEST_F(LostLog, IsAnErrorOfTheCallAndNoStop) {
  ASSERT_EQ(call("file:write").kind, Kind::kDone);
  proxy_.set(test::PostgresProxy::Mode::kRefuse);
  const Outcome lost = call("file:write");
  EXPECT_EQ(lost.kind, Kind::kBusy) << lost.reason;
  EXPECT_EQ(tool_.runs, 1);
  EXPECT_FALSE(line_->halted());
  // A halt that cannot be written is none, and who asked for it hears of that.
  EXPECT_FALSE(line_->halt("operator", "while it is away"));
  EXPECT_FALSE(line_->halted());
  proxy_.set(test::PostgresProxy::Mode::kPass);
  const Outcome again = call_until_done("file:write");
  EXPECT_EQ(again.kind, Kind::kDone) << again.reason;
  EXPECT_FALSE(line_->state().value().halted);
}

// It goes away while the tool runs: the result is withheld, and that is all.
TEST_F(LostLog, WithholdsWhatCannotBeAudited) {
  tool_.inside = [this] { proxy_.set(test::PostgresProxy::Mode::kRefuse); };
  const Outcome lost = call("file:write");
  EXPECT_EQ(lost.kind, Kind::kFailed);
  EXPECT_TRUE(lost.result.is_null());
  EXPECT_NE(lost.reason.find("withheld"), std::string::npos) << lost.reason;
  tool_.inside = nullptr;
  proxy_.set(test::PostgresProxy::Mode::kPass);
  const Outcome again = call_until_done("file:write");
  EXPECT_EQ(again.kind, Kind::kDone) << again.reason;
  const auto now = line_->state();
  ASSERT_TRUE(now);
  EXPECT_FALSE(now->halted) << now->reason;
}

TEST_F(LostLog, AStopThatSomebodyDecidedHoldsAcrossIt) {
  ASSERT_TRUE(line_->halt("operator", "a look"));
  proxy_.set(test::PostgresProxy::Mode::kRefuse);
  EXPECT_NE(call("file:read").kind, Kind::kDone);
  proxy_.set(test::PostgresProxy::Mode::kPass);
  Outcome held;
  for (int attempt = 0; attempt < 100 && held.kind != Kind::kHalted; ++attempt) {
    held = call("file:read");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(held.kind, Kind::kHalted) << held.reason;
  EXPECT_NE(held.reason.find("a look"), std::string::npos) << held.reason;
  EXPECT_EQ(tool_.runs, 0);
  ASSERT_TRUE(line_->resume("operator"));
  EXPECT_EQ(call("file:read").kind, Kind::kDone);
}

}  // namespace
}  // namespace anima::govern::lost_log_test
