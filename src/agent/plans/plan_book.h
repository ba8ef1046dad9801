// PlanBook: the plans of messages that are not over, kept in the log so that they go on where they
// stopped: after an approval was granted, after a halt, after a process was killed.
//
//   PlanBook book(ledger, approvals, clock);
//   ANIMA_ASSIGN(const auto kept, book.open_plan_of(message));    // the same message again
//   ANIMA_ASSIGN(const auto hold, book.hold(kept->id));           // nobody else goes on with it
//   executor.execute(request, book.parts(plan, step, true));      // what becomes of the step
//
// A plan of several steps is kept from the first step that changes something, a plan of a single
// step when it waits. What becomes of a step is a record beside the one that tells of its call, in
// the same commit: that it begins where it is announced or its approval is used, that it waits
// where the approval is asked for, that it ended with its audit entry. A step without an end either
// runs now, or its process ended and nobody knows what it did; such a plan goes on only once
// somebody said which (settle()). When nothing is left the plan is kept until its answer was given
// (close()): one that nobody got is given again, and nothing is done for it.
//
// The message, the steps and those outputs that later steps need are sealed under the key "plans";
// once it is erased its plans are over. A plan is over when no step is left, when an approval that
// it waits for was refused or expired, when somebody abandons it, and a day after it began, by the
// clock and by the time of the log. At most 1,024 plans may be open: then no new one is kept, so
// that none begins.
//
// Approvals decide nothing here but whether a plan is over: whoever goes on has every step judged
// anew. Thread-safety: from any thread; a KeptPlan belongs to one. Ownership: what is passed in
// outlives it, a KeptPlan the call that was given its parts. Errors: those of the space.
// Complexity: of reading, the plans of the last day once, then what is new. On disk:
// docs/formats.md, kind 27. Source: governance specification 1.6, 1.7.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/plans/kept_plan.h"
#include "base/clock.h"
#include "base/files/file.h"
#include "govern/approve/approvals.h"
#include "govern/decide/executor.h"
#include "govern/ledger/ledger.h"

namespace anima::agent {

namespace detail {
struct FoldedPlan;
}

// What somebody says of a step that was begun and has no end.
enum class StepAnswer : std::uint8_t { kNone, kDone, kAgain };

struct PlannedStep {
  std::string plan, step;
};

class PlanBook {
 public:
  PlanBook(govern::Ledger& ledger, govern::Approvals& approvals, Clock& clock,
           FileSystem& files = system_files());
  ~PlanBook();
  PlanBook(const PlanBook&) = delete;
  PlanBook& operator=(const PlanBook&) = delete;

  // Of the last day, in the order begun: those that are kReady, kWaiting or kUnknown, or all.
  enum class Which : std::uint8_t { kOpen, kAll };
  Result<std::vector<KeptPlan>> list(Which which = Which::kOpen);
  // By its id or that of an approval that it waits or waited for, or a beginning that only one has.
  // Errors: kNotFound, kInvalidArgument.
  Result<KeptPlan> find(std::string_view id);
  // The steps whose end a log entry tells, as plan and step; O(records of the entry).
  Result<std::vector<PlannedStep>> steps_told_in(store::Sequence entry) const;
  // Of that very message (content, channel, claimed trust, sender, session): the first that is not
  // over.
  Result<std::optional<KeptPlan>> open_plan_of(const govern::IncomingMessage& message);

  // For as long as it lives no other process and no other thread goes on with the plan. The kernel
  // gives it back when the process ends. Errors: kBusy.
  class Hold;
  Result<std::unique_ptr<Hold>> hold(const std::string& id);

  // The records of a step. `changes`: its tool changes something. The plan is as it was before the
  // step ran, but for the step being in progress.
  govern::CallParts parts(const KeptPlan& plan, const std::string& step, bool changes);
  // The step waits for an approval that was asked for before. Writes nothing when that is known.
  Status waits(const KeptPlan& plan, const std::string& step, const std::string& approval);
  // The answer was given: a plan of which nothing is left is over. Nothing else changes.
  Status close(const std::string& id);
  // A step ended for which no call was made.
  Status ended(const KeptPlan& plan, const std::string& step, const govern::Outcome& outcome);
  // Ends the doubt about a step: it is done (without an output), or is pending again. `by` is who
  // says so. Errors: kConflict (the step is not in doubt), kInvalidArgument (a later step needs its
  // output).
  Status settle(const KeptPlan& plan, StepAnswer answer, std::string_view by);
  // Nobody goes on with it any more. Errors: those of find(); kBusy (somebody works on it),
  // kConflict (it is over).
  Status abandon(std::string_view id, std::string_view by);
  // The plan is over, for that reason. Requires that it is held.
  Status end(const KeptPlan& plan, std::string_view outcome, std::string_view reason,
             std::string_view by);

  store::Space& space() const { return ledger_.space(); }

 private:
  using Folded = detail::FoldedPlan;
  using Records = Result<std::vector<govern::LedgerRecord>>;
  Status catch_up();
  Result<store::Sequence> place_to_start() const;
  Timestamp now() const;
  const Folded* known(std::string_view id) const;
  std::vector<Folded> folded() const;
  // Without the lock: approvals may be waiting for a part of this book.
  Result<KeptPlan> opened(const Folded& folded);
  Status set_state(KeptPlan& plan, const Folded& folded);
  Records record_begun(const KeptPlan& plan, const std::string& step);
  Records record_ended(const KeptPlan& plan, const std::string& step,
                       const govern::Outcome& outcome);
  // Errors: kLimitExceeded, those of the key.
  Status seal_into(Json& event, const Json& secret, std::size_t most_bytes);

  govern::Ledger& ledger_;
  govern::Approvals& approvals_;
  Clock& clock_;
  FileSystem& files_;
  std::mutex mutex_;
  std::optional<store::Sequence> read_ = {};  // the last entry that was looked at
  std::vector<Folded> plans_;                 // in the order begun
  std::size_t most_known_ = 4096;  // before those that are over for their age are dropped
  std::set<std::string> held_;     // by this object
};

class PlanBook::Hold {
 public:
  Hold(PlanBook& book, std::string id, std::unique_ptr<FileLock> lock)
      : book_(book), id_(std::move(id)), lock_(std::move(lock)) {}
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold();

 private:
  friend class PlanBook;
  PlanBook& book_;
  std::string id_;
  std::unique_ptr<FileLock> lock_;
};

}  // namespace anima::agent
