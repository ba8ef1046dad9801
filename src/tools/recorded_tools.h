// RecordedTools: what went into a tool and what came out, as an audit entry (`tool_output`) in the
// same transaction as the executor's own entry of the call, so that an act costs one commit.
//
// It stands between the executor and both the tools and the ledger:
//
//   RecordedTools recorded(tools, ledger, clock);
//   govern::Executor executor(table, recorded, recorded, line, events, clock, random);
//
// Arguments and output are kept by their beginnings (200 characters each). Thread-safety: from any
// thread; what a thread's call left is written with the entry that the same thread writes next of
// it. Ownership: what is passed in outlives it. Source: learning_and_psyche 2.10; governance
// specification 1.4.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "govern/decide/executor.h"
#include "govern/ledger/ledger.h"

namespace anima::tools {

class RecordedTools final : public govern::ToolRunner,
                            public govern::AuditLog,
                            private govern::Rehearser {
 public:
  RecordedTools(govern::ToolRunner& tools, govern::Ledger& ledger, Clock& clock)
      : tools_(tools), ledger_(ledger), clock_(clock) {}

  bool has(std::string_view tool) const override { return tools_.has(tool); }
  // What is rehearsed is kept in the audit when it is concluded, or failed.
  govern::Rehearser* rehearser(std::string_view tool) override {
    return tools_.rehearser(tool) == nullptr ? nullptr : this;
  }
  Result<Json> run(std::string_view tool, const Json& arguments,
                   std::int64_t timeout_milliseconds) override {
    return run_until({}, tool, arguments, timeout_milliseconds);
  }
  Result<Json> run_until(const std::stop_token& stop, std::string_view tool, const Json& arguments,
                         std::int64_t timeout_milliseconds) override;
  Result<std::string> write(std::string_view action, std::string_view actor, govern::Trust trust,
                            Json details, const govern::EntryPart& part = nullptr) override;
  Status announce(std::string_view actor, govern::Trust trust, const Json& details,
                  const govern::EntryPart& part = nullptr) override;
  // Why the last call of this thread failed, if it did.
  std::optional<Error> failure() const;

 private:
  Result<govern::Rehearsal> rehearse(const std::stop_token& stop, std::string_view tool,
                                     const Json& arguments,
                                     std::int64_t timeout_milliseconds) override;
  Result<Json> conclude(const std::stop_token& stop, std::string_view tool, const Json& arguments,
                        const govern::Rehearsal& rehearsal,
                        std::int64_t timeout_milliseconds) override;
  void forget(std::string_view tool, const govern::Rehearsal& rehearsal) override;
  void record(std::string_view tool, const Json& arguments, const Result<Json>& result,
              std::int64_t nanoseconds);

  struct Call {
    std::optional<govern::LedgerRecord> output;  // not written yet
    std::optional<Error> failure;
  };

  govern::ToolRunner& tools_;
  govern::Ledger& ledger_;
  Clock& clock_;
  mutable std::mutex mutex_;
  std::map<std::thread::id, Call> calls_;
  std::map<std::thread::id, std::int64_t> rehearsed_;  // nanoseconds of the last one of a thread
};

}  // namespace anima::tools
