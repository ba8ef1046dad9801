// Decisions and approvals on the log: several processes, restarts, the source's chain as a view.
#include "govern/ledger/ledger.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "base/files/file.h"
#include "govern/approve/approvals.h"
#include "govern/decide/executor.h"

namespace anima::govern::ledger_test {
namespace {

CallRequest removal(std::string path = "old.txt", Trust trust = Trust::kOperator) {
  return {.tool = "file:delete",
          .agent = "planner",
          .trust = trust,
          .arguments = Json::object({{"path", std::move(path)}})};
}

Decision asks() { return PermissionTable::of_the_source().decide(removal()); }

std::shared_ptr<store::Space> opened(const std::string& folder, Clock& clock) {
  store::SpaceOptions options;
  options.create = true;
  options.clock = std::shared_ptr<Clock>(&clock, [](Clock*) {});
  return store::Space::open(folder, options).value();
}

// One process: its own space object over the shared folder.
struct Process {
  explicit Process(const std::string& folder, Clock& shared_clock, std::uint64_t seed)
      : random(seed),
        space(opened(folder, shared_clock)),
        ledger(*space, shared_clock, random),
        approvals(shared_clock, random, ledger, &ledger) {}
  SeededRandom random;
  std::shared_ptr<store::Space> space;
  Ledger ledger;
  Approvals approvals;
};

class LedgerTest : public ::testing::Test {
 protected:
  TemporaryDirectory folder_{"anima-ledger"};
  ManualClock clock_{Timestamp{1'767'225'600'000'000}};
};

TEST_F(LedgerTest, TheSourcesChainIsAViewOfTheLog) {
  Process process(folder_.file("space"), clock_, 1);
  ASSERT_TRUE(process.ledger.write("message_received", "untrusted", Trust::kUntrusted,
                                   Json::object({{"messageId", "m1"}})));
  const auto id =
      process.ledger.write("permission_denied", "planner", Trust::kStandard, Json::object());
  ASSERT_TRUE(id);
  const auto chain = audit_chain_of(process.space->log());
  ASSERT_TRUE(chain);
  std::vector<AuditEntry> entries;
  for (const PlacedAudit& placed : *chain) entries.push_back(placed.entry);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].previous_hash, std::string(64, '0'));
  EXPECT_EQ(entries[1].timestamp, "2026-01-01T00:00:00.000Z");
  EXPECT_TRUE(verify_audit(entries).valid);
  EXPECT_EQ(
      find_audit(process.space->log(), process.space->folder(), id->substr(0, 8))->entry.action,
      "permission_denied");
  EXPECT_EQ(find_audit(process.space->log(), process.space->folder(), "nope").error().code,
            ErrorCode::kNotFound);
}

TEST_F(LedgerTest, Row41TheChainVerifiesAfterReload) {
  {
    Process process(folder_.file("space"), clock_, 1);
    for (int i = 0; i < 3; ++i)
      ASSERT_TRUE(process.ledger.write("e", "core", Trust::kSystem, Json::object()));
  }
  Process again(folder_.file("space"), clock_, 2);
  ASSERT_TRUE(again.ledger.write("e", "core", Trust::kSystem, Json::object()));
  const auto chain = audit_chain_of(again.space->log());
  ASSERT_TRUE(chain);
  std::vector<AuditEntry> entries;
  for (const PlacedAudit& placed : *chain) entries.push_back(placed.entry);
  EXPECT_EQ(verify_audit(entries).details, "4 events");
}

TEST_F(LedgerTest, OneProcessAsksAnotherGrantsTheFirstRunsOnce) {
  Process asking(folder_.file("space"), clock_, 1);
  Process answering(folder_.file("space"), clock_, 2);
  const auto asked = asking.approvals.ask(removal(), asks());
  ASSERT_TRUE(asked);
  ASSERT_EQ(answering.approvals.list()->size(), 1u);
  EXPECT_EQ(answering.approvals.list()->front().request.arguments, removal().arguments);
  EXPECT_EQ(*asking.approvals.granted_for(removal(), Trust::kOperator), "");
  ASSERT_TRUE(answering.approvals.grant(asked->approval.id.substr(0, 6), "operator"));
  EXPECT_EQ(*asking.approvals.granted_for(removal(), Trust::kOperator), asked->approval.id);
  EXPECT_EQ(*asking.approvals.granted_for(removal("other.txt"), Trust::kOperator), "");
  EXPECT_EQ(asking.approvals.redeem(asked->approval.id, removal("other.txt"), Trust::kOperator)
                .error()
                .code,
            ErrorCode::kDenied);
  EXPECT_EQ(asking.approvals.redeem(asked->approval.id, removal(), Trust::kStandard).error().code,
            ErrorCode::kDenied);
  ASSERT_TRUE(asking.approvals.redeem(asked->approval.id, removal(), Trust::kOperator));
  EXPECT_EQ(
      answering.approvals.redeem(asked->approval.id, removal(), Trust::kOperator).error().code,
      ErrorCode::kConflict);
  EXPECT_EQ(answering.approvals.find(asked->approval.id)->status, ApprovalStatus::kUsed);
}

// Runs what several processes do while none of them gets the writer's turn, so that all have looked
// before the first writes.
template <typename Body>
void at_once(const std::string& folder, std::vector<Process*> processes, const Body& body) {
  const auto other = store::Space::open(folder).value();
  auto turn = other->log().take_turn().value();
  std::vector<std::jthread> threads;
  for (Process* process : processes) threads.emplace_back([&body, process] { body(*process); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  turn.reset();
}

TEST_F(LedgerTest, TheSameCallAskedForByTwoProcessesAtOnceIsOneRequest) {
  Process first(folder_.file("space"), clock_, 1);
  Process second(folder_.file("space"), clock_, 2);
  for (int i = 0; i < 5; ++i) {
    const CallRequest request = removal(std::to_string(i));
    std::atomic<int> made = 0;
    at_once(folder_.file("space"), {&first, &second}, [&](Process& process) {
      const auto asked = process.approvals.ask(request, asks());
      ASSERT_TRUE(asked) << asked.error().describe();
      if (asked->is_new) ++made;
      EXPECT_EQ(asked->approval.request.arguments, request.arguments);
    });
    EXPECT_EQ(made, 1);
  }
  EXPECT_EQ(first.approvals.list()->size(), 5u);
  EXPECT_EQ(audit_chain_of(first.space->log())->size(), 5u);
}

// The same with executors that share one space object, whose writes share turns of the log.
TEST_F(LedgerTest, TheSameCallAskedForInOneTurnIsOneRequest) {
  Process process(folder_.file("space"), clock_, 1);
  SeededRandom random(2);
  Ledger ledger(*process.space, clock_, random);
  Approvals others(clock_, random, ledger, &ledger);
  for (int i = 0; i < 5; ++i) {
    const auto other = store::Space::open(folder_.file("space")).value();
    auto turn = other->log().take_turn().value();
    {
      std::vector<std::jthread> threads;
      for (Approvals* approvals : {&process.approvals, &others}) {
        threads.emplace_back(
            [&, approvals] { EXPECT_TRUE(approvals->ask(removal(std::to_string(i)), asks())); });
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      turn.reset();
    }
  }
  EXPECT_EQ(process.approvals.list()->size(), 5u);
}

TEST_F(LedgerTest, AUseThatComesTooLateWritesNothing) {
  Process first(folder_.file("space"), clock_, 1);
  Process second(folder_.file("space"), clock_, 2);
  const auto asked = first.approvals.ask(removal(), asks());
  ASSERT_TRUE(asked);
  ASSERT_TRUE(first.approvals.grant(asked->approval.id, "operator"));
  std::atomic<int> used = 0;
  at_once(folder_.file("space"), {&first, &second}, [&](Process& process) {
    const auto redeemed = process.approvals.redeem(asked->approval.id, removal(), Trust::kOperator);
    if (redeemed) {
      ++used;
    } else {
      EXPECT_EQ(redeemed.error().code, ErrorCode::kConflict);
    }
  });
  EXPECT_EQ(used, 1);
  EXPECT_EQ(audit_chain_of(first.space->log())->size(), 3u);  // asked, granted, used
}

TEST_F(LedgerTest, AGrantExpiresUnused) {
  Process process(folder_.file("space"), clock_, 1);
  const auto asked = process.approvals.ask(removal(), asks());
  ASSERT_TRUE(process.approvals.grant(asked->approval.id, "arbiter"));
  clock_.advance(300'000'000);
  EXPECT_EQ(process.approvals.redeem(asked->approval.id, removal(), Trust::kOperator).error().code,
            ErrorCode::kConflict);
  EXPECT_EQ(process.approvals.find(asked->approval.id)->status, ApprovalStatus::kExpired);
}

// Setting the clock back gives nothing that ran out its time again.
TEST_F(LedgerTest, AClockThatIsSetBackRevivesNoApproval) {
  Process process(folder_.file("space"), clock_, 1);
  const Timestamp start = clock_.now();
  const auto granted = process.approvals.ask(removal(), asks());
  ASSERT_TRUE(process.approvals.grant(granted->approval.id, "arbiter"));
  const auto waiting = process.approvals.ask(removal("other"), asks());
  clock_.advance(ApprovalOptions{}.use_milliseconds * 1000);
  ASSERT_TRUE(process.ledger.write("any", "somebody", Trust::kSystem, Json::object()));
  clock_.set(start);
  Process later(folder_.file("space"), clock_, 2);
  EXPECT_EQ(*later.approvals.granted_for(removal(), Trust::kOperator), "");
  EXPECT_EQ(later.approvals.redeem(granted->approval.id, removal(), Trust::kOperator).error().code,
            ErrorCode::kConflict);
  EXPECT_EQ(later.approvals.grant(waiting->approval.id, "operator").error().code,
            ErrorCode::kConflict);
}

class CountingTool : public ToolRunner {
 public:
  Result<Json> run(std::string_view, const Json&, std::int64_t) override {
    ++runs;
    return Json("done");
  }
  int runs = 0;
};

TEST_F(LedgerTest, ACallThatWaitedRunsWhenMadeAgainAfterTheGrant) {
  Process process(folder_.file("space"), clock_, 1);
  Process person(folder_.file("space"), clock_, 2);
  CountingTool tool;
  StopSwitch line;
  bus::EventBus events;
  ExecutorOptions options;
  options.approvals = &process.approvals;
  Executor executor(PermissionTable::of_the_source(), tool, process.ledger, line, events, clock_,
                    process.random, options);
  const Outcome first = executor.execute(removal());
  ASSERT_EQ(first.kind, Outcome::Kind::kWaiting);
  EXPECT_EQ(executor.execute(removal()).approval_id, first.approval_id);  // not asked twice
  ASSERT_TRUE(person.approvals.grant(first.approval_id, "operator"));
  EXPECT_EQ(executor.execute(removal("other.txt")).kind, Outcome::Kind::kWaiting);
  EXPECT_EQ(executor.execute(removal()).kind, Outcome::Kind::kDone);
  EXPECT_EQ(executor.execute(removal()).kind, Outcome::Kind::kWaiting);  // used up
  EXPECT_EQ(tool.runs, 1);
}

TEST_F(LedgerTest, NobodyIsFloodedWithRequests) {
  Process person(folder_.file("space"), clock_, 1);
  Approvals few(clock_, person.random, person.ledger, &person.ledger, {.most_waiting = 3});
  Decision decision;
  const auto ask = [&](int number, std::string agent) {
    CallRequest request = removal(std::to_string(number));
    request.agent = std::move(agent);
    return few.ask(request, decision);
  };
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(ask(i, "planner"));
  EXPECT_EQ(ask(3, "planner").error().code, ErrorCode::kLimitExceeded);
  EXPECT_TRUE(ask(4, "critic"));
  ASSERT_TRUE(few.reject(few.list()->front().id, "operator", "no"));
  EXPECT_TRUE(ask(5, "planner"));
  clock_.advance(ApprovalOptions{}.answer_milliseconds * 1000);
  EXPECT_TRUE(ask(6, "planner"));
}

// Whatever a call holds, what was written about it can be read: else nobody could answer or explain
// anything of this space again.
TEST_F(LedgerTest, NoCallClosesTheLogForItsReaders) {
  Process person(folder_.file("space"), clock_, 1);
  CountingTool tool;
  StopSwitch line;
  bus::EventBus events;
  Executor executor(PermissionTable::of_the_source(), tool, person.ledger, line, events, clock_,
                    person.random, {.approvals = &person.approvals});
  CallRequest request = removal();
  const auto waits = [&](std::string_view name, Json value) {
    request.arguments = Json::object({{"path", "a.txt"}});
    request.arguments.set(name, std::move(value));
    executor.execute(request);
  };
  for (std::size_t length = 180; length < 210; ++length) {
    request.tool = "shell:execute";
    waits("command", "rm " + std::string(length, 'a') + "\u00e9\u00e9\u00e9");
    request.origins = {
        {"command", "fact:" + std::string(length, 'a') + "\u00e9", Trust::kOperator}};
  }
  waits("command", "rm \xff\xfe");
  request.tool = "file:delete\xff";
  waits("path", "x");
  request.tool = "file:delete";
  waits("path", "\xc3");
  Json deep = Json::array();
  for (int i = 0; i < 63; ++i) deep = Json::array({std::move(deep)});
  waits("path", std::move(deep));
  waits("path", std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(tool.runs, 0);
  Process later(folder_.file("space"), clock_, 2);
  const auto list = later.approvals.list();
  ASSERT_TRUE(list) << list.error().describe();
  EXPECT_GE(list->size(), 30u);
  EXPECT_TRUE(audit_chain_of(later.space->log()));
}

class DeadLog : public AuditLog {
 public:
  Result<std::string> write(std::string_view, std::string_view, Trust, Json,
                            const EntryPart&) override {
    return fail(ErrorCode::kDiskFull, "no room");
  }
};

TEST_F(LedgerTest, AHaltHoldsForEveryProcessAndAfterARestart) {
  Process first(folder_.file("space"), clock_, 1);
  Process second(folder_.file("space"), clock_, 2);
  StopSwitch here(first.ledger);
  StopSwitch there(second.ledger);
  EXPECT_FALSE(there.halted());
  ASSERT_TRUE(here.halt("operator", "looking into it"));
  EXPECT_TRUE(there.halted());
  ASSERT_TRUE(here.halt("guardian"));  // idempotent: the first one stands
  CountingTool tool;
  bus::EventBus events;
  Executor executor(PermissionTable::of_the_source(), tool, second.ledger, there, events, clock_,
                    second.random);
  CallRequest read = removal();
  read.tool = "file:read";
  EXPECT_EQ(executor.execute(read).kind, Outcome::Kind::kHalted);
  {
    Process later(folder_.file("space"), clock_, 3);
    const LineState line = StopSwitch(later.ledger).state().value();
    EXPECT_TRUE(line.halted);
    EXPECT_EQ(line.by, "operator");
    EXPECT_EQ(line.reason, "looking into it");
  }
  EXPECT_EQ(there.resume("guardian").error().code, ErrorCode::kDenied);
  ASSERT_TRUE(there.resume("operator"));
  EXPECT_FALSE(here.halted());
  EXPECT_EQ(executor.execute(read).kind, Outcome::Kind::kDone);
}

TEST_F(LedgerTest, AClockThatIsSetBackHidesNoCriticalEvent) {
  constexpr std::int64_t kDay = 86'400'000'000;
  Process process(folder_.file("space"), clock_, 1);
  StopSwitch line(process.ledger);
  ASSERT_TRUE(
      process.ledger.write("message_received", "planner", Trust::kStandard, Json::object()));
  const Timestamp yesterday{clock_.now().microseconds - kDay};
  clock_.advance(-3 * kDay);
  ASSERT_TRUE(line.emergency("planner"));
  clock_.advance(3 * kDay);
  EXPECT_EQ(critical_events(process.space->log(), yesterday).value(), 1);
  clock_.advance(3 * kDay);
  EXPECT_EQ(critical_events(process.space->log(), {clock_.now().microseconds - kDay}).value(), 0);
}

// Somebody halts the line after the look with which a call begins.
class HaltingTool : public CountingTool {
 public:
  bool has(std::string_view) const override {
    if (meanwhile) meanwhile();
    return true;
  }
  std::function<void()> meanwhile;
};

TEST_F(LedgerTest, ACallThatIsJudgedWhenTheLineStopsDoesNotBegin) {
  Process first(folder_.file("space"), clock_, 1);
  StopSwitch here(first.ledger);
  HaltingTool tool;
  bus::EventBus events;
  Executor executor(PermissionTable::of_the_source(), tool, first.ledger, here, events, clock_,
                    first.random, {.approvals = &first.approvals, .ledger = &first.ledger});
  EXPECT_FALSE(here.halted());
  // The head in shared memory of this process is no longer that of those who come later.
  ASSERT_TRUE(system_files().remove(folder_.file("space/log.head")));
  Process second(folder_.file("space"), clock_, 2);
  StopSwitch there(second.ledger);
  const auto runs_after_a_halt = [&](const CallRequest& request) {
    tool.meanwhile = [&] { ASSERT_TRUE(there.halt("operator")); };
    const Outcome outcome = executor.execute(request);
    EXPECT_EQ(outcome.decision.layer, Layer::kLine);
    EXPECT_FALSE(outcome.audit_id.empty());
    tool.meanwhile = nullptr;
    EXPECT_TRUE(there.resume("operator"));
    return outcome.kind != Outcome::Kind::kHalted;
  };
  CallRequest write = removal();
  write.tool = "file:write";
  EXPECT_FALSE(runs_after_a_halt(write));
  // An approval is not spent on it.
  ASSERT_TRUE(first.approvals.grant(executor.execute(removal()).approval_id, "operator"));
  EXPECT_FALSE(runs_after_a_halt(removal()));
  EXPECT_EQ(tool.runs, 0);
  EXPECT_EQ(executor.execute(removal()).kind, Outcome::Kind::kDone);
}

TEST_F(LedgerTest, NorDoesOneThatOnlyReads) {
  Process first(folder_.file("space"), clock_, 1);
  Process second(folder_.file("space"), clock_, 2);
  StopSwitch here(first.ledger);
  HaltingTool tool;
  bus::EventBus events;
  Executor executor(PermissionTable::of_the_source(), tool, first.ledger, here, events, clock_,
                    first.random);
  tool.meanwhile = [&] { ASSERT_TRUE(StopSwitch(second.ledger).halt("guardian")); };
  CallRequest read = removal();
  read.tool = "file:read";
  EXPECT_EQ(executor.execute(read).kind, Outcome::Kind::kHalted);
  EXPECT_EQ(tool.runs, 0);
}

TEST_F(LedgerTest, AnEmergencyIsLiftedByTwoWhereverTheyAre) {
  Process first(folder_.file("space"), clock_, 1);
  Process second(folder_.file("space"), clock_, 2);
  StopSwitch here(first.ledger);
  StopSwitch there(second.ledger);
  ASSERT_TRUE(here.emergency("planner", "something is wrong"));
  EXPECT_EQ(there.resume("operator").error().code, ErrorCode::kConflict);
  EXPECT_EQ(there.lift_emergency("planner", "eve").error().code, ErrorCode::kDenied);
  ASSERT_TRUE(there.lift_emergency("operator", "ada"));
  EXPECT_TRUE(here.halted());
  EXPECT_EQ(here.lift_emergency("arbiter", "ada").error().code, ErrorCode::kDenied);
  ASSERT_TRUE(here.lift_emergency("arbiter", "grace"));
  EXPECT_FALSE(there.halted());
}

TEST_F(LedgerTest, WhatCannotBeAuditedIsWithheldAndStopsNothing) {
  SeededRandom random(1);
  CountingTool tool;
  DeadLog audit;
  StopSwitch line;
  bus::EventBus events;
  Executor executor(PermissionTable::of_the_source(), tool, audit, line, events, clock_, random);
  EXPECT_EQ(executor.execute(removal()).kind, Outcome::Kind::kDenied);  // cannot even be asked for
  CallRequest read = removal();
  read.tool = "file:read";
  EXPECT_EQ(executor.execute(read).kind, Outcome::Kind::kFailed);
  EXPECT_FALSE(line.halted());
  EXPECT_EQ(executor.execute(read).kind, Outcome::Kind::kFailed);
  EXPECT_EQ(tool.runs, 2);
}

}  // namespace
}  // namespace anima::govern::ledger_test
