// Who may call which tool: three layers in order, the first failure wins.
//   1 allow-list  the agent stands on the tool's list ("*" = every agent; an empty list = nobody)
//   2 trust       read-only any, safe writes standard+, destructive operator+, admin system; what
//   is close is escalated
//                 to an approval: at least standard, and severity x risk multiplier below 0.8
//   3 tier        destructive and admin calls are confirmed; audit:clear is never run
// The trust judged is the lowest among the caller's and the labels of everything the arguments were
// made from. Thread-safety: plain values, pure functions. Source: governance specification 1.7,
// table rows 51-57, 62.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "govern/trust.h"

namespace anima::govern {

enum class Tier : std::uint8_t { kReadOnly, kWriteSafe, kWriteDestructive, kAdmin };
std::string_view to_string(Tier tier);

struct ToolPolicy {
  std::string tool;
  Tier tier = Tier::kReadOnly;
  std::vector<std::string> agents;  // the allow-list
  bool never = false;               // registered and always denied
  std::int64_t timeout_milliseconds = 30'000;
};

struct CallRequest {
  std::string tool;
  std::string agent;
  Trust trust = Trust::kUntrusted;  // of the caller
  Json arguments = Json::object();
  std::vector<Trust> argument_labels = {};  // of what the arguments were made from
  bool confirmed = false;                   // an approval bound to these arguments was granted
};

enum class Permission : std::uint8_t { kAllowed, kDenied, kNeedsApproval };
enum class Layer : std::uint8_t { kNone, kUnknownTool, kAllowList, kTrust, kTier };
std::string_view to_string(Permission permission);
std::string_view to_string(Layer layer);

struct Decision {
  Permission permission = Permission::kDenied;
  Layer layer = Layer::kNone;  // which layer denied or asked; kNone when allowed
  std::string reason;
  Trust effective_trust = Trust::kUntrusted;
  int severity_thousandths = 0;  // tier severity x risk multiplier
  // The fewest grants that would allow the call, in words: "put 'planner' on the allow-list of
  // 'file:write'".
  std::vector<std::string> missing;
  Json to_json() const;
};

class PermissionTable {
 public:
  // The tool table of the source, every tool open to every agent.
  static PermissionTable of_the_source();

  void set(ToolPolicy policy);
  const ToolPolicy* find(std::string_view tool) const;
  std::vector<std::string> tools() const;  // sorted
  Decision decide(const CallRequest& request) const;

 private:
  std::map<std::string, ToolPolicy, std::less<>> policies_;
};

}  // namespace anima::govern
