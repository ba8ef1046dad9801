// Contents of arguments and outputs in audit entries and approvals: sealed in the log, there for
// who asks, gone after `erase`, while chain and proofs still verify.
#include "govern/ledger/sealed_members.h"

#include <gtest/gtest.h>

#include "base/files/file.h"
#include "govern/approve/approvals.h"
#include "govern/decide/executor.h"
#include "govern/decide/stop_switch.h"
#include "govern/ledger/ledger.h"
#include "store/verify/audit.h"

namespace anima::govern::sealed_members_test {
namespace {

constexpr std::string_view kSecret = "salary-of-grace";

class FailingTools final : public ToolRunner {
 public:
  Result<Json> run(std::string_view, const Json&, std::int64_t) override {
    return fail(ErrorCode::kIo, "cannot print " + std::string(kSecret));
  }
};

class SealedMembersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store::SpaceOptions options;
    options.create = true;
    options.clock = std::shared_ptr<Clock>(&clock_, [](Clock*) {});
    space_ = store::Space::open(folder_.file("space"), options).value();
    ledger_ = std::make_unique<Ledger>(*space_, clock_, random_);
  }
  std::string payloads() {
    std::string all;
    const Status read =
        space_->log().read(store::Sequence{1}, [&](const store::LogEntry& entry) -> Status {
          all += entry.payload;
          return {};
        });
    EXPECT_TRUE(read);
    return all;
  }

  TemporaryDirectory folder_{"anima-sealed"};
  ManualClock clock_{Timestamp{1'767'225'600'000'000}};
  SeededRandom random_{1};
  std::shared_ptr<store::Space> space_;
  std::unique_ptr<Ledger> ledger_;
};

TEST_F(SealedMembersTest, MembersComeBackUntilTheyAreErased) {
  Json object = Json::object({{"tool", "t"}, {"error", kSecret}, {"other", 1}});
  ASSERT_TRUE(seal_members(*space_, kAuditKey, kSealedOfAudits, object));
  EXPECT_EQ(object.find("error"), nullptr);
  EXPECT_EQ(object.dump().find(kSecret), std::string::npos);
  Json opened = object;
  ASSERT_TRUE(unseal_members(*space_, opened));
  EXPECT_EQ(opened.find("error")->as_string(), kSecret);
  EXPECT_EQ(opened.find("sealed"), nullptr);
  Json plain = Json::object({{"tool", "t"}});
  ASSERT_TRUE(seal_members(*space_, kAuditKey, kSealedOfAudits, plain));
  EXPECT_EQ(plain.find("sealed"), nullptr);
  Json changed = object;
  changed.set("sealed", "AAAA");
  ASSERT_TRUE(unseal_members(*space_, changed)) << "as with a key that is not here";
  EXPECT_EQ(changed.find("error"), nullptr);
}

TEST_F(SealedMembersTest, EraseReachesWhatCallsSaid) {
  Approvals approvals(clock_, random_, *ledger_, ledger_.get());
  StopSwitch line(*ledger_);
  bus::EventBus events;
  FailingTools tools;
  Executor executor(PermissionTable::of_the_source(), tools, *ledger_, line, events, clock_,
                    random_, {.approvals = &approvals, .ledger = ledger_.get()});
  const Outcome failed = executor.execute({.tool = "file:read",
                                           .agent = "planner",
                                           .trust = Trust::kOperator,
                                           .arguments = Json::object({{"path", kSecret}})});
  ASSERT_EQ(failed.kind, Outcome::Kind::kFailed);
  const Outcome waits = executor.execute({.tool = "file:delete",
                                          .agent = "planner",
                                          .trust = Trust::kOperator,
                                          .arguments = Json::object({{"path", kSecret}})});
  ASSERT_EQ(waits.kind, Outcome::Kind::kWaiting);
  const Outcome denied =
      executor.execute({.tool = "file:delete",
                        .agent = "planner",
                        .trust = Trust::kUntrusted,
                        .arguments = Json::object({{"path", "x"}}),
                        .origins = {{"path", std::string(kSecret), Trust::kUntrusted}}});
  ASSERT_EQ(denied.kind, Outcome::Kind::kDenied);
  ASSERT_TRUE(approvals.reject(waits.approval_id, "operator", "not " + std::string(kSecret)));

  // Nothing of it lies open; who asks finds it.
  EXPECT_EQ(payloads().find(kSecret), std::string::npos);
  EXPECT_EQ(Approvals(clock_, random_, *ledger_, ledger_.get())
                .find(waits.approval_id)
                ->request.arguments.find("path")
                ->as_string(),
            kSecret);
  const auto before = find_refusal(*space_, denied.audit_id);
  ASSERT_TRUE(before);
  EXPECT_NE(before->entry.details->find("evidence")->dump().find(kSecret), std::string::npos);

  const store::Sequence proven = before->sequence;
  const auto proof = store::prove_entry(space_->log(), proven);
  ASSERT_TRUE(proof && proof->holds());
  ASSERT_TRUE(space_->erase(std::string(kAuditKey)));

  const Approval gone =
      Approvals(clock_, random_, *ledger_, ledger_.get()).find(waits.approval_id).value();
  EXPECT_TRUE(gone.erased);
  EXPECT_EQ(gone.to_json().dump().find(kSecret), std::string::npos);
  const auto after = find_refusal(*space_, denied.audit_id);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->entry.details->find("evidence"), nullptr);
  EXPECT_EQ(after->entry.details->find("tool")->as_string(), "file:delete");
  // The proof made before still holds, and so do the log and the source's chain.
  EXPECT_EQ(space_->log().entry(proven)->hash, proof->hash);
  const auto since = store::prove_consistency(space_->log(), proof->entries);
  ASSERT_TRUE(since && since->holds());
  EXPECT_EQ(since->old_root, proof->root);
  EXPECT_TRUE(store::verify_log(space_->log()));
  std::vector<AuditEntry> chain;
  const auto placed = audit_chain_of(space_->log());
  ASSERT_TRUE(placed);
  for (const PlacedAudit& each : *placed) chain.push_back(each.entry);
  EXPECT_TRUE(verify_audit(chain).valid);
}

}  // namespace
}  // namespace anima::govern::sealed_members_test
