// A call token lets one approved call run once: bound to tool, agent and the exact arguments, five
// minutes, single use. Signature: HMAC-SHA256 over "token:tool:agent:hash:issued:expires". The
// arguments' hash is SHA-256 of their JSON with sorted keys. Thread-safety: from any thread.
// Source: governance specification 1.7, table row 64.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/crypto.h"
#include "base/json/json.h"
#include "base/random.h"
#include "base/result.h"

namespace anima::govern {

std::string arguments_hash(const Json& arguments);  // lower-case hex

struct CallToken {
  std::string id, tool, agent, arguments_hash, approved_by;
  Timestamp issued, expires;
  std::string signature;  // lower-case hex
};

class TokenIssuer {
 public:
  TokenIssuer(Clock& clock, Random& random);
  CallToken issue(std::string_view tool, std::string_view agent, const Json& arguments,
                  std::string_view approved_by);
  // Uses the token up. Errors, all kDenied: bad signature, expired, used before, other tool, agent
  // or arguments.
  Status redeem(const CallToken& token, std::string_view tool, std::string_view agent,
                const Json& arguments);

 private:
  std::string signature_of(const CallToken& token) const;
  Clock& clock_;
  Random& random_;
  std::string key_;
  std::mutex mutex_;
  std::set<std::string, std::less<>> used_;
};

}  // namespace anima::govern
