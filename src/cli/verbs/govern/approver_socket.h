// The socket between who wants something signed and a process that holds an approver's key, in an
// account of its own or not. Lines of JSON, one question a connection:
//
//   server: {"anima":"approver 1","name","role","key"}
//   client: {"what","content"}
//   server: {"signature"} or {"error":{"code","message"}}
//
// The server sees nothing of the space: what it signs is what it was sent and showed. A client
// needs to trust nobody: a signature that is not of a registered key counts for nothing. On the
// wire: docs/formats.md. Thread-safety: one thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "govern/approve/approver_key.h"
#include "govern/approve/approvers.h"

namespace anima::cli {

// A question may be this long, an answer too.
inline constexpr std::size_t kLongestStatement = std::size_t{4} << 20;

class ApproverClient {
 public:
  // Errors: kNotFound (nobody listens there), kIo, kCorrupt (what answers is no approver).
  static Result<std::unique_ptr<ApproverClient>> connect(const std::string& path,
                                                         const std::atomic<bool>& stop);
  ~ApproverClient();
  ApproverClient(const ApproverClient&) = delete;
  ApproverClient& operator=(const ApproverClient&) = delete;

  const std::string& name() const { return name_; }
  const std::string& role() const { return role_; }
  // Once. Waits for the person, 15 minutes at most. Errors: kDenied (they do not sign), kTimeout,
  // kCancelled, kIo.
  Result<govern::StatementSignature> sign(const govern::Statement& statement);

 private:
  ApproverClient(int descriptor, const std::atomic<bool>& stop)
      : descriptor_(descriptor), stop_(stop) {}

  int descriptor_;
  const std::atomic<bool>& stop_;
  std::string name_, role_;
};

// Who asks, by what the kernel says.
struct Asker {
  unsigned user = 0;
  int process = 0;
};

class ApproverServer {
 public:
  // `others`: accounts other than this one may ask. A socket that nobody listens at any more is
  // replaced. Errors: kAlreadyExists (somebody listens there), kInvalidArgument (too long a path),
  // kIo.
  static Result<std::unique_ptr<ApproverServer>> listen(const std::string& path, bool others,
                                                        const std::atomic<bool>& stop);
  ~ApproverServer();  // removes the socket
  ApproverServer(const ApproverServer&) = delete;
  ApproverServer& operator=(const ApproverServer&) = delete;

  // Answers the next question; what is wrong with one client is told and troubles no other. `sign`
  // asks the person. Errors: kCancelled (stopped), kIo.
  Status answer_next(
      const govern::ApproverCard& card,
      const std::function<Result<govern::StatementSignature>(const govern::Statement&, Asker)>&
          sign,
      const std::function<void(const Error&)>& tell);

 private:
  ApproverServer(int descriptor, std::string path, const std::atomic<bool>& stop)
      : descriptor_(descriptor), path_(std::move(path)), stop_(stop) {}

  int descriptor_;
  std::string path_;
  const std::atomic<bool>& stop_;
};

}  // namespace anima::cli
