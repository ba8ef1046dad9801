#include "agent/plans/plan_book.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "agent/plans/detail/plan_fold.h"
#include "agent/plans/detail/plan_record.h"
#include "base/crypto.h"
#include "base/json/json_member.h"

namespace anima::agent {
namespace {

constexpr std::string_view kLockFile = "plans.lock";
constexpr std::int64_t kLongestMicroseconds = std::int64_t{24} * 3600 * 1'000'000;
constexpr std::size_t kFirstLook = 1024;  // entries

bool ends_a_plan(govern::ApprovalStatus status) {
  return status == govern::ApprovalStatus::kRejected || status == govern::ApprovalStatus::kExpired;
}

bool is_open_state(PlanState state) {
  return state == PlanState::kReady || state == PlanState::kWaiting || state == PlanState::kUnknown;
}

bool waits_for_one_of(const detail::FoldedPlan& plan,
                      const std::set<std::string, std::less<>>& approvals) {
  return std::ranges::any_of(plan.events, [&](const Json& event) {
    return text_member(event, "event") == "waiting" &&
           approvals.contains(text_member(event, "approval")) &&
           detail::last_event(plan, text_member(event, "step")) == &event;
  });
}

// The byte of the lock file that stands for a plan: from the random part of its id.
std::uint64_t lock_byte_of(std::string_view id) {
  const Digest digest = sha256(id);
  std::uint64_t byte = 0;
  for (std::size_t i = 0; i < 7; ++i) byte = byte << 8 | static_cast<std::uint8_t>(digest[i]);
  return byte;
}

bool is_same(const govern::IncomingMessage& a, const govern::IncomingMessage& b) {
  return a.content == b.content && a.channel == b.channel && a.source == b.source &&
         a.sender == b.sender && a.peer == b.peer && a.session == b.session;
}

}  // namespace

PlanBook::PlanBook(govern::Ledger& ledger, govern::Approvals& approvals, Clock& clock,
                   FileSystem& files)
    : ledger_(ledger), approvals_(approvals), clock_(clock), files_(files) {}

PlanBook::~PlanBook() = default;

// --- reading ------------------------------------------------------------------------------------

Timestamp PlanBook::now() const {
  const auto head = ledger_.space().log().head();
  const Timestamp clock = clock_.now();
  return head && head->time > clock ? head->time : clock;
}

// The entry behind which every plan lies that is not over for its age.
Result<store::Sequence> PlanBook::place_to_start() const {
  const std::int64_t oldest = now().microseconds - kLongestMicroseconds;
  for (std::size_t count = kFirstLook;; count *= 2) {
    ANIMA_ASSIGN(const store::Sequence before, ledger_.before_newest(govern::kPlanRecord, count));
    if (before == store::Sequence::kNone) return before;
    ANIMA_ASSIGN(const store::LogEntry entry, ledger_.space().log().entry(before));
    if (entry.time.microseconds < oldest) return before;
  }
}

Status PlanBook::catch_up() {
  if (!read_) {
    ANIMA_ASSIGN(read_, place_to_start());
  }
  ANIMA_ASSIGN(read_, ledger_.read(govern::kPlanRecord, *read_,
                                   [&](const govern::LedgerEntry& entry) -> Status {
                                     detail::apply_plan_event(entry, plans_);
                                     return {};
                                   }));
  if (plans_.size() < most_known_) return {};
  const std::int64_t oldest = now().microseconds - kLongestMicroseconds;
  std::erase_if(plans_, [&](const Folded& each) { return each.first.microseconds <= oldest; });
  most_known_ = 2 * (plans_.size() + kFirstLook);
  return {};
}

const PlanBook::Folded* PlanBook::known(std::string_view id) const {
  return detail::known_plan(plans_, id);
}

std::vector<PlanBook::Folded> PlanBook::folded() const {
  const std::int64_t oldest = now().microseconds - kLongestMicroseconds;
  std::vector<Folded> young;
  for (const Folded& each : plans_) {
    if (each.first.microseconds > oldest) young.push_back(each);
  }
  return young;
}

Result<KeptPlan> PlanBook::opened(const Folded& folded) {
  ANIMA_ASSIGN(KeptPlan plan, detail::opened_plan(folded, ledger_.space()));
  if (plan.state != PlanState::kOver) ANIMA_TRY(set_state(plan, folded));
  return plan;
}

Status PlanBook::set_state(KeptPlan& plan, const Folded& folded) {
  const auto set = [&](PlanState state, std::string reason) {
    plan.state = state;
    plan.reason = std::move(reason);
  };
  if (now().microseconds - folded.first.microseconds >= kLongestMicroseconds) {
    set(PlanState::kOver, "left: a day has passed since it began");
    return {};
  }
  for (const Task& task : plan.graph.tasks()) {
    if (task.status != TaskStatus::kInProgress) continue;
    set(PlanState::kUnknown,
        step_name(plan, task.id) + " was begun, and nobody knows whether it ended");
    return {};
  }
  bool waits = false, granted = false;
  for (const auto& [step, id] : plan.waits) {
    ANIMA_ASSIGN(const govern::Approval approval, approvals_.find(id));
    if (approval.status == govern::ApprovalStatus::kRejected) {
      set(PlanState::kRefused, step_name(plan, step) + " was refused by " + approval.decided_by +
                                   ": " + approval.reason);
      return {};
    }
    if (approval.status == govern::ApprovalStatus::kExpired) {
      set(PlanState::kExpired, "the approval of " + step_name(plan, step) + " was not " +
                                   (approval.decided_by.empty() ? "answered" : "used") +
                                   " in time");
      return {};
    }
    granted = granted || approval.status != govern::ApprovalStatus::kPending;
    if (!std::exchange(waits, true))
      plan.reason = step_name(plan, step) + " waits for the approval " + id;
  }
  if (waits && !granted) plan.state = PlanState::kWaiting;
  if (granted) plan.reason.clear();
  return {};
}

Result<std::vector<KeptPlan>> PlanBook::list(Which which) {
  std::vector<Folded> all;
  {
    const std::lock_guard lock(mutex_);
    ANIMA_TRY(catch_up());
    all = folded();
  }
  std::vector<KeptPlan> plans;
  std::set<std::string, std::less<>> unanswerable;
  if (which == Which::kOpen) {
    ANIMA_ASSIGN(const std::vector<govern::Approval> approvals, approvals_.list());
    for (const govern::Approval& approval : approvals) {
      if (ends_a_plan(approval.status)) unanswerable.insert(approval.id);
    }
  }
  // Strangers may have left thousands that nobody answered: those are not opened.
  for (const Folded& each : all) {
    const bool ended = which == Which::kOpen && (each.over || waits_for_one_of(each, unanswerable));
    if (ended) continue;
    ANIMA_ASSIGN(KeptPlan plan, opened(each));
    if (which == Which::kAll || is_open_state(plan.state)) plans.push_back(std::move(plan));
  }
  return plans;
}

Result<KeptPlan> PlanBook::find(std::string_view id) {
  std::vector<Folded> found;
  {
    const std::lock_guard lock(mutex_);
    ANIMA_TRY(catch_up());
    for (Folded& each : folded()) {
      const bool named =
          each.id.starts_with(id) || std::ranges::any_of(each.events, [&](const Json& event) {
            return text_member(event, "approval").starts_with(id) &&
                   text_member(event, "event") == "waiting";
          });
      if (!id.empty() && named) found.push_back(std::move(each));
    }
  }
  if (found.empty()) {
    return fail(ErrorCode::kNotFound, "there is no plan '" + std::string(id) + "'", {},
                "`anima plan list` shows what is not over");
  }
  // Several may have waited for one approval.
  const auto whole = std::ranges::find_if(found, [&](const Folded& each) { return each.id == id; });
  if (whole != found.end()) return opened(*whole);
  if (found.size() > 1 && std::ranges::count(found, false, &Folded::over) == 1)
    std::erase_if(found, [](const Folded& each) { return each.over; });
  if (found.size() == 1) return opened(found.front());
  return fail(ErrorCode::kInvalidArgument, "several plans are named by '" + std::string(id) + "'",
              {}, "`anima plan list` shows their ids");
}

Result<std::vector<PlannedStep>> PlanBook::steps_told_in(store::Sequence place) const {
  std::vector<PlannedStep> steps;
  ANIMA_ASSIGN(const store::LogEntry entry, ledger_.space().log().entry(place));
  ANIMA_TRY(
      store::visit_records(entry, [&](store::RecordKind kind, std::string_view payload) -> Status {
        if (kind != govern::kPlanRecord) return {};
        ANIMA_ASSIGN(const Json event, parse_json(payload));
        if (event.find("step") != nullptr)
          steps.push_back({text_member(event, "plan"), text_member(event, "step")});
        return {};
      }));
  return steps;
}

Result<std::optional<KeptPlan>> PlanBook::open_plan_of(const govern::IncomingMessage& message) {
  std::vector<Folded> open;
  {
    const std::lock_guard lock(mutex_);
    ANIMA_TRY(catch_up());
    open = folded();
    std::erase_if(open, [&](const Folded& each) {
      return each.over || text_member(each.begun, "mark") != detail::plan_mark(each.id, message);
    });
  }
  for (const Folded& each : open) {
    ANIMA_ASSIGN(KeptPlan plan, opened(each));
    if (plan.state != PlanState::kOver && is_same(plan.message, message))
      return std::optional(std::move(plan));
  }
  return std::optional<KeptPlan>();
}

// --- holding ------------------------------------------------------------------------------------

PlanBook::Hold::~Hold() {
  lock_.reset();
  const std::lock_guard lock(book_.mutex_);
  book_.held_.erase(id_);
}

Result<std::unique_ptr<PlanBook::Hold>> PlanBook::hold(const std::string& id) {
  const auto taken = [&] {
    return fail(ErrorCode::kBusy, "somebody works on the plan " + id.substr(0, 8) + " now", {},
                "try again when that is done");
  };
  {
    const std::lock_guard lock(mutex_);
    if (!held_.insert(id).second) return taken();
  }
  auto hold = std::make_unique<Hold>(*this, id, nullptr);
  const std::string& folder = ledger_.space().folder();
  if (folder.empty()) return hold;
  auto lock = files_.lock_byte(join_path(folder, kLockFile), lock_byte_of(id));
  if (!lock) return lock.error().code == ErrorCode::kBusy ? taken() : fail(lock.error());
  hold->lock_ = *std::move(lock);
  return hold;
}

}  // namespace anima::agent
