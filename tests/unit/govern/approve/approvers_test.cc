// Approvals signed by a key that who acts cannot use: what a coding agent with its own shell under
// the same account can try (a claimed role, forged records, the key files it can read), and two
// persons as two keys.
#include "govern/approve/approvers.h"

#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/json/json_member.h"
#include "govern/approve/approvals.h"
#include "govern/approve/approver_book.h"
#include "govern/approve/approver_key.h"
#include "govern/approve/detail/approval_events.h"
#include "govern/decide/executor.h"
#include "govern/decide/stop_switch.h"
#include "govern/ledger/ledger.h"

namespace anima::govern::approvers_test {
namespace {

constexpr PassphraseCost kCheap{.passes = 1, .memory_bytes = 8192};
constexpr std::string_view kPassphrase = "correct horse battery";

CallRequest removal() {
  return {.tool = "file:delete",
          .agent = "planner",
          .trust = Trust::kOperator,
          .arguments = Json::object({{"path", "old.txt"}})};
}

Decision asks() { return PermissionTable::of_the_source().decide(removal()); }

class CountingTools final : public ToolRunner {
 public:
  Result<Json> run(std::string_view, const Json&, std::int64_t) override {
    ++ran;
    return Json::object({{"ok", true}});
  }
  int ran = 0;
};

// A person with a key of their own.
struct Person {
  Person(std::string person, std::string answers_as, std::uint64_t seed)
      : name(std::move(person)), role(std::move(answers_as)) {
    SeededRandom random(seed);
    key = make_signing_key(random);
  }
  ApproverCard card() const { return make_card(name, role, key); }
  Signer signer() const {
    return [this](const Statement& statement) -> Result<StatementSignature> {
      return sign_statement(statement, name, key);
    };
  }
  std::string name, role;
  SigningKey key;
};

class ApproversTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store::SpaceOptions options;
    options.create = true;
    options.clock = std::shared_ptr<Clock>(&clock_, [](Clock*) {});
    space_ = store::Space::open(folder_.file("space"), options).value();
    ledger_ = std::make_unique<Ledger>(*space_, clock_, random_);
    ASSERT_TRUE(ledger_->write("message_received", "ada", Trust::kOperator, Json::object()));
    approvals_ = std::make_unique<Approvals>(clock_, random_, *ledger_, ledger_.get());
    book_ = std::make_unique<ApproverBook>(*ledger_);
  }
  Status add(const Person& person, const Signer& signer = nullptr) {
    return book_->add(person.card(), "ada", clock_.now(), signer);
  }
  std::string ask(const CallRequest& request = removal()) {
    return approvals_->ask(request, asks()).value().approval.id;
  }
  ApprovalStatus status(const std::string& id) { return approvals_->find(id)->status; }
  // What somebody who can write the log puts there.
  void forge(Json event) {
    ASSERT_TRUE(ledger_->write_with({{store::RecordKind::kApproval, std::move(event)}},
                                    "approval_granted", "operator", Trust::kOperator,
                                    Json::object()));
  }
  Json granted(const std::string& id) {
    const std::int64_t at = clock_.now().microseconds;
    return Json::object({{"event", "granted"},
                         {"id", id},
                         {"by", "operator"},
                         {"reason", ""},
                         {"at", at},
                         {"expires", at + 300'000'000}});
  }
  // Signs a forged grant as well as it can.
  Json granted(const std::string& id, const Person& person) {
    Json event = granted(id);
    const std::int64_t at = event.find("at")->as_integer();
    const Statement statement = detail::grant_statement(
        approvals_->find(id).value(), space_id(*ledger_).value(), "operator", at, at + 300'000'000);
    put_signature(sign_statement(statement, person.name, person.key), event);
    event.set("digest", digest_of(statement.content));
    return event;
  }

  TemporaryDirectory folder_{"anima-approvers"};
  ManualClock clock_{Timestamp{1'767'225'600'000'000}};
  SeededRandom random_{1};
  std::shared_ptr<store::Space> space_;
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<Approvals> approvals_;
  std::unique_ptr<ApproverBook> book_;
  Person ada_{"ada", "operator", 11}, grace_{"grace", "arbiter", 12}, eve_{"eve", "operator", 13};
};

TEST_F(ApproversTest, WithoutAnApproverARoleIsEnough) {
  const std::string id = ask();
  EXPECT_FALSE(approvals_->needs_signature().value());
  EXPECT_TRUE(approvals_->grant(id, "operator"));
  EXPECT_TRUE(approvals_->redeem(id, removal(), Trust::kOperator));
}

TEST_F(ApproversTest, AKeyIsNeededBeforeThereIsOneWhenTheSettingsSaySo) {
  Approvals strict(clock_, random_, *ledger_, ledger_.get(), {.need_key = true});
  const std::string id = ask();
  const Status granted = strict.grant(id, "operator", ada_.signer());
  EXPECT_EQ(granted.error().code, ErrorCode::kDenied);
  ASSERT_TRUE(approvals_->grant(id, "operator"));
  EXPECT_EQ(strict.find(id)->status, ApprovalStatus::kPending);  // another's grant counts no more
}

TEST_F(ApproversTest, TheRoleAloneGrantsNothing) {
  ASSERT_TRUE(add(ada_));
  const std::string id = ask();
  EXPECT_TRUE(approvals_->needs_signature().value());
  for (const char* role : {"operator", "arbiter", "overseer"})
    EXPECT_EQ(approvals_->grant(id, role).error().code, ErrorCode::kDenied) << role;
  EXPECT_EQ(status(id), ApprovalStatus::kPending);
  EXPECT_TRUE(approvals_->reject(id, "operator", "a no needs no key"));
}

TEST_F(ApproversTest, ASignedGrantLetsExactlyItsCallRunOnce) {
  ASSERT_TRUE(add(ada_));
  const std::string id = ask();
  ASSERT_TRUE(approvals_->grant(id, "operator", ada_.signer()));
  EXPECT_EQ(approvals_->find(id)->signature->approver, "ada");
  CallRequest other = removal();
  other.arguments.set("path", "other.txt");
  EXPECT_EQ(approvals_->redeem(id, other, Trust::kOperator).error().code, ErrorCode::kDenied);
  EXPECT_TRUE(approvals_->redeem(id, removal(), Trust::kOperator));
  EXPECT_EQ(approvals_->redeem(id, removal(), Trust::kOperator).error().code, ErrorCode::kConflict);
}

TEST_F(ApproversTest, TheAuditEntryHoldsTheSignatureAndItVerifies) {
  ASSERT_TRUE(add(ada_));
  const std::string id = ask();
  ASSERT_TRUE(approvals_->grant(id, "operator", ada_.signer()));
  const auto chain = audit_chain_of(space_->log());
  ASSERT_TRUE(chain);
  const AuditEntry& entry = chain->back().entry;
  ASSERT_EQ(entry.action, "approval_granted");
  const auto signature = signature_in(*entry.details);
  ASSERT_TRUE(signature);
  EXPECT_EQ(text_member(*entry.details, "key"), to_hex(ada_.key.public_key));
  EXPECT_TRUE(verify(ada_.key.public_key,
                     signed_text("grant", "ada", text_member(*entry.details, "digest")),
                     signature->signature));
}

TEST_F(ApproversTest, ForgedRecordsGrantNothing) {
  ASSERT_TRUE(add(ada_));
  const std::string id = ask();
  forge(granted(id));        // as it is written where no key is needed
  forge(granted(id, eve_));  // by a key that nobody registered
  Person eve_as_ada = eve_;
  eve_as_ada.name = "ada";
  forge(granted(id, eve_as_ada));
  EXPECT_EQ(status(id), ApprovalStatus::kPending);
  // A key that registers itself beside the first, or takes the first out.
  Json event = eve_.card().to_json();
  event.set("event", "approver_registered");
  event.set("at", clock_.now().microseconds);
  forge(event);
  put_signature(sign_statement({"register", event}, "eve", eve_.key), event);
  forge(event);
  Json removed = Json::object({{"event", "approver_removed"}, {"name", "ada"}, {"at", 1}});
  forge(removed);
  put_signature(sign_statement({"remove", removed}, "eve", eve_.key), removed);
  forge(removed);
  forge(granted(id, eve_));
  EXPECT_EQ(status(id), ApprovalStatus::kPending);
  EXPECT_EQ(book_->now().value()->find("eve"), nullptr);
  EXPECT_NE(book_->now().value()->find("ada"), nullptr);
}

// A signature that was given is used again: for another call, in the name of another question, in
// another space.
TEST_F(ApproversTest, ASignatureIsForOneQuestion) {
  ASSERT_TRUE(add(ada_));
  const std::string id = ask();
  ASSERT_TRUE(approvals_->grant(id, "operator", ada_.signer()));
  Json copied = granted(id);
  put_signature(*approvals_->find(id)->signature, copied);
  ASSERT_TRUE(approvals_->redeem(id, removal(), Trust::kOperator));
  // The question once more, under the same id, and the grant behind it.
  Approval again = approvals_->find(id).value();
  again.status = ApprovalStatus::kPending;
  forge(detail::asked_event(again));
  forge(copied);
  EXPECT_EQ(status(id), ApprovalStatus::kUsed);
  CallRequest other = removal();
  other.arguments.set("path", "all");
  const std::string second = ask(other);
  copied.set("id", second);
  forge(copied);
  EXPECT_EQ(status(second), ApprovalStatus::kPending);
  const Statement here = detail::grant_statement(approvals_->find(second).value(), "a", "b", 1, 2);
  const Statement there = detail::grant_statement(approvals_->find(second).value(), "c", "b", 1, 2);
  EXPECT_NE(digest_of(here.content), digest_of(there.content));
}

TEST_F(ApproversTest, WhoWasTakenOutGrantsNothingAnyMore) {
  ASSERT_TRUE(add(ada_));
  Person bob("bob", "operator", 14);
  ASSERT_TRUE(add(bob, ada_.signer()));
  const std::string id = ask();
  ASSERT_TRUE(approvals_->grant(id, "operator", bob.signer()));
  ASSERT_TRUE(book_->remove("bob", "ada", clock_.now(), ada_.signer()));
  // The grant stood when he went; it is looked at again before the call runs.
  EXPECT_EQ(approvals_->redeem(id, removal(), Trust::kOperator).error().code, ErrorCode::kDenied);
  EXPECT_FALSE(add(bob, ada_.signer()));  // a key comes once
}

TEST_F(ApproversTest, ComingAndGoingIsSignedByAnOperator) {
  EXPECT_EQ(add(grace_).error().code, ErrorCode::kInvalidArgument);  // the first is an operator
  ASSERT_TRUE(add(ada_));
  EXPECT_EQ(add(grace_).error().code, ErrorCode::kDenied);
  EXPECT_EQ(add(grace_, eve_.signer()).error().code, ErrorCode::kDenied);
  ASSERT_TRUE(add(grace_, ada_.signer()));
  EXPECT_EQ(add(eve_, grace_.signer()).error().code,
            ErrorCode::kDenied);  // an arbiter lets none in
  Person twin = grace_;
  twin.name = "twin";
  EXPECT_EQ(add(twin, ada_.signer()).error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(book_->remove("ada", "ada", clock_.now(), grace_.signer()).error().code,
            ErrorCode::kConflict);
  EXPECT_EQ(book_->remove("ada", "ada", clock_.now(), ada_.signer()).error().code,
            ErrorCode::kConflict);  // the last operator goes last
  ASSERT_TRUE(book_->remove("grace", "grace", clock_.now(), grace_.signer()));
  ASSERT_TRUE(book_->remove("ada", "ada", clock_.now(), ada_.signer()));
  EXPECT_FALSE(approvals_->needs_signature().value());
}

TEST_F(ApproversTest, ASignerHasOneRole) {
  ASSERT_TRUE(add(ada_));
  const std::string id = ask();
  EXPECT_EQ(approvals_->grant(id, "arbiter", ada_.signer()).error().code, ErrorCode::kDenied);
  EXPECT_TRUE(approvals_->grant(id, "operator", ada_.signer()));
}

// The whole way: the tool runs once, after the signature, in a process that was not there before.
TEST_F(ApproversTest, TheExecutorRunsWhatWasSigned) {
  ASSERT_TRUE(add(ada_));
  CountingTools tools;
  StopSwitch line(*ledger_);
  bus::EventBus events;
  Executor executor(PermissionTable::of_the_source(), tools, *ledger_, line, events, clock_,
                    random_, {.approvals = approvals_.get(), .ledger = ledger_.get()});
  const Outcome waits = executor.execute(removal());
  ASSERT_EQ(waits.kind, Outcome::Kind::kWaiting);
  forge(granted(waits.approval_id));
  EXPECT_EQ(executor.execute(removal()).kind, Outcome::Kind::kWaiting);
  EXPECT_EQ(executor.approve(waits.approval_id, "operator").error().code, ErrorCode::kDenied);
  EXPECT_EQ(tools.ran, 0);
  Approvals elsewhere(clock_, random_, *ledger_, ledger_.get());
  ASSERT_TRUE(elsewhere.grant(waits.approval_id, "operator", ada_.signer()));
  EXPECT_EQ(executor.execute(removal()).kind, Outcome::Kind::kDone);
  EXPECT_EQ(executor.execute(removal()).kind, Outcome::Kind::kWaiting);
  EXPECT_EQ(tools.ran, 1);
}

TEST_F(ApproversTest, TwoPersonsAreTwoKeys) {
  ASSERT_TRUE(add(ada_));
  ASSERT_TRUE(add(grace_, ada_.signer()));
  StopSwitch line(*ledger_);
  ASSERT_TRUE(line.halt("operator", "a look"));
  EXPECT_EQ(line.resume("operator").error().code, ErrorCode::kDenied);
  EXPECT_EQ(line.resume("operator", grace_.signer()).error().code, ErrorCode::kDenied);
  ASSERT_TRUE(line.resume("operator", ada_.signer()));
  EXPECT_FALSE(line.halted());

  ASSERT_TRUE(line.emergency("planner", "smoke"));
  // Two accounts were enough before there were keys.
  EXPECT_EQ(line.lift_emergency("operator", "user:1").error().code, ErrorCode::kDenied);
  EXPECT_EQ(line.lift_emergency("arbiter", "user:2").error().code, ErrorCode::kDenied);
  ASSERT_TRUE(line.lift_emergency("operator", "user:1", ada_.signer()));
  EXPECT_EQ(line.lift_emergency("arbiter", "user:2", ada_.signer()).error().code,
            ErrorCode::kDenied);
  EXPECT_TRUE(line.halted());
  StopSwitch there(*ledger_);
  ASSERT_TRUE(there.lift_emergency("arbiter", "user:1", grace_.signer()));
  EXPECT_FALSE(there.halted());
  EXPECT_FALSE(line.halted());
}

TEST_F(ApproversTest, AForgedEndOfAStopEndsNothing) {
  ASSERT_TRUE(add(ada_));
  StopSwitch line(*ledger_);
  ASSERT_TRUE(line.halt("operator", "a look"));
  ASSERT_TRUE(ledger_->write_with(
      {{kLineRecord, Json::object({{"event", "resume"}, {"by", "operator"}, {"reason", ""}})}},
      "line_resumed", "operator", Trust::kOperator, Json::object()));
  EXPECT_TRUE(line.halted());
  EXPECT_TRUE(StopSwitch(*ledger_).halted());
}

TEST(ApproverKey, OnlyThePassphraseOpensIt) {
  SeededRandom random(5);
  const auto made = make_approver_key("ada", "operator", kPassphrase, kCheap, random);
  ASSERT_TRUE(made);
  EXPECT_EQ(card_of_key(made->file, "k")->name, "ada");
  const auto opened = open_approver_key(made->file, kPassphrase, "k");
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->public_key, made->card.key);
  EXPECT_EQ(made->file.find(to_hex(opened->seed)), std::string::npos);
  EXPECT_EQ(made->file.find(to_base64url({reinterpret_cast<const char*>(opened->seed.data()), 32})),
            std::string::npos);
  EXPECT_EQ(open_approver_key(made->file, "correct horse batterx", "k").error().code,
            ErrorCode::kDenied);
  EXPECT_EQ(open_approver_key("{}", kPassphrase, "k").error().code, ErrorCode::kCorrupt);
  std::string changed = made->file;
  changed.replace(changed.find("operator"), 8, "arbiter1");
  EXPECT_EQ(open_approver_key(changed, kPassphrase, "k").error().code, ErrorCode::kCorrupt);
}

TEST(ApproverKey, RefusesWeakOrOddOnes) {
  SeededRandom random(5);
  const auto code = [&](std::string_view name, std::string_view role, std::string_view passphrase) {
    return make_approver_key(name, role, passphrase, kCheap, random).error().code;
  };
  EXPECT_EQ(code("ada", "operator", "elevenchars"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code("Ada", "operator", kPassphrase), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code("../ada", "operator", kPassphrase), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code("", "operator", kPassphrase), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code("ada", "owner", kPassphrase), ErrorCode::kInvalidArgument);
  EXPECT_FALSE(key_from_passphrase("x", {}, {.passes = 0}));
  EXPECT_FALSE(key_from_passphrase("x", {}, {.passes = 1, .memory_bytes = std::uint64_t{1} << 40}));
}

}  // namespace
}  // namespace anima::govern::approvers_test
