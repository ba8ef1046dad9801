// What Agent speaks in to those who govern: kept events and decisions, plans that wait,
// the guardian's assessments, learning cards, proposals to the council. Plain values; times are ISO
// 8601 in UTC, entries are numbers of the log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "anima/calls.h"

namespace anima {

// An event as the log keeps it.
struct KeptEvent {
  std::uint64_t entry = 0;  // the log entry, for events_behind(); several may share one
  std::string time;         // ISO 8601
  Event event;
};

// A decision as the log keeps it: "permission_denied", "tool_executed", "approval_granted" ..
struct AuditRecord {
  std::uint64_t entry = 0;  // the log entry
  std::string id;           // for why(), when it refused something
  std::string time;         // ISO 8601
  std::string action, actor;
  TrustLevel trust = TrustLevel::kUntrusted;
  Json details;
};

// The stop-the-line switch.
struct LineStatus {
  bool halted = false;
  bool emergency = false;         // lifted by the operator and the arbiter, two persons
  std::string by, reason, since;  // of a stop
};

struct PlanStep {
  std::string id, name;
  std::string tool;         // empty: done without one
  std::string status;       // "pending", "waiting", "completed", "failed", "skipped", or "unknown":
                            // it was begun, and nobody knows whether it ended
  std::string approval_id;  // when it waits
};

// A message whose steps are not all done.
struct OpenPlan {
  std::string id;
  std::string message, session;
  std::string state;            // "ready", "waiting", "unknown" (a step is in doubt)
  std::string reason;           // in words, unless it is ready
  std::vector<PlanStep> steps;  // in the order of doing
};

// What to take a step for that was begun and whose end nobody knows.
enum class UnfinishedStep : std::uint8_t { kAsk, kDone, kAgain };

struct Assessment {
  double risk = 0;     // 0 .. 1
  std::string action;  // "allow", "flag", "block"
  Json details;        // base, multiplier, patterns, indicators
};

// A learning card on the SM-2 schedule.
struct LearningCard {
  std::string id, front, back;
  std::string due;  // ISO 8601
  std::int64_t interval_days = 0;
};

// A question to the council's fifteen members.
struct CouncilProposal {
  std::string id, topic;
  std::string outcome;  // "voting", "approved", "rejected"
  std::string reason;   // "no_quorum", "below_threshold", "vetoed by ..", once it is rejected
  int needed = 0;       // approvals, of fifteen; nine members take part at least
  int approve = 0, reject = 0, abstain = 0;
};

}  // namespace anima
