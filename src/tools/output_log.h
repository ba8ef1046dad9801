// OutputLog: the audit log of an executor that also keeps what tools gave: an audit entry
// (`tool_output`) in the same transaction as the executor's own entry of the call, so that an act
// costs one commit.
//
//   OutputLog outputs(ledger);
//   RecordedTools recorded(tools, outputs, clock);
//   govern::Executor executor(table, recorded, outputs, line, events, clock, random);
//
// Arguments and output are kept by their beginnings (200 characters each). Thread-safety: from any
// thread; what a thread's call left is written with the entry that the same thread writes next of
// it. Ownership: the ledger outlives it. Source: learning_and_psyche 2.10; governance
// specification 1.4.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "govern/ledger/ledger.h"

namespace anima::tools {

class OutputLog final : public govern::AuditLog {
 public:
  explicit OutputLog(govern::Ledger& ledger) : ledger_(ledger) {}

  // A call of this thread ended. Written with the entry that says so.
  void add(std::string_view tool, const Json& arguments, const Result<Json>& result,
           std::int64_t nanoseconds);
  // Why the last call of this thread failed, if it did.
  std::optional<Error> failure() const;

  Result<std::string> write(std::string_view action, std::string_view actor, govern::Trust trust,
                            Json details, const govern::EntryPart& part = nullptr) override;
  Status announce(std::string_view actor, govern::Trust trust, const Json& details,
                  const govern::EntryPart& part = nullptr) override;

 private:
  struct Call {
    std::optional<govern::LedgerRecord> output;  // not written yet
    std::optional<Error> failure;
  };

  govern::Ledger& ledger_;
  mutable std::mutex mutex_;
  std::map<std::thread::id, Call> calls_;
};

}  // namespace anima::tools
