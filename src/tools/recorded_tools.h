// RecordedTools: runs tools, and tells a log what went in and what came out (output_log.h).
// Thread-safety: from any thread. Ownership: what is passed in outlives it.
#pragma once

#include <map>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "govern/decide/executor.h"
#include "tools/output_log.h"

namespace anima::tools {

class RecordedTools final : public govern::ToolRunner, private govern::Rehearser {
 public:
  RecordedTools(govern::ToolRunner& tools, OutputLog& outputs, Clock& clock)
      : tools_(tools), outputs_(outputs), clock_(clock) {}

  bool has(std::string_view tool) const override { return tools_.has(tool); }
  // What is rehearsed is told when it is concluded, or failed.
  govern::Rehearser* rehearser(std::string_view tool) override {
    return tools_.rehearser(tool) == nullptr ? nullptr : this;
  }
  Result<Json> run(std::string_view tool, const Json& arguments,
                   std::int64_t timeout_milliseconds) override {
    return run_until({}, tool, arguments, timeout_milliseconds);
  }
  Result<Json> run_until(const std::stop_token& stop, std::string_view tool, const Json& arguments,
                         std::int64_t timeout_milliseconds) override;

 private:
  Result<govern::Rehearsal> rehearse(const std::stop_token& stop, std::string_view tool,
                                     const Json& arguments,
                                     std::int64_t timeout_milliseconds) override;
  Result<Json> conclude(const std::stop_token& stop, std::string_view tool, const Json& arguments,
                        const govern::Rehearsal& rehearsal,
                        std::int64_t timeout_milliseconds) override;
  void forget(std::string_view tool, const govern::Rehearsal& rehearsal) override;

  govern::ToolRunner& tools_;
  OutputLog& outputs_;
  Clock& clock_;
  std::mutex mutex_;
  std::map<std::thread::id, std::int64_t> rehearsed_;  // nanoseconds of the last one of a thread
};

}  // namespace anima::tools
