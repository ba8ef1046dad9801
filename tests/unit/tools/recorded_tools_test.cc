// What went into a tool and what came out is one commit with the executor's entry.
#include "tools/recorded_tools.h"

#include <gtest/gtest.h>

#include "base/files/file.h"
#include "govern/decide/executor.h"
#include "govern/ledger/sealed_members.h"

namespace anima::tools {
namespace {

class Echo final : public govern::ToolRunner {
 public:
  Result<Json> run(std::string_view, const Json& arguments, std::int64_t) override {
    if (arguments.find("fail") != nullptr)
      return fail(ErrorCode::kNotFound, "there is no such thing");
    return arguments;
  }
};

class RecordedToolsTest : public ::testing::Test {
 protected:
  govern::Outcome act(Json arguments, std::string tool = "file:read") {
    return executor_.execute({.tool = std::move(tool),
                              .agent = "planner",
                              .trust = govern::Trust::kOperator,
                              .arguments = std::move(arguments)});
  }
  // With what of it lies sealed in the log.
  std::vector<govern::PlacedAudit> chain() {
    std::vector<govern::PlacedAudit> entries = *govern::audit_chain_of(space_->log());
    for (govern::PlacedAudit& each : entries) {
      if (!each.entry.details) continue;
      EXPECT_TRUE(govern::unseal_members(*space_, *each.entry.details).has_value());
    }
    return entries;
  }

  ManualClock clock_{Timestamp{1'767'225'600'000'000}};
  SeededRandom random_{9};
  std::shared_ptr<store::Space> space_ = store::Space::in_memory().value();
  govern::Ledger ledger_{*space_, clock_, random_};
  Echo echo_;
  OutputLog outputs_{ledger_};
  RecordedTools recorded_{echo_, outputs_, clock_};
  govern::StopSwitch line_{ledger_};
  bus::EventBus events_;
  govern::Executor executor_{govern::PermissionTable::of_the_source(),
                             recorded_,
                             outputs_,
                             line_,
                             events_,
                             clock_,
                             random_};
};

TEST_F(RecordedToolsTest, OneEntryOfTheLogHoldsOutputAndOutcome) {
  const auto before = space_->log().head()->sequence;
  EXPECT_EQ(act(Json::object({{"path", "a.txt"}})).kind, govern::Outcome::Kind::kDone);
  const auto entries = chain();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].entry.action, "tool_output");
  EXPECT_EQ(entries[1].entry.action, "tool_executed");
  EXPECT_EQ(entries[0].sequence, entries[1].sequence);
  EXPECT_EQ(static_cast<std::uint64_t>(space_->log().head()->sequence),
            static_cast<std::uint64_t>(before) + 1);
  EXPECT_EQ(entries[0].entry.details->find("output")->as_string(), R"({"path":"a.txt"})");
  EXPECT_FALSE(outputs_.failure());
}

TEST_F(RecordedToolsTest, AFailureIsRecordedAndRemembered) {
  EXPECT_EQ(act(Json::object({{"fail", true}})).kind, govern::Outcome::Kind::kFailed);
  EXPECT_EQ(outputs_.failure()->code, ErrorCode::kNotFound);
  EXPECT_FALSE(chain()[0].entry.details->find("success")->as_bool());
  // A refusal runs nothing and records no output.
  EXPECT_EQ(act(Json::object(), "no:tool").kind, govern::Outcome::Kind::kDenied);
  const auto entries = chain();
  EXPECT_EQ(entries.back().entry.action, "permission_denied");
  EXPECT_EQ(entries.size(), 3u);
}

TEST_F(RecordedToolsTest, LongTextsAreKeptByTheirBeginnings) {
  act(Json::object({{"path", std::string(5000, 'x')}}));
  EXPECT_EQ(chain()[0].entry.details->find("arguments")->as_string().size(), 200u);
}

}  // namespace
}  // namespace anima::tools
