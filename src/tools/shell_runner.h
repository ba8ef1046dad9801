// shell:execute: a command of /bin/sh over a view of the work folder (effects/staging.h), whose
// difference is judged before anything of it counts (govern/rules/rehearsal.h).
//
// The command finds the work folder as it is and may do there what it likes; the network is never
// there. What it changed is kept as a value; conclude() applies exactly that, all or nothing, and
// is refused when the folder changed meanwhile. A command that ends with a code other than 0 has
// its changes applied too, as a shell does; one that was ended (time, memory, disk, its call was
// taken back) changes nothing. Thread-safety: from any thread. Errors: kInvalidArgument,
// kNoSandbox, kTimeout, kCancelled, kLimitExceeded, those of the staging.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/random.h"
#include "govern/rules/rehearsal.h"
#include "tools/effects/staging.h"

namespace anima::tools {

struct ShellOptions {
  std::string work_folder;   // absolute, exists
  std::string state_folder;  // absolute, outside the work folder
  std::vector<std::string> readable;
  bool best_effort = false;
  effects::StagingOptions staging;
};

class ShellRunner final : public govern::Rehearser {
 public:
  ShellRunner(Clock& clock, Random& random, ShellOptions options);

  Result<govern::Rehearsal> rehearse(const std::stop_token& stop, std::string_view tool,
                                     const Json& arguments,
                                     std::int64_t timeout_milliseconds) override;
  Result<Json> conclude(const std::stop_token& stop, std::string_view tool, const Json& arguments,
                        const govern::Rehearsal& rehearsal,
                        std::int64_t timeout_milliseconds) override;
  void forget(std::string_view tool, const govern::Rehearsal& rehearsal) override;

  const effects::Staging& staging() const { return staging_; }

 private:
  Result<SandboxRequest> request_of(const Json& arguments, std::int64_t timeout) const;

  ShellOptions options_;
  effects::Staging staging_;
};

}  // namespace anima::tools
