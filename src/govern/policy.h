// Policy: rules of the user's own over the live trace of calls, in Datalog.
//
// A rule base sees every call of this executor with its arguments and the labels of what they were
// made from (packs/policy/prelude.mg lists the predicates) and derives deny(Call, Reason) or
// ask(Call, Reason). Texts are values that rules compare; nothing in them is read as a command.
// Rules that speak of one call are evaluated over its facts alone. For those that relate a call to
// another one (or read the clock, count or recur) the engine keeps a trace of the last `window`
// calls and maintains it incrementally: judging a call is one small transaction. A rule base that
// fails or passes its time limit denies the call. Thread-safety: from any thread. Errors: create()
// those of the language with file:line. Complexity: of a decision, what the rules derive from one
// call. Source: docs/governance.md, "Policy".
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "govern/permissions.h"

namespace anima::govern {

struct PolicySource {
  std::string name;  // of the file, for messages
  std::string text;
};

struct PolicyOptions {
  std::string work_folder = {};             // absolute; what lies in it is named from there
  std::size_t window = 1000;                // calls remembered
  std::int64_t deadline_milliseconds = 50;  // of one decision
};

struct PolicyVerdict {
  Permission permission = Permission::kAllowed;
  std::string reason;  // the first by text, when several rules speak
  std::string rule;    // "file:line:column" of a rule that decided
};

class Policy {
 public:
  // The prelude and these rules.
  static Result<std::unique_ptr<Policy>> create(const std::vector<PolicySource>& sources,
                                                PolicyOptions options = {});
  // The files of packs/policy/.
  static Result<std::unique_ptr<Policy>> shipped(PolicyOptions options = {});
  // The same, then those of the space's owner (<space>/policy/*.mg), then `more`:
  // a denial or question of one is not taken back by another.
  static Result<std::unique_ptr<Policy>> of_space(const std::string& folder,
                                                  const std::vector<PolicySource>& more = {},
                                                  PolicyOptions options = {});
  static std::vector<PolicySource> shipped_sources();
  // The files *.mg of a folder by name; none when there is no such folder. Errors: kIo, kDenied.
  static Result<std::vector<PolicySource>> sources_in(FileSystem& files, const std::string& folder);
  ~Policy();
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  // Rules of one's own that can decide nothing, each with its place.
  const std::vector<std::string>& idle_rules() const;

  // Adds the call to the trace and judges it. `call` receives its number in the trace.
  PolicyVerdict decide(const CallRequest& request, const ToolPolicy& tool, std::uint64_t& call);
  // How it went on: "done", "failed", "denied", "waiting".
  void finished(std::uint64_t call, std::string_view outcome);
  // What would be decided, without a trace left.
  PolicyVerdict would_decide(const CallRequest& request, const ToolPolicy& tool);

 private:
  struct State;
  explicit Policy(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace anima::govern
