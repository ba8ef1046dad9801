#include "cli/frame/exit_code.h"

#include "tools/external.h"

namespace anima::cli {

ExitCode exit_code_for(const Error& error) {
  switch (error.code) {
    case ErrorCode::kNotFound:
      return kMissing;
    case ErrorCode::kCorrupt:
      return kIntegrity;
    case ErrorCode::kDenied:
      return tools::approval_in(error.message).empty() ? kRefused : kWaitsForApproval;
    case ErrorCode::kConflict:
    case ErrorCode::kBusy:
      return kTryAgain;
    case ErrorCode::kCancelled:
      return kInterrupted;
    case ErrorCode::kTimeout:
      return kTimedOut;
    case ErrorCode::kNoSandbox:
      return kNoSandbox;
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kSyntax:
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kLimitExceeded:
    case ErrorCode::kVersionMismatch:
    case ErrorCode::kIo:
    case ErrorCode::kDiskFull:
    case ErrorCode::kUnsupported:
    case ErrorCode::kInternal:
      break;
  }
  return kFailed;
}

}  // namespace anima::cli
