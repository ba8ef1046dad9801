// Exit codes of the program: a contract with scripts, never renumber. Thread-safety: constants.
#pragma once

#include "base/result.h"

namespace anima::cli {

enum ExitCode : int {
  kDone = 0,
  kFailed = 1,
  kUsage = 2,
  kRefused = 3,  // denied by policy, or --confirm is missing
  kWaitsForApproval = 4,
  kIntegrity = 5,
  kMissing = 6,
  kBudget = 7,  // budget or turn limit
  kTryAgain = 75,
  kTimedOut = 124,
  kNoSandbox = 126,
  kInterrupted = 130,
};

// The one place where an error becomes an exit code.
ExitCode exit_code_for(const Error& error);

}  // namespace anima::cli
