// Executor: the only way in which a tool runs. It judges every call (permissions.h), keeps
// approvals, limits concurrency and time, stops with the line, and leaves one audit entry for every
// outcome.
//
// Tools are reached through ToolRunner, which the room `tools` implements. Time and randomness are
// injected. Thread-safety: from any thread. Source: governance specification 1.7, table rows 51-65.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "bus/event_bus.h"
#include "govern/audit_chain.h"
#include "govern/call_token.h"
#include "govern/constitution.h"
#include "govern/permissions.h"

namespace anima::govern {

class ToolRunner {
 public:
  virtual ~ToolRunner() = default;
  // Runs the tool to its end or its time limit (kTimeout). Errors are results, not exceptions.
  virtual Result<Json> run(std::string_view tool, const Json& arguments,
                           std::int64_t timeout_milliseconds) = 0;
};

enum class ApprovalStatus : std::uint8_t { kPending, kApproved, kRejected, kExpired };
std::string_view to_string(ApprovalStatus status);

struct Approval {
  std::string id;
  CallRequest request;  // with its exact arguments
  std::string hash;     // of the arguments
  ApprovalStatus status = ApprovalStatus::kPending;
  std::string reason;  // why it is needed; then why it was rejected
  std::string decided_by;
  Timestamp asked, expires;
  Json to_json() const;
};

struct Outcome {
  enum class Kind : std::uint8_t { kDone, kFailed, kDenied, kWaiting, kHalted, kBusy };
  Kind kind = Kind::kDenied;
  Decision decision;
  Json result;              // of the tool when kDone
  std::string reason;       // for every other kind
  std::string approval_id;  // when kWaiting
};
std::string_view to_string(Outcome::Kind kind);

struct ExecutorOptions {
  int max_concurrent = 10;
  std::int64_t approval_milliseconds = 30'000;
};

class Executor {
 public:
  using Options = ExecutorOptions;
  Executor(PermissionTable permissions, ToolRunner& tools, AuditChain& audit, StopSwitch& line,
           bus::EventBus& events, Clock& clock, Random& random, Options options = {});

  Outcome execute(const CallRequest& request);

  std::vector<Approval> approvals() const;  // pending first, in the order asked
  // Runs the call that waited. Approvers: arbiter, overseer, operator; never the requester.
  Result<Outcome> approve(std::string_view approval_id, std::string_view by);
  Status reject(std::string_view approval_id, std::string_view by, std::string_view reason);
  void expire();  // whatever waited too long is denied, and audited

  const PermissionTable& permissions() const { return permissions_; }

 private:
  Outcome refuse(const CallRequest& request, Outcome::Kind kind, Decision decision,
                 std::string reason);
  Outcome ask(const CallRequest& request, Decision decision);
  Outcome run(const CallRequest& request, Decision decision);
  Result<Approval*> decidable(std::string_view id, std::string_view by);
  void audit(std::string_view action, const CallRequest& request, Json details);
  void expire_locked();

  PermissionTable permissions_;
  ToolRunner& tools_;
  AuditChain& audit_;
  StopSwitch& line_;
  bus::EventBus& events_;
  Clock& clock_;
  Random& random_;
  Options options_;
  TokenIssuer tokens_;
  mutable std::mutex mutex_;
  int running_ = 0;
  std::vector<Approval> approvals_;
};

}  // namespace anima::govern
