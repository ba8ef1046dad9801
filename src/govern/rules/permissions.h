// Who may call which tool: three layers in order, the first failure wins.
//   1 allow-list  the agent stands on the tool's list ("*" = every agent; an empty list = nobody)
//   2 trust       read-only any, safe writes standard+, destructive operator+, admin system; what
//   is close is escalated
//                 to an approval: at least standard, and severity x risk multiplier below 0.8
//   3 tier        destructive and admin calls are confirmed; audit:clear is never run
// The trust judged is the lowest among the caller's and the labels of everything the arguments were
// made from; an argument that the tool only carries (the text of a note) chooses nothing and does
// not lower it. A call with CallValues (call_values.h) is judged as its caller: what its arguments
// were made from is the policy's to judge. A call whose effects are seen before they count
// (rehearsal.h) is not confirmed for its tier: the executor has its effects judged instead.
// Thread-safety: plain values, pure functions. Source: governance specification 1.7, table rows
// 51-57, 62; docs/decisions/010-carried-arguments.md.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"
#include "govern/rules/call_values.h"
#include "govern/rules/rehearsal.h"
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
  std::vector<std::string> carried = {};   // arguments that are only carried, never interpreted
  Trust output_trust = Trust::kUntrusted;  // the most that its output is trusted
  // Not a tool but a door of the space: "terminal", "http", "mcp", "library", "loop", "world". Any
  // trust is enough for it, because what a door keeps has the trust of its caller.
  std::string door = {};
  bool governs = false;  // stops, resumes, answers approvals
};

// What an argument was made from: the message, a file, a memory, an earlier call.
struct ArgumentOrigin {
  std::string argument;  // its name
  std::string source;    // "message", "files:notes/a.txt", "memory:<id>", "call:<number>"
  Trust trust = Trust::kUntrusted;
};

struct CallRequest {
  std::string tool;
  std::string agent;
  Trust trust = Trust::kUntrusted;  // of the caller
  Json arguments = Json::object();
  std::vector<Trust> argument_labels = {};   // of what the arguments were made from
  std::vector<ArgumentOrigin> origins = {};  // the same by argument; may name one several times
  bool confirmed = false;                    // an approval bound to these arguments was granted
  std::stop_token stop = {};                 // of who waits: ends the tool while it runs
  // What its rehearsal would change; null: it was not rehearsed. Set by the executor alone.
  std::shared_ptr<const CallChanges> changes = {};
  // Of the use of a door, set by the gate alone (agent/house/gate.h): what the table has of a tool.
  std::shared_ptr<const ToolPolicy> door = {};
  // Of a guarded session; null: none. Then `origins` say where things came from, and the rules over
  // the values judge them.
  std::shared_ptr<const CallValues> values = {};
};

enum class Permission : std::uint8_t { kAllowed, kDenied, kNeedsApproval };
enum class Layer : std::uint8_t {
  kNone,
  kUnknownTool,
  kAllowList,
  kTrust,
  kTier,
  kPolicy,    // a rule of policy.h
  kApproval,  // who was asked for an approval rejected it
  kLine,      // the line is stopped, or too many calls run
  kConstitution,
};
std::string_view to_string(Permission permission);
std::string_view to_string(Layer layer);

struct Decision {
  Permission permission = Permission::kDenied;
  Layer layer = Layer::kNone;  // which layer denied or asked; kNone when allowed
  std::string reason;
  Trust effective_trust = Trust::kUntrusted;
  int severity_thousandths = 0;  // tier severity x risk multiplier
  // Grants that together would allow the call and of which none can be left out, in words: "put
  // 'planner' on the allow-list of 'file:write'".
  std::vector<std::string> missing;
  Json evidence = {};     // {"labels":[..],"shell":[..],"rule":..}, what the decision rests on
  std::string rule = {};  // file:line of the policy rule, for kPolicy
  Json to_json() const;
};

// The lowest among the caller, the labels, and the origins of arguments that the tool interprets.
// `policy` null: every argument counts.
Trust effective_trust(const CallRequest& request, const ToolPolicy* policy);
bool is_carried(const ToolPolicy& policy, std::string_view argument);

class PermissionTable {
 public:
  // The tool table of the source, every tool open to every agent.
  static PermissionTable of_the_source();

  void set(ToolPolicy policy);
  const ToolPolicy* find(std::string_view tool) const;
  const ToolPolicy* find(const CallRequest& request) const {
    return request.door != nullptr ? request.door.get() : find(request.tool);
  }
  Decision decide(const CallRequest& request) const;

 private:
  std::map<std::string, ToolPolicy, std::less<>> policies_;
};

}  // namespace anima::govern
